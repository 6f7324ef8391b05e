"""Sessions in Redis."""

from __future__ import annotations

import re
from typing import Final

import anyio
from coredis.commands import Script

from ..record import Record
from ..store import Store, StoreDown
from .bus import RedisBus
from .connection import Client, Connection
from .events import RedisEventStore
from .leases import Leases

# A process that was stopped for so long that another one has taken its session must not undo
# what that one did.
_REPLACE: Final = Script[bytes](
    script="""
local owner = redis.call('GET', KEYS[2])
if ARGV[3] ~= '' and owner and owner ~= ARGV[3] then return -1 end
local time = {'PX', ARGV[2]}
if ARGV[2] == '' then time = {'KEEPTTL'} end
if redis.call('SET', KEYS[1], ARGV[1], 'XX', unpack(time)) then return 1 end
return 0
"""
)


class RedisStore(Store):
    """Keeps sessions in Redis 6 or newer, for all processes that name the same `namespace`.

    What Redis has acknowledged survives this process; whether it survives Redis itself is for
    Redis to be configured (`appendonly yes`). A process that dies gives its sessions up after
    `lease` seconds.
    """

    def __init__(self, url: str, namespace: str = "anubis", *, lease: float = 6.0) -> None:
        super().__init__()
        self._url = url
        self._namespace = namespace
        self._connection = Connection(url)
        self._leases = Leases(self._connection, lambda id_: f"{namespace}:lease:{id_}", lease)

    async def save(
        self, session_id: str, record: Record, ttl: float | None, *, new: bool = False
    ) -> bool:
        data = record.encode()
        ttl_ms = None if ttl is None else _milliseconds(ttl)
        if not new:
            return await self._replace(session_id, data, ttl_ms)
        key = self._key(session_id)
        return bool(await self._connection.do(lambda client: client.set(key, data, px=ttl_ms)))

    async def load(self, session_id: str) -> Record | None:
        data = await self._connection.do(lambda client: client.get(self._key(session_id)))
        return None if data is None else Record.decode(data)

    async def delete(self, session_id: str) -> bool:
        return await self._connection.do(lambda client: client.delete([self._key(session_id)])) > 0

    async def touch(self, session_id: str, ttl: float) -> bool:
        key, ttl_ms = self._key(session_id), _milliseconds(ttl)
        return await self._connection.do(lambda client: client.pexpire(key, ttl_ms))

    async def list_active(self) -> list[str]:
        prefix = self._key("")
        pattern = re.sub(r"([\\*?\[\]])", r"\\\1", prefix) + "*"
        # A scan may give a key twice.
        found: set[bytes] = set()
        cursor = 0
        while True:
            cursor, keys = await self._scan(cursor, pattern)
            found.update(keys)
            if cursor == 0:
                return [key.decode()[len(prefix) :] for key in found]

    async def cleanup_expired(self) -> dict[str, Record | None]:
        # Redis removes them by itself.
        return {}

    async def acquire(self, session_id: str) -> None:
        await self._leases.acquire(session_id)

    async def release(self, session_id: str) -> None:
        await self._leases.release(session_id)

    def bus(self) -> RedisBus:
        return RedisBus(self._url, self._connection, f"{self._namespace}:news")

    def event_store(self) -> RedisEventStore:
        return RedisEventStore(self._connection, self._namespace)

    async def run(self) -> None:
        """Be connected, and renew the leases."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._connection.run)
            await self._leases.keep_renewed()

    def _key(self, session_id: str) -> str:
        return f"{self._namespace}:session:{session_id}"

    async def _replace(self, session_id: str, data: bytes, ttl_ms: int | None) -> bool:
        keys = [self._key(session_id), self._leases.key(session_id)]
        held = session_id in self._leases
        owner: str | bytes = self._leases.owner if held else b""
        values: list[str | bytes | int] = [data, b"" if ttl_ms is None else ttl_ms, owner]

        async def write(client: Client) -> object:
            return await _REPLACE(keys, values, client)

        saved = await self._connection.do(write)
        if saved == -1:
            raise StoreDown("another process has taken the session over")
        return saved == 1

    async def _scan(self, cursor: int, pattern: str) -> tuple[int, tuple[bytes, ...]]:
        return await self._connection.do(
            lambda client: client.scan(cursor, match=pattern, count=500)
        )


def _milliseconds(seconds: float) -> int:
    return max(1, int(seconds * 1000))
