"""Clients that read slowly, or not at all: nothing grows, nobody waits, no answer is lost."""

from __future__ import annotations

import gc
import threading
import time
import tracemalloc
from contextlib import ExitStack
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
import pytest
import trio
from support.asgi_stream import asking, starting
from support.client import Http, calling, listening, modern
from support.log import ServerLog
from support.miniature import Miniature
from support.program import PROGRAMS, held, miniature
from support.socket_stream import SocketStream, ask
from trio.testing import MockClock

from anubis_py import Frame, send_log_message, send_progress
from anubis_py.engine.outbox import FULL

from .saying import saying

pytestmark = pytest.mark.anyio


def progress_to(count: int, frame: Frame) -> None:
    for step in range(1, count + 1):
        send_progress(frame, step, count)


def log_to(count: int, frame: Frame) -> None:
    for step in range(1, count + 1):
        send_log_message(frame, "info", step)


def log_one(data: Any, frame: Frame) -> None:
    send_log_message(frame, "error", data)


async def unread(word: Any, body: Any, in_thread: bool) -> tuple[list[Any], str]:
    """What a client gets that begins to read when the tool has said everything: the parameters of
    the notifications, and the text of the answer."""
    done = threading.Event()
    app = saying(word, lambda frame: done.set(), in_thread=in_thread)
    async with asking(app, body, room=0) as stream:
        await anyio.to_thread.run_sync(done.wait, 20)
        *notes, answer = await stream.rest()
    return [note["params"] for note in notes], answer["result"]["content"][0]["text"]


@pytest.mark.parametrize("in_thread", [False, True])
async def test_progress_that_nobody_has_read_gives_way_to_the_newest(in_thread: bool) -> None:
    body = calling("say", token=1)
    params, text = await unread(partial(progress_to, 10_000), body, in_thread)
    steps = [found["progress"] for found in params]
    assert steps == sorted(set(steps))
    assert steps[-1] == 10_000
    assert len(steps) <= FULL
    assert text == "said"


@pytest.mark.parametrize("in_thread", [False, True])
async def test_of_log_messages_that_nobody_has_read_the_newest_are_kept(in_thread: bool) -> None:
    body = calling("say", level="debug")
    params, text = await unread(partial(log_to, 10_000), body, in_thread)
    numbers = [found["data"] for found in params]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == 10_000
    assert len(numbers) <= 2 * FULL
    assert text == "said"


async def test_progress_does_not_push_a_log_message_out() -> None:
    words = (partial(log_one, "first"), partial(progress_to, 10_000), partial(log_one, "last"))
    app = saying(*words)
    async with asking(app, calling("say", token=1, level="debug"), room=0) as stream:
        *notes, _ = await stream.rest()
    assert [n["params"]["data"] for n in notes if "data" in n["params"]] == ["first", "last"]
    # And none of it is out of order.
    assert notes[0]["params"]["data"] == "first"
    assert notes[-1]["params"]["data"] == "last"


async def test_a_client_that_reads_misses_nothing(autojump_clock: MockClock) -> None:
    body = calling("steps", {"count": 2000, "pause": 0.001}, token=1)
    async with asking(Miniature.asgi(), body) as stream:
        *notes, _ = await stream.rest()
    assert [note["params"]["progress"] for note in notes] == list(range(1, 2001))


async def test_what_waits_for_a_client_that_does_not_read_is_bounded(
    autojump_clock: MockClock,
) -> None:
    app = Miniature.asgi(send_timeout=None, keep_alive=None)
    body = calling("steps", {"count": 20_000, "size": 500}, level="debug")
    async with starting(app, body, room=0):
        await anyio.sleep(1)
        tracemalloc.start()
        try:
            await anyio.sleep(60)
            gc.collect()
            grown, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert grown < FULL * 1500 + 200_000


@pytest.mark.parametrize(
    "body",
    [listening("memo://a", toolsListChanged=True), calling("nap", {"s": 100}, token=1)],
    ids=["listen", "call"],
)
async def test_one_that_never_reads_is_given_up_after_the_time_out(
    body: Any, autojump_clock: MockClock, server_log: ServerLog
) -> None:
    app = Miniature.asgi(send_timeout=5, keep_alive=1)
    async with starting(app, body, room=0) as stream:
        await stream.head()
        start = trio.current_time()
        with anyio.fail_after(10):
            await stream.ended.wait()
        assert trio.current_time() - start < 8
        assert not len(app.subscriptions)
    server_log.take("does not read", traceback=False)


async def test_the_time_out_may_be_off(autojump_clock: MockClock) -> None:
    app = Miniature.asgi(send_timeout=None, keep_alive=1)
    async with starting(app, listening(toolsListChanged=True), room=0) as stream:
        await stream.head()
        await anyio.sleep(1000)
        assert not stream.ended.is_set()


async def test_one_that_reads_late_but_in_time_is_kept(autojump_clock: MockClock) -> None:
    app = Miniature.asgi(send_timeout=5, keep_alive=1)
    async with asking(app, listening("memo://a"), room=0) as stream:
        assert (await stream.message())["method"].endswith("acknowledged")
        for _ in range(10):
            await anyio.sleep(4)
            stream.reader.feed(await stream.chunk())
        await app.send_resource_updated("memo://a")
        assert (await stream.message())["method"].endswith("updated")


async def test_one_that_never_reads_delays_nobody(autojump_clock: MockClock) -> None:
    app = Miniature.asgi(send_timeout=None, keep_alive=None)
    wanted = listening("memo://a", toolsListChanged=True)
    async with asking(app, wanted, room=0), asking(app, wanted) as reading:
        await reading.message()
        start = trio.current_time()
        for _ in range(100):
            await Http(app).tool("touch", {"uri": "memo://a"})
            assert (await reading.message())["method"] == "notifications/resources/updated"
        assert trio.current_time() - start < 1


# On a port, where the kernel keeps a good deal for a client that does not read.


@pytest.mark.parametrize("program", PROGRAMS)
def test_on_a_port_one_that_never_reads_is_given_up(program: str) -> None:
    """Its handler ends, and so do the tasks that wait for it."""
    arguments = {"count": 100_000, "size": 50_000, "pause": 0.001}
    with miniature(program, send_timeout=1) as server:
        before = held(server.url)
        with SocketStream(server.url, calling("steps", arguments, level="debug"), 4096) as stream:
            stream.head()
            assert held(server.url)["tasks"] > before["tasks"]
            deadline = time.monotonic() + 10
            while (now := held(server.url))["tasks"] > before["tasks"]:
                assert time.monotonic() < deadline, f"{before} has become {now}"
                time.sleep(0.1)
        assert now["kB"] - before["kB"] < 96 * 1024


@pytest.mark.parametrize("program", PROGRAMS)
def test_on_a_port_ten_that_never_read_delay_nobody_and_cost_little(program: str) -> None:
    body = calling("steps", {"count": 100_000, "size": 10_000, "pause": 0.001}, level="debug")
    with miniature(program, send_timeout=60) as server, ExitStack() as stack:
        ask(server.url, modern("tools/list"))
        before = held(server.url)
        for _ in range(10):
            stack.enter_context(SocketStream(server.url, body, room=4096)).head()
        longest, deadline = 0.0, time.monotonic() + 3
        while time.monotonic() < deadline:
            start = time.monotonic()
            ask(server.url, modern("tools/list"))
            longest = max(longest, time.monotonic() - start)
            time.sleep(0.01)
        assert longest < 0.5
        # 256 messages of 20 kB for each.
        assert held(server.url)["kB"] - before["kB"] < 10 * 256 * 20 * 2
