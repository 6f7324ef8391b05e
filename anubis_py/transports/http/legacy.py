"""The endpoint as clients of the handshake revisions know it: sessions, and streams of three
kinds (basic/transports, "Streamable HTTP")."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import anyio

from ...engine.background import spawn
from ...engine.exchange import ACCEPTED, Peer, Served
from ...engine.legacy.legacy import Legacy
from ...engine.outbox import Outbox
from ...engine.refusal import refuse
from ...errors import McpError, invalid_request
from ...protocol import jsonrpc
from ...sessions.store_down import StoreDown
from . import headers as fields
from .asgi_types import Receive, Send
from .departure import until_departure
from .era import SESSION_ID, VERSION_HEADER
from .reply import send_reply
from .settings import HttpSettings
from .sse import EventStream, Stalled

if TYPE_CHECKING:
    from ...engine.legacy.stream import Stream
    from .recorded import RecordedStream

logger = logging.getLogger("anubis_py.http")

Serve: TypeAlias = Callable[[Outbox | None], Awaitable[Served]]


class LegacyEndpoint:
    """Raises McpError for what answers no request."""

    def __init__(self, engine: Legacy, settings: HttpSettings) -> None:
        self._engine = engine
        self._settings = settings

    async def post(self, message: jsonrpc.Message, peer: Peer, send: Send) -> None:
        match message:
            case jsonrpc.Request(method="initialize"):
                served, session_id = await self._engine.handshake.initialize(message, peer)
                extra = () if session_id is None else ((SESSION_ID.encode(), session_id.encode()),)
                await send_reply(send, served, *extra)
            case jsonrpc.Request():
                try:
                    session_id = self._session_id(peer)
                except McpError as error:
                    await send_reply(send, refuse(message.id, error))
                    return
                serve = partial(self._engine.requests.serve, session_id, message, peer)
                await self._answer(session_id, serve, peer, send)
            case jsonrpc.Notification():
                await self._engine.intake.notify(self._session_id(peer), message, peer)
                await send_reply(send, ACCEPTED)
            case jsonrpc.Answer():
                afterwards = await self._engine.intake.take(self._session_id(peer), message, peer)
                await send_reply(send, ACCEPTED)
                if afterwards is not None:
                    await afterwards()

    async def batch(
        self, parts: list[jsonrpc.Message | jsonrpc.Undecodable], peer: Peer, send: Send
    ) -> None:
        """Several messages at once, as revision 2025-03-26 has them. Raises McpError."""
        session_id = self._session_id(peer)
        await self._engine.batches.require(session_id, peer)

        serve = partial(self._engine.batches.serve, session_id, parts, peer)
        await self._answer(session_id, serve, peer, send)

    async def _answer(self, session_id: str, serve: Serve, peer: Peer, send: Send) -> None:
        """Answer in one piece; or on a stream, if there is something to say before."""
        if not fields.takes_streams(peer.headers):
            await send_reply(send, await serve(None))
            return
        streams: list[RecordedStream] = []

        def begin() -> None:
            # Imported by the first stream that is written down.
            from .recorded import RecordedStream

            stream = RecordedStream(
                self._stream(send),
                self._engine.streams.tape(session_id),
                self._engine.streams.primes(session_id),
                self._settings.retry,
            )
            streams.append(stream)
            spawn(stream.write, outbox)

        outbox = Outbox(on_use=begin)
        try:
            served = await serve(outbox)
        finally:
            outbox.close()
        if streams:
            await streams[0].finish(served.body)
        else:
            await send_reply(send, served)

    async def get(self, peer: Peer, receive: Receive, send: Send) -> None:
        """Open the stream of a session that belongs to no request, or go on with another one.
        Raises McpError, and Gone when the client goes away."""
        if not fields.takes_streams(peer.headers):
            raise fields.not_acceptable()
        last = peer.headers.get("last-event-id")
        stream = await self._engine.streams.open(self._session_id(peer), peer, last)
        with self._engine.streams.reading(stream):
            # A newer stream of the session, or the end of the session, closes this one.
            with anyio.CancelScope() as peer.caller.scope:
                await until_departure(receive, peer.caller, self._pass_on(stream, send))

    async def _pass_on(self, stream: Stream, send: Send) -> None:
        events = self._stream(send)
        try:
            await events.run_events(stream.first, stream.source, self._settings.retry)
            await events.end()
        except Stalled:
            logger.warning("a stream was closed: its client does not read")
        except StoreDown as error:
            logger.error("a stream was closed: %s", error)
            await events.end()

    async def delete(self, peer: Peer, send: Send) -> None:
        """End a session. Raises McpError."""
        await self._engine.sessions.end(self._session_id(peer), peer, "deleted")
        await send_reply(send, Served(204, None))

    def _stream(self, send: Send) -> EventStream:
        return EventStream(send, self._settings.keep_alive, self._settings.send_timeout)

    def _session_id(self, peer: Peer) -> str:
        """Raises McpError for what the headers lack or get wrong."""
        version = peer.headers.get(VERSION_HEADER)
        if version is not None and version not in self._engine.versions:
            raise invalid_request(
                f"Unsupported MCP-Protocol-Version. This session speaks one of "
                f"{', '.join(self._engine.versions)}"
            )
        session_id = peer.headers.get(SESSION_ID)
        if not session_id:
            raise invalid_request("Mcp-Session-Id header is missing: initialize begins a session")
        return session_id
