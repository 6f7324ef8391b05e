"""The requests in flight: serving them, and stopping one that the client has given up."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

import anyio
import attrs

from ...engine.exchange import Peer
from ...engine.listener import Listener
from ...engine.outbox import Outbox
from ...engine.stateless import LISTEN, Stateless, refuse
from ...engine.subscriptions import Subscriptions
from ...errors import McpError, internal_error, invalid_request, unsupported_version
from ...protocol.jsonrpc import Request, RequestId
from ...protocol.params import RequestMeta
from ...server.behaviour import Behaviour
from .channel import Channel
from .voice import Voice

logger = logging.getLogger("anubis_py.stdio")

# Each costs a task for as long as it is open. Clients open one, or one for each thing they show.
MAX_SUBSCRIPTIONS: Final = 1000


@attrs.define(eq=False)
class InFlight:
    """A request that is being served, or waits for that."""

    request: Request
    cancelled: bool = False
    scope: anyio.CancelScope | None = None
    """Of the task that serves it; None before that begins."""

    def cancel(self) -> None:
        self.cancelled = True
        if self.scope is not None:
            self.scope.cancel()


@attrs.define(eq=False)
class Requests:
    """A request is in flight from `open` until the task that serves it is done.

    Completion is decided once: `cancel` finds a request that is in flight, and then nothing
    more is sent for it; or it does not, and the answer is on its way.
    """

    _server: Behaviour
    _engine: Stateless
    _subscriptions: Subscriptions
    _channel: Channel
    _open: dict[RequestId, InFlight] = attrs.field(factory=dict, init=False)
    _listening: int = attrs.field(default=0, init=False)

    def open(self, request: Request) -> InFlight:
        """Raises McpError for an id that is in use: its two answers could not be told apart."""
        if request.id in self._open:
            raise invalid_request("Invalid request: a request with this id is in flight")
        if request.method == LISTEN:
            if self._listening >= MAX_SUBSCRIPTIONS:
                raise invalid_request("Invalid request: too many subscriptions are open")
            self._listening += 1
        entry = self._open[request.id] = InFlight(request)
        return entry

    def cancel(self, params: Mapping[str, Any]) -> None:
        """Stop the request that `notifications/cancelled` names, if there is one.

        "Invalid cancellation notifications SHOULD be ignored: unknown request IDs, already
        completed requests, malformed notifications."
        """
        id_ = params.get("requestId")
        # True == 1 == 1.0 to a dictionary, but not to a client.
        entry = self._open.get(id_) if type(id_) is str or type(id_) is int else None
        if entry is None:
            return
        logger.debug("request %r was cancelled: %.200s", id_, params.get("reason"))
        entry.cancel()
        self._channel.withdraw(entry)

    async def serve(self, scope: anyio.CancelScope, entry: InFlight) -> None:
        """Answer a request that was opened, in a task of this scope. Raises nothing but
        cancellation."""
        entry.scope = scope
        try:
            # Cancelled before it began, it does not begin.
            if not entry.cancelled:
                body = await self._guarded(entry)
                if body is not None:
                    await self._channel.send(body, entry)
        finally:
            del self._open[entry.request.id]
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
        meta = self._checked(request)
        if request.method == LISTEN:
            return await self._listen(entry, meta)
        if self._engine.may_speak(meta):
            return await self._speak(entry, meta)
        return (await self._engine.serve(request, meta, Peer())).body

    def _checked(self, request: Request) -> RequestMeta:
        """Raises McpError."""
        if request.method == "initialize" and "_meta" not in request.params:
            # "A server that supports only modern versions SHOULD name the protocol versions it
            # supports in any error it returns to an initialize request" (basic/versioning).
            requested = str(request.params.get("protocolVersion"))
            raise unsupported_version(requested[:64], self._server.versions)
        meta = self._engine.read_meta(request)
        self._engine.require_version(meta.protocol_version)
        return meta

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
