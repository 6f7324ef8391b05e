"""Where a process is in the stream that all news travels on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from coredis.commands import Script

from ..store import StoreDown
from .connection import Client, Connection

_MOST: Final = 100
_BEGINNING: Final = "0-0"

# What coredis makes of the answer to TIME is up to a second too early.
_TIME: Final = Script[bytes](script="return redis.call('TIME')")


class Place:
    """Reads on from where it was, however often the connection was lost meanwhile."""

    def __init__(self, connection: Connection, key: str, since: float) -> None:
        """`since`: by `time.monotonic`, when the first news was that is to be read."""
        self._connection = connection
        self._key = key
        self._since = since
        self._last = ""
        self._sure = False

    async def read_on(self, patience: float) -> Sequence[Mapping[Any, Any]]:
        """What came since, within `patience` seconds."""
        try:
            if not self._sure:
                await self._find()
                self._sure = True
            return await self._read(int(patience * 1000))
        except StoreDown:
            self._sure = False
            raise

    async def _read(self, patience_ms: int) -> Sequence[Mapping[Any, Any]]:
        async def read(client: Client) -> Any:
            return await client.xread({self._key: self._last}, count=_MOST, block=patience_ms)

        streams = await self._connection.do(read) or {}
        entries = [entry for entries in streams.values() for entry in entries]
        if entries:
            self._last = _text(entries[-1].identifier)
        return [entry.field_values for entry in entries]

    async def _find(self) -> None:
        if not self._last:
            self._last = await self._id_then()
            return
        newest = await self._connection.do(lambda client: client.xrevrange(self._key, count=1))
        if not newest or _order(_text(newest[0].identifier)) < _order(self._last):
            # Redis has lost the stream, or what it had not stored of it: all in it is new.
            self._last = _BEGINNING

    async def _id_then(self) -> str:
        """Ids are times of Redis' own clock. That one is asked, since ours may go wrong by more
        than the time between `connect` and `run`."""
        seconds, microseconds = await self._connection.do(_time)
        now = int(seconds) + int(microseconds) / 1_000_000
        # Behind the answer, and rounded down: what the way takes makes the place earlier, and a
        # piece too many harms less than one that is missing.
        ago = time.monotonic() - self._since
        return f"{int((now - ago) * 1000) - 2}-0"


async def _time(client: Client) -> Any:
    return await _TIME([], [], client)


def _text(identifier: str | bytes) -> str:
    return identifier.decode() if isinstance(identifier, bytes) else identifier


def _order(identifier: str) -> tuple[int, int]:
    milliseconds, _, number = identifier.partition("-")
    return int(milliseconds), int(number or 0)
