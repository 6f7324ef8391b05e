"""Sessions in an SQLite file."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress

from ..record import BadRecord, Record
from ..store import Store, StoreDown
from .bus import SqliteBus
from .database import Database
from .events import SqliteEventStore
from .leases import Leases


class SqliteStore(Store):
    """Keeps sessions in the file `path`, for all processes of one machine.

    The file must be on a local disk: SQLite's locks do not work over a network. `clock` tells
    the time in seconds, the same to all processes. A process that dies gives its sessions up
    after `lease` seconds.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        clock: Callable[[], float] = time.time,
        *,
        lease: float = 6.0,
    ) -> None:
        super().__init__()
        self._path = os.path.abspath(path)
        self._clock = clock
        self._database = Database(self._path)
        self._leases = Leases(self._database, clock, lease)

    async def save(
        self, session_id: str, record: Record, ttl: float | None, *, new: bool = False
    ) -> bool:
        data, now = record.encode(), self._clock()
        until = None if ttl is None else now + ttl
        if new:
            statement = "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)"
            return await self._change(statement, session_id, data, until)
        if session_id not in self._leases:
            statement = (
                "UPDATE sessions SET record = ?, until = coalesce(?, until)"
                " WHERE id = ? AND until > ?"
            )
            return await self._change(statement, data, until, session_id, now)
        return await self._save_held(session_id, data, now, until)

    async def load(self, session_id: str) -> Record | None:
        values = (session_id, self._clock())

        def read(connection: sqlite3.Connection) -> bytes | None:
            statement = "SELECT record FROM sessions WHERE id = ? AND until > ?"
            row = connection.execute(statement, values).fetchone()
            return None if row is None else row[0]

        data = await self._database.call(read)
        return None if data is None else Record.decode(data)

    async def delete(self, session_id: str) -> bool:
        statement = "DELETE FROM sessions WHERE id = ? AND until > ?"
        return await self._change(statement, session_id, self._clock())

    async def touch(self, session_id: str, ttl: float) -> bool:
        now = self._clock()
        statement = "UPDATE sessions SET until = ? WHERE id = ? AND until > ?"
        return await self._change(statement, now + ttl, session_id, now)

    async def list_active(self) -> list[str]:
        now = self._clock()

        def work(connection: sqlite3.Connection) -> list[str]:
            statement = "SELECT id FROM sessions WHERE until > ?"
            return [row[0] for row in connection.execute(statement, (now,)).fetchall()]

        return await self._database.call(work)

    async def cleanup_expired(self) -> dict[str, Record | None]:
        now = self._clock()

        def work(connection: sqlite3.Connection) -> dict[str, bytes]:
            statement = "DELETE FROM sessions WHERE until <= ? RETURNING id, record"
            return dict(connection.execute(statement, (now,)).fetchall())

        removed = await self._database.call(work)
        return {session_id: _read(data) for session_id, data in removed.items()}

    async def acquire(self, session_id: str) -> None:
        await self._leases.acquire(session_id)

    async def release(self, session_id: str) -> None:
        self._leases.release(session_id)

    def bus(self) -> SqliteBus:
        return SqliteBus(self._path, self._clock)

    def event_store(self) -> SqliteEventStore:
        return SqliteEventStore(self._path, self._clock)

    async def run(self) -> None:
        """Renew the leases, and close the file at the end. Raises ConfigurationError at once for
        a file of something else's."""
        try:
            with suppress(StoreDown):
                await self.list_active()
            await self._leases.keep_renewed()
        finally:
            await self._database.close()

    async def _save_held(
        self, session_id: str, data: bytes, now: float, until: float | None
    ) -> bool:
        """A process that was stopped for so long that another one has taken its session must not
        undo what that one did."""
        statement = (
            "UPDATE sessions SET record = :data, until = coalesce(:until, until)"
            " WHERE id = :id AND until > :now"
            " AND NOT EXISTS (SELECT 1 FROM leases WHERE session = :id AND owner <> :owner)"
        )
        values = {
            "id": session_id,
            "data": data,
            "now": now,
            "until": until,
            "owner": self._leases.owner,
        }
        present = "SELECT 1 FROM sessions WHERE id = ? AND until > ?"

        def write(connection: sqlite3.Connection) -> bool:
            if connection.execute(statement, values).rowcount > 0:
                return True
            if connection.execute(present, (session_id, now)).fetchone() is None:
                return False
            raise StoreDown("another process has taken the session over")

        return await self._database.call(write)

    async def _change(self, statement: str, *values: object) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            return connection.execute(statement, values).rowcount > 0

        return await self._database.call(work)


def _read(data: bytes) -> Record | None:
    try:
        return Record.decode(data)
    except BadRecord:
        return None
