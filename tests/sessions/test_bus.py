"""What one process says, all hear: once each, in order."""

from __future__ import annotations

import anyio
import anyio.to_thread
import pytest

from anubis_py.change import TOOLS_CHANGED, resource_updated
from anubis_py.sessions.news import (
    Answered,
    Cancelled,
    Ended,
    News,
    Opened,
    Told,
    Watched,
)

from .backends import Backend, running
from .heard import Heard

KINDS: list[News] = [
    TOOLS_CHANGED,
    resource_updated("file:///a"),
    Told("s", '{"text": "ü"}'),
    Answered("s", "1", {"result": {"x": [1, None]}}),
    Cancelled("s", 7),
    Cancelled("s", "7"),
    Ended("s"),
    Watched("s", ("a", "b")),
    Opened("s", "process"),
]


def told(number: int) -> Told:
    return Told("s", str(number))


@pytest.mark.anyio
async def test_all_kinds_of_news_arrive(backend: Backend) -> None:
    stores = [backend.store() for _ in range(3)]
    one, two, three = (Heard(store.bus()) for store in stores)
    runs = [*(store.run for store in stores), *(heard.bus.run for heard in (one, two, three))]
    async with running(*runs):
        for news in KINDS:
            await one.bus.send(news)
        assert one.news == KINDS
        assert await two.wait(len(KINDS)) == KINDS
        assert await three.wait(len(KINDS)) == KINDS


@pytest.mark.anyio
async def test_order_and_once(backend: Backend) -> None:
    stores = [backend.store() for _ in range(2)]
    one, two = (Heard(store.bus()) for store in stores)
    async with running(*(store.run for store in stores), one.bus.run, two.bus.run):
        for number in range(300):
            one.bus.publish(told(number))
            # A process hears itself at once.
            assert one.news[-1] == told(number)
        await one.bus.send(told(300))
        expected = [told(number) for number in range(301)]
        assert await two.wait(301) == expected
        two.bus.publish(Ended("s"))
        # What comes after an echo would have come after it here.
        assert await one.wait(302) == [*expected, Ended("s")]
        await one.bus.send(Ended("t"))
        assert await two.wait(303) == [*expected, Ended("s"), Ended("t")]


@pytest.mark.anyio
async def test_from_any_thread(backend: Backend) -> None:
    stores = [backend.store() for _ in range(2)]
    one, two = (Heard(store.bus()) for store in stores)

    def publish() -> None:
        for number in range(50):
            one.bus.publish(told(number))

    async with running(*(store.run for store in stores), one.bus.run, two.bus.run):
        await anyio.to_thread.run_sync(publish)
        assert await two.wait(50) == [told(number) for number in range(50)]


@pytest.mark.anyio
async def test_a_new_process_hears_what_is_said_from_then_on(backend: Backend) -> None:
    first, second = backend.store(), backend.store()
    one = Heard(first.bus())
    async with running(first.run, second.run, one.bus.run):
        await one.bus.send(told(1))
        # Redis tells times to a millisecond, and the place where to begin a little less so.
        await anyio.sleep(0.03)
        two = Heard(second.bus())
        await one.bus.send(told(2))
        async with running(two.bus.run):
            await one.bus.send(told(3))
            assert await two.wait(2) == [told(2), told(3)]
