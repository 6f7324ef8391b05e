"""What was sent on streams, kept for as long as the process lives."""

from __future__ import annotations

from collections import OrderedDict, deque
from itertools import count, dropwhile

import attrs

from .bounds import OVERHEAD, Bounds, event_id, parts_of
from .event_store import EventStore, Replay, StreamEvent


@attrs.define(eq=False, repr=False)
class _Stream:
    events: deque[StreamEvent] = attrs.field(factory=deque)

    def drop(self) -> int:
        """Forget the oldest event, and tell how much it was."""
        return OVERHEAD + len(self.events.popleft().message)


@attrs.define(eq=False, repr=False)
class _Session:
    # The stream that was quiet for longest comes first.
    streams: OrderedDict[str, _Stream] = attrs.field(factory=OrderedDict)
    size: int = 0

    def add(self, stream_id: str, event: StreamEvent) -> _Stream:
        stream = self.streams.setdefault(stream_id, _Stream())
        self.streams.move_to_end(stream_id)
        stream.events.append(event)
        self.size += OVERHEAD + len(event.message)
        return stream

    def drop_stream(self) -> None:
        stream = self.streams.popitem(last=False)[1]
        while stream.events:
            self.size -= stream.drop()

    def shrink(self, max_bytes: int) -> None:
        """Forget old events, but the newest of each stream."""
        for stream in self.streams.values():
            while self.size > max_bytes and len(stream.events) > 1:
                self.size -= stream.drop()
            if self.size <= max_bytes:
                return


class MemoryEventStore(EventStore):
    """Keeps the newest events, within `bounds`."""

    def __init__(self, bounds: Bounds = Bounds()) -> None:  # noqa: B008 (frozen)
        self._bounds = bounds
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        # One for all: a stream that was forgotten and comes back gives no number twice.
        self._numbers = count(1)

    async def append(
        self, session_id: str, stream_id: str, message: bytes, *, last: bool = False
    ) -> str:
        event = StreamEvent(event_id(stream_id, next(self._numbers)), message, last)
        session = self._sessions.setdefault(session_id, _Session())
        self._sessions.move_to_end(session_id)
        stream = session.add(stream_id, event)
        if len(stream.events) > self._bounds.events:
            session.size -= stream.drop()
        if len(session.streams) > self._bounds.streams:
            session.drop_stream()
        session.shrink(self._bounds.size)
        if len(self._sessions) > self._bounds.sessions:
            self._sessions.popitem(last=False)
        return event.id

    async def after(self, session_id: str, event_id: str) -> Replay | None:
        stream_id, _ = parts_of(event_id)
        session = self._sessions.get(session_id)
        stream = session.streams.get(stream_id) if session is not None else None
        if stream is None:
            return None
        # The oldest go first: if this one is there, so is everything after it.
        found = list(dropwhile(lambda event: event.id != event_id, stream.events))
        return Replay(stream_id, found[1:], found[-1].last) if found else None

    async def delete(self, session_id: str) -> None:
        self._sessions.pop(session_id, None)
