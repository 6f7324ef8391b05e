"""The frame of a session: from one request to the next, in their order."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import anyio
import pytest
from support.either_era import EitherEra, text_of
from support.log import ServerLog

from anubis_py import (
    Failure,
    Frame,
    McpError,
    NoReply,
    Ok,
    PromptComponent,
    Reply,
    Response,
    ServerBehaviour,
    ToolError,
    field,
)

from .parts import counter, said, settle, tool

pytestmark = pytest.mark.anyio


async def test_assigns_stay() -> None:
    async with EitherEra(counter()) as client:
        assert [await said(client, "increment") for _ in range(3)] == ["1", "2", "3"]
        assert await said(client, "count") == "3"


async def test_sessions_have_each_their_own() -> None:
    server = counter()()
    async with EitherEra(server) as one, EitherEra(server) as other:
        await said(one, "increment")
        assert await said(other, "count") == "0"


async def test_every_kind_of_callback_hands_it_on() -> None:
    class Note(PromptComponent):
        schema = (field("text", str),)

        def get_messages(self, args: Any, frame: Frame) -> Any:
            return Reply("hm", frame.assign(prompt=1))

        def complete(self, argument: Any, frame: Frame) -> Any:
            return Reply(["x"], frame.assign(completion=1))

    def handle_resource_read(self: Any, uri: str, frame: Frame) -> Any:
        return Reply(Response.resource().text("x"), frame.assign(resource=1))

    def init(self: Any, client_info: Any, frame: Frame) -> Any:
        return Ok(frame.register_resource("memo:///a").assign(init=1))

    server = counter(init=init, handle_resource_read=handle_resource_read, tools=(Note,))
    async with EitherEra(server) as client:
        await client.get_prompt("note")
        await client.complete({"type": "ref/prompt", "name": "note"}, "text")
        await client.read_resource("memo:///a")
        assert await said(client, "assigns") == str(
            [("completion", 1), ("init", 1), ("prompt", 1), ("resource", 1)]
        )


async def test_runtime_components_are_there_from_the_next_request_on() -> None:
    def learn(args: Any, frame: Frame) -> Any:
        return Reply(Response.tool(), frame.register_tool(args["name"]))

    def handle_tool_call(self: Any, name: str, args: Any, frame: Frame) -> Any:
        return Reply(Response.tool().text(f"I am {name}"), frame.clear_components())

    schema = (field("name", str, required=True),)
    server = counter(
        tools=(tool("learn", learn, schema=schema),), handle_tool_call=handle_tool_call
    )
    async with EitherEra(server) as client:
        await client.call_tool("learn", {"name": "sing"})
        assert "sing" in [t["name"] for t in (await client.list_tools())["tools"]]
        assert await said(client, "sing") == "I am sing"
        assert "sing" not in [t["name"] for t in (await client.list_tools())["tools"]]


async def test_the_limit_of_pages_stays() -> None:
    def limit(args: Any, frame: Frame) -> Any:
        return Reply(Response.tool(), frame.put_pagination_limit(1))

    async with EitherEra(counter(tools=(tool("limit", limit),))) as client:
        await client.call_tool("limit")
        page = await client.list_tools()
        assert len(page["tools"]) == 1
        assert len((await client.list_tools(page["nextCursor"]))["tools"]) == 1


@pytest.mark.parametrize(
    "give",
    [
        lambda frame: Failure(McpError(4711, "no"), frame),
        lambda frame: Failure("no", frame),
        lambda frame: NoReply(frame),
    ],
)
async def test_a_failure_hands_on_the_frame_that_it_gives(give: Any) -> None:
    def fail(args: Any, frame: Frame) -> Any:
        return give(frame.assign(failed=1))

    async with EitherEra(counter(tools=(tool("fail", fail),))) as client:
        with suppress(McpError):
            await client.call_tool("fail")
        assert await said(client, "assigns") == "[('failed', 1)]"


async def test_what_is_raised_hands_on_the_frame_that_came() -> None:
    def fail(args: Any, frame: Frame) -> Any:
        frame.assign(count=99)
        raise {"tool": ToolError("no"), "mcp": McpError(4711, "no")}[args["kind"]]

    schema = (field("kind", str, required=True),)
    async with EitherEra(counter(tools=(tool("fail", fail, schema=schema),))) as client:
        await said(client, "increment")
        assert (await client.call_tool("fail", {"kind": "tool"}))["isError"] is True
        with pytest.raises(McpError, match="no"):
            await client.call_tool("fail", {"kind": "mcp"})
        assert await said(client, "increment") == "2"


async def test_a_crash_hurts_nobody(server_log: ServerLog) -> None:
    def crash(args: Any, frame: Frame) -> Any:
        raise LookupError("hunter2")

    async with EitherEra(counter(tools=(tool("crash", crash),))) as client:
        await said(client, "increment")
        result = await client.call_tool("crash")
        assert (result["isError"], "hunter2" in str(result)) == (True, False)
        server_log.take("crash", traceback=True)
        assert await said(client, "increment") == "2"


async def test_requests_run_one_after_another() -> None:
    go = anyio.Event()

    async def block(args: Any, frame: Frame) -> Any:
        await go.wait()
        return Reply(Response.tool(), frame.assign(count=frame.assigns.get("count", 0) + 10))

    texts: list[str] = []
    server = counter(tools=(tool("block", block),))()
    async with EitherEra(server) as client, EitherEra(server) as other:

        async def call() -> None:
            texts.append(await said(client, "increment"))

        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "block")
                await settle()
                for _ in range(3):
                    tasks.start_soon(call)
                    await settle()
                assert texts == []
                await client.ping()
                assert await said(other, "increment") == "1"
                go.set()
        assert texts == ["11", "12", "13"]


async def test_a_thread_that_blocks_stops_no_other_session() -> None:
    class Blocking(ServerBehaviour):
        name = "blocking"
        version = "1"

        def init(self, client_info: Any, frame: Frame) -> Any:
            return Ok(frame.register_tool("block").register_tool("free"))

        def handle_tool_call(self, name: str, args: Any, frame: Frame) -> Any:
            if name == "block":
                assert go.wait(5)
            return Response.tool().text(name)

    go = threading.Event()
    server = Blocking()
    async with (
        EitherEra(server) as client,
        EitherEra(server) as other,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(client.call_tool, "block")
        assert text_of(await other.call_tool("free")) == "free"
        await client.ping()
        go.set()


async def test_an_id_that_is_in_flight_is_refused() -> None:
    go = anyio.Event()

    async def block(args: Any, frame: Frame) -> Any:
        await go.wait()
        return Response.tool()

    async with EitherEra(counter(tools=(tool("block", block),))) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "block")
            await settle()
            client.last_id -= 1
            with pytest.raises(McpError, match="id is in flight") as refusal:
                await client.ping()
            assert (refusal.value.code, refusal.value.http_status) == (-32600, 200)
            go.set()
        await client.ping()


async def test_transport_assigns_travel_with_their_own_request() -> None:
    async with EitherEra(counter(), assigns={"plan": "free"}) as client:
        assert await said(client, "assigns") == "[('plan', 'free')]"
        client.assigns = {}
        assert await said(client, "assigns") == "[]"
        client.assigns = {"plan": "pro"}
        await said(client, "increment")
        client.assigns = {}
        assert await said(client, "assigns") == "[('count', 1)]"


async def test_a_queued_request_keeps_its_transport_assigns() -> None:
    go, texts = anyio.Event(), []

    async def block(args: Any, frame: Frame) -> Any:
        await go.wait()
        return Reply(Response.tool(), frame.assign(blocked=1))

    async with EitherEra(counter(tools=(tool("block", block),))) as client:

        async def call(plan: str) -> None:
            client.assigns = {"plan": plan}
            texts.append(await said(client, "assigns"))

        async with anyio.create_task_group() as tasks:
            for plan in ("a", "b"):
                client.assigns = {"plan": "blocker"}
                tasks.start_soon(client.call_tool, "block")
                await settle()
                tasks.start_soon(call, plan)
                await settle()
            go.set()
    assert texts == ["[('blocked', 1), ('plan', 'a')]", "[('blocked', 1), ('plan', 'b')]"]


async def test_a_transport_assign_hides_that_of_the_session_for_a_request() -> None:
    def own(args: Any, frame: Frame) -> Any:
        return Reply(Response.tool(), frame.assign(plan="own"))

    async with EitherEra(counter(tools=(tool("own", own),))) as client:
        await client.call_tool("own")
        client.assigns = {"plan": "free"}
        assert await said(client, "assigns") == "[('plan', 'free')]"
        client.assigns = {}
        assert await said(client, "assigns") == "[('plan', 'own')]"
        client.assigns = {"plan": "free"}
        await client.call_tool("own")  # what the callback sets is its own, whatever the key
        client.assigns = {}
        assert await said(client, "assigns") == "[('plan', 'own')]"
