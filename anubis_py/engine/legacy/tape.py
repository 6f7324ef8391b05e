"""Streams that are written down, and reading on where a client has lost one."""

from __future__ import annotations

from typing import Final

import anyio
import attrs

from ...sessions.event_store import EventStore, StreamEvent
from .presence import Presence

# Seconds between looks at the event store for what another process adds to a stream. Whoever
# reads it has just lost a connection.
POLL: Final = 0.25


@attrs.frozen(eq=False, repr=False)
class Tape:
    """Writes one stream of a session down."""

    _store: EventStore
    _session_id: str
    stream_id: str
    _presence: Presence

    async def record(self, message: bytes, *, last: bool = False) -> StreamEvent:
        """Raises StoreDown."""
        id_ = await self._store.append(self._session_id, self.stream_id, message, last=last)
        self._presence.recorded()
        return StreamEvent(id_, message, last)


@attrs.define(eq=False, repr=False)
class Follower:
    """Reads a stream from an event on, up to its end, whichever process writes it."""

    _store: EventStore
    _session_id: str
    _presence: Presence
    _after: str
    _ended: bool = attrs.field(default=False, init=False)

    async def take(self) -> list[StreamEvent]:
        """Wait for events and take them all. Empty: there will be no more. Raises StoreDown."""
        while not (self._ended or self._presence.over):
            replay = await self._store.after(self._session_id, self._after)
            if replay is None:
                break
            self._ended = replay.ended
            if replay.events:
                self._after = replay.events[-1].id
            # One without a message says only that there will be no answer.
            if taken := [event for event in replay.events if event.message]:
                return taken
            if self._ended:
                break
            # What is recorded between the look and the wait is seen at the next look.
            with anyio.move_on_after(POLL):
                await self._presence.until_recorded()
        return []
