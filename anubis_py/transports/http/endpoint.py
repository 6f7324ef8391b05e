"""The MCP endpoint: one POST, from bytes to a message and back.

The order of the checks is the specification's: who may speak at all, then the envelope, then
what the headers repeat of the body, and only then what the request asks for.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from ...caller import Caller
from ...engine.exchange import Peer, Served
from ...engine.listener import Listener
from ...engine.outbox import Outbox
from ...engine.stateless import LISTEN, Stateless, refuse
from ...engine.subscriptions import Subscriptions
from ...errors import McpError, invalid_request, unsupported_version
from ...protocol import jsonrpc
from ...protocol.params import RequestMeta
from ...server.behaviour import Behaviour
from . import headers as fields
from . import streaming
from .asgi_types import Receive, Scope, Send
from .body import TooLarge, read_body
from .departure import until_departure
from .reply import send_reply
from .settings import HttpSettings
from .sse import EventStream

logger = logging.getLogger("anubis_py.http")

ACCEPTED: Final = Served(202, None)


class Endpoint:
    def __init__(
        self, server: Behaviour, settings: HttpSettings, subscriptions: Subscriptions
    ) -> None:
        self._server = server
        self._settings = settings
        self._hosts = settings.hosts
        self._subscriptions = subscriptions
        self._engine = Stateless(server, subscriptions)

    def check(self) -> None:
        """Raises NoKey. For when the server starts."""
        self._engine.check()

    async def post(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one POST. Raises Disconnected or Gone when the client goes away."""
        caller = Caller()
        served = await self._serve(scope, receive, send, caller)
        if isinstance(served, Listener):
            # Here, where nothing else is held: it may be open for days.
            await self._listen(served, receive, send, caller)
        elif served is not None:
            await send_reply(send, served)

    async def _serve(
        self, scope: Scope, receive: Receive, send: Send, caller: Caller
    ) -> Served | Listener | None:
        found = fields.collect(scope["headers"])
        try:
            message = await self._read(scope, receive, found)
        except jsonrpc.Undecodable as fault:
            return refuse(fault.id, fault.error)
        except McpError as error:
            return refuse(None, error)
        peer = Peer(found, _remote_ip(scope), None, scope.get("state") or {}, caller)
        return await self._message(message, peer, receive, send)

    async def _read(
        self, scope: Scope, receive: Receive, found: Mapping[str, str]
    ) -> jsonrpc.Message:
        self._admit(scope, found)
        try:
            return jsonrpc.decode(await read_body(receive, found, self._settings.max_body))
        except TooLarge:
            limit = f"The body is larger than {self._settings.max_body} bytes"
            raise invalid_request(limit, http_status=413) from None

    def _admit(self, scope: Scope, found: Mapping[str, str]) -> None:
        """Who may speak, and in what form. Raises McpError."""
        server = scope.get("server") or (None,)
        refusal = self._hosts.refusal(server[0], found.get("host"), found.get("origin"))
        if refusal is not None:
            logger.warning("%s", refusal)
            raise invalid_request("Forbidden: this Host or Origin is not admitted", http_status=403)
        if not fields.accepts(found.get("accept"), fields.JSON):
            raise _not_acceptable()
        if not fields.is_json(found.get("content-type")):
            raise invalid_request(
                f"Unsupported media type: Content-Type must be {fields.JSON}", http_status=415
            )

    async def _message(
        self, message: jsonrpc.Message, peer: Peer, receive: Receive, send: Send
    ) -> Served | Listener | None:
        """Serve a message; None: the answer has been streamed."""
        match message:
            case jsonrpc.Request():
                return await self._request(message, peer, receive, send)
            case jsonrpc.Notification():
                await self._engine.notify(message, peer)
                return ACCEPTED
            case jsonrpc.Answer():
                # "The client MUST NOT send JSON-RPC responses."
                return refuse(None, invalid_request("Invalid request: a response answers nothing"))

    async def _request(
        self, request: jsonrpc.Request, peer: Peer, receive: Receive, send: Send
    ) -> Served | Listener | None:
        try:
            meta = self._checked(request, peer.headers)
        except McpError as error:
            return refuse(request.id, error)
        if request.method == LISTEN:
            return await self._open(request, meta, peer, receive)
        if not (self._engine.may_speak(meta) and _takes_streams(peer)):
            # The common case: plain JSON, and no task beside the handler.
            work = self._engine.serve(request, meta, peer)
            return await until_departure(receive, peer.caller, work)

        async def speak(outbox: Outbox) -> Served:
            return await self._engine.serve(request, meta, peer, outbox)

        return await streaming.answer(speak, receive, self._stream(send))

    async def _open(
        self, request: jsonrpc.Request, meta: RequestMeta, peer: Peer, receive: Receive
    ) -> Served | Listener:
        if not _takes_streams(peer):
            return refuse(request.id, _not_acceptable())
        work = self._engine.listen(request, meta, peer)
        return await until_departure(receive, peer.caller, work)

    async def _listen(
        self, listener: Listener, receive: Receive, send: Send, caller: Caller
    ) -> None:
        def closing() -> bytes:
            return self._engine.closing_result(listener)

        with self._subscriptions.listening(listener):
            await streaming.listen(listener, closing, receive, caller, self._stream(send))

    def _checked(self, request: jsonrpc.Request, found: Mapping[str, str]) -> RequestMeta:
        """Hold the headers against the body. Raises McpError."""
        self._refuse_handshake(request, found)
        fields.require_version(found)
        meta = self._engine.read_meta(request)
        fields.match_version(found, meta.protocol_version)
        self._engine.require_version(meta.protocol_version)
        fields.match_method(found, request.method)
        source = fields.NAME_SOURCE.get(request.method)
        if source is not None and isinstance(name := request.params.get(source), str):
            fields.match_name(found, name)
        return meta

    def _refuse_handshake(self, request: jsonrpc.Request, found: Mapping[str, str]) -> None:
        """A client of the handshake revisions is told which revisions are served: it may be all
        that its user gets to see (basic/versioning, "Backward Compatibility")."""
        header = found.get("mcp-protocol-version")
        if "_meta" in request.params or (header and header in self._server.versions):
            return
        if request.method == "initialize":
            header = header or str(request.params.get("protocolVersion"))
        if header:
            raise unsupported_version(header[:64], self._server.versions)

    def _stream(self, send: Send) -> EventStream:
        return EventStream(send, self._settings.keep_alive, self._settings.send_timeout)


def _takes_streams(peer: Peer) -> bool:
    return fields.accepts(peer.headers.get("accept"), fields.EVENT_STREAM)


def _not_acceptable() -> McpError:
    return invalid_request(
        f"Not acceptable: Accept must admit {fields.JSON} and {fields.EVENT_STREAM}",
        http_status=406,
    )


def _remote_ip(scope: Scope) -> str | None:
    client = scope.get("client")
    return client[0] if client else None
