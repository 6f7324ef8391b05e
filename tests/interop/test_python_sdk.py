"""The official Python SDK's client, in both of its modes, against a server on a port: neither is
ours to bend."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any, TypeAlias

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import (
    BlobResourceContents,
    PromptReference,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

from anubis_py import (
    PromptComponent,
    ResourceComponent,
    ResourceNotFound,
    Response,
    ServerBehaviour,
    ToolComponent,
    ToolError,
    field,
)

from .serving import Serving, hypercorn_serving, uvicorn_serving

pytestmark = pytest.mark.anyio

REVISION = "2026-07-28"
REVISIONS = {"auto": REVISION, "legacy": "2025-11-25"}
"""By the mode of the client."""
PATIENCE = 20.0
"""Seconds: what does not come at all fails the test, and keeps nobody waiting for ever."""


class Greeting(PromptComponent):
    """Greet somebody."""

    schema = (
        field("who", str, required=True, description="Whom to greet"),
        field("mood", str, default="kindly"),
    )

    def get_messages(self, args: dict[str, str], frame: Any) -> Any:
        return Response.prompt("A greeting").user_message(f"Greet {args['who']} {args['mood']}.")

    def complete(self, argument: Any, frame: Any) -> list[str]:
        return [mood for mood in ("kindly", "curtly") if mood.startswith(argument.value)]


class Divide(ToolComponent):
    """Divide one number by another."""

    schema = (field("a", float, required=True), field("b", float, required=True))
    output_schema = (field("quotient", float, required=True),)

    async def execute(self, args: dict[str, float], frame: Any) -> Any:
        if not args["b"]:
            raise ToolError("Nothing can be divided by 0.")
        return Response.tool().structured({"quotient": args["a"] / args["b"]})


class Seal(ResourceComponent):
    """A seal, as bytes."""

    uri = "test:///seal"
    mime_type = "application/octet-stream"

    def read(self, params: Any, frame: Any) -> Any:
        return Response.resource().blob(b"\x00\xff\xfe>?")


class Page(ResourceComponent):
    """A page, by its number."""

    uri_template = "test:///pages/{number}"

    def read(self, params: Any, frame: Any) -> Any:
        if params["number"] != "é 1":
            raise ResourceNotFound(params.uri)
        return Response.resource().text("The first page.")


class Fixture(ServerBehaviour):
    name = "fixture"
    version = "1.2.3"
    instructions = "Greet first."
    components = (Greeting, Divide, Seal, Page)

    def cache_hints(self, method: str) -> dict[str, Any]:
        return {"ttl_ms": 60_000, "scope": "public"} if method == "prompts/list" else {}


@pytest.fixture(scope="module", params=[uvicorn_serving, hypercorn_serving])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    serving: Serving = request.param
    with serving(Fixture.asgi()) as base:
        yield base + "/mcp"


@asynccontextmanager
async def connected(url: str, **options: Any) -> AsyncIterator[Client]:
    with anyio.fail_after(PATIENCE):
        async with Client(url, **options) as client:
            yield client


Connect: TypeAlias = Callable[[], AbstractAsyncContextManager[Client]]


@pytest.fixture(params=REVISIONS)
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def connect(url: str, mode: str) -> Connect:
    return partial(connected, url, mode=mode)


async def test_it_agrees_on_the_newest_revision_of_its_era(connect: Connect, mode: str) -> None:
    async with connect() as client:
        assert client.protocol_version == REVISIONS[mode]
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.version) == ("fixture", "1.2.3")
        assert client.instructions == "Greet first."
        capabilities = client.server_capabilities.model_dump(exclude_none=True)
        assert capabilities.keys() == {"tools", "prompts", "resources", "completions"}


async def test_it_may_pin_the_revision_and_not_discover(url: str) -> None:
    async with connected(url, mode=REVISION) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["divide"]


async def test_prompts(connect: Connect) -> None:
    async with connect() as client:
        [prompt] = (await client.list_prompts()).prompts
        declared = [(argument.name, argument.required) for argument in prompt.arguments or ()]
        assert declared == [("who", True), ("mood", False)]

        got = await client.get_prompt("greeting", {"who": "Ada"})
        assert got.description == "A greeting"
        [message] = got.messages
        assert message.role == "user"
        assert message.content == TextContent(type="text", text="Greet Ada kindly.")


async def test_hints_for_its_cache(url: str) -> None:
    async with connected(url) as client:
        listed = await client.list_prompts()
        assert (listed.ttl_ms, listed.cache_scope) == (60_000, "public")


async def test_a_prompt_without_its_argument_is_an_error_that_names_it(connect: Connect) -> None:
    async with connect() as client:
        with pytest.raises(MCPError, match="who: required, missing") as refused:
            await client.get_prompt("greeting", {})
        assert refused.value.code == -32602


async def test_tools(connect: Connect) -> None:
    async with connect() as client:
        [tool] = (await client.list_tools()).tools
        assert tool.input_schema["required"] == ["a", "b"]
        result = await client.call_tool("divide", {"a": 1, "b": 4})
        assert not result.is_error
        # The client checks it against the output schema by itself.
        assert result.structured_content == {"quotient": 0.25}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"a": 1, "b": 0}, "Nothing can be divided by 0."),
        ({"a": 1, "b": "4"}, "Invalid arguments: b: expected number, got string"),
    ],
)
async def test_a_tool_fails_in_words(
    connect: Connect, arguments: dict[str, Any], text: str
) -> None:
    async with connect() as client:
        result = await client.call_tool("divide", arguments)
        assert result.is_error
        assert result.content == [TextContent(type="text", text=text)]


async def test_an_unknown_tool_is_an_error_with_a_suggestion(connect: Connect) -> None:
    async with connect() as client:
        with pytest.raises(MCPError, match="Did you mean 'divide'") as refused:
            await client.call_tool("divode", {})
        assert refused.value.code == -32602


async def test_resources(connect: Connect) -> None:
    async with connect() as client:
        [listed] = (await client.list_resources()).resources
        assert str(listed.uri) == "test:///seal"
        [contents] = (await client.read_resource("test:///seal")).contents
        assert isinstance(contents, BlobResourceContents)
        assert b64decode(contents.blob, validate=True) == b"\x00\xff\xfe>?"


async def test_a_template(connect: Connect) -> None:
    async with connect() as client:
        [listed] = (await client.list_resource_templates()).resource_templates
        assert listed.uri_template == "test:///pages/{number}"
        [contents] = (await client.read_resource("test:///pages/%C3%A9%201")).contents
        assert isinstance(contents, TextResourceContents)
        assert contents.text == "The first page."


async def test_a_resource_that_is_not_there_is_an_error_that_names_it(
    connect: Connect, mode: str
) -> None:
    async with connect() as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource("test:///pages/2")
        assert refused.value.code == (-32002 if mode == "legacy" else -32602)
        assert refused.value.data == {"uri": "test:///pages/2"}


async def test_completion(connect: Connect) -> None:
    async with connect() as client:
        prompt = PromptReference(type="ref/prompt", name="greeting")
        suggested = await client.complete(prompt, {"name": "mood", "value": "c"})
        assert suggested.completion.values == ["curtly"]
        template = ResourceTemplateReference(type="ref/resource", uri="test:///pages/{number}")
        suggested = await client.complete(template, {"name": "number", "value": ""})
        assert suggested.completion.values == []


async def test_many_calls_at_once_over_one_client(connect: Connect) -> None:
    quotients: dict[int, Any] = {}

    async def divide(client: Client, number: int) -> None:
        result = await client.call_tool("divide", {"a": number, "b": 2})
        quotients[number] = result.structured_content

    async with connect() as client, anyio.create_task_group() as group:
        for number in range(50):
            group.start_soon(divide, client, number)
    assert quotients == {number: {"quotient": number / 2} for number in range(50)}
