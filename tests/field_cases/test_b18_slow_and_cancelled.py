"""B18, over HTTP: what is slow delays nobody, and who goes away is not answered any more."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import anyio
import anyio.to_thread
import pytest
from running.server_process import ServerProcess
from support.asgi_stream import AsgiStream, starting
from support.client import Http, calling, modern
from support.miniature import MARKS, Miniature
from support.program import PROGRAMS, marks, miniature, said
from support.socket_stream import PATIENCE, SocketStream, ask
from trio.testing import MockClock

from anubis_py import (
    App,
    Frame,
    Ok,
    PromptComponent,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    field,
    send_progress,
)

asynchronous = pytest.mark.anyio

PROMPTLY = 1.0
"""Seconds from a client's departure to the end of its handler."""


@pytest.fixture(autouse=True)
def _no_marks() -> Iterator[None]:
    MARKS.clear()
    yield
    MARKS.clear()


@pytest.fixture(params=[None, "token"], ids=["plain", "streaming"])
def token(request: pytest.FixtureRequest) -> Any:
    return request.param


# In process, where time passes only when everybody waits.


@asynchronous
async def test_who_goes_away_ends_the_handler_and_its_clean_up_runs(
    token: Any, autojump_clock: MockClock
) -> None:
    async with starting(Miniature.asgi(), calling("nap", {"s": 60}, token=token)) as stream:
        await anyio.sleep(1)
        assert MARKS == ["nap begins"]
        stream.leave()
        with anyio.fail_after(PROMPTLY):
            await stream.ended.wait()
        assert MARKS == ["nap begins", "nap is cleaned up"]
    assert stream.late == []


@asynchronous
async def test_a_thread_is_left_to_itself_and_its_result_is_dropped(token: Any) -> None:
    """No mock clock: it does not see threads."""
    begun, enough, done = threading.Event(), threading.Event(), threading.Event()

    class Stuck(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            send_progress(frame, 1)
            begun.set()
            enough.wait(PATIENCE)
            send_progress(frame, 2)
            done.set()
            return Response.tool().text("too late")

    app = served(Stuck)
    async with starting(app, calling("stuck", token=token)) as stream:
        await anyio.to_thread.run_sync(begun.wait, PATIENCE)
        if token:
            await stream.head()
            assert await stream.message()
        stream.leave()
        with anyio.fail_after(PROMPTLY):
            await stream.ended.wait()
        assert not done.is_set()
        enough.set()
        await anyio.to_thread.run_sync(done.wait, PATIENCE)
        await Http(app).alive()
    assert stream.late == []


@asynchronous
async def test_a_handler_that_resists_is_not_answered_either(
    token: Any, autojump_clock: MockClock
) -> None:
    class Stubborn(ToolComponent):
        async def execute(self, args: Any, frame: Frame) -> Any:
            try:
                await anyio.sleep(60)
            except BaseException:
                send_progress(frame, 7)
                return Response.tool().text("still here")

    async with starting(served(Stubborn), calling("stubborn", token=token)) as stream:
        await anyio.sleep(1)
        stream.leave()
        with anyio.fail_after(PROMPTLY):
            await stream.ended.wait()
    assert stream.late == []


@asynchronous
async def test_a_client_that_leaves_before_its_body_is_complete_starts_nothing() -> None:
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": b'{"jsonrpc":"2.0",', "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(message: Any) -> None:
        raise AssertionError(f"{message} is sent to nobody")

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "headers": [(b"host", b"127.0.0.1")],
        "server": ("127.0.0.1", 80),
    }
    await Miniature.asgi()(scope, receive, send)


# The whole kind: every callback that may be slow.


async def slow(frame: Frame) -> None:
    send_progress(frame, 1)
    MARKS.append("begins")
    try:
        await anyio.sleep(60)
    finally:
        MARKS.append("is cleaned up")


class Slow(ToolComponent):
    timeout = 600.0

    async def execute(self, args: Any, frame: Frame) -> Any:
        await slow(frame)


class SlowPrompt(PromptComponent):
    name = "slow"
    schema = (field("x", str),)
    timeout = 600.0

    async def get_messages(self, args: Any, frame: Frame) -> Any:
        await slow(frame)

    async def complete(self, argument: Any, frame: Frame) -> Any:
        await slow(frame)


class SlowResource(ResourceComponent):
    uri = "slow://"
    timeout = 600.0

    async def read(self, params: Any, frame: Frame) -> Any:
        await slow(frame)


class SlowInit(ServerBehaviour):
    name = "slow_init"
    version = "1"
    timeout = 600.0

    async def init(self, client_info: Any, frame: Frame) -> Any:
        await slow(frame)
        return Ok(frame)


class SlowRequest(ServerBehaviour):
    name = "slow_request"
    version = "1"
    timeout = 600.0

    async def handle_request(self, request: Any, frame: Frame) -> Any:
        await slow(frame)


def served(*given: Any) -> App:
    class Served(ServerBehaviour):
        name = "served"
        version = "1"
        timeout = 600.0
        components = given

    return Served.asgi()


