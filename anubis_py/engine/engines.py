"""The engines of both eras over what they share: one for every server that is run."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import anyio

from ..server.behaviour import Behaviour
from ..sessions.bus import Bus, LocalBus
from .background import spawn
from .legacy.legacy import Legacy
from .legacy.limits import SessionLimits
from .stateless import Stateless
from .subscriptions import Subscriptions

if TYPE_CHECKING:
    from ..sessions.event_store import EventStore
    from ..sessions.store import Store
    from .legacy.sessions import Sessions

logger = logging.getLogger("anubis_py.sessions")

Clock = Callable[[], float]


class Engines:
    """`bus` and `events` are those of the store, unless given. `store` None: a `MemoryStore`, which
    is made when there is something to keep."""

    def __init__(
        self,
        server: Behaviour,
        *,
        store: Store | None = None,
        bus: Bus | None = None,
        events: EventStore | None = None,
        limits: SessionLimits | None = None,
        clock: Clock = time.time,
    ) -> None:
        if store is not None:
            bus = bus or store.bus()
            events = events or store.event_store()
        self.subscriptions = Subscriptions(bus or LocalBus())
        self.stateless = Stateless(server, self.subscriptions, clock)
        self.legacy = Legacy(server, self.subscriptions, store, events, limits or SessionLimits())
        self._running = [each.run for each in (store, bus, events) if each is not None]
        self._beside: list[anyio.CancelScope] = []

    @property
    def sessions(self) -> Sessions:
        return self.legacy.sessions

    @property
    def store(self) -> Store:
        return self.sessions.store

    def check(self) -> None:
        """Raises NoKey for a server that cannot do what its code says. For when it starts."""
        self.stateless.check()

    def start(self) -> None:
        """Do what has to be done beside the requests, on the event loop that runs now."""
        self.subscriptions.open()
        self.legacy.attend()
        self._beside = [anyio.CancelScope() for _ in self._running]
        for scope, run in zip(self._beside, self._running, strict=True):
            spawn(_run, scope, run)

    def close(self) -> None:
        """End everything that belongs to no request. The server stops."""
        self.subscriptions.close()
        self.legacy.close()

    async def shut_down(self) -> None:
        """When the last request is answered: end the sessions that nobody else has, and stop."""
        await self.legacy.shut_down()
        self.stop()

    def stop(self) -> None:
        """End what `start` has begun."""
        for scope in self._beside:
            scope.cancel()


async def _run(scope: anyio.CancelScope, run: Callable[[], Awaitable[None]]) -> None:
    with scope:
        try:
            await run()
        except Exception:
            logger.exception("what keeps sessions has failed")
