"""The requests of the stateless era: each is served in a task, and waits for no other."""

from __future__ import annotations

import logging
from typing import Final

import attrs

from ...caller import Scope
from ...engine.exchange import Peer
from ...engine.listener import Listener
from ...engine.outbox import Outbox
from ...engine.refusal import refuse
from ...engine.stateless import LISTEN, Stateless
from ...engine.subscriptions import Subscriptions
from ...errors import McpError, internal_error, invalid_request
from ...protocol.jsonrpc import Request
from ...protocol.params import RequestMeta
from .channel import Channel
from .in_flight import InFlight, OpenRequests
from .voice import Voice

logger = logging.getLogger("anubis_py.stdio")

# Each costs a task for as long as it is open. Clients open one, or one for each thing they show.
MAX_SUBSCRIPTIONS: Final = 1000


@attrs.define(eq=False, repr=False)
class StatelessRequests:
    _engine: Stateless
    _subscriptions: Subscriptions
    _channel: Channel
    _in_flight: OpenRequests
    _listening: int = attrs.field(default=0, init=False)

    def open(self, request: Request) -> InFlight:
        """A request is in flight from now on, and has to be served. Raises McpError."""
        listens = request.method == LISTEN
        if listens and self._listening >= MAX_SUBSCRIPTIONS:
            raise invalid_request("Invalid request: too many subscriptions are open")
        entry = self._in_flight.open(request)
        self._listening += listens
        return entry

    async def serve(self, scope: Scope, entry: InFlight) -> None:
        """Answer a request that was opened, in a task of this scope. Raises nothing but
        cancellation."""
        entry.caller.scope = scope
        try:
            # Cancelled before it began, it does not begin.
            if not entry.cancelled:
                body = await self._guarded(entry)
                if body is not None:
                    await self._channel.send(body, entry)
        finally:
            self._in_flight.close(entry)
            self._listening -= entry.request.method == LISTEN

    async def _guarded(self, entry: InFlight) -> bytes | None:
        try:
            return await self._answer(entry)
        except McpError as error:
            return refuse(entry.request.id, error).body
        except Exception:
            # One request may fail; the others, and the connection, do not.
            logger.exception("%s %r failed", entry.request.method, entry.request.id)
            return refuse(entry.request.id, internal_error()).body

    async def _answer(self, entry: InFlight) -> bytes | None:
        """Give the last message for a request. Raises McpError."""
        request = entry.request
        self._engine.refuse_handshake(request)
        meta = self._engine.read_meta(request)
        self._engine.require_version(meta.protocol_version)
        if request.method == LISTEN:
            return await self._listen(entry, meta)
        if self._engine.may_speak(meta):
            return await self._speak(entry, meta)
        return (await self._engine.serve(request, meta, Peer())).body

    async def _speak(self, entry: InFlight, meta: RequestMeta) -> bytes | None:
        """Serve a request whose client hears what is said meanwhile; that comes first."""
        voice = Voice(channel=self._channel, sender=entry)
        try:
            served = await self._engine.serve(entry.request, meta, Peer(), voice)
        finally:
            voice.close()
        await self._pass_on(voice, entry)
        return served.body

    async def _listen(self, entry: InFlight, meta: RequestMeta) -> bytes | None:
        """Open a subscription and serve it until it is closed from this side; give its last
        message, which is its closing result or a refusal."""
        opened = await self._engine.listen(entry.request, meta, Peer())
        if not isinstance(opened, Listener):
            return opened.body
        with self._subscriptions.listening(opened):
            await self._channel.send(opened.acknowledgement(), entry)
            await self._pass_on(opened, entry)
        return self._engine.closing_result(opened)

    async def _pass_on(self, source: Outbox | Listener, entry: InFlight) -> None:
        while messages := await source.take():
            for message in messages:
                await self._channel.send(message, entry)
