"""The legacy era (2025-03-26, 2025-06-18, 2025-11-25): a handshake, and a session that lasts.

A session's requests run one after another and hand its frame on. What concerns no frame, or only
another session, never waits for them.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...protocol.revisions import REVISIONS

if TYPE_CHECKING:
    from ...server.behaviour import Behaviour
    from ...sessions.event_store import EventStore
    from ...sessions.store import Store
    from ..subscriptions import Subscriptions
    from .batch import Batches
    from .handshake import Handshake
    from .intake import Intake
    from .limits import SessionLimits
    from .parts import Parts
    from .requests import Requests
    from .sessions import Sessions
    from .streams import Streams


class Legacy:
    """Serves the clients that open with a handshake: what they send, by what it is.

    Its parts are made when the first of them is used, which clients of the stateless era never
    do: then a server has no sessions, and neither imports nor keeps what serves them.
    """

    def __init__(
        self,
        server: Behaviour,
        subscriptions: Subscriptions,
        store: Store | None,
        events: EventStore | None,
        limits: SessionLimits,
    ) -> None:
        """`store` None: a `MemoryStore` of its own; `events` None: those of the store."""
        self.versions = [v for v in server.versions if REVISIONS[v].era == "legacy"]
        """The revisions that are served; none: nobody is to come here."""
        self._server = server
        self._subscriptions = subscriptions
        self._store = store
        self._events = events
        self._limits = limits
        self._made: Parts | None = None

    def _parts(self) -> Parts:
        # There is nothing to await, so that two clients who come at once get the same.
        if self._made is None:
            from .parts import Parts

            self._made = Parts(
                self._server,
                self.versions,
                self._subscriptions,
                self._store,
                self._events,
                self._limits,
            )
        return self._made

    @cached_property
    def sessions(self) -> Sessions:
        return self._parts().sessions

    @cached_property
    def streams(self) -> Streams:
        return self._parts().streams

    @cached_property
    def handshake(self) -> Handshake:
        return self._parts().handshake

    @cached_property
    def requests(self) -> Requests:
        return self._parts().requests

    @cached_property
    def intake(self) -> Intake:
        return self._parts().intake

    @cached_property
    def batches(self) -> Batches:
        return self._parts().batches

    # -- the life of the server

    def attend(self) -> None:
        """The server starts, perhaps again, and on another event loop."""
        if self._made is not None:
            self.sessions.attend()

    def close(self) -> None:
        """The server stops: the streams that belong to no request end."""
        if self._made is not None:
            self.sessions.presences.close()

    async def shut_down(self) -> None:
        """The server has stopped, and with it every session that is nowhere else."""
        if self._made is not None:
            await self.sessions.shut_down()
