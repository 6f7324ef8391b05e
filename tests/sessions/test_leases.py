"""A process that dies gives its sessions up; one that lives does not."""

from __future__ import annotations

import anyio
import pytest

from anubis_py.sessions.record import Record
from anubis_py.sessions.store import StoreDown

from .backends import Backend, running

RECORD = Record("2025-11-25")
CHANGED = Record("2025-11-25", log_level="info")


@pytest.mark.anyio
async def test_the_dead_hold_nothing(shared_backend: Backend) -> None:
    dead, alive = (shared_backend.store(lease=2 * shared_backend.unit) for _ in range(2))
    async with running(alive.run):
        async with running(dead.run):
            await dead.acquire("s")
        with anyio.move_on_after(shared_backend.unit / 2):
            await alive.acquire("s")
            pytest.fail("there are two")
        await shared_backend.pass_time(3)
        with anyio.fail_after(5):
            await alive.acquire("s")


@pytest.mark.anyio
async def test_the_living_hold_on(shared_backend: Backend) -> None:
    holder, other = (shared_backend.store(lease=0.3) for _ in range(2))
    async with running(holder.run, other.run), holder.hold("s"):
        with anyio.move_on_after(0.9):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_pass, shared_backend)
                await other.acquire("s")
                pytest.fail("there are two")


async def _pass(backend: Backend) -> None:
    """For the clock that is not real: as the real one."""
    while True:
        await anyio.sleep(0.02)
        backend.clock.now += 0.02


@pytest.mark.anyio
async def test_whoever_was_stopped_for_long_undoes_nothing(shared_backend: Backend) -> None:
    late, other = (shared_backend.store(lease=100 * shared_backend.unit) for _ in range(2))
    async with running(late.run, other.run):
        await late.save("s", RECORD, 1000, new=True)
        await late.acquire("s")
        assert await late.save("s", RECORD, 1000)
        await _expire(shared_backend)
        async with other.hold("s"):
            assert await other.save("s", CHANGED, 1000)
            with pytest.raises(StoreDown, match="taken the session over"):
                await late.save("s", RECORD, 1000)
        assert await other.load("s") == CHANGED


async def _expire(backend: Backend) -> None:
    """Let all leases end that there are."""
    if backend.kind == "redis":
        from coredis import Redis

        async with Redis.from_url(backend.url) as client:
            assert await client.delete([f"{backend.namespace}:lease:s"]) == 1
    await backend.pass_time(1)
    backend.clock.now += 100
