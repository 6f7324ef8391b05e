"""One connection of a client of the handshake revisions, and a session on a real port."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

import attrs
import httpx

from .legacy import BOTH, asks, calls, initializing, notes
from .legacy_events import LegacyReader
from .socket_stream import PATIENCE, SocketStream, request_head


@attrs.define(eq=False)
class LegacySocket(SocketStream):
    fields: Mapping[str, str] = attrs.field(factory=dict, kw_only=True)
    verb: str = attrs.field(default="POST", kw_only=True)

    def encoded(self, host: str, path: str) -> bytes:
        body = json.dumps(self.request).encode() if self.request else b""
        length = {"Content-Length": str(len(body))} if body else {}
        return request_head(self.verb, path, {**self.fields, "Host": host, **length}) + body

    @property
    def events(self) -> LegacyReader:
        assert isinstance(self.reader, LegacyReader)
        return self.reader


def _request(verb: str, url: str, fields: Mapping[str, str], body: Any = None) -> httpx.Response:
    """Over a connection of its own, which is closed: so it counts for nothing in the server."""
    # Without certificates: to load them takes longer than all of the rest.
    with httpx.Client(verify=False) as client:
        headers = {**fields, "Connection": "close"}
        return client.request(verb, url, json=body, headers=headers, timeout=PATIENCE)


@attrs.define(eq=False)
class PortSession:
    """A session with a server process. Each message goes over a connection of its own."""

    url: str
    version: str
    session_id: str

    @classmethod
    def begun(cls, url: str, version: str = "2025-11-25", capabilities: Any = None) -> Self:
        body = initializing(version, capabilities=capabilities or {})
        headers = {"Accept": BOTH}
        response = _request("POST", url, headers, body)
        session = cls(url, version, response.headers["mcp-session-id"])
        assert session.send(notes("notifications/initialized")).status_code == 202
        return session

    @property
    def fields(self) -> dict[str, str]:
        fields = {"Mcp-Session-Id": self.session_id, "Accept": BOTH}
        if self.version > "2025-03-26":
            fields["MCP-Protocol-Version"] = self.version
        return fields

    def send(self, body: Any) -> httpx.Response:
        return _request("POST", self.url, self.fields, body)

    def call(self, tool: str, **arguments: Any) -> str:
        response = self.send(calls(tool, arguments, id="call"))
        text: str = response.json()["result"]["content"][0]["text"]
        return text

    def alive(self) -> None:
        assert self.send(asks("ping", id="alive")).json()["result"] == {}

    def delete(self) -> httpx.Response:
        return _request("DELETE", self.url, self.fields)

    def post(self, body: Any, **options: Any) -> LegacySocket:
        fields = {**self.fields, "Content-Type": "application/json"}
        return self._reading(LegacySocket(self.url, body, fields=fields, **options))

    def get(self, last: str | None = None, answers: str | None = None) -> LegacySocket:
        fields = {**self.fields, "Accept": "text/event-stream"}
        if last is not None:
            fields["Last-Event-ID"] = last
        return self._reading(LegacySocket(self.url, {}, fields=fields, verb="GET"), answers)

    def _reading(self, stream: LegacySocket, answers: str | None = None) -> LegacySocket:
        method = stream.request.get("method") or answers
        stream.reader = LegacyReader(method, version=self.version)
        return stream
