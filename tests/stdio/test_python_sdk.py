"""The official Python SDK's client, which starts the server itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from mcp import Client, MCPDeprecationWarning, MCPError, StdioServerParameters
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged
from mcp_types import ElicitResult, TextContent

from .process import PATIENCE, command, environment

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def connected(program: str = "miniature", **options: Any) -> AsyncIterator[Client]:
    executable, *arguments = command(program)
    parameters = StdioServerParameters(command=executable, args=arguments, env=environment())
    with anyio.fail_after(PATIENCE):
        async with Client(parameters, **options) as client:
            yield client


def said(result: Any) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


async def test_discovery_list_and_call() -> None:
    async with connected() as client:
        assert client.protocol_version == "2026-07-28"
        assert client.server_info is not None
        assert client.server_info.name == "miniature"
        listed = await client.list_tools()
        assert "echo" in [tool.name for tool in listed.tools]
        assert said(await client.call_tool("echo", {"t": "\u2028é"})) == "\u2028é"


async def test_progress() -> None:
    steps: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append(progress)

    async with connected() as client:
        await client.call_tool("steps", progress_callback=note)
        # Its callbacks run beside its call.
        with anyio.fail_after(PATIENCE):
            while len(steps) < 5:
                await anyio.lowlevel.checkpoint()
    assert steps == [1, 2, 3, 4, 5]


async def test_subscription() -> None:
    async with connected() as client:
        changes = client.listen(tools_list_changed=True, resource_subscriptions=["memo://a"])
        async with changes as heard:
            await client.call_tool("touch", {"uri": "memo://b"})
            await client.call_tool("touch", {"uri": "memo://a"})
            assert await anext(heard) == ResourceUpdated("memo://a")
            await client.call_tool("touch")
            assert await anext(heard) == ToolsListChanged()


async def test_many_calls_at_once() -> None:
    texts: list[str] = []

    async def echo(client: Client, text: str) -> None:
        texts.append(said(await client.call_tool("echo", {"t": text})))

    async with connected() as client, anyio.create_task_group() as group:
        for number in range(50):
            group.start_soon(echo, client, str(number))
    assert sorted(texts) == sorted(map(str, range(50)))


async def test_stray_output_does_not_reach_it() -> None:
    async with connected("claimed_first") as client:
        for tool in ("print", "binary", "descriptor", "child", "unterminated"):
            await client.call_tool(tool)


async def test_a_client_that_only_knows_handshakes_is_told_what_is_served() -> None:
    refused = pytest.RaisesExc(
        MCPError, match="2026-07-28", check=lambda error: error.code == -32022
    )
    with pytest.RaisesGroup(refused, flatten_subgroups=True):
        async with connected("modern", mode="legacy"):
            pass


async def test_a_session() -> None:
    async with connected(mode="legacy") as client:
        assert client.protocol_version == "2025-11-25"
        assert client.server_info is not None
        assert client.server_info.name == "miniature"
        listed = await client.list_tools()
        assert "echo" in [tool.name for tool in listed.tools]
        assert said(await client.call_tool("echo", {"t": "\u2028é"})) == "\u2028é"


async def test_progress_logs_and_changes_of_a_session() -> None:
    steps: list[float] = []
    heard: list[str] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append(progress)

    async def hear(message: Any) -> None:
        heard.append(message.method)

    async with connected(mode="legacy", message_handler=hear) as client:
        await client.call_tool("steps", progress_callback=note)
        with pytest.warns(MCPDeprecationWarning):
            await client.subscribe_resource("memo://a")
        await client.call_tool("touch", {"uri": "memo://b"})
        await client.call_tool("touch", {"uri": "memo://a"})
        await client.call_tool("touch")
        # Its callbacks run beside its call.
        with anyio.fail_after(PATIENCE):
            while len(steps) < 5 or "notifications/tools/list_changed" not in heard:
                await anyio.lowlevel.checkpoint()
    assert steps == [1, 2, 3, 4, 5]
    assert heard.count("notifications/resources/updated") == 1


async def test_a_session_that_asks() -> None:
    async def fill_in(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"name": "Ada"})

    async with connected("asking", mode="legacy", elicitation_callback=fill_in) as client:
        assert said(await client.call_tool("greet")) == "Hello Ada"


async def test_many_calls_of_a_session_at_once() -> None:
    texts: list[str] = []

    async def echo(client: Client, text: str) -> None:
        texts.append(said(await client.call_tool("echo", {"t": text})))

    async with connected(mode="legacy") as client, anyio.create_task_group() as group:
        for number in range(50):
            group.start_soon(echo, client, str(number))
    assert sorted(texts) == sorted(map(str, range(50)))
