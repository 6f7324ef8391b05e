from __future__ import annotations

from typing import Any

import anyio
import anyio.lowlevel
import pytest

from anubis_py import Response, ToolComponent, send_progress

from .memory import connected
from .messages import call, cancelled, notification, request, text
from .servers import Echo, Miniature, napping

pytestmark = pytest.mark.anyio


async def test_a_cancelled_request_is_cleaned_up_and_never_answered() -> None:
    napping_server, cleaned = napping()
    async with connected(napping_server) as peer:
        peer.send(call(1, "nap"))
        await anyio.wait_all_tasks_blocked()
        peer.send(cancelled(1, reason="user"))
        await cleaned.wait()
        peer.send(request(2, "tools/list"))
        peer.end()
        assert [message["id"] for message in await peer.rest()] == [2]


@pytest.mark.parametrize(
    "params",
    [
        {"requestId": "1"},
        {"requestId": 999},
        {"requestId": True},
        {"requestId": 1.0},
        {"requestId": None},
        {"requestId": [1]},
        {},
    ],
    ids=str,
)
async def test_cancellations_that_name_no_request_are_ignored(params: Any) -> None:
    napping_server, cleaned = napping()
    async with connected(napping_server) as peer:
        peer.send(call(1, "nap"))
        await anyio.wait_all_tasks_blocked()
        peer.send(notification("cancelled", params), call(2, "echo", {"t": "alive"}))
        assert text(await peer.receive()) == "alive"
        assert not cleaned.is_set()


async def test_a_request_that_is_cancelled_in_the_same_breath_does_not_begin() -> None:
    begun: list[str] = []

    class Mark(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            begun.append(str(frame.context.request_id))
            return Response.tool().text("done")

    class Marking(Miniature):
        components = (Mark,)

    async with connected(Marking) as peer:
        peer.send(call(1, "mark"), cancelled(1), call(2, "mark"), cancelled(2), call(3, "mark"))
        peer.end()
        assert [message["id"] for message in await peer.rest()] == [3]
    assert begun == ["3"]


async def test_a_tool_that_resists_is_not_answered_either() -> None:
    class Stubborn(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            try:
                await anyio.sleep_forever()
            except BaseException:
                return Response.tool().text("still here")

    class Resisting(Miniature):
        components = (Stubborn, Echo)

    async with connected(Resisting) as peer:
        peer.send(call(1, "stubborn"))
        await anyio.wait_all_tasks_blocked()
        peer.send(cancelled(1), call(2, "echo", {"t": "b"}))
        peer.end()
        assert [message["id"] for message in await peer.rest()] == [2]


async def test_what_waits_to_be_written_is_withdrawn() -> None:
    class Chatty(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            for step in range(10):
                send_progress(frame, step)
                await anyio.lowlevel.checkpoint()
            await anyio.sleep_forever()

    class Chatting(Miniature):
        components = (Chatty, Echo)

    async with connected(Chatting, room=0) as peer:
        peer.send(call(1, "chatty", progressToken=1))
        await anyio.wait_all_tasks_blocked()
        peer.send(cancelled(1), call(2, "echo", {"t": "b"}))
        await anyio.wait_all_tasks_blocked()
        peer.end()
        *progress, answer = await peer.rest()
    assert text(answer) == "b"
    # What is being written is written to its end.
    assert len(progress) <= 1


async def test_calls_that_are_cancelled_as_they_end() -> None:
    class Tick(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            send_progress(frame, 1)
            await anyio.sleep(0.001)
            return Response.tool().text("tick")

    class Ticking(Miniature):
        components = (Tick,)

    async with connected(Ticking) as peer:
        for number in range(200):
            peer.send(call(number, "tick", **({"progressToken": number} if number % 2 else {})))
            # From before its end to after it.
            await anyio.sleep(0.0001 * (number % 20))
            peer.send(cancelled(number))
        peer.send(request("last", "tools/list"))
        peer.end()
        answered = [message["id"] for message in await peer.rest() if "id" in message]
    assert "last" in answered
    assert len(answered) == len(set(answered))
