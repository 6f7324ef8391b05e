"""B18, behind a handshake over HTTP: what is slow delays only its own session's requests, and what
is cancelled is not answered."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from running.server_process import ServerProcess
from support.legacy import LEGACY, LegacyHttp, LegacyStream, asks, calls, cancels, notes
from support.legacy_socket import PortSession
from support.miniature import MARKS
from support.program import PROGRAMS, talking
from support.talking import Talking
from trio.testing import MockClock

asynchronous = pytest.mark.anyio
every_version = pytest.mark.parametrize("version", LEGACY)


@pytest.fixture(autouse=True)
def _no_marks() -> Iterator[None]:
    MARKS.clear()
    yield
    MARKS.clear()


@asynchronous
@every_version
async def test_a_ping_is_answered_at_once_while_a_tool_runs(
    version: str, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking, version)
    other = await LegacyHttp.begun(http.app, version)
    async with http.starting(calls("nap", {"s": 30}, id=1)) as stream:
        await anyio.sleep(1)
        with anyio.fail_after(0.5):
            await http.alive()
            assert (await http.post(notes("notifications/progress", {}))).accepted
            assert (await other.call("echo", {"t": "x"})).text == "x"
            await LegacyHttp.begun(http.app, version)
            # What only shows what there is needs no turn.
            assert (await http.ask("tools/list", id=4)).id == 4
        await http.cancel(1)
        await stream.head()
        assert stream.status == 202
        # And what waits for its turn has it now.
        with anyio.fail_after(0.5):
            assert (await http.call("echo", {"t": "y"})).text == "y"
    assert MARKS == ["nap begins", "nap is cleaned up"]


@asynchronous
@pytest.mark.parametrize(
    "cancelled",
    ["2", 999, None, True, 2.0, [2], {"id": 2}, ...],
    ids=repr,
)
async def test_an_unknown_or_malformed_cancellation_is_ignored(
    cancelled: Any, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking)
    async with http.starting(calls("nap", {"s": 3}, id=2)) as stream:
        await anyio.sleep(1)
        params = {} if cancelled is ... else {"requestId": cancelled}
        assert (await http.post(notes("notifications/cancelled", params))).accepted
        await stream.head()
        assert (await stream.wire.body())["id"] == 2
    await http.alive()


@asynchronous
async def test_true_is_not_one(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    async with http.starting(calls("nap", {"s": 3}, id=1)) as stream:
        await anyio.sleep(1)
        for odd in (True, 1.0):
            await http.post(notes("notifications/cancelled", {"requestId": odd}))
        await stream.head()
        assert (await stream.wire.body())["id"] == 1


@asynchronous
async def test_nobody_cancels_the_requests_of_another_session(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    other = await LegacyHttp.begun(http.app)
    async with http.starting(calls("nap", {"s": 3}, id=1)) as stream:
        await anyio.sleep(1)
        await other.cancel(1)
        await stream.head()
        assert (await stream.wire.body())["result"]


@asynchronous
async def test_two_hundred_calls_are_cancelled_at_about_their_end() -> None:
    http = await LegacyHttp.begun(Talking)
    messages: dict[int, list[Any]] = {}

    async def call(number: int) -> None:
        token = number if number % 2 else None
        body = calls("nap", {"s": 0.001}, id=number, token=token)
        async with http.starting(body) as stream:
            await stream.head()
            messages[number] = await _answers(stream)
            await stream.wire.ended.wait()

    async with anyio.create_task_group() as group:
        for number in range(200):
            group.start_soon(call, number)
            if number % 3:
                await anyio.sleep(0.001)
            await http.cancel(number)
    assert len(messages) == 200
    for number, found in messages.items():
        assert [each["id"] for each in found] in ([], [number])
    await http.alive()
    assert (await http.call("echo", {"t": "x"})).text == "x"


async def _answers(stream: LegacyStream) -> list[Any]:
    if stream.wire.headers.get("content-type") == "text/event-stream":
        return [each for each in await stream.rest() if "method" not in each]
    return [] if stream.status == 202 else [await stream.wire.body()]


# On a port


@pytest.fixture(scope="module", params=PROGRAMS)
def server(request: pytest.FixtureRequest) -> Iterator[ServerProcess]:
    with talking(request.param) as process:
        yield process


@every_version
def test_on_a_port_slow_tools_and_threads_delay_nobody(server: ServerProcess, version: str) -> None:
    session = PortSession.begun(server.url, version)
    blocked = PortSession.begun(server.url, version)
    with (
        session.post(calls("nap", {"s": 30}, id=1, token=1)) as nap,
        blocked.post(calls("block", {"s": 1.5}, id=2, token=1)) as block,
    ):
        nap.head().message()
        block.head().message()
        start = time.monotonic()
        session.alive()
        blocked.alive()
        assert session.send(cancels("1")).status_code == 202
        assert session.send(cancels(1)).status_code == 202
        assert blocked.send(cancels("2")).status_code == 202
        assert session.send(asks("tools/list")).json()["result"]
        assert nap.rest() == []
        assert time.monotonic() - start < 1.2
        assert block.rest()[-1]["result"]["content"][0]["text"] == "unblocked"
