"""The requests that are measured, the same bytes for every app."""

from __future__ import annotations

import json
from typing import Any, Final

import attrs

from .post import Headers, Post

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

    @property
    def post(self) -> Post:
        return Post(self._headers, self._body)

    @property
    def _body(self) -> str:
        params = {"name": self.name, "arguments": self.arguments, "_meta": _META}
        message = {"jsonrpc": "2.0", "id": 1, "method": self.method, "params": params}
        return json.dumps(message, separators=(",", ":"))

    @property
    def _headers(self) -> Headers:
        return (
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", _REVISION),
            ("Mcp-Method", self.method),
            ("Mcp-Name", self.name),
        )

    def check(self, port: int, app: str) -> None:
        """Ask once, and look at the answer: nobody is measured at failing fast."""
        answer = self.post.ask(port)
        if answer.status != 200 or (app != "echo" and not self._is_answered_by(answer.body)):
            said = f"{answer.status}: {answer.body[:500]!r}"
            raise SystemExit(f"{app} answers {self.method} with {said}")

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
