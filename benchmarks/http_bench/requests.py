"""The requests that are measured, the same bytes for every app."""

from __future__ import annotations

import http.client
import json
from typing import Any, Final

import attrs

_REVISION: Final = "2026-07-28"
_META: Final = {
    "io.modelcontextprotocol/protocolVersion": _REVISION,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@attrs.frozen
class Request:
    method: str
    name: str
    arguments: dict[str, Any]
    expected: str
    """The one text in the answer of every app but the echo."""
    path: str = "/mcp"

    @property
    def body(self) -> str:
        params = {"name": self.name, "arguments": self.arguments, "_meta": _META}
        message = {"jsonrpc": "2.0", "id": 1, "method": self.method, "params": params}
        return json.dumps(message, separators=(",", ":"))

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        return (
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", _REVISION),
            ("Mcp-Method", self.method),
            ("Mcp-Name", self.name),
        )

    def encoded(self, port: int) -> bytes:
        head = [f"POST {self.path} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
        head += [f"{name}: {value}" for name, value in self.headers]
        head += [f"Content-Length: {len(self.body)}", "", ""]
        return ("\r\n".join(head) + self.body).encode()

    def check(self, port: int, app: str) -> None:
        """Ask once, and look at the answer: nobody is measured at failing fast."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("POST", self.path, self.body, dict(self.headers))
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        if answer.status != 200 or (app != "echo" and not self._is_answered_by(body)):
            raise SystemExit(f"{app} answers {self.method} with {answer.status}: {body[:500]!r}")

    def _is_answered_by(self, body: bytes) -> bool:
        result = json.loads(body).get("result", {})
        content = result.get("content") or [m["content"] for m in result.get("messages", ())]
        return [block["text"] for block in content] == [self.expected]


REQUESTS: Final = {
    (method, handler): Request(method, name + suffix, arguments, expected)
    for handler, suffix in (("async def", ""), ("def", "_def"))
    for method, name, arguments, expected in (
        ("tools/call", "add", {"a": 2, "b": 40}, "42"),
        ("prompts/get", "greet", {"who": "Ada"}, "Please greet Ada."),
    )
}
"""By method and by what kind of function handles it."""
