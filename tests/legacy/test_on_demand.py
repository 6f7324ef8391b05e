"""What serves sessions is made when the first client asks for one; what was named, at the start."""

from __future__ import annotations

import anyio
import pytest

from anubis_py import MemoryStore
from anubis_py.engine.engines import Engines
from anubis_py.engine.exchange import Peer
from anubis_py.protocol.jsonrpc import Request

from .parts import counter

pytestmark = pytest.mark.anyio

HANDSHAKE = Request(
    1,
    "initialize",
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
)


class RunningStore(MemoryStore):
    def __init__(self) -> None:
        super().__init__()
        self.runs = 0

    async def run(self) -> None:
        self.runs += 1
        try:
            await anyio.sleep_forever()
        finally:
            self.runs -= 1


async def test_first_clients_that_come_at_once_find_the_same_sessions() -> None:
    engines = Engines(counter()())
    engines.start()
    ids: list[str | None] = []

    async def come() -> None:
        await anyio.lowlevel.checkpoint()
        ids.append((await engines.legacy.handshake.initialize(HANDSHAKE, Peer()))[1])

    async with anyio.create_task_group() as group:
        for _ in range(2):
            group.start_soon(come)
    assert sorted(map(str, ids)) == sorted(await engines.store.list_active())
    engines.close()
    await engines.shut_down()


async def test_a_store_that_was_named_runs_though_nobody_has_come() -> None:
    store = RunningStore()
    engines = Engines(counter()(), store=store)
    engines.start()
    await anyio.wait_all_tasks_blocked()
    assert store.runs == 1
    assert engines.store is store
    engines.close()
    await engines.shut_down()
    await anyio.wait_all_tasks_blocked()
    assert store.runs == 0
