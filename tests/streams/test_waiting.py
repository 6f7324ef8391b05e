"""What a stream waits with: a deadline that moves, and a bell."""

from __future__ import annotations

import json
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from support.asgi_stream import scope_of
from support.client import calling, modern_headers

from anubis_py import Frame, Response, ServerBehaviour, ToolComponent, send_progress
from anubis_py.engine.bell import bell
from anubis_py.transports.http.patience import patience

pytestmark = pytest.mark.anyio


async def test_a_deadline_that_is_over_ends_the_wait() -> None:
    with patience() as waiting:
        waiting.within(60)
        waiting.within(0)
        await anyio.sleep_forever()
        pytest.fail("it did not end")


@pytest.mark.parametrize("later", [60, None])
async def test_a_deadline_that_was_moved_away_does_not_end_it(later: float | None) -> None:
    with patience() as waiting:
        waiting.within(0)
        waiting.within(later)
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        waiting.within(0)
        await anyio.sleep_forever()
        pytest.fail("it did not end")


async def test_without_a_deadline_it_is_no_obstacle() -> None:
    with patience() as waiting:
        waiting.within(None)
        await anyio.lowlevel.checkpoint()
        return
    pytest.fail("it was cancelled")


async def test_who_is_cancelled_from_outside_is_cancelled() -> None:
    with anyio.CancelScope() as outside:
        with patience() as waiting:
            waiting.within(60)
            outside.cancel()
            await anyio.sleep_forever()
        pytest.fail("it went on")


async def test_a_bell_is_rung_as_often_as_somebody_waits() -> None:
    door, heard = bell(), []

    async def wait() -> None:
        for number in range(3):
            await door.wait()
            heard.append(number)

    door.ring()  # Nobody is there.
    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        for number in range(3):
            await anyio.wait_all_tasks_blocked()
            assert heard == list(range(number))
            door.ring()
            door.ring()


async def test_a_bell_does_not_mind_that_who_waited_has_been_cancelled() -> None:
    door = bell()
    with anyio.CancelScope() as scope:
        scope.cancel()
        await door.wait()
    door.ring()


async def test_a_server_that_cannot_send_ends_the_callback() -> None:
    """So servers may tell that the client has gone. They have nothing to log."""
    ended = anyio.Event()

    class Endless(ToolComponent):
        async def execute(self, args: Any, frame: Frame) -> Any:
            send_progress(frame, 1)
            try:
                await anyio.sleep_forever()
            finally:
                ended.set()
            return Response.tool().text("never")

    class Server(ServerBehaviour):
        name = "endless"
        version = "1"
        components = (Endless,)

    await _ask_and_break(Server.asgi(), calling("endless", token="t"))
    assert ended.is_set()


async def _ask_and_break(app: Any, body: Any) -> None:
    given = [{"type": "http.request", "body": json.dumps(body).encode()}]

    async def receive() -> Any:
        if not given:
            await anyio.sleep_forever()
        return given.pop()

    async def send(event: Any) -> None:
        raise BrokenPipeError

    await app(scope_of(modern_headers(body)), receive, send)
