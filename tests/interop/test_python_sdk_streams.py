"""The official Python SDK's client, and all that a stream and a round are for."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from mcp import Client
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged
from mcp_types import ElicitRequestFormParams, ElicitResult, TextContent

from .conversing import conversing
from .serving import PATIENCE, Serving, hypercorn_serving, uvicorn_serving

pytestmark = [
    pytest.mark.anyio,
    # On trio the client leaves the generators of a stream behind that has said all it has to.
    pytest.mark.filterwarnings("ignore:Async generator 'http(x|core)2:ResourceWarning"),
]


@pytest.fixture(scope="module", params=[uvicorn_serving, hypercorn_serving])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    serving: Serving = request.param
    with serving(conversing()) as base:
        yield base + "/mcp"


@asynccontextmanager
async def connected(url: str, **options: Any) -> AsyncIterator[Client]:
    with anyio.fail_after(PATIENCE):
        async with Client(url, **options) as client:
            yield client


def said(result: Any) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


async def test_it_answers_what_it_is_asked_round_after_round(url: str) -> None:
    asked: list[str] = []

    async def elicit(context: Any, params: Any) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        asked.append(params.message)
        first = params.message.startswith("Where")
        return ElicitResult(
            action="accept", content={"where": "Lisbon"} if first else {"sure": True}
        )

    async with connected(url, elicitation_callback=elicit) as client:
        assert said(await client.call_tool("travel")) == "To Lisbon!"
    assert asked == ["Where to?", "Is Lisbon right?"]


async def test_it_may_decline(url: str) -> None:
    async def elicit(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="decline")

    async with connected(url, elicitation_callback=elicit) as client:
        assert said(await client.call_tool("travel")) == "Nowhere."


@pytest.mark.parametrize("tool", ["count", "count_in_thread"])
async def test_it_receives_progress(url: str, tool: str) -> None:
    steps: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, total, message))

    async with connected(url) as client:
        assert said(await client.call_tool(tool, progress_callback=note)) == "counted"
        # Its callbacks run beside its call.
        while len(steps) < 3:
            await anyio.lowlevel.checkpoint()
    assert steps == [(step, 3, f"step {step}") for step in (1, 2, 3)]


async def test_it_hears_a_subscription(url: str) -> None:
    async with (
        connected(url) as client,
        client.listen(
            tools_list_changed=True,
            prompts_list_changed=True,
            resource_subscriptions=["memo://a"],
        ) as heard,
    ):
        assert heard.honored.tools_list_changed
        assert not heard.honored.prompts_list_changed
        assert heard.honored.resource_subscriptions == ["memo://a"]
        await client.call_tool("touch", {"uri": "memo://b"})
        await client.call_tool("touch", {"uri": "memo://a"})
        assert await anext(heard) == ResourceUpdated("memo://a")
        await client.call_tool("touch")
        assert await anext(heard) == ToolsListChanged()


async def test_the_end_of_a_subscription_is_a_graceful_one(url: str) -> None:
    async with connected(url) as client, client.listen(tools_list_changed=True) as heard:
        await client.call_tool("stop")
        assert [event async for event in heard] == []


async def test_it_repeats_arguments_in_headers(url: str) -> None:
    async with connected(url) as client:
        await client.list_tools()
        arguments = {"region": " é ", "number": 7, "fast": True}
        sent = json.loads(said(await client.call_tool("route", arguments)))
    assert sent == {
        "mcp-param-region": "=?base64?IMOpIA==?=",
        "mcp-param-number": "7",
        "mcp-param-fast": "true",
    }


async def test_it_finds_out_that_it_has_to_repeat_them(url: str) -> None:
    async with connected(url) as client:
        # It has not seen the list yet: it is refused, lists, and tries again.
        sent = json.loads(said(await client.call_tool("route", {"region": "north"})))
    assert sent["mcp-param-region"] == "north"
