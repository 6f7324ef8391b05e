"""The engines of both eras over what they share: one for every server that is run."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable

import anyio

from ..server.behaviour import Behaviour
from ..sessions.bus import Bus
from ..sessions.event_store import EventStore
from ..sessions.memory import MemoryStore
from ..sessions.store import Store
from .background import spawn
from .legacy.legacy import Legacy
from .legacy.limits import SessionLimits
from .legacy.sessions import Sessions
from .stateless import Stateless
from .subscriptions import Subscriptions

logger = logging.getLogger("anubis_py.sessions")

Clock = Callable[[], float]


class Engines:
    """`bus` and `events` are those of the store, unless given."""

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
        self.store = store or MemoryStore()
        self.bus = bus or self.store.bus()
        self.events = events or self.store.event_store()
        self.subscriptions = Subscriptions(self.bus)
        self.sessions = Sessions(
            server, self.store, self.events, self.subscriptions, limits or SessionLimits()
        )
        self.stateless = Stateless(server, self.subscriptions, clock)
        self.legacy = Legacy(server, self.sessions)
        self._beside: list[anyio.CancelScope] = []

    def check(self) -> None:
        """Raises NoKey for a server that cannot do what its code says. For when it starts."""
        self.stateless.check()

    def start(self) -> None:
        """Do what has to be done beside the requests, on the event loop that runs now."""
        self.subscriptions.open()
        self.sessions.attend()
        self._beside = [anyio.CancelScope() for _ in range(3)]
        for scope, run in zip(
            self._beside, (self.store.run, self.bus.run, self.events.run), strict=True
        ):
            spawn(_run, scope, run)

    def close(self) -> None:
        """End everything that belongs to no request. The server stops."""
        self.subscriptions.close()
        self.sessions.presences.close()

    async def shut_down(self) -> None:
        """When the last request is answered: end the sessions that nobody else has, and stop."""
        await self.sessions.shut_down()
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
