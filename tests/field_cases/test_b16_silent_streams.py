"""B16: a stream says something now and then, and nothing that it says breaks an event."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
import trio
from running.server_process import ServerProcess
from support.asgi_stream import AsgiStream, asking
from support.client import calling, listening
from support.miniature import Miniature
from support.program import PROGRAMS, miniature
from support.socket_stream import SocketStream
from trio.testing import MockClock

KEEP_ALIVE = 0.5
LISTEN = listening(toolsListChanged=True, id="quiet")


@pytest.fixture(params=[LISTEN, calling("nap", {"s": 2}, token=1)], ids=["listen", "call"])
def request_of_a_quiet_stream(request: pytest.FixtureRequest) -> Any:
    return request.param


async def comments_in(stream: AsgiStream, seconds: float) -> int:
    """Read a stream for so long."""
    with anyio.move_on_after(seconds):
        while True:
            stream.reader.feed(await stream.chunk())
    return stream.reader.comments


@pytest.mark.anyio
async def test_a_quiet_stream_has_a_comment_in_every_interval(
    request_of_a_quiet_stream: Any, autojump_clock: MockClock
) -> None:
    app = Miniature.asgi(keep_alive=KEEP_ALIVE)
    async with asking(app, request_of_a_quiet_stream) as stream:
        assert await comments_in(stream, 1.9) == 3


@pytest.mark.anyio
async def test_the_interval_may_be_off(
    request_of_a_quiet_stream: Any, autojump_clock: MockClock
) -> None:
    async with asking(Miniature.asgi(keep_alive=None), request_of_a_quiet_stream) as stream:
        assert await comments_in(stream, 1.9) == 0


@pytest.mark.anyio
async def test_the_default_is_shorter_than_what_proxies_wait(autojump_clock: MockClock) -> None:
    async with asking(Miniature.asgi(), LISTEN) as stream:
        assert await comments_in(stream, 60) >= 3


@pytest.mark.anyio
async def test_an_interval_begins_with_what_was_said_last(autojump_clock: MockClock) -> None:
    body = calling("steps", {"count": 10, "pause": 0.4}, token=1)
    async with asking(Miniature.asgi(keep_alive=KEEP_ALIVE), body) as stream:
        await stream.rest()
        assert stream.reader.comments == 0


@pytest.mark.anyio
async def test_head_and_first_chunk_come_at_once(request_of_a_quiet_stream: Any) -> None:
    async with asking(Miniature.asgi(), request_of_a_quiet_stream) as stream:
        assert stream.status == 200
        assert stream.headers["content-type"] == "text/event-stream"
        assert stream.headers["x-accel-buffering"] == "no"
        assert stream.headers["cache-control"] == "no-cache"
        assert "content-length" not in stream.headers
        assert await stream.message()


@pytest.mark.anyio
async def test_comments_between_many_events_cut_none(autojump_clock: MockClock) -> None:
    # A comment is due as often as an event is.
    app = Miniature.asgi(keep_alive=0.01)
    body = calling("steps", {"count": 1000, "size": 5000, "pause": 0.01}, level="debug", token="t")
    async with asking(app, body) as stream:
        *notes, answer = await stream.rest()
    assert answer["result"]["content"][0]["text"] == "1000 steps"
    said = [note["params"]["data"] for note in notes if note["method"] == "notifications/message"]
    assert [int(data.partition(":")[0]) for data in said] == list(range(1, 1001))
    assert {data.count("é") for data in said} == {5000}


@pytest.mark.anyio
async def test_no_task_is_left_when_the_stream_ends(
    request_of_a_quiet_stream: Any, autojump_clock: MockClock
) -> None:
    app = Miniature.asgi(keep_alive=KEEP_ALIVE)
    before = trio.lowlevel.current_statistics().tasks_living
    for leave_early in (True, False):
        async with asking(app, request_of_a_quiet_stream) as stream:
            await comments_in(stream, 0.7)
            if not leave_early:
                app.close()
                await stream.rest()
        # The one task that looks after all requests looks once more, and ends.
        await anyio.sleep(1)
        assert trio.lowlevel.current_statistics().tasks_living == before


@pytest.fixture(scope="module", params=PROGRAMS)
def server(request: pytest.FixtureRequest) -> Iterator[ServerProcess]:
    with miniature(request.param, keep_alive=KEEP_ALIVE) as process:
        yield process


def test_on_a_port_a_quiet_stream_speaks_at_once_and_then_again(
    server: ServerProcess, request_of_a_quiet_stream: Any
) -> None:
    start = time.monotonic()
    with SocketStream(server.url, request_of_a_quiet_stream) as stream:
        stream.head()
        first = stream.chunk()
        assert first
        assert time.monotonic() - start < 1
        stream.reader.feed(first)
        while stream.reader.comments < 3:
            stream.reader.feed(stream.chunk())
        assert time.monotonic() - start < 2.2
        assert stream.headers["x-accel-buffering"] == "no"


def test_on_a_port_a_thousand_big_events_arrive_whole(server: ServerProcess) -> None:
    arguments = {"count": 1000, "size": 5000, "pause": 0.001}
    with SocketStream(server.url, calling("steps", arguments, level="info", token=7)) as stream:
        *notes, answer = stream.head().rest()
    assert answer["result"]["content"][0]["text"] == "1000 steps"
    said = [note["params"]["data"] for note in notes if note["method"] == "notifications/message"]
    numbers = [int(data.partition(":")[0]) for data in said]
    assert numbers == sorted(set(numbers))
    assert {data.count("é") for data in said} == {5000}
    # A client that reads misses nothing worth speaking of: what waits is bounded.
    assert len(numbers) > 700