COMPLETION = {
    "ref": {"type": "ref/prompt", "name": "slow"},
    "argument": {"name": "x", "value": ""},
}


@asynchronous
@pytest.mark.parametrize(
    ("app", "method", "params"),
    [
        (lambda: served(Slow), "tools/call", {"name": "slow"}),
        (lambda: served(SlowPrompt), "prompts/get", {"name": "slow"}),
        (lambda: served(SlowPrompt), "completion/complete", COMPLETION),
        (lambda: served(SlowResource), "resources/read", {"uri": "slow://"}),
        (SlowInit.asgi, "tools/list", {}),
        (SlowInit.asgi, "subscriptions/listen", {"notifications": {}}),
        (SlowRequest.asgi, "com.example/own", {}),
    ],
    ids=["tool", "prompt", "completion", "resource", "init", "init of listen", "handle_request"],
)
async def test_every_callback_is_cancelled(
    app: Callable[[], App], method: str, params: Any, token: Any, autojump_clock: MockClock
) -> None:
    body = modern(method, params)
    if token:
        body["params"]["_meta"]["progressToken"] = token
    async with starting(app(), body) as stream:
        await anyio.sleep(1)
        assert MARKS == ["begins"]
        stream.leave()
        with anyio.move_on_after(PROMPTLY):
            await stream.ended.wait()
        assert MARKS == ["begins", "is cleaned up"]
        assert stream.ended.is_set()
    assert stream.late == []


@asynchronous
async def test_calls_whose_client_leaves_as_they_end(token: Any, autojump_clock: MockClock) -> None:
    class Tick(ToolComponent):
        async def execute(self, args: Any, frame: Frame) -> Any:
            send_progress(frame, 1)
            await anyio.sleep(0.001)
            return Response.tool().text("tick")

    app = served(Tick)
    answered = 0
    for number in range(200):
        async with starting(app, calling("tick", id=number, token=token)) as stream:
            # From before its end to after it.
            await anyio.sleep(0.0001 * (number % 20))
            stream.leave()
            await stream.ended.wait()
        answered += not stream.late
    assert answered
    await Http(app).alive()


@asynchronous
async def test_one_who_leaves_takes_nobody_along(token: Any, autojump_clock: MockClock) -> None:
    app = Miniature.asgi()
    leaving = calling("nap", {"s": 60, "mark": "leaving"}, token=token)
    staying = calling("nap", {"s": 5, "mark": "staying"}, token=token)
    async with starting(app, leaving) as one, starting(app, staying) as two:
        await anyio.sleep(1)
        one.leave()
        assert await text_of(two) == "awake"
    assert MARKS.index("leaving is cleaned up") < MARKS.index("staying is cleaned up")


async def text_of(stream: AsgiStream) -> str:
    await stream.head()
    answer = (await stream.rest())[-1] if stream.is_stream else await stream.body()
    text: str = answer["result"]["content"][0]["text"]
    return text


# On a port.


@pytest.fixture(scope="module", params=PROGRAMS)
def server(request: pytest.FixtureRequest) -> Iterator[ServerProcess]:
    with miniature(request.param) as process:
        yield process
        process.end(signal.SIGTERM)
        assert process.rest() == [], "the log is not quiet"


def until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_on_a_port_slow_calls_delay_nobody(server: ServerProcess) -> None:
    with ExitStack() as stack:
        calls = [calling("nap", {"s": 30}), *(calling("block", {"s": 2}, id=n) for n in range(5))]
        streams = [stack.enter_context(SocketStream(server.url, call)) for call in calls]
        time.sleep(0.1)
        start = time.monotonic()
        for method in ("server/discover", "tools/list", "prompts/list"):
            assert "result" in ask(server.url, modern(method))
        # Others that need a thread, too.
        assert "result" in ask(server.url, modern("prompts/get", {"name": "greeting"}))
        assert time.monotonic() - start < 0.5
        for number, stream in enumerate(streams[1:]):
            answer = stream.head().body()
            assert answer["id"] == number
            assert answer["result"]["content"][0]["text"] == "unblocked"


@pytest.mark.parametrize("how", ["closed", "killed"])
def test_on_a_port_who_goes_away_ends_the_handler(
    server: ServerProcess, token: Any, how: str
) -> None:
    mark = f"nap {token} {how}"
    body = calling("nap", {"s": 30, "mark": mark}, token=token)
    with SocketStream(server.url, body) as stream:
        assert until(lambda: f"{mark} begins" in marks(server.url), 5)
        if how == "killed":
            stream.kill()
    assert until(lambda: f"{mark} is cleaned up" in marks(server.url), PROMPTLY)


def test_on_a_port_a_thread_without_a_client_hurts_nobody(
    server: ServerProcess, token: Any
) -> None:
    mark = f"block {token}"
    with SocketStream(server.url, calling("block", {"s": 0.5, "mark": mark}, token=token)):
        assert until(lambda: f"{mark} begins" in marks(server.url), 5)
    assert until(lambda: f"{mark} is done" in marks(server.url), 5)
    assert said(server.url, "echo", t="alive") == "alive"
