"""A `def` callback runs in a worker thread, an `async def` one on the loop; a few run inline."""

from __future__ import annotations

import threading
from contextvars import ContextVar
from typing import Any

import anyio
import pytest
from support.client import CheckedClient

from anubis_py import (
    Frame,
    NoReply,
    Ok,
    PromptComponent,
    PromptProvider,
    Request,
    ResourceComponent,
    ResourceProvider,
    Response,
    ServerBehaviour,
    ToolComponent,
    ToolProvider,
    field,
)
from anubis_py import Prompt as PromptDefinition
from anubis_py import Resource as ResourceDefinition
from anubis_py import Tool as ToolDefinition

pytestmark = pytest.mark.anyio

THREADS: dict[str, int] = {}


@pytest.fixture(autouse=True)
def _none_ran() -> None:
    THREADS.clear()


def here(what: str) -> None:
    THREADS[what] = threading.get_ident()


def on_loop() -> set[str]:
    return {what for what, thread in THREADS.items() if thread == threading.get_ident()}


class SyncTool(ToolComponent):
    def execute(self, args: Any, frame: Frame) -> Any:
        here("execute")
        return Response.tool()


class SyncPrompt(PromptComponent):
    schema = (field("x", str),)

    def description(self) -> str:  # type: ignore[override]
        here("description")
        return "A prompt"

    def get_messages(self, args: Any, frame: Frame) -> Any:
        here("get_messages")
        return "x"

    def complete(self, argument: Any, frame: Frame) -> Any:
        here("complete")
        return ()


class SyncResource(ResourceComponent):
    uri = "sync:///r"

    def read(self, params: Any, frame: Frame) -> Any:
        here("read")
        return Response.resource().text("")


class SyncTools(ToolProvider):
    def tools(self) -> Any:
        here("tools")
        return [ToolDefinition("provided")]

    def tool_call(self, name: str, args: Any, frame: Frame) -> Any:
        here("tool_call")
        return Response.tool()


class SyncPrompts(PromptProvider):
    def prompts(self) -> Any:
        return [PromptDefinition("provided")]

    def prompt_get(self, name: str, args: Any, frame: Frame) -> Any:
        here("prompt_get")
        return "x"


class SyncResources(ResourceProvider):
    def resources(self) -> Any:
        return [ResourceDefinition("provided", uri="provided:///r")]

    def resource_read(self, uri: str, params: Any, frame: Frame) -> Any:
        here("resource_read")
        return Response.resource().text("")


class Sync(ServerBehaviour):
    name = "sync"
    version = "1"
    components: Any = (SyncTool, SyncPrompt, SyncResource, SyncTools, SyncPrompts, SyncResources)

    def init(self, client_info: Any, frame: Frame) -> Any:
        here("init")
        return Ok(frame.register_tool("t").register_prompt("p").register_resource("r:x"))

    def handle_tool_call(self, name: str, args: Any, frame: Frame) -> Any:
        here("handle_tool_call")
        return Response.tool()

    def handle_prompt_get(self, name: str, args: Any, frame: Frame) -> Any:
        here("handle_prompt_get")
        return "x"

    def handle_resource_read(self, uri: str, frame: Frame) -> Any:
        here("handle_resource_read")
        return Response.resource().text("")

    def handle_completion(self, ref: Any, argument: Any, frame: Frame) -> Any:
        here("handle_completion")
        return ()

    def handle_notification(self, notification: Any, frame: Frame) -> Any:
        here("handle_notification")
        return NoReply()

    def server_tools(self, tools: Any, frame: Frame) -> Any:
        here("server_tools")
        return tools

    def server_instructions(self, frame: Frame) -> str | None:
        here("server_instructions")
        return None

    def cache_hints(self, method: str) -> Any:
        here("cache_hints")
        return {}


class AsyncTool(ToolComponent):
    name = "sync_tool"

    async def execute(self, args: Any, frame: Frame) -> Any:
        await anyio.lowlevel.checkpoint()
        here("execute")
        return Response.tool()


class AsyncPrompt(PromptComponent):
    name = "sync_prompt"
    schema = (field("x", str),)

    async def get_messages(self, args: Any, frame: Frame) -> Any:
        await anyio.lowlevel.checkpoint()
        here("get_messages")
        return "x"

    async def complete(self, argument: Any, frame: Frame) -> Any:
        await anyio.lowlevel.checkpoint()
        here("complete")
        return ()


class AsyncResource(ResourceComponent):
    uri = "sync:///r"

    async def read(self, params: Any, frame: Frame) -> Any:
        await anyio.lowlevel.checkpoint()
        here("read")
        return Response.resource().text("")


class AsyncTools(SyncTools):
    async def tool_call(self, name: str, args: Any, frame: Frame) -> Any:
        await anyio.lowlevel.checkpoint()
        here("tool_call")
        return Response.tool()


class AsyncPrompts(SyncPrompts):
    async def prompt_get(self, name: str, args: Any, frame: Frame) -> Any:
        await anyio.lowlevel.checkpoint()
        here("prompt_get")
        return "x"


class AsyncResources(SyncResources):
    async def resource_read(self, uri: str, params: Any, frame: Frame) -> Any:
        await anyio.lowlevel.checkpoint()
        here("resource_read")
        return Response.resource().text("")


