"""What was sent on streams, in an SQLite file."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import Final

import anyio

from ..bounds import OVERHEAD, Bounds, event_id, parts_of
from ..event_store import EventStore, Replay, StreamEvent
from ..store import StoreDown
from .database import Database

_CLEANING: Final = 60.0


class SqliteEventStore(EventStore):
    """Keeps the newest events, within `bounds`, for all processes of one machine."""

    def __init__(
        self,
        path: str,
        clock: Callable[[], float] = time.time,
        bounds: Bounds = Bounds(),  # noqa: B008 (frozen)
    ) -> None:
        self._database = Database(path)
        self._clock = clock
        self._bounds = bounds

    async def append(
        self, session_id: str, stream_id: str, message: bytes, *, last: bool = False
    ) -> str:
        now = self._clock()

        def write(connection: sqlite3.Connection) -> int:
            connection.execute("BEGIN IMMEDIATE")
            number = _insert(connection, session_id, stream_id, message, last, now)
            _shrink(connection, session_id, stream_id, self._bounds)
            connection.execute("COMMIT")
            return number

        return event_id(stream_id, await self._database.call(write))

    async def after(self, session_id: str, event_id: str) -> Replay | None:
        stream_id, number = parts_of(event_id)
        # A longer one is no number of SQLite's.
        if not stream_id or not (number.isascii() and number.isdigit() and len(number) < 19):
            return None
        statement = (
            "SELECT number, message, last FROM events"
            " WHERE session = ? AND stream = ? AND number >= ? ORDER BY number"
        )

        def read(connection: sqlite3.Connection) -> list[tuple[int, bytes, int]]:
            return connection.execute(statement, (session_id, stream_id, int(number))).fetchall()

        rows = await self._database.call(read)
        # The oldest go first: if this one is there, so is everything after it.
        if not rows or str(rows[0][0]) != number:
            return None
        events = [_event(stream_id, row) for row in rows]
        return Replay(stream_id, events[1:], events[-1].last)

    async def delete(self, session_id: str) -> None:
        def remove(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM events WHERE session = ?", (session_id,))
            connection.execute("DELETE FROM streams WHERE session = ?", (session_id,))
            connection.execute("COMMIT")

        await self._database.call(remove)

    async def run(self) -> None:
        """Forget the streams that have been quiet for long, and close the file at the end."""
        try:
            while True:
                await self._forget_quiet()
                await anyio.sleep(_CLEANING)
        finally:
            await self._database.close()

    async def _forget_quiet(self) -> None:
        old = self._clock() - self._bounds.seconds

        def remove(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            quiet = "SELECT session, stream FROM streams WHERE at < ?"
            for session_id, stream_id in connection.execute(quiet, (old,)).fetchall():
                _drop_stream(connection, session_id, stream_id)
            connection.execute("COMMIT")

        try:
            await self._database.call(remove)
        except StoreDown:
            return


def _event(stream_id: str, row: tuple[int, bytes, int]) -> StreamEvent:
    number, message, last = row
    return StreamEvent(event_id(stream_id, number), message, bool(last))


def _insert(
    connection: sqlite3.Connection,
    session_id: str,
    stream_id: str,
    message: bytes,
    last: bool,
    now: float,
) -> int:
    number = connection.execute(
        "INSERT INTO events (session, stream, message, last) VALUES (?, ?, ?, ?)",
        (session_id, stream_id, message, last),
    ).lastrowid
    assert number is not None
    connection.execute(
        "INSERT INTO streams VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT (session, stream) DO UPDATE SET"
        " newest = excluded.newest, events = events + 1, size = size + excluded.size,"
        " at = excluded.at",
        (session_id, stream_id, number, OVERHEAD + len(message), now),
    )
    return number


def _shrink(
    connection: sqlite3.Connection, session_id: str, stream_id: str, bounds: Bounds
) -> None:
    """Keep a session within its bounds, after an event on one of its streams."""
    streams = connection.execute(
        "SELECT stream, events, size FROM streams WHERE session = ? ORDER BY newest", (session_id,)
    ).fetchall()
    if len(streams) > bounds.streams:
        _drop_stream(connection, session_id, streams.pop(0)[0])
    if streams[-1][1] > bounds.events:
        _drop_oldest(connection, session_id, stream_id)
    size = sum(stream[2] for stream in streams)
    for stream, events, _ in streams:
        while size > bounds.size and events > 1:
            size -= _drop_oldest(connection, session_id, stream)
            events -= 1


def _drop_stream(connection: sqlite3.Connection, session_id: str, stream_id: str) -> None:
    of = (session_id, stream_id)
    connection.execute("DELETE FROM events WHERE session = ? AND stream = ?", of)
    connection.execute("DELETE FROM streams WHERE session = ? AND stream = ?", of)


def _drop_oldest(connection: sqlite3.Connection, session_id: str, stream_id: str) -> int:
    """Forget the oldest event of a stream, and tell how much it was."""
    [[size]] = connection.execute(
        "DELETE FROM events WHERE number = (SELECT min(number) FROM events"
        " WHERE session = ? AND stream = ?) RETURNING length(message)",
        (session_id, stream_id),
    ).fetchall()
    connection.execute(
        "UPDATE streams SET events = events - 1, size = size - ? WHERE session = ? AND stream = ?",
        (OVERHEAD + size, session_id, stream_id),
    )
    return OVERHEAD + int(size)
