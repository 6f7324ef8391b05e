"""Where sessions are kept between their requests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, ClassVar

from .bus import Bus, LocalBus
from .holding import Hold, Turn, Turns
from .record import Record
from .store_down import StoreDown as StoreDown

if TYPE_CHECKING:
    from .event_store import EventStore


class Store(ABC):
    """Keeps the records of sessions. Subclass it to keep them somewhere else.

    Every method may raise StoreDown, which clients see as status 503. All times are in seconds.
    A session whose time is over is not there, whether or not it was removed yet.
    """

    shared: ClassVar[bool] = True
    """Whether other processes see what is saved. What is not shared may be any object."""

    def __init__(self) -> None:
        self._turns: Turns = {}

    @abstractmethod
    async def save(
        self, session_id: str, record: Record, ttl: float | None, *, new: bool = False
    ) -> bool:
        """Keep a record for `ttl` seconds from now; None: for as long as it would have been kept
        anyway, which is not for a new one. Unless it is `new`, it takes the place of one
        that is there; False: there is none any more, and nothing was kept.

        When it returns, the record survives the end of this process. Raises TypeError for what
        the store has no form for, with nothing changed.
        """

    @abstractmethod
    async def load(self, session_id: str) -> Record | None:
        """The record, as it was saved last by whichever process; None: there is none. Raises
        BadRecord for what is none."""

    @abstractmethod
    async def delete(self, session_id: str) -> bool:
        """Forget a session; False: there was none. What is removed stays removed."""

    @abstractmethod
    async def touch(self, session_id: str, ttl: float) -> bool:
        """Keep a session for `ttl` seconds from now; False: there is none."""

    @abstractmethod
    async def list_active(self) -> list[str]:
        """The ids of all sessions that are there."""

    @abstractmethod
    async def cleanup_expired(self) -> dict[str, Record | None]:
        """Remove the sessions whose time is over, and give what there was by their ids, each to
        one caller only; None: it was no record. A store that removes them by itself gives
        nothing."""

    def hold(self, session_id: str) -> AbstractAsyncContextManager[None]:
        """Within, nobody else who uses the store holds this session: requests of a session run
        one after another, in order of arrival as far as one process can tell.

        A process that dies within gives the session up after a few seconds.
        """
        return Hold(self, Turn(self._turns, session_id), session_id)

    async def acquire(self, session_id: str) -> None:
        """Wait until no other process holds the session. Called once at a time for each.
        When it is cancelled or raises, the session is not held."""
        return

    async def release(self, session_id: str) -> None:
        """Give it up again. Never raises; called with a shield against cancelling."""
        return

    def bus(self) -> Bus:
        """What connects the processes that share this store."""
        return LocalBus()

    def event_store(self) -> EventStore:
        """What keeps the events of streams, for the processes that share this store."""
        from .memory_events import MemoryEventStore

        return MemoryEventStore()

    async def run(self) -> None:
        """Do what has to be done beside the requests, until cancelled. The methods wait for it."""
        return
