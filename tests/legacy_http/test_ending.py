"""The end of a session: streams and requests end with it, and the author hears of it."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
import trio
from support.legacy import LegacyHttp, calls
from support.log import ServerLog
from support.miniature import MARKS
from support.talking import Talking
from trio.testing import MockClock

from anubis_py import Failure, Frame, McpError, MemoryStore, NoReply, StoreDown
from anubis_py.sessions.memory_events import MemoryEventStore
from anubis_py.transports.http.asgi import App
from anubis_py.transports.http.settings import HttpSettings

pytestmark = pytest.mark.anyio


async def test_delete_ends_what_is_open(version: str, autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking, version)
    other = await LegacyHttp.begun(http.app, version)
    async with (
        http.listening() as standing,
        other.listening() as foreign,
        http.starting(calls("nap", {"s": 60}, id=1, token=1)) as running,
        http.starting(calls("nap", {"s": 60, "mark": "next"}, id=2)) as waiting,
    ):
        await anyio.sleep(1)
        assert (await http.delete()).status == 204
        with anyio.fail_after(1):
            assert await standing.rest() == []
            for stream in (running, waiting):
                await stream.head()
                assert stream.status in (200, 202, 404)
                await stream.wire.ended.wait()
        assert not foreign.wire.complete
        await other.alive()
    names = {mark.partition(" ")[0] for mark in MARKS if "begins" in mark}
    assert len(names) == 1, "the one that waited has not begun"
    assert {f"{name} is cleaned up" for name in names} <= set(MARKS)
    assert MARKS.count("terminated: deleted, None") == 1
    assert (await http.delete()).status == 404
    await anyio.sleep(2)
    assert len(http.app.engines.sessions.presences) <= 1


async def test_the_stream_of_a_request_ends_with_the_reason(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    async with http.asking(calls("nap", {"s": 60}, token=1)) as stream:
        await stream.message()
        await http.delete()
        with anyio.fail_after(1):
            [answer] = await stream.rest()
        assert (answer["id"], answer["error"]["code"]) == (1, -32600)
    await anyio.sleep(1)
    assert len(http.app.engines.sessions.presences) == 0


async def test_a_cleanup_that_speaks_brings_nothing_back(autojump_clock: MockClock) -> None:
    from anubis_py import Response, ToolComponent, send_log_message

    class Late(ToolComponent):
        async def execute(self, args: Any, frame: Frame) -> Any:
            try:
                await anyio.sleep(60)
            finally:
                send_log_message(frame, "error", "too late")
            return Response.tool()

    class Speaking(Talking):
        components = (*Talking.components, Late)

    http = await LegacyHttp.begun(Speaking)
    async with http.starting(calls("late")) as stream:
        await anyio.sleep(1)
        await http.delete()
        with anyio.fail_after(1):
            await stream.head()
            await stream.wire.ended.wait()
    await anyio.sleep(1)
    assert len(http.app.engines.sessions.presences) == 0


async def test_parallel_deletes_end_it_once() -> None:
    http = await LegacyHttp.begun(Talking)
    statuses: list[int] = []

    async def end() -> None:
        statuses.append((await http.delete()).status)

    async with anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(end)
    assert sorted(statuses) == [204] + [404] * 9
    assert MARKS == ["terminated: deleted, None"]


async def test_the_author_hears_the_reason_with_the_last_frame() -> None:
    http = await LegacyHttp.begun(Talking)
    await http.call("remember", {"value": "v"})
    await http.delete()
    assert MARKS == ["terminated: deleted, v"]


@pytest.mark.parametrize("comes_back", [False, True])
async def test_what_expires_is_terminated_with_its_last_frame(
    comes_back: bool, autojump_clock: MockClock
) -> None:
    store = MemoryStore(trio.current_time)
    http = await LegacyHttp.begun(Talking, session_idle=1000, store=store)
    await http.call("remember", {"value": "v"})
    await anyio.sleep(1001)
    if comes_back:  # before or after the sweep
        assert (await http.ask("ping")).status == 404
    await anyio.sleep(100)
    assert MARKS == ["terminated: expired, v"]


async def test_the_oldest_makes_room(autojump_clock: MockClock) -> None:
    app = Talking.asgi(max_sessions=2)
    first = await LegacyHttp.begun(app)
    second = await LegacyHttp.begun(app)
    await first.alive()
    await first.call("recall")
    third = await LegacyHttp.begun(app)
    assert MARKS == ["terminated: evicted, None"]
    assert (await second.ask("ping")).status == 404
    await first.alive()
    await third.alive()


async def test_who_is_served_does_not_make_room(autojump_clock: MockClock) -> None:
    app = Talking.asgi(max_sessions=2)
    first, second = [await LegacyHttp.begun(app) for _ in range(2)]
    async with first.listening(), second.starting(calls("nap", {"s": 5})) as stream:
        await anyio.sleep(1)
        third = LegacyHttp(app)
        answer = await third.initialize()
        assert answer.refusal == (503, -32603)
        assert third.session_id is None
        await first.alive()
        await stream.head()
    await LegacyHttp.begun(app)


# What is no request is not answered with a success that it is not


async def test_a_notification_that_cannot_be_taken_is_refused(version: str) -> None:
    class Forgetful(Talking):
        async def handle_session_expired(self, session_id: str, frame: Frame) -> Any:
            return Failure(McpError(-32603, "who are you?"))

        async def handle_notification(self, notification: Any, frame: Frame) -> Any:
            return NoReply()

    http = await LegacyHttp.begun(Forgetful, version)
    http.app.engines.sessions._live.clear()
    for body in ({"jsonrpc": "2.0", "method": "notifications/x"},):
        answer = await http.post(body)
        assert answer.status >= 400
        assert answer.code == -32603


# A store that is down


class Frail(MemoryEventStore):
    down = False

    async def append(self, *arguments: Any, **options: Any) -> str:
        if self.down:
            raise StoreDown("no")
        return await super().append(*arguments, **options)


async def test_an_answer_comes_though_it_cannot_be_kept(
    autojump_clock: MockClock, server_log: ServerLog
) -> None:
    store = Frail()
    app = App(Talking(), HttpSettings(), event_store=store)
    http = await LegacyHttp.begun(app)
    async with http.asking(calls("steps", {"count": 3, "pause": 1}, token=1)) as stream:
        await stream.message()
        store.down = True
        raw = b""
        while not stream.wire.complete:
            raw += await stream.wire.chunk()
    assert raw.endswith(b"\n\n")
    last = raw.decode().rstrip("\n").rpartition("\n\n")[2]
    assert last.startswith('data: {"jsonrpc":"2.0","id":1,"result":')
    server_log.clear()
    store.down = False
    await http.alive()


async def test_a_slow_event_store_loses_nothing_to_a_comment(autojump_clock: MockClock) -> None:
    """A comment is due while what was taken is being written down."""

    class Slow(MemoryEventStore):
        async def append(self, *arguments: Any, **options: Any) -> str:
            await anyio.sleep(0.4)
            return await super().append(*arguments, **options)

    http = await LegacyHttp.begun(App(Talking(), HttpSettings(keep_alive=0.5), event_store=Slow()))
    found: list[str] = []
    async with http.listening() as stream:
        for number in range(10):
            await anyio.sleep(0.35)
            await http.app.publish_event(str(number))
        with anyio.move_on_after(20):
            while True:
                found.append((await stream.message())["params"]["data"])
    assert found == [str(n) for n in range(10)]
