"""What the official Python SDK's client has of a session: a frame that lasts, requests that do not
wait for a question, cancellation, and questions that nobody waits for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from queue import Queue
from typing import Any

import anyio
import pytest
from mcp import MCPError
from mcp_types import ElicitResult

from anubis_py import (
    Accepted,
    Frame,
    InputRequired,
    NoReply,
    Reply,
    Response,
    ServerBehaviour,
    ToolComponent,
    ask_form,
    field,
    send_sampling_request,
    send_tools_list_changed,
)

from .python_client import Guest, text_of
from .serving import PATIENCE, Serving, hypercorn_serving, uvicorn_serving

pytestmark = [
    pytest.mark.anyio,
    # On trio the client leaves the generators of a stream behind that has said all it has to.
    pytest.mark.filterwarnings("ignore:Async generator 'http(x|core)2:ResourceWarning"),
]

happened: Queue[Any] = Queue()
"""What the server tells the tests, which run in another thread."""


class Endless(ToolComponent):
    async def execute(self, args: Any, frame: Frame) -> Any:
        happened.put("begun")
        try:
            await anyio.sleep_forever()
        finally:
            happened.put("cancelled")


class Ask(ToolComponent):
    async def execute(self, args: Any, frame: Frame) -> Any:
        match frame.context.input_responses:
            case {"who": Accepted({"who": who})}:
                return Response.tool().text(f"It was {who}.")
        return InputRequired({"who": ask_form("Who?", [field("who", str, required=True)])})


class Learn(ToolComponent):
    """Offer a tool to this session."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        frame = frame.register_tool("recite", description="What was learnt")
        send_tools_list_changed(frame)
        return Reply(Response.tool().text("learnt"), frame.assign(poem="O!"))


class Wonder(ToolComponent):
    """Ask the model, and do not wait for what it says."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        assert send_sampling_request(frame, "Why?", max_tokens=5) is not None
        return Response.tool().text("wondering")


class Lasting(ServerBehaviour):
    name = "lasting"
    version = "1.0"
    components: Iterable[Any] = (Endless, Ask, Learn, Wonder)
    capabilities = {"tools": {"list_changed": True}}  # noqa: RUF012

    async def handle_tool_call(self, name: str, args: Any, frame: Frame) -> Any:
        return Response.tool().text(f"{name}: {frame.assigns['poem']}")

    async def handle_sampling(self, result: Any, request_id: str, frame: Frame) -> Any:
        happened.put(result)
        return NoReply()

    def terminate(self, reason: str, frame: Frame) -> None:
        happened.put([reason, dict(frame.assigns)])


@pytest.fixture(scope="module", params=[uvicorn_serving, hypercorn_serving])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    serving: Serving = request.param
    with serving(Lasting.asgi()) as base:
        yield base + "/mcp"


@pytest.fixture
def guest(url: str) -> Guest:
    while not happened.empty():
        happened.get()
    return Guest(url, "python", "legacy")


async def told() -> Any:
    """What the server tells next."""
    return await anyio.to_thread.run_sync(happened.get, True, PATIENCE)


async def test_its_frame_lasts_until_it_ends(guest: Guest) -> None:
    async with guest.connected() as client:
        await guest.until(lambda: ("GET", 200) in guest.exchanged)
        await client.call_tool("learn")
        await guest.until(lambda: "tools" in guest.heard)
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["ask", "endless", "learn", "recite", "wonder"]
        assert text_of(await client.call_tool("recite")) == "recite: O!"
        async with Guest(guest.url, "other", "legacy").connected() as other:
            with pytest.raises(MCPError, match="Unknown tool: recite"):
                await other.call_tool("recite")
        assert await told() == ["deleted", {}]
    assert await told() == ["deleted", {"poem": "O!"}]


async def test_its_other_requests_do_not_wait_for_its_user(guest: Guest) -> None:
    asked, answered = anyio.Event(), anyio.Event()

    async def think(context: Any, params: Any) -> ElicitResult:
        asked.set()
        await answered.wait()
        return ElicitResult(action="accept", content={"who": "me"})

    async def ask() -> None:
        assert text_of(await client.call_tool("ask")) == "It was me."

    guest.elicit = think
    with anyio.fail_after(PATIENCE):
        async with guest.connected() as client, anyio.create_task_group() as group:
            group.start_soon(ask)
            await asked.wait()
            assert text_of(await client.call_tool("learn")) == "learnt"
            answered.set()
    assert await told() == ["deleted", {"poem": "O!"}]


async def test_it_cancels(guest: Guest) -> None:
    async with guest.connected() as client:
        with pytest.raises(MCPError, match="timed out"):
            await client.call_tool("endless", read_timeout_seconds=0.3)
        assert [await told(), await told()] == ["begun", "cancelled"]
        # Nothing holds the session any more.
        assert text_of(await client.call_tool("learn")) == "learnt"
    assert await told() == ["deleted", {"poem": "O!"}]


async def test_it_answers_what_nobody_waits_for(guest: Guest) -> None:
    async with guest.connected() as client:
        assert text_of(await client.call_tool("wonder")) == "wondering"
        assert (await told())["content"] == {"type": "text", "text": "O python"}
    assert await told() == ["deleted", {}]
