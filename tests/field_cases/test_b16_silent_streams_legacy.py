"""B16, behind a handshake: comments into the silence, and none of them within an event."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
import trio
from support.legacy import LEGACY, LegacyHttp, calls
from support.talking import Talking
from trio.testing import MockClock

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("version", LEGACY)]


async def comments_in(stream: Any, seconds: float) -> int:
    with anyio.move_on_after(seconds):
        while True:
            stream.reader.feed(await stream.wire.chunk())
    found: int = stream.reader.comments
    return found


async def test_a_quiet_stream_has_a_comment_in_every_interval(
    version: str, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking, version, keep_alive=0.5)
    async with http.listening() as stream:
        assert await comments_in(stream, 1.9) == 3
    async with http.asking(calls("nap", {"s": 2}, token=1)) as stream:
        assert await comments_in(stream, 1.9) == 3


async def test_the_interval_may_be_off(version: str, autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking, version, keep_alive=None)
    async with http.listening() as stream:
        assert await comments_in(stream, 1.9) == 0
    async with http.asking(calls("nap", {"s": 2}, token=1)) as stream:
        assert await comments_in(stream, 1.9) == 0


async def test_comments_between_many_events_cut_none(
    version: str, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking, version, keep_alive=0.01)
    body = calls("steps", {"count": 1000, "size": 5000, "pause": 0.01}, token="t")
    async with http.asking(body) as stream:
        *said, answer = await stream.rest()
    assert answer["result"]["content"][0]["text"] == "1000 steps"
    data = [m["params"]["data"] for m in said if m["method"] == "notifications/message"]
    assert [int(each.partition(":")[0]) for each in data] == list(range(1, 1001))
    assert {each.count("é") for each in data} == {5000}


async def test_no_task_is_left_when_the_stream_ends(
    version: str, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking, version, keep_alive=0.5)
    await anyio.sleep(1)
    before = trio.lowlevel.current_statistics().tasks_living
    async with http.listening() as stream:
        await comments_in(stream, 0.7)
    async with http.asking(calls("nap", {"s": 2}, token=1)) as stream:
        await stream.rest()
    async with http.asking(calls("nap", {"s": 2}, token=1)) as stream:
        await comments_in(stream, 0.7)
    await anyio.sleep(1)
    assert trio.lowlevel.current_statistics().tasks_living == before
