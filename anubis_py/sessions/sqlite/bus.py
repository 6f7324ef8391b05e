"""News through an SQLite file."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from uuid import uuid4

import anyio

from ...encoding import dumps, loads
from ..bus import Deliver
from ..news import News, from_plain, to_plain
from ..store import StoreDown
from .database import Database

logger = logging.getLogger(__name__)

POLL: Final = 0.025
"""Seconds between two looks at whether others have written. SQLite tells nobody. A look costs
some 50 microseconds, and news that is this late is late for no human."""

KEEP: Final = 60.0
"""Seconds that news stays in the file: no process is that slow."""

_CLEANING: Final = 10.0
_ATTEMPTS: Final = 3
_MOST_WAITING: Final = 10_000


class SqliteBus:
    """Has a connection of its own, so that what waits for its turn here keeps no request
    waiting."""

    def __init__(self, path: str, clock: Callable[[], float] = time.time) -> None:
        self._database = Database(path)
        self._clock = clock
        self._origin = uuid4().hex
        self._deliver: Deliver = lambda news: None
        self._waiting = 0
        self._seen: int | None = None
        self._version: tuple[int, int] | None = None

    def connect(self, deliver: Deliver) -> None:
        self._deliver = deliver
        # What others publish from now on is heard, whenever `run` begins.
        with suppress(StoreDown):
            self._seen = self._database.call_blocking(_newest)

    def publish(self, news: News) -> None:
        self._deliver(news)
        if self._waiting >= _MOST_WAITING:
            logger.error("News is lost for other processes: too much waits to be written")
            return
        row = self._row(news)
        self._waiting += 1
        self._database.put(lambda: self._write_at_last(row))

    async def send(self, news: News) -> None:
        row = self._row(news)
        await self._database.call(lambda connection: _write(connection, row))
        self._deliver(news)

    async def run(self) -> None:
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._clean)
                while True:
                    await self._hear()
                    await anyio.sleep(POLL)
        finally:
            await self._database.close()

    async def _hear(self) -> None:
        try:
            plain = await self._database.call(self._read)
        except StoreDown:
            # It is read when it can be: nothing is lost meanwhile.
            return
        for one in plain:
            news = from_plain(loads(one))
            if news is not None:
                self._deliver(news)

    async def _clean(self) -> None:
        while True:
            await anyio.sleep(_CLEANING)
            self._database.post(self._remove_old)

    def _row(self, news: News) -> tuple[str, bytes, float]:
        return self._origin, dumps(to_plain(news)), self._clock()

    # What follows is done in the database's thread.

    def _write_at_last(self, row: tuple[str, bytes, float]) -> None:
        self._waiting -= 1
        for attempt in range(_ATTEMPTS):
            try:
                self._database.do(lambda connection: _write(connection, row))
            except StoreDown as error:
                logger.warning("News waits to be written: %s", error)
                time.sleep(0.1 * (attempt + 1))
            else:
                return
        logger.error("News is lost for other processes: the file cannot be written")

    def _remove_old(self, connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM news WHERE at < ?", (self._clock() - KEEP,))

    def _read(self, connection: sqlite3.Connection) -> list[bytes]:
        # It changes when another connection commits something, and costs next to nothing.
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        if self._version == (self._database.opened, version):
            return []
        self._resume(_newest(connection))
        statement = "SELECT number, origin, plain FROM news WHERE number > ? ORDER BY number"
        rows = connection.execute(statement, (self._seen,)).fetchall()
        self._version = (self._database.opened, version)
        if rows:
            self._seen = rows[-1][0]
        return [plain for _, origin, plain in rows if origin != self._origin]

    def _resume(self, newest: int) -> None:
        if self._seen is None:
            self._seen = newest
        elif newest < self._seen:
            # It is another file of the same name, and all in it is new.
            self._seen = 0


def _newest(connection: sqlite3.Connection) -> int:
    """Of the rows that were ever there: the newest may have been removed."""
    statement = "SELECT seq FROM sqlite_sequence WHERE name = 'news'"
    row = connection.execute(statement).fetchone()
    return 0 if row is None else int(row[0])


def _write(connection: sqlite3.Connection, row: tuple[str, bytes, float]) -> None:
    connection.execute("INSERT INTO news (origin, plain, at) VALUES (?, ?, ?)", row)
