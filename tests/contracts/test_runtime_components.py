"""Components that `init` registers on the frame: found, checked and handled like declared ones."""

from __future__ import annotations

from typing import Any

import pytest
from support.client import CheckedClient
from support.log import ServerLog

from anubis_py import (
    Failure,
    Frame,
    McpError,
    NoReply,
    Ok,
    PromptComponent,
    Reply,
    ResourceComponent,
    ResourceNotFound,
    Response,
    ServerBehaviour,
    Tool,
    ToolComponent,
    ToolError,
    component,
    field,
)

pytestmark = pytest.mark.anyio


class Ready(ToolComponent):
    def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().text("ready")


class ReadyPrompt(PromptComponent):
    def get_messages(self, args: Any, frame: Frame) -> Any:
        return "ready"


class ReadyResource(ResourceComponent):
    uri = "ready:///r"

    def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().text("ready")


class Runtime(ServerBehaviour):
    name = "runtime"
    version = "1"

    def init(self, client_info: Any, frame: Frame) -> Any:
        frame = (
            frame.register_tool(
                "add", description="Adds", input_schema=[field("a", int, required=True)]
            )
            .register_tool(Tool("made", "Ready made"))
            .register_tool(Ready)
            .register_tool(component(Ready, name="renamed"))
            .register_tool(Ready(), name="instance")
            .register_prompt("greet", arguments=[{"name": "who", "required": True}], title="Greet")
            .register_prompt(ReadyPrompt)
            .register_resource("memo:///a", mime_type="text/x-memo", description="A memo")
            .register_resource(ReadyResource)
            .register_resource_template("memo:///{name}", name="memos")
        )
        return Ok(frame)

    def handle_tool_call(self, name: str, args: Any, frame: Frame) -> Any:
        if name == "add" and args["a"] < 0:
            raise ToolError("too small")
        return Reply(Response.tool().text(f"{name} {args}"), frame)

    def handle_prompt_get(self, name: str, args: Any, frame: Frame) -> Any:
        if args["who"] == "nobody":
            return Failure(McpError(-32602, "Nobody is here"))
        return [{"role": "user", "content": f"{name} {args}"}]

    def handle_resource_read(self, uri: str, frame: Frame) -> Any:
        if uri.endswith("none"):
            raise ResourceNotFound(uri)
        return Response.resource().text(f"read {uri}")


@pytest.fixture
def client() -> CheckedClient:
    return CheckedClient(Runtime)


async def test_they_are_listed_like_declared_ones(client: CheckedClient) -> None:
    tools = {tool["name"]: tool for tool in (await client.list_tools())["tools"]}
    assert list(tools) == ["add", "instance", "made", "ready", "renamed"]
    assert tools["add"]["description"] == "Adds"
    assert tools["add"]["inputSchema"]["required"] == ["a"]
    assert (await client.list_prompts())["prompts"] == [
        {"name": "greet", "title": "Greet", "arguments": [{"name": "who", "required": True}]},
        {"name": "ready_prompt"},
    ]
    assert (await client.list_resources())["resources"] == [
        {
            "uri": "memo:///a",
            "name": "a",
            "mimeType": "text/x-memo",
            "description": "A memo",
        },
        {"uri": "ready:///r", "name": "ready_resource"},
    ]
    assert (await client.list_resource_templates())["resourceTemplates"] == [
        {"uriTemplate": "memo:///{name}", "name": "memos"}
    ]


async def test_the_servers_callback_handles_what_has_no_handler(client: CheckedClient) -> None:
    assert (await client.call_tool("add", {"a": 1}))["content"][0]["text"] == "add {'a': 1}"
    assert (await client.call_tool("made"))["content"][0]["text"] == "made {}"
    messages = (await client.get_prompt("greet", {"who": "Eve"}))["messages"]
    assert messages[0]["content"]["text"] == "greet {'who': 'Eve'}"
    (memo,) = (await client.read_resource("memo:///a"))["contents"]
    assert memo == {"uri": "memo:///a", "mimeType": "text/x-memo", "text": "read memo:///a"}
    (memo,) = (await client.read_resource("memo:///b%20c"))["contents"]
    assert memo["text"] == "read memo:///b%20c"


@pytest.mark.parametrize("name", ["ready", "renamed", "instance"])
async def test_a_component_brings_its_own_handler(client: CheckedClient, name: str) -> None:
    assert (await client.call_tool(name))["content"][0]["text"] == "ready"
    assert (await client.get_prompt("ready_prompt"))["messages"]
    assert (await client.read_resource("ready:///r"))["contents"][0]["text"] == "ready"


