"""What the stores are tested on: each gives store objects that stand for processes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import anyio
import attrs

from anubis_py.sessions.bounds import Bounds
from anubis_py.sessions.event_store import EventStore
from anubis_py.sessions.memory import MemoryStore
from anubis_py.sessions.memory_events import MemoryEventStore
from anubis_py.sessions.redis import RedisStore
from anubis_py.sessions.redis.connection import Connection
from anubis_py.sessions.redis.events import RedisEventStore
from anubis_py.sessions.sqlite import SqliteStore
from anubis_py.sessions.sqlite.events import SqliteEventStore
from anubis_py.sessions.store import Store


@attrs.define
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@attrs.define
class Backend:
    """One place to keep sessions in."""

    kind: str
    path: Path
    url: str = ""
    clock: Clock = attrs.field(factory=Clock)
    namespace: str = attrs.field(factory=lambda: uuid4().hex)
    _memory: MemoryStore | None = None

    @property
    def unit(self) -> float:
        """Seconds that tests call one. Redis has its own clock, which cannot be set."""
        return 0.1 if self.kind == "redis" else 1.0

    def store(self, lease: float = 60.0) -> Store:
        """Another process."""
        if self.kind == "sqlite":
            return SqliteStore(self.path / "sessions.db", self.clock, lease=lease)
        if self.kind == "redis":
            return RedisStore(self.url, self.namespace, lease=lease)
        if self._memory is None:
            self._memory = MemoryStore(self.clock)
        return self._memory

    async def pass_time(self, units: float) -> None:
        self.clock.now += units
        if self.kind == "redis":
            await anyio.sleep(units * self.unit)

    @asynccontextmanager
    async def bounded(self, bounds: Bounds) -> AsyncIterator[EventStore]:
        if self.kind == "redis":
            connection = Connection(self.url)
            async with running(connection.run):
                yield RedisEventStore(connection, self.namespace, bounds)
            return
        events: EventStore = MemoryEventStore(bounds)
        if self.kind == "sqlite":
            events = SqliteEventStore(str(self.path / "sessions.db"), self.clock, bounds)
        async with running(events.run):
            yield events


@asynccontextmanager
async def running(*runs: Callable[[], object]) -> AsyncIterator[None]:
    async with anyio.create_task_group() as tasks:
        for run in runs:
            tasks.start_soon(run)  # type: ignore[arg-type]
        yield
        tasks.cancel_scope.cancel()
