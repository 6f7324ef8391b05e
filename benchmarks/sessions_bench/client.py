"""A client of the handshake revisions, with as little as possible around."""

from __future__ import annotations

import http.client
import json
import socket
from typing import Any, Final

PATIENCE: Final = 30.0

_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}


class Client:
    """One connection, for any number of sessions."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._connection.connect()
        # Its requests leave in two pieces, and must not wait for each other.
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def open(self) -> str:
        """A session, by its id."""
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "benchmark", "version": "1"},
        }
        answer, _ = self._post({"id": 0, "method": "initialize", "params": params}, {})
        session_id = answer.headers["Mcp-Session-Id"]
        assert session_id is not None
        self._post({"method": "notifications/initialized"}, _of(session_id))
        return session_id

    def count(self, session_id: str) -> int:
        """How often the tool was called in this session, this time included."""
        call = {"id": 1, "method": "tools/call", "params": {"name": "count"}}
        _, body = self._post(call, _of(session_id))
        return int(json.loads(body)["result"]["content"][0]["text"])

    def _post(
        self, message: dict[str, Any], headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        body = json.dumps({"jsonrpc": "2.0", **message})
        self._connection.request("POST", "/mcp", body, _HEADERS | headers)
        answer = self._connection.getresponse()
        said = answer.read()
        if answer.status not in (200, 202):
            raise SystemExit(f"answered with {answer.status}: {said[:500]!r}")
        return answer, said

    def close(self) -> None:
        self._connection.close()


def _of(session_id: str) -> dict[str, str]:
    return {"Mcp-Session-Id": session_id, "MCP-Protocol-Version": "2025-11-25"}
