"""Sessions that end with the process."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from heapq import heapify, heappop, heappush
from typing import ClassVar

import attrs

from .event_store import EventStore
from .holding import Turn
from .memory_bus import MemoryBus, MemoryHub
from .memory_events import MemoryEventStore
from .record import Record
from .store import Store

# How many entries of the heap may belong to no session, before they are thrown out.
_SPARE = 64


@attrs.define(eq=False, repr=False)
class _Kept:
    record: Record
    until: float
    due: float
    """When to look whether its time is over: its place in the heap, never after `until`."""


class MemoryStore(Store):
    """Keeps the records as they are: nothing is encoded, so that assigns may be any objects.

    Several apps of one process may share one store, as the processes of a server share a
    database. `clock` tells the time in seconds.
    """

    shared: ClassVar[bool] = False

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._kept: dict[str, _Kept] = {}
        # To prolong a session moves nothing here. Only what comes up is looked at, and put
        # back if it has been prolonged.
        self._due: list[tuple[float, str]] = []
        self._hub = MemoryHub()
        self._events = MemoryEventStore()

    async def save(
        self, session_id: str, record: Record, ttl: float | None, *, new: bool = False
    ) -> bool:
        kept = self._present(session_id)
        if kept is not None:
            kept.record = record
            if ttl is not None:
                self._prolong(session_id, kept, ttl)
        elif new:
            assert ttl is not None
            until = self._clock() + ttl
            self._kept[session_id] = _Kept(record, until, until)
            self._watch(session_id, until)
        return kept is not None or new

    async def load(self, session_id: str) -> Record | None:
        kept = self._present(session_id)
        return None if kept is None else kept.record

    async def delete(self, session_id: str) -> bool:
        if self._present(session_id) is None:
            return False
        del self._kept[session_id]
        return True

    async def touch(self, session_id: str, ttl: float) -> bool:
        kept = self._present(session_id)
        if kept is None:
            return False
        self._prolong(session_id, kept, ttl)
        return True

    async def list_active(self) -> list[str]:
        now = self._clock()
        return [session_id for session_id, kept in self._kept.items() if kept.until > now]

    async def cleanup_expired(self) -> dict[str, Record | None]:
        now = self._clock()
        expired: dict[str, Record | None] = {}
        while self._due and self._due[0][0] <= now:
            due, session_id = heappop(self._due)
            kept = self._kept.get(session_id)
            if kept is None or kept.due != due:
                continue
            if kept.until <= now:
                expired[session_id] = self._kept.pop(session_id).record
            else:
                kept.due = kept.until
                self._watch(session_id, kept.due)
        return expired

    def hold(self, session_id: str) -> AbstractAsyncContextManager[None]:
        # There are no other processes to agree with.
        return Turn(self._turns, session_id)

    def bus(self) -> MemoryBus:
        """A new end, connected to all others that this store has given."""
        return MemoryBus(self._hub)

    def event_store(self) -> EventStore:
        """The same one each time."""
        return self._events

    def _present(self, session_id: str) -> _Kept | None:
        kept = self._kept.get(session_id)
        return kept if kept is not None and kept.until > self._clock() else None

    def _prolong(self, session_id: str, kept: _Kept, ttl: float) -> None:
        kept.until = self._clock() + ttl
        if kept.until < kept.due:
            kept.due = kept.until
            self._watch(session_id, kept.due)

    def _watch(self, session_id: str, due: float) -> None:
        heappush(self._due, (due, session_id))
        # Sessions that were deleted leave their entries behind.
        if len(self._due) > 2 * len(self._kept) + _SPARE:
            self._due = [(kept.due, session_id) for session_id, kept in self._kept.items()]
            heapify(self._due)
