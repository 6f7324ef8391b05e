"""Which process holds a session, in Redis."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import uniform
from typing import Final
from uuid import uuid4

import anyio
from coredis.commands import Script

from ..store import StoreDown
from .connection import Client, Connection

# Seconds between two looks at whether another process has given a session up.
_FIRST_PAUSE: Final = 0.005
_LONGEST_PAUSE: Final = 0.05

# Also renews: a lease that has run out and that nobody has taken is ours again.
_TAKE: Final = Script[bytes](
    script="""
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
)
_GIVE: Final = Script[bytes](
    script="""
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""
)


class Leases:
    """The sessions that one store object holds. A lease ends `seconds` after it was renewed
    last, so that a process that is killed gives its sessions up."""

    def __init__(self, connection: Connection, key: Callable[[str], str], seconds: float) -> None:
        self.owner = uuid4().hex
        self.key = key
        self._connection = connection
        self._seconds = seconds
        self._held: set[str] = set()

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._held

    async def acquire(self, session_id: str) -> None:
        pause = _FIRST_PAUSE
        try:
            while not await self._take(session_id):
                await anyio.sleep(uniform(pause / 2, pause))  # noqa: S311
                pause = min(pause * 1.5, _LONGEST_PAUSE)
        except BaseException:
            # Perhaps it was taken without our hearing of it.
            with anyio.CancelScope(shield=True):
                await self.release(session_id)
            raise
        self._held.add(session_id)

    async def release(self, session_id: str) -> None:
        self._held.discard(session_id)
        # What cannot be given up now ends by itself.
        with suppress(StoreDown):
            await self._connection.do(lambda client: self._give(client, session_id))

    async def keep_renewed(self) -> None:
        """Renew all, until cancelled."""
        while True:
            await anyio.sleep(self._seconds / 3)
            # Redis may be there again in time.
            with suppress(StoreDown):
                for session_id in list(self._held):
                    await self._renew(session_id)

    async def _renew(self, session_id: str) -> None:
        await self._take(session_id)
        if session_id not in self._held:
            # It was given up meanwhile, perhaps before this has taken it again.
            await self.release(session_id)

    async def _take(self, session_id: str) -> bool:
        milliseconds = int(self._seconds * 1000)

        async def take(client: Client) -> object:
            keys = [self.key(session_id)]
            return await _TAKE(keys, [self.owner, milliseconds], client)

        return await self._connection.do(take) == 1

    async def _give(self, client: Client, session_id: str) -> None:
        await _GIVE([self.key(session_id)], [self.owner], client)
