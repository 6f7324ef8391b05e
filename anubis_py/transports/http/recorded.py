"""A stream that is written down, so that a client may come back for the rest of it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Sequence

import anyio
import attrs

from ...engine.legacy.tape import Tape
from ...engine.outbox import Outbox
from ...server.deadline import cancel_scope
from ...sessions.event_store import StreamEvent
from ...sessions.store_down import StoreDown
from .sse import EventStream, Stalled, identified

logger = logging.getLogger("anubis_py.http")


@attrs.define(eq=False, repr=False)
class RecordedStream:
    """The stream of one POST. It goes on in writing when its connection is lost, or ended."""

    _stream: EventStream
    _tape: Tape
    _primes: bool
    """Whether clients of this revision understand an event without a message."""
    _retry: int
    """Milliseconds that a client is to wait before it comes back."""
    _connected: bool = attrs.field(default=True, init=False)
    _identified: bool = attrs.field(default=False, init=False)
    """Whether the client has an id to come back with."""
    _done: anyio.Event = attrs.field(factory=anyio.Event, init=False)

    async def write(self, outbox: Outbox) -> None:
        """Begin the response and write what comes, until the outbox is closed."""
        try:
            await self._try(self._stream.start(await self._first()))
            while await self._pass_on(outbox):
                pass
        except Exception:
            logger.exception("a stream was cut off")
        finally:
            self._done.set()

    async def _first(self) -> bytes:
        if not self._primes:
            return b"retry: %d\n\n" % self._retry
        # "the server SHOULD immediately send an SSE event consisting of an event ID and an empty
        # data field in order to prime the client to reconnect".
        return identified(await self._record(b""), self._retry)

    async def _pass_on(self, outbox: Outbox) -> bool:
        """Whether there is more to come."""
        messages: list[bytes] | None = None
        with cancel_scope(self._stream.keep_alive if self._connected else None):
            messages = await outbox.take()
        if messages is None:
            await self._try(self._stream.comment())
            return True
        await self._send(messages)
        return bool(messages)

    async def _send(self, messages: Sequence[bytes]) -> None:
        events: list[StreamEvent] = []
        for message in messages:
            if message:
                events.append(await self._record(message))
            elif self._identified:
                await self._try(self._stream.events(events))
                events = []
                await self._end()
        await self._try(self._stream.events(events))

    async def finish(self, answer: bytes | None) -> None:
        """When the outbox is closed: write the answer behind everything else, and end the stream.
        None: there is none, since nobody wants it any more."""
        await self._done.wait()
        event = await self._record(answer or b"", last=True)
        if answer is not None:
            await self._try(self._stream.events([event]))
        await self._end()

    async def _record(self, message: bytes, *, last: bool = False) -> StreamEvent:
        try:
            event = await self._tape.record(message, last=last)
        except StoreDown as error:
            # Whoever is connected gets it all the same, without an id.
            logger.error("what a stream says is not kept: %s", error)
            return StreamEvent("", message, last)
        self._identified = True
        return event

    async def _end(self) -> None:
        await self._try(self._stream.end())
        self._connected = False

    async def _try(self, sending: Awaitable[None]) -> None:
        """Send, if anybody is there. "Disconnection SHOULD NOT be interpreted as the client
        cancelling its request": the work goes on without."""
        if not self._connected:
            sending.close()  # type: ignore[attr-defined]
            return
        try:
            await sending
        except (Stalled, OSError):
            self._connected = False
