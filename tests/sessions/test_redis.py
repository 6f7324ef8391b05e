"""Redis goes away and comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest
from coredis import Redis

from anubis_py.errors import ConfigurationError
from anubis_py.sessions.news import Told
from anubis_py.sessions.record import Record
from anubis_py.sessions.redis import RedisStore, place
from anubis_py.sessions.store import StoreDown

from .backends import running
from .heard import Heard
from .redis_server import LEAVES_BUFFERS, RedisServer, find_redis

RECORD = Record("2025-11-25", log_level="info")

pytestmark = LEAVES_BUFFERS


@pytest.fixture
def own_redis(tmp_path: Path, collected: None) -> Iterator[RedisServer]:
    server = RedisServer(find_redis(), tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.mark.anyio
async def test_redis_is_started_again(own_redis: RedisServer) -> None:
    stores = [RedisStore(own_redis.url, lease=1.0) for _ in range(2)]
    first, second = stores
    one, two = (Heard(store.bus()) for store in stores)
    events = first.event_store()
    async with running(*(store.run for store in stores), one.bus.run, two.bus.run):
        await first.save("s", RECORD, 60, new=True)
        event_id = await events.append("s", "a", b"1")
        await one.bus.send(Told("s", "before"))
        await anyio.to_thread.run_sync(own_redis.stop)
        with anyio.fail_after(3):
            for method in (first.load, first.delete, first.acquire, events.delete):
                with pytest.raises(StoreDown):
                    await method("s")
            with pytest.raises(StoreDown):
                await first.save("s", Record("x"), 60)
            with pytest.raises(StoreDown):
                await one.bus.send(Told("s", "never"))
        one.bus.publish(Told("s", "meanwhile"))
        await anyio.to_thread.run_sync(own_redis.start)
        await one.bus.send(Told("s", "after"))
        heard = [Told("s", "before"), Told("s", "meanwhile"), Told("s", "after")]
        assert await two.wait(3) == heard
        assert one.news == heard
        assert await second.load("s") == RECORD
        replay = await events.after("s", event_id)
        assert replay is not None
        async with second.hold("s"):
            assert await second.save("s", RECORD, 60)


@pytest.mark.anyio
async def test_what_was_said_since_connecting_is_heard_however_late_a_reader_begins(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = [RedisStore(own_redis.url) for _ in range(2)]
    one, two = (Heard(store.bus()) for store in stores)

    async def late(client: Any) -> Any:
        # As on a machine that has more to do, before Redis is asked for its time.
        await said.wait()
        await anyio.sleep(0.05)
        return await in_time(client)

    said, in_time = anyio.Event(), place._time
    monkeypatch.setattr(place, "_time", late)
    async with running(stores[0].run, stores[1].run, two.bus.run):
        await one.bus.send(Told("s", "since"))
        said.set()
        assert await two.wait(1) == [Told("s", "since")]


@pytest.mark.anyio
async def test_a_redis_that_hangs_is_a_store_that_is_down(own_redis: RedisServer) -> None:
    store = RedisStore(own_redis.url)
    async with running(store.run):
        await store.save("s", RECORD, 60, new=True)
        unanswered = pytest.raises(StoreDown, match="timed out")
        with own_redis.hanging(), anyio.fail_after(3), unanswered:
            await store.load("s")
        with anyio.fail_after(3):
            assert await store.load("s") == RECORD


@pytest.mark.anyio
async def test_what_was_written_twice_is_heard_once(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = [RedisStore(redis_server.url, "twice") for _ in range(2)]
    one, two = (Heard(store.bus()) for store in stores)
    async with running(*(store.run for store in stores), one.bus.run, two.bus.run):
        await one.bus.send(Told("s", "1"))
        write = stores[0]._connection.do

        async def write_and_lose_the_answer(command: Any) -> None:
            monkeypatch.undo()
            await write(command)
            raise StoreDown

        monkeypatch.setattr(stores[0]._connection, "do", write_and_lose_the_answer)
        one.bus.publish(Told("s", "2"))
        await two.wait(2)
        one.bus.publish(Told("s", "3"))
        assert await two.wait(3) == [Told("s", "1"), Told("s", "2"), Told("s", "3")]


@pytest.mark.anyio
@pytest.mark.one_loop
async def test_redis_is_started_again_and_again(own_redis: RedisServer) -> None:
    stores = [RedisStore(own_redis.url) for _ in range(2)]
    one, two = (Heard(store.bus()) for store in stores)
    async with running(*(store.run for store in stores), one.bus.run, two.bus.run):
        # Once more than there are connections in a pool.
        for number in range(17):
            await one.bus.send(Told("s", str(number)))
            await two.wait(number + 1)
            await anyio.to_thread.run_sync(own_redis.stop)
            await anyio.to_thread.run_sync(own_redis.start)
    assert two.news == [Told("s", str(number)) for number in range(17)]


@pytest.mark.anyio
async def test_redis_has_lost_everything(own_redis: RedisServer) -> None:
    stores = [RedisStore(own_redis.url) for _ in range(2)]
    one, two = (Heard(store.bus()) for store in stores)
    async with running(*(store.run for store in stores), one.bus.run, two.bus.run):
        # A clock that is ahead: the ids that come later are lower ones.
        async with Redis.from_url(own_redis.url) as client:
            fields: dict[str, str | bytes | int] = {"origin": "x", "serial": 1, "plain": "{}"}
            await client.xadd("anubis:news", fields, identifier="9999999999999-0")
        await one.bus.send(Told("s", "before"))
        await two.wait(1)
        await anyio.to_thread.run_sync(own_redis.stop)
        own_redis.forget()
        await anyio.to_thread.run_sync(own_redis.start)
        await one.bus.send(Told("s", "after"))
        assert await two.wait(2) == [Told("s", "before"), Told("s", "after")]


@pytest.mark.anyio
async def test_what_is_not_open_waits_and_then_is_down(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anubis_py.sessions.redis.connection._START", 0.05)
    store = RedisStore(redis_server.url, uuid4().hex)
    with pytest.raises(StoreDown, match="does `run` run"):
        await store.load("s")
    async with running(store.run):
        assert await store.load("s") is None
    # And again, as after a restart of the app.
    async with running(store.run):
        assert await store.load("s") is None


@pytest.mark.anyio
async def test_being_cancelled_costs_no_connection(own_redis: RedisServer) -> None:
    store = RedisStore(own_redis.url)
    async with running(store.run):
        with own_redis.hanging(), anyio.move_on_after(0.1):
            async with anyio.create_task_group() as tasks:
                for _ in range(50):
                    tasks.start_soon(_loads, store)
        with anyio.fail_after(5):
            while not await _loads(store):
                await anyio.lowlevel.checkpoint()


async def _loads(store: RedisStore) -> bool:
    try:
        await store.load("s")
    except StoreDown:
        return False
    return True


def test_another_scheme_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="redis://host:6379/0"):
        RedisStore("http://localhost")
