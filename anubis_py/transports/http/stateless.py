"""The endpoint as clients of the stateless era know it: the headers repeat what a request asks
for, and every request stands alone (basic/transports/streamable-http)."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping

from ...engine.exchange import ACCEPTED, Peer, Served
from ...engine.listener import Listener
from ...engine.outbox import Outbox
from ...engine.refusal import refuse
from ...engine.stateless import LISTEN, Stateless
from ...engine.subscriptions import Subscriptions
from ...errors import McpError, invalid_request
from ...protocol import jsonrpc
from ...protocol.params import RequestMeta
from . import headers as fields
from . import streaming
from .asgi_types import Receive, Send
from .departure import until_departure
from .settings import HttpSettings
from .sse import EventStream


class StatelessEndpoint:
    def __init__(
        self, engine: Stateless, settings: HttpSettings, subscriptions: Subscriptions
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._subscriptions = subscriptions

    def post(
        self, message: jsonrpc.Message, peer: Peer, receive: Receive, send: Send
    ) -> Awaitable[Served | Listener | None]:
        """Serve a message; None: the answer has been streamed. A Listener is to be served by
        `listen`. Raises Disconnected or Gone when the client goes away."""
        if isinstance(message, jsonrpc.Request):
            return self._request(message, peer, receive, send)
        if isinstance(message, jsonrpc.Notification):
            return self._notify(message, peer)
        return self._refuse_answer()

    async def _refuse_answer(self) -> Served:
        # "The client MUST NOT send JSON-RPC responses."
        return refuse(None, invalid_request("Invalid request: a response answers nothing"))

    async def _notify(self, notification: jsonrpc.Notification, peer: Peer) -> Served:
        # Header requirements for notifications "are not defined by this revision"; but those
        # before it refuse whoever names a version that is not served.
        if version := peer.headers.get("mcp-protocol-version"):
            try:
                self._engine.require_version(version[:64])
            except McpError as error:
                return refuse(None, error)
        await self._engine.notify(notification, peer)
        return ACCEPTED

    async def _request(
        self, request: jsonrpc.Request, peer: Peer, receive: Receive, send: Send
    ) -> Served | Listener | None:
        try:
            meta = self._checked(request, peer.headers)
        except McpError as error:
            return refuse(request.id, error)
        if request.method == LISTEN:
            return await self._open(request, meta, peer, receive)
        if not (self._engine.may_speak(meta) and fields.takes_streams(peer.headers)):
            # The common case: plain JSON, and no task beside the handler.
            work = self._engine.serve(request, meta, peer)
            return await until_departure(receive, peer.caller, work)

        async def speak(outbox: Outbox) -> Served:
            return await self._engine.serve(request, meta, peer, outbox)

        return await streaming.answer(speak, receive, peer.caller, self._stream(send))

    async def _open(
        self, request: jsonrpc.Request, meta: RequestMeta, peer: Peer, receive: Receive
    ) -> Served | Listener:
        if not fields.takes_streams(peer.headers):
            return refuse(request.id, fields.not_acceptable())
        work = self._engine.listen(request, meta, peer)
        return await until_departure(receive, peer.caller, work)

    async def listen(self, listener: Listener, receive: Receive, send: Send) -> None:
        """Serve a subscription, up to its end."""

        def closing() -> bytes:
            return self._engine.closing_result(listener)

        with self._subscriptions.listening(listener):
            await streaming.listen(listener, closing, receive, self._stream(send))

    def _checked(self, request: jsonrpc.Request, found: Mapping[str, str]) -> RequestMeta:
        """Hold the headers against the body. Raises McpError."""
        self._engine.refuse_handshake(request, found.get("mcp-protocol-version"))
        fields.require_version(found)
        meta = self._engine.read_meta(request)
        fields.match_version(found, meta.protocol_version)
        self._engine.require_version(meta.protocol_version)
        fields.match_method(found, request.method)
        source = fields.NAME_SOURCE.get(request.method)
        if source is not None and isinstance(name := request.params.get(source), str):
            fields.match_name(found, name)
        return meta

    def _stream(self, send: Send) -> EventStream:
        return EventStream(send, self._settings.keep_alive, self._settings.send_timeout)
