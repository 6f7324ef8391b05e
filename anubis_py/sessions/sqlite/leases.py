"""Which process holds a session, in the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from random import uniform
from typing import Final
from uuid import uuid4

import anyio

from ...encoding import dumps
from ..store import StoreDown
from .database import Database

# Seconds between two looks at whether another process has given a session up.
_FIRST_PAUSE: Final = 0.005
_LONGEST_PAUSE: Final = 0.05


class Leases:
    """The sessions that one store object holds. A lease ends `seconds` after it was renewed
    last, so that a process that is killed gives its sessions up."""

    def __init__(self, database: Database, clock: Callable[[], float], seconds: float) -> None:
        self.owner = uuid4().hex
        self._database = database
        self._clock = clock
        self._seconds = seconds
        self._held: set[str] = set()

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._held

    async def acquire(self, session_id: str) -> None:
        pause = _FIRST_PAUSE
        # Before it is tried, so that it is renewed from its first moment on.
        self._held.add(session_id)
        try:
            while not await self._take(session_id):
                await anyio.sleep(uniform(pause / 2, pause))  # noqa: S311
                pause = min(pause * 1.5, _LONGEST_PAUSE)
        except BaseException:
            self.release(session_id)
            raise

    def release(self, session_id: str) -> None:
        # Nobody waits for it: what this process does next in the file comes after it anyway. If
        # it fails, the lease is not renewed any more, and ends.
        self._held.discard(session_id)

        def give(connection: sqlite3.Connection) -> None:
            statement = "DELETE FROM leases WHERE session = ? AND owner = ?"
            connection.execute(statement, (session_id, self.owner))

        self._database.post(give)

    async def _take(self, session_id: str) -> bool:
        now = self._clock()
        statement = (
            "INSERT INTO leases VALUES (:session, :owner, :until)"
            " ON CONFLICT (session) DO UPDATE SET owner = :owner, until = :until"
            " WHERE until <= :now OR owner = :owner"
        )
        values = {
            "session": session_id,
            "owner": self.owner,
            "until": now + self._seconds,
            "now": now,
        }

        def take(connection: sqlite3.Connection) -> bool:
            return connection.execute(statement, values).rowcount > 0

        return await self._database.call(take)

    async def keep_renewed(self) -> None:
        """Renew all, until cancelled."""
        while True:
            await anyio.sleep(self._seconds / 3)
            if not self._held:
                continue
            # A file that cannot be reached now may be there again in time.
            try:
                await self._renew()
            except StoreDown:
                continue

    async def _renew(self) -> None:
        statement = (
            "UPDATE leases SET until = ? WHERE owner = ?"
            " AND session IN (SELECT value FROM json_each(?))"
        )
        held = dumps(list(self._held)).decode()
        values = (self._clock() + self._seconds, self.owner, held)

        def renew(connection: sqlite3.Connection) -> None:
            connection.execute(statement, values)

        await self._database.call(renew)
