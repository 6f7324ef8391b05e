"""The ASGI app: one endpoint, from bytes to a message and back.

The order of the checks is the specification's: who may speak at all, then the envelope, then
what the headers repeat of the body, and only then what the request asks for.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from ...engine.exchange import Peer, Served
from ...engine.stateless import Stateless, refuse
from ...errors import McpError, invalid_request, unsupported_version
from ...protocol import jsonrpc
from ...server.behaviour import Behaviour
from . import headers as fields
from .asgi_types import Receive, Scope, Send
from .body import Disconnected, TooLarge, read_body
from .settings import HttpSettings

logger = logging.getLogger("anubis_py.http")

_JSON: Final = (b"content-type", b"application/json")


class App:
    """An ASGI 3 application that serves one server. Any ASGI server and either loop will do."""

    def __init__(self, server: Behaviour, settings: HttpSettings | None = None) -> None:
        self.server = server
        self.settings = settings or HttpSettings()
        self._hosts = self.settings.hosts
        self._engine = Stateless(server)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:
            # A WebSocket is refused by closing it before it is accepted.
            await send({"type": "websocket.close", "code": 1000, "reason": ""})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            served, extra = await self._served(scope, receive)
        except Disconnected:
            return
        await _send(send, served, extra)

    async def _served(self, scope: Scope, receive: Receive) -> tuple[Served, tuple[Any, ...]]:
        place = self._place(scope)
        if place == self.settings.health_path:
            return self._health(scope)
        if place != self.settings.path:
            return Served(404, None), ()
        if scope["method"] != "POST":
            # "HTTP GET or DELETE to the MCP endpoint": 405 in this revision.
            return Served(405, None), ((b"allow", b"POST"),)
        return await self._post(scope, receive), ()

    def _place(self, scope: Scope) -> str:
        """The path below the mount point. A server may or may not repeat that in the path; a
        slash at the end is as good as none, for a redirect would lose the body."""
        path: str = scope["path"].rstrip("/") or "/"
        if path in (self.settings.path, self.settings.health_path):
            return path
        root = scope.get("root_path", "").rstrip("/")
        return path[len(root) :] or "/" if root and path.startswith(root) else path

    def _health(self, scope: Scope) -> tuple[Served, tuple[Any, ...]]:
        if scope["method"] in ("GET", "HEAD"):
            return Served(200, b'{"status":"ok"}'), ()
        return Served(405, None), ((b"allow", b"GET, HEAD"),)

    async def _post(self, scope: Scope, receive: Receive) -> Served:
        found = fields.collect(scope["headers"])
        try:
            self._admit(scope, found)
            body = await read_body(receive, found, self.settings.max_body)
            message = jsonrpc.decode(body)
        except TooLarge:
            limit = f"The body is larger than {self.settings.max_body} bytes"
            return refuse(None, invalid_request(limit, http_status=413))
        except jsonrpc.Undecodable as fault:
            return refuse(fault.id, fault.error)
        except McpError as error:
            return refuse(None, error)
        peer = Peer(found, _remote_ip(scope), None, scope.get("state") or {})
        match message:
            case jsonrpc.Request():
                return await self._request(message, peer)
            case jsonrpc.Notification():
                await self._engine.notify(message, peer)
                return Served(202, None)
            case jsonrpc.Answer():
                # "The client MUST NOT send JSON-RPC responses."
                return refuse(None, invalid_request("Invalid request: a response answers nothing"))

    def _admit(self, scope: Scope, found: Mapping[str, str]) -> None:
        """Who may speak, and in what form. Raises McpError."""
        server = scope.get("server") or (None,)
        refusal = self._hosts.refusal(server[0], found.get("host"), found.get("origin"))
        if refusal is not None:
            logger.warning("%s", refusal)
            raise invalid_request("Forbidden: this Host or Origin is not admitted", http_status=403)
        if not fields.accepts(found.get("accept"), fields.JSON):
            raise invalid_request(
                f"Not acceptable: Accept must admit {fields.JSON} and {fields.EVENT_STREAM}",
                http_status=406,
            )
        if not fields.is_json(found.get("content-type")):
            raise invalid_request(
                f"Unsupported media type: Content-Type must be {fields.JSON}", http_status=415
            )

    async def _request(self, request: jsonrpc.Request, peer: Peer) -> Served:
        found = peer.headers
        try:
            self._refuse_handshake(request, found)
            fields.require_version(found)
            meta = self._engine.read_meta(request)
            fields.match_version(found, meta.protocol_version)
            self._engine.require_version(meta.protocol_version)
            fields.match_method(found, request.method)
            self._match_name(request, found)
        except McpError as error:
            return refuse(request.id, error)
        return await self._engine.serve(request, meta, peer)

    def _refuse_handshake(self, request: jsonrpc.Request, found: Mapping[str, str]) -> None:
        """A client of the handshake revisions is told which revisions are served: it may be all
        that its user gets to see (basic/versioning, "Backward Compatibility")."""
        header = found.get("mcp-protocol-version")
        if "_meta" in request.params or (header and header in self.server.versions):
            return
        if request.method == "initialize":
            header = header or str(request.params.get("protocolVersion"))
        if header:
            raise unsupported_version(header[:64], self.server.versions)

    def _match_name(self, request: jsonrpc.Request, found: Mapping[str, str]) -> None:
        source = fields.NAME_SOURCE.get(request.method)
        if source is not None and isinstance(name := request.params.get(source), str):
            fields.match_name(found, name)


def _remote_ip(scope: Scope) -> str | None:
    client = scope.get("client")
    return client[0] if client else None


async def _send(send: Send, served: Served, extra: tuple[tuple[bytes, bytes], ...]) -> None:
    body = served.body or b""
    headers = [(b"content-length", b"%d" % len(body)), *extra]
    if served.body is not None:
        headers.append(_JSON)
    await send({"type": "http.response.start", "status": served.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": message["type"] + ".complete"})
        if message["type"] == "lifespan.shutdown":
            return
