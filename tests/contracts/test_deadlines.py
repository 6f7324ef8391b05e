"""Nothing waits forever: a callback has its time, and the client hears when that is over."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import pytest
import trio
from support.client import CheckedClient, Http
from support.log import ServerLog
from trio.testing import MockClock

from anubis_py import (
    Frame,
    McpError,
    NoReply,
    Ok,
    PromptComponent,
    Request,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    field,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("autojump_clock")]

CLEANED: list[str] = []


@pytest.fixture(autouse=True)
def _nothing_cleaned() -> None:
    CLEANED.clear()


async def hang(what: str) -> Any:
    try:
        await anyio.sleep_forever()
    finally:
        CLEANED.append(what)


class Hang(ToolComponent):
    async def execute(self, args: Any, frame: Frame) -> Any:
        await hang("tool")


class Nap(ToolComponent):
    schema = (field("s", float, required=True),)

    async def execute(self, args: Any, frame: Frame) -> Any:
        await anyio.sleep(args["s"])
        return Response.tool().text("rested")


class Quick(Hang):
    timeout = 2


class Slow(Nap):
    timeout = 120


class HangPrompt(PromptComponent):
    schema = (field("x", str),)

    async def get_messages(self, args: Any, frame: Frame) -> Any:
        await hang("prompt")

    async def complete(self, argument: Any, frame: Frame) -> Any:
        await hang("completion")


class HangResource(ResourceComponent):
    uri = "hang:///r"

    async def read(self, params: Any, frame: Frame) -> Any:
        await hang("resource")


class Base(ServerBehaviour, abstract=True):
    name = "timed"
    version = "1"
    components = (Hang, Nap, Quick, Slow, HangPrompt, HangResource)


class Default(Base):
    pass


class Short(Base):
    timeout = 5


class Endless(Base):
    timeout = None


class Clock:
    def __init__(self) -> None:
        self._start = trio.current_time()

    @property
    def seconds(self) -> float:
        return trio.current_time() - self._start


@pytest.mark.parametrize(
    ("server", "tool", "seconds"),
    [(Default, "hang", 30), (Short, "hang", 5), (Default, "quick", 2), (Endless, "quick", 2)],
)
async def test_a_tool_that_takes_too_long_says_so_to_the_model(
    server: type[ServerBehaviour], tool: str, seconds: float, server_log: ServerLog
) -> None:
    clock, http = Clock(), Http(server)
    answer = await http.tool(tool)
    assert clock.seconds == pytest.approx(seconds)
    assert answer.is_error
    assert answer.text == f"The tool '{tool}' took longer than {seconds} s."
    assert CLEANED == ["tool"]
    server_log.take(f"tool '{tool}'", f"{seconds} s", traceback=False)
    await http.alive()


@pytest.mark.parametrize(
    ("method", "params", "what"),
    [
        ("prompts/get", {"name": "hang_prompt"}, "prompt"),
        ("resources/read", {"uri": "hang:///r"}, "resource"),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/prompt", "name": "hang_prompt"},
                "argument": {"name": "x", "value": ""},
            },
            "completion",
        ),
    ],
)
async def test_any_other_callback_that_takes_too_long_is_a_clear_error(
    method: str, params: Any, what: str, server_log: ServerLog
) -> None:
    clock, http = Clock(), Http(Short)
    answer = await http.call(method, params, id="q")
    assert clock.seconds == pytest.approx(5)
    assert answer.code == -32603
    assert answer.error["message"].endswith("took longer than 5 s.")
    assert answer.id == "q"
    assert [what] == CLEANED
    server_log.take(method, "5 s", traceback=False)
    await http.alive()


async def test_within_its_time_a_callback_is_left_alone() -> None:
    client = CheckedClient(Default)
    for tool, seconds in (("nap", 29.9), ("slow", 119.0)):
        result = await client.call_tool(tool, {"s": seconds})
        assert result["content"][0]["text"] == "rested"
    result = await CheckedClient(Endless).call_tool("nap", {"s": 1e6})
    assert result["content"][0]["text"] == "rested"


async def test_a_tools_own_time_counts_behind_handle_request_too() -> None:
    class Around(Base):
        async def handle_request(self, request: Request, frame: Frame) -> Any:
            return await super().handle_request(request, frame)

    result = await CheckedClient(Around).call_tool("slow", {"s": 60})
    assert result["content"][0]["text"] == "rested"


async def test_init_has_its_time(server_log: ServerLog) -> None:
    class Slow(Short):
        async def init(self, client_info: Any, frame: Frame) -> Any:
            await hang("init")

    clock = Clock()
    answer = await Http(Slow).call("tools/list")
    assert clock.seconds == pytest.approx(5)
    assert answer.code == -32603
    assert "took longer than 5 s" in answer.error["message"]
    assert CLEANED == ["init"]
    server_log.take("init", "5 s", traceback=False)


async def test_handle_request_has_its_time(server_log: ServerLog) -> None:
    class Slow(Short):
        async def handle_request(self, request: Request, frame: Frame) -> Any:
            await hang("handle_request")

    clock = Clock()
    with pytest.raises(McpError, match=r"took longer than 5 s\. \(-32603\)$"):
        await CheckedClient(Slow).call_tool("nap", {"s": 1})
    assert clock.seconds == pytest.approx(5)
    assert CLEANED == ["handle_request"]
    server_log.take("handle_request", "5 s", traceback=False)


async def test_handle_notification_has_its_time(server_log: ServerLog) -> None:
    class Slow(Short):
        async def handle_notification(self, notification: Any, frame: Frame) -> Any:
            await hang("handle_notification")
            return NoReply()

    clock, http = Clock(), Http(Slow)
    answer = await http.post({"jsonrpc": "2.0", "method": "notifications/x"})
    assert answer.status == 202
    assert clock.seconds == pytest.approx(5)
    assert CLEANED == ["handle_notification"]
    server_log.records[:] = [r for r in server_log.records if "5 s" not in r.getMessage()]


async def test_a_thread_is_left_behind_and_what_it_gives_is_dropped(
    server_log: ServerLog,
) -> None:
    leave, left = threading.Event(), threading.Event()

    class Block(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            leave.wait(10)
            left.set()
            return Response.tool().text("too late")

    class Server(ServerBehaviour):
        name = "blocking"
        version = "1"
        timeout = 5
        components = (Block,)

    client = CheckedClient(Server)
    try:
        # The clock does not see threads: it jumps to the deadline while this one waits.
        result = await client.call_tool("block")
        assert result["isError"]
        assert result["content"][0]["text"] == "The tool 'block' took longer than 5 s."
        server_log.take("tool 'block'", traceback=False)
        assert (await client.list_tools())["tools"]
    finally:
        leave.set()
    assert left.wait(10)


async def test_a_time_out_of_the_handlers_own_is_its_failure(server_log: ServerLog) -> None:
    class Impatient(ToolComponent):
        async def execute(self, args: Any, frame: Frame) -> Any:
            with anyio.fail_after(1):
                await hang("inner")

    class Server(ServerBehaviour):
        name = "impatient"
        version = "1"
        components = (Impatient,)

    clock = Clock()
    result = await CheckedClient(Server).call_tool("impatient")
    assert clock.seconds == pytest.approx(1)
    assert (result["isError"], result["content"][0]["text"]) == (
        True,
        "The tool 'impatient' failed.",
    )
    server_log.take("tool 'impatient'", traceback=True)


async def test_the_time_of_init_is_not_the_handlers() -> None:
    class Slow(Short):
        async def init(self, client_info: Any, frame: Frame) -> Any:
            await anyio.sleep(4)
            return Ok(frame)

    result = await CheckedClient(Slow).call_tool("nap", {"s": 4})
    assert result["content"][0]["text"] == "rested"


async def test_cancelling_the_request_cancels_the_handler(autojump_clock: MockClock) -> None:
    with anyio.move_on_after(3):
        await CheckedClient(Default).call_tool("hang")
    assert CLEANED == ["tool"]