class Async(Sync):
    components = (AsyncTool, AsyncPrompt, AsyncResource, AsyncTools, AsyncPrompts, AsyncResources)

    async def init(self, client_info: Any, frame: Frame) -> Any:
        await anyio.lowlevel.checkpoint()
        here("init")
        return Ok(frame.register_tool("t").register_prompt("p").register_resource("r:x"))

    async def handle_tool_call(self, name: str, args: Any, frame: Frame) -> Any:
        await anyio.lowlevel.checkpoint()
        here("handle_tool_call")
        return Response.tool()

    async def handle_prompt_get(self, name: str, args: Any, frame: Frame) -> Any:
        await anyio.lowlevel.checkpoint()
        here("handle_prompt_get")
        return "x"

    async def handle_resource_read(self, uri: str, frame: Frame) -> Any:
        await anyio.lowlevel.checkpoint()
        here("handle_resource_read")
        return Response.resource().text("")

    async def handle_completion(self, ref: Any, argument: Any, frame: Frame) -> Any:
        await anyio.lowlevel.checkpoint()
        here("handle_completion")
        return ()

    async def handle_notification(self, notification: Any, frame: Frame) -> Any:
        await anyio.lowlevel.checkpoint()
        here("handle_notification")
        return NoReply()


async def use_everything(client: CheckedClient) -> None:
    await client.discover()
    await client.list_prompts()
    for tool in ("sync_tool", "provided", "t"):
        assert not (await client.call_tool(tool))["isError"]
    for prompt in ("sync_prompt", "provided", "p"):
        await client.get_prompt(prompt)
    for uri in ("sync:///r", "provided:///r", "r:x"):
        await client.read_resource(uri)
    await client.complete({"type": "ref/prompt", "name": "sync_prompt"}, "x")
    await client.complete({"type": "ref/resource", "uri": "sync:///r"}, "x")
    await client.notify("notifications/x")


WORKING = {
    *("execute", "get_messages", "read", "complete"),
    *("tool_call", "prompt_get", "resource_read"),
    *("init", "handle_tool_call", "handle_prompt_get", "handle_resource_read"),
    "handle_notification",
}
INLINE = {"server_tools", "server_instructions", "cache_hints", "tools"}


async def test_every_plain_callback_runs_off_the_loop() -> None:
    await use_everything(CheckedClient(Sync))
    assert set(THREADS) - {"handle_completion"} == WORKING | INLINE | {"description"}
    assert on_loop() == INLINE | {"description"}


async def test_every_async_callback_runs_on_the_loop() -> None:
    await use_everything(CheckedClient(Async))
    assert set(THREADS) - {"handle_completion"} == WORKING | INLINE
    assert on_loop() == set(THREADS)


async def test_the_servers_completion_callback_too() -> None:
    class Plain(PromptComponent):
        name = "plain"
        schema = (field("x", str),)

        def get_messages(self, args: Any, frame: Frame) -> Any:
            return ""

    ref = {"type": "ref/prompt", "name": "plain"}
    for base, inside in ((Sync, False), (Async, True)):
        server = type("Server", (base,), {"components": (Plain,)})
        await CheckedClient(server).complete(ref, "x")
        assert ("handle_completion" in on_loop()) is inside


async def test_handle_request_as_plain_def_runs_off_the_loop() -> None:
    class Own(ServerBehaviour):
        name = "own"
        version = "1"

        def handle_request(self, request: Request, frame: Frame) -> Any:
            here("handle_request")
            return super().handle_request(request, frame)

    await CheckedClient(Own).discover()
    assert set(THREADS) == {"handle_request"}
    assert on_loop() == set()


async def test_blocking_callbacks_run_side_by_side() -> None:
    barrier = threading.Barrier(3, timeout=5)

    class Wait(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            barrier.wait()  # passes only when three are here at once
            return Response.tool()

    class Server(ServerBehaviour):
        name = "waiting"
        version = "1"
        components = (Wait,)

    client = CheckedClient(Server)
    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(client.call_tool, "wait")
    assert not barrier.broken


async def test_a_blocking_callback_stalls_nobody_else() -> None:
    entered, leave = threading.Event(), threading.Event()

    class Block(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            entered.set()
            assert leave.wait(5)
            return Response.tool()

    class Server(ServerBehaviour):
        name = "blocking"
        version = "1"
        components = (Block,)

    server = Server()
    try:
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(CheckedClient(server).call_tool, "block")
                await anyio.to_thread.run_sync(entered.wait, 5)
                assert (await CheckedClient(server).list_tools())["tools"]
                leave.set()
    finally:
        leave.set()


async def test_context_variables_reach_the_thread() -> None:
    variable: ContextVar[str] = ContextVar("variable", default="unset")

    class Read(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            return Response.tool().text(variable.get())

    class Server(ServerBehaviour):
        name = "reading"
        version = "1"
        components = (Read,)

    variable.set("set")
    assert (await CheckedClient(Server).call_tool("read"))["content"][0]["text"] == "set"


async def test_a_plain_def_that_returns_a_coroutine_has_it_awaited() -> None:
    async def work() -> Any:
        await anyio.lowlevel.checkpoint()
        here("work")
        return Response.tool().text("done")

    class Hand(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            return work()

    class Server(ServerBehaviour):
        name = "handing"
        version = "1"
        components = (Hand,)

    assert (await CheckedClient(Server).call_tool("hand"))["content"][0]["text"] == "done"
    assert on_loop() == {"work"}
