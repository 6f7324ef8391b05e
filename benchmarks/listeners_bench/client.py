"""Connections that listen, and one that changes things, with as little as possible around."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Sequence
from typing import Any, Final

_META: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}

ACKNOWLEDGED: Final = b"notifications/subscriptions/acknowledged"
UPDATED: Final = b"notifications/resources/updated"

PATIENCE: Final = 30.0

_ENDS: Final = (b"\n\n\r\n", b"\r\n\r\n\r\n")
"""Of an event and its chunk: its lines may end with either."""


def _request(method: str, params: dict[str, Any]) -> tuple[dict[str, str], str]:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": _META}}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
    }
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    return headers, json.dumps(message)


class Listener:
    """One connection with one subscription."""

    def __init__(self, port: int, uris: Sequence[str], room: int | None = None) -> None:
        self._socket = socket.socket()
        if room is not None:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        self._socket.settimeout(PATIENCE)
        self._socket.connect(("127.0.0.1", port))
        wanted = {"notifications": {"resourceSubscriptions": list(uris)}}
        headers, body = _request("subscriptions/listen", wanted)
        headers |= {"Host": f"127.0.0.1:{port}", "Content-Length": str(len(body))}
        lines = ["POST /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        self._socket.sendall(("\r\n".join([*lines, "", ""]) + body).encode())

    def wait_for(self, what: bytes) -> None:
        """Read up to an event that has this in it, to its end."""
        data = b""
        while what not in data or not data.endswith(_ENDS):
            received = self._socket.recv(65536)
            if not received:
                raise SystemExit(f"a stream ended with {data[-500:]!r}")
            data += received

    def close(self) -> None:
        self._socket.close()


class Changer:
    """Calls the tool that changes a note."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._connection.connect()
        # Its requests leave in two pieces, and must not wait for each other.
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def change(self, uri: str) -> None:
        headers, body = _request("tools/call", {"name": "touch", "arguments": {"uri": uri}})
        self._connection.request("POST", "/mcp", body, headers)
        answer = self._connection.getresponse()
        said = answer.read()
        if answer.status != 200 or b"touched" not in said:
            raise SystemExit(f"the change was answered with {answer.status}: {said[:500]!r}")

    def close(self) -> None:
        self._connection.close()