async def test_their_arguments_are_checked_like_those_of_declared_ones(
    client: CheckedClient,
) -> None:
    assert (await client.call_tool("add"))["isError"]
    assert (await client.call_tool("add", {"a": "x"}))["isError"]
    with pytest.raises(McpError, match="who: required, missing"):
        await client.get_prompt("greet")


async def test_their_callbacks_fail_like_those_of_components(client: CheckedClient) -> None:
    failed = await client.call_tool("add", {"a": -1})
    assert (failed["isError"], failed["content"][0]["text"]) == (True, "too small")
    with pytest.raises(McpError, match=r"^Nobody is here \(-32602\)$"):
        await client.get_prompt("greet", {"who": "nobody"})
    with pytest.raises(McpError, match=r"^Resource not found") as missing:
        await client.read_resource("memo:///none")
    assert missing.value.data == {"uri": "memo:///none"}


async def test_without_a_callback_they_cannot_be_used() -> None:
    class Forgetful(ServerBehaviour):
        name = "forgetful"
        version = "1"

        def init(self, client_info: Any, frame: Frame) -> Any:
            return Ok(frame.register_tool("t").register_prompt("p").register_resource("r:x"))

    client = CheckedClient(Forgetful)
    uses = (
        client.call_tool("t"),
        client.get_prompt("p"),
        client.read_resource("r:x"),
    )
    for use in uses:
        with pytest.raises(McpError) as refusal:
            await use
        assert refusal.value.code in (-32601, -32603)


async def test_a_crash_and_a_wrong_return_are_told_by_name(server_log: ServerLog) -> None:
    class Broken(Runtime):
        def handle_tool_call(self, name: str, args: Any, frame: Frame) -> Any:
            return "a bare text"

        def handle_prompt_get(self, name: str, args: Any, frame: Frame) -> Any:
            raise LookupError("hunter2")

        def handle_resource_read(self, uri: str, frame: Frame) -> Any:
            return None

    client = CheckedClient(Broken)
    assert (await client.call_tool("made"))["isError"]
    server_log.take("tool 'made'", "type str", "it may return", traceback=False)
    with pytest.raises(McpError, match=r"^Internal error"):
        await client.get_prompt("greet", {"who": "x"})
    server_log.take("prompt 'greet'", traceback=True)
    with pytest.raises(McpError, match=r"^Internal error"):
        await client.read_resource("memo:///a")
    server_log.take("resource 'memo:///a'", "None", "it may return", traceback=False)


async def test_no_reply_gives_an_empty_answer() -> None:
    class Quiet(Runtime):
        def handle_tool_call(self, name: str, args: Any, frame: Frame) -> Any:
            return NoReply()

        def handle_prompt_get(self, name: str, args: Any, frame: Frame) -> Any:
            return NoReply(frame)

        def handle_resource_read(self, uri: str, frame: Frame) -> Any:
            return NoReply()

    client = CheckedClient(Quiet)
    result = await client.call_tool("made")
    assert (result["content"], result["isError"]) == ([], False)
    assert (await client.get_prompt("greet", {"who": "x"}))["messages"] == []
    assert (await client.read_resource("memo:///a"))["contents"] == [
        {"uri": "memo:///a", "mimeType": "text/x-memo", "text": ""}
    ]


async def test_they_are_gone_with_their_request() -> None:
    class Once(ServerBehaviour):
        name = "once"
        version = "1"
        components = (Ready,)

        def init(self, client_info: Any, frame: Frame) -> Any:
            return Ok(frame.register_tool("for_eve")) if client_info else Ok(frame)

        def handle_tool_call(self, name: str, args: Any, frame: Frame) -> Any:
            return Response.tool()

    server = Once()
    eve = CheckedClient(server, client_info={"name": "eve", "version": "1"})
    assert [t["name"] for t in (await eve.list_tools())["tools"]] == ["for_eve", "ready"]
    assert [t["name"] for t in (await CheckedClient(server).list_tools())["tools"]] == ["ready"]


async def test_a_mistake_in_init_is_found_where_it_is_made(server_log: ServerLog) -> None:
    class Mistaken(ServerBehaviour):
        name = "mistaken"
        version = "1"
        components = (Ready,)

        def init(self, client_info: Any, frame: Frame) -> Any:
            return Ok(frame.register_tool("a tool"))

    with pytest.raises(McpError, match=r"^Internal error"):
        await CheckedClient(Mistaken).list_tools()
    server_log.take("init", traceback=True)
