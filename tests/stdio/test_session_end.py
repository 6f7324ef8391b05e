"""The end of a connection is the end of its session."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from anubis_py import Reply, Response, ToolComponent
from anubis_py.engine.engines import Engines
from anubis_py.engine.legacy.limits import SessionLimits
from anubis_py.sessions.memory import MemoryStore

from .legacy import call, greeted, request
from .messages import text
from .servers import Echo, Miniature, Nap

pytestmark = pytest.mark.anyio


def ending() -> tuple[type[Miniature], list[Any], anyio.Event]:
    """A server, what it has been through, and the event that the clean-up of `nap` sets."""
    ended: list[Any] = []
    event = anyio.Event()

    class Napper(Nap):
        name = "nap"
        cleaned = event

    class Short(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            await anyio.sleep(0.05)
            return Reply(Response.tool().text("in time"), frame.assign(short=True))

    class Ending(Miniature):
        components = (Napper, Short, Echo)

        async def terminate(self, reason: Any, frame: Any) -> None:
            await anyio.lowlevel.checkpoint()
            ended.append((reason, dict(frame.assigns), event.is_set()))

    return Ending, ended, event


@pytest.mark.parametrize("way", ["end", "trigger"])
async def test_requests_are_given_time_and_then_the_session_ends(
    way: str, autojump_clock: Any, server_log: Any
) -> None:
    server, ended, _ = ending()
    async with greeted(server, grace=0.3) as client:
        client.send(call(1, "short"), call(2, "nap"), call(3, "short"))
        await anyio.wait_all_tasks_blocked()
        client.peer.end() if way == "end" else client.peer.stop.set()
        [answer] = await client.rest()
        assert text(answer) == "in time"
        await client.peer.ended.wait()
    assert ended == [("closed", {"short": True}, True)]
    assert server_log.records == []


async def test_without_work_it_ends_at_once() -> None:
    server, ended, _ = ending()
    async with greeted(server, grace=3600) as client:
        client.peer.end()
        assert await client.rest() == []
        await client.peer.ended.wait()
    assert ended == [("closed", {}, False)]


async def test_cancelling_it_ends_the_session_as_well() -> None:
    server, ended, _ = ending()
    async with greeted(server, room=0, grace=3600) as client:
        client.send(call(1, "nap"))
        await anyio.wait_all_tasks_blocked()
        client.peer.scope.cancel()
        await client.peer.ended.wait()
    assert ended == [("closed", {}, True)]


async def test_a_client_that_is_gone_ends_it() -> None:
    server, ended, _ = ending()
    async with greeted(server, grace=3600) as client:
        client.send(call(1, "nap"))
        await anyio.wait_all_tasks_blocked()
        client.peer.stdout.close()
        client.send(request(2, "ping"))
        await client.peer.ended.wait()
    assert ended == [("closed", {}, True)]


async def test_a_terminate_that_hangs_does_not_keep_it() -> None:
    begun = anyio.Event()

    class Hanging(Miniature):
        async def terminate(self, reason: Any, frame: Any) -> None:
            begun.set()
            await anyio.sleep_forever()

    async with greeted(Hanging, grace=0.05) as client:
        client.peer.end()
        await client.rest()
        await client.peer.ended.wait()
        assert begun.is_set()


async def test_a_terminate_that_fails_is_logged(server_log: Any) -> None:
    class Failing(Miniature):
        def terminate(self, reason: Any, frame: Any) -> None:
            raise ValueError("secret")

    async with greeted(Failing) as client:
        client.peer.end()
        await client.rest()
        await client.peer.ended.wait()
    server_log.take("terminate failed", traceback=True)


async def test_a_session_lasts_as_long_as_its_connection() -> None:
    server, ended, _ = ending()
    hours = 0.0
    store = MemoryStore(clock=lambda: hours)
    engines = Engines(server(), store=store, limits=SessionLimits(idle=1))
    async with greeted(server, engines=engines) as client:
        for _ in range(10):
            hours += 0.9
            await engines.sessions.sweep()
        assert text(await client.ask(call(1, "echo", {"t": "alive"}))) == "alive"
        assert ended == []
