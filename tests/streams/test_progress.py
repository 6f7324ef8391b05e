"""Progress: with a token only, rising only, and not after the answer."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
import pytest
from support.asgi_stream import asking
from support.client import Answer, Http, calling
from trio.testing import MockClock

from anubis_py import Frame, Response, ServerBehaviour, ToolComponent, send_progress

from .saying import saying

pytestmark = pytest.mark.anyio


async def said(*steps: Any, token: str | int | None = "t", in_thread: bool = False) -> Answer:
    words = [partial(_say, step) for step in steps]
    return await Http(saying(*words, in_thread=in_thread)).post(calling("say", token=token))


def _say(step: Any, frame: Frame) -> None:
    send_progress(frame, *step) if isinstance(step, tuple) else send_progress(frame, step)


def steps(answer: Answer) -> list[Any]:
    return [note["params"]["progress"] for note in answer.notifications]


@pytest.mark.parametrize("token", ["t", "", 0, -1, 2**53 - 1, "é"])
async def test_every_one_carries_the_token_as_it_was_given(token: Any) -> None:
    answer = await said(1, 2, token=token)
    tokens = [note["params"]["progressToken"] for note in answer.notifications]
    assert [(type(found), found) for found in tokens] == [(type(token), token)] * 2


async def test_without_a_token_there_is_none() -> None:
    answer = await said(1, 2, token=None)
    assert answer.notifications == ()


@pytest.mark.parametrize("in_thread", [False, True])
@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ((1, 2, 3), [1, 2, 3]),
        ((1, 1, 2), [1, 2]),
        ((5, 3, 4, 6), [5, 6]),
        ((0, 0.5, 0.25, 1.0), [0, 0.5, 1.0]),
        ((-2, -1), [-2, -1]),
        ((0.1 + 0.2, 0.3), [0.1 + 0.2]),
    ],
)
async def test_it_only_rises(given: Any, sent: list[float], in_thread: bool) -> None:
    assert steps(await said(*given, in_thread=in_thread)) == sent


async def test_total_and_message_are_there_if_they_were_given() -> None:
    answer = await said((1,), (2, 10), (3, None, "three"), (4, 10.5, ""))
    params = [dict(note["params"]) for note in answer.notifications]
    assert params == [
        {"progressToken": "t", "progress": 1},
        {"progressToken": "t", "progress": 2, "total": 10},
        {"progressToken": "t", "progress": 3, "message": "three"},
        {"progressToken": "t", "progress": 4, "total": 10.5, "message": ""},
    ]


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf")])
async def test_what_is_no_number_in_json_is_never_sent(odd: float) -> None:
    """JSON has no form for it, and `null` is no progress."""
    answer = await said(1, odd, 2)
    assert steps(answer) == [1, 2]
    answer = await said((1, odd))
    assert "total" not in answer.notifications[0]["params"]


async def test_two_requests_with_one_token_count_for_themselves() -> None:
    http = Http(saying(partial(_say, 1), partial(_say, 2)))
    for _ in range(2):
        assert steps(await http.post(calling("say", token="same"))) == [1, 2]


async def test_nothing_comes_after_the_answer(autojump_clock: MockClock) -> None:
    kept: list[Frame] = []

    class Keep(ToolComponent):
        async def execute(self, args: Any, frame: Frame) -> Any:
            kept.append(frame)
            send_progress(frame, 1)
            return Response.tool().text("kept")

    class Keeping(ServerBehaviour):
        name = "keeping"
        version = "1"
        components = (Keep,)

    async with asking(Keeping.asgi(), calling("keep", token=1)) as stream:
        # The answer has been given, and not yet been read.
        await anyio.sleep(1)
        send_progress(kept[0], 2)
        _, answer = await stream.rest()
        assert "result" in answer
        send_progress(kept[0], 3)
        await stream.ended.wait()
    assert stream.late == []


async def test_a_thread_that_outlives_its_deadline_says_nothing_more() -> None:
    enough, done = threading.Event(), threading.Event()

    class Slow(ToolComponent):
        timeout = 0.2

        def execute(self, args: Any, frame: Frame) -> Any:
            send_progress(frame, 1)
            enough.wait(20)
            send_progress(frame, 2)
            done.set()

    class Server(ServerBehaviour):
        name = "slow"
        version = "1"
        components = (Slow,)

    answer = await Http(Server).post(calling("slow", token=1))
    assert answer.is_error
    assert steps(answer) == [1]
    enough.set()
    assert await anyio.to_thread.run_sync(done.wait, 20)
