"""News through a stream of Redis.

A stream, and not Redis' publish and subscribe, which forgets what nobody hears at the moment:
a process that has lost its connection reads on where it stopped.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Mapping
from itertools import count
from typing import Any, Final
from uuid import uuid4

import anyio
import attrs
from coredis.tokens import PureToken

from ...encoding import dumps, loads
from ...loop import Loop
from ..bus import Deliver
from ..news import News, from_plain, to_plain
from ..store import StoreDown
from .connection import Client, Connection
from .place import Place

logger = logging.getLogger(__name__)

BLOCK: Final = 2.0
"""Seconds for which Redis keeps a reader waiting that there is no news for."""

KEEP: Final = 10_000
"""About as many pieces of news stay in the stream, for readers that are cut off."""

_RETRY: Final = 0.25
_ATTEMPTS: Final = 40
_MOST_WAITING: Final = 10_000
_ORIGINS: Final = 1000


@attrs.define
class _Piece:
    plain: bytes
    serial: int = 0
    """Given with the first attempt to write it, and kept for the others: an attempt whose answer
    was lost may have been a success, and whoever reads it must not hear it twice."""


class RedisBus:
    """Writes over the store's connection, and reads over one of its own."""

    def __init__(self, url: str, connection: Connection, key: str) -> None:
        self._writing = connection
        self._reading = Connection(url, patience=BLOCK)
        self._key = key
        self._origin = uuid4().hex
        self._deliver: Deliver = lambda news: None
        self._connected_at = 0.0
        self._waiting: deque[_Piece] = deque()
        self._serials = count(1)
        self._heard: dict[bytes, int] = {}
        """The serial number of the newest piece, by its origin."""
        self._turn = anyio.Lock()
        self._loop: Loop | None = None
        self._more = anyio.Event()

    def connect(self, deliver: Deliver) -> None:
        self._deliver = deliver
        self._connected_at = time.monotonic()

    def publish(self, news: News) -> None:
        self._deliver(news)
        if len(self._waiting) >= _MOST_WAITING:
            logger.error("News is lost for other processes: too much waits for Redis")
            return
        self._waiting.append(_Piece(dumps(to_plain(news))))
        if self._loop is not None:
            self._loop.call(self._wake)

    async def send(self, news: News) -> None:
        async with self._turn:
            await self._write_waiting()
            await self._write(_Piece(dumps(to_plain(news))))
        self._deliver(news)

    async def run(self) -> None:
        self._loop = Loop()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._reading.run)
                tasks.start_soon(self._keep_writing)
                await self._keep_reading()
        finally:
            self._loop = None

    def _wake(self) -> None:
        self._more.set()

    async def _keep_writing(self) -> None:
        attempts = 0
        while True:
            # Made before it is looked what waits: what comes later sets it.
            self._more = anyio.Event()
            try:
                async with self._turn:
                    await self._write_waiting()
            except StoreDown as error:
                attempts += 1
                await self._give_up_or_pause(attempts, error)
                continue
            attempts = 0
            await self._more.wait()

    async def _give_up_or_pause(self, attempts: int, error: StoreDown) -> None:
        if attempts % _ATTEMPTS == 0 and self._waiting:
            lost = len(self._waiting)
            self._waiting.clear()
            logger.error("News is lost for other processes, %d pieces: %s", lost, error)
        await anyio.sleep(_RETRY)

    async def _write_waiting(self) -> None:
        while self._waiting:
            # It leaves the queue when it is written, and not before.
            await self._write(self._waiting[0])
            self._waiting.popleft()

    async def _write(self, piece: _Piece) -> None:
        piece.serial = piece.serial or next(self._serials)
        fields: dict[str, str | bytes | int] = {
            "origin": self._origin,
            "serial": piece.serial,
            "plain": piece.plain,
        }

        async def add(client: Client) -> object:
            return await client.xadd(
                self._key,
                fields,
                trim_strategy=PureToken.MAXLEN,
                trim_operator=PureToken.APPROXIMATELY,
                threshold=KEEP,
            )

        await self._writing.do(add)

    async def _keep_reading(self) -> None:
        place = Place(self._reading, self._key, self._connected_at)
        while True:
            try:
                entries = await place.read_on(BLOCK)
            except StoreDown:
                await anyio.sleep(_RETRY)
                continue
            for fields in entries:
                self._hear(fields)

    def _hear(self, fields: Mapping[Any, Any]) -> None:
        origin, serial = fields[b"origin"], int(fields[b"serial"])
        if origin == self._origin.encode() or serial <= self._heard.get(origin, 0):
            return
        # Put last, so that the processes that are no more come first.
        self._heard.pop(origin, None)
        self._heard[origin] = serial
        if len(self._heard) > _ORIGINS:
            del self._heard[next(iter(self._heard))]
        news = from_plain(loads(fields[b"plain"]))
        if news is not None:
            self._deliver(news)
