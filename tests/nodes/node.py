"""A node, and the client of a session that speaks to any of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

import attrs
import httpx
from running.server_process import PATIENCE, ServerProcess, running

PROGRAM: Final = str(Path(__file__).parent / "program.py")

_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}

_ids: Final = count(1)


@contextmanager
def node(store: str) -> Iterator[ServerProcess]:
    with running(PROGRAM, store) as process:
        yield process


@attrs.define
class Events:
    """A stream of events, one by one."""

    response: httpx.Response
    _lines: Iterator[str] = attrs.field(init=False)
    last_id: str | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        assert self.response.status_code == 200
        assert self.response.headers["content-type"] == "text/event-stream"
        self._lines = self.response.iter_lines()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for line in self._lines:
            if line.startswith("id: "):
                self.last_id = line[4:]
            elif line.startswith("data: ") and line != "data: ":
                yield json.loads(line[6:])

    def next(self) -> dict[str, Any]:
        return next(iter(self))

    def until(self, method: str) -> dict[str, Any]:
        """The next message of this method."""
        return next(message for message in self if message.get("method") == method)


@attrs.define
class Session:
    """A session of a client that is wherever the balancer sends it."""

    id: str
    version: str

    @property
    def headers(self) -> dict[str, str]:
        return {**_HEADERS, "Mcp-Session-Id": self.id, "MCP-Protocol-Version": self.version}

    @classmethod
    def begin(cls, at: ServerProcess, version: str = "2025-11-25") -> Session:
        params = {
            "protocolVersion": version,
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "wanderer", "version": "1"},
            "_meta": {"trace": "t-1"},
        }
        body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        response = httpx.post(at.url, json=body, headers=_HEADERS, timeout=PATIENCE)
        assert response.json()["result"]["protocolVersion"] == version
        return cls(response.headers["mcp-session-id"], version)

    def post(self, at: ServerProcess, message: Mapping[str, Any]) -> httpx.Response:
        return httpx.post(
            at.url, json={"jsonrpc": "2.0", **message}, headers=self.headers, timeout=PATIENCE
        )

    def note(self, at: ServerProcess, method: str, **params: Any) -> None:
        response = self.post(at, {"method": method, "params": params})
        assert (response.status_code, response.content) == (202, b"")

    def ask(self, at: ServerProcess, method: str, **params: Any) -> dict[str, Any]:
        response = self.post(at, {"id": next(_ids), "method": method, "params": params})
        assert response.status_code == 200, response.text
        result: dict[str, Any] = response.json()["result"]
        return result

    def call(self, at: ServerProcess, tool: str, **arguments: Any) -> str:
        result = self.ask(at, "tools/call", name=tool, arguments=arguments)
        text: str = result["content"][0]["text"]
        return text

    @contextmanager
    def calling(
        self, at: ServerProcess, tool: str, *, id_: int | None = None, **arguments: Any
    ) -> Iterator[Events]:
        """A call whose answer is a stream."""
        params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": tool}}
        body = {"jsonrpc": "2.0", "id": id_ or next(_ids), "method": "tools/call", "params": params}
        with httpx.stream(
            "POST", at.url, json=body, headers=self.headers, timeout=PATIENCE
        ) as response:
            yield Events(response)

    @contextmanager
    def listening(self, at: ServerProcess, after: str | None = None) -> Iterator[Events]:
        """The standing stream, or the rest of another one."""
        headers = self.headers | ({} if after is None else {"Last-Event-ID": after})
        with httpx.stream("GET", at.url, headers=headers, timeout=PATIENCE) as response:
            yield Events(response)

    def delete(self, at: ServerProcess) -> int:
        return httpx.delete(at.url, headers=self.headers, timeout=PATIENCE).status_code

    def status(self, at: ServerProcess) -> int:
        return self.post(at, {"id": next(_ids), "method": "ping"}).status_code
