"""Logtalk's way: one object offers many prompts, each by a descriptor."""

from __future__ import annotations

from typing import Any

import pytest
from support.client import CheckedClient
from support.log import ServerLog

from anubis_py import (
    CompletionArgument,
    Frame,
    McpError,
    Prompt,
    PromptProvider,
    Reply,
    Resource,
    ResourceProvider,
    ResourceTemplate,
    Response,
    ServerBehaviour,
    Tool,
    ToolProvider,
    field,
)

pytestmark = pytest.mark.anyio


class Prompts(PromptProvider):
    def prompts(self) -> Any:
        return [
            Prompt("summarize", "Summarize a text"),
            Prompt(
                "translate",
                "Translate a text",
                [
                    {"name": "text", "description": "What to translate", "required": True},
                    {"name": "into", "description": "The language", "required": True},
                    {"name": "tone", "description": "The tone", "required": False},
                ],
                title="Translation",
            ),
            Prompt("greet", None, [field("who", str, required=True)]),
        ]

    def prompt_get(self, name: str, args: dict[str, str], frame: Frame) -> Any:
        match name:
            case "summarize":
                return [{"role": "user", "content": "Summarize."}]
            case "translate":
                text = f"{args['text']} -> {args['into']} ({args.get('tone', 'plain')})"
                return Response.prompt("The description").user_message(text)
        return Reply(f"Hello {args['who']}", frame.assign(greeted=args["who"]))

    def complete(self, name: str, argument: CompletionArgument, frame: Frame) -> Any:
        return [f"{name}.{argument.name}"]


class Many(ServerBehaviour):
    name = "many"
    version = "1"
    components = (Prompts,)


async def test_every_descriptor_is_listed_with_its_title_and_arguments() -> None:
    assert (await CheckedClient(Many).list_prompts())["prompts"] == [
        {"name": "greet", "arguments": [{"name": "who", "required": True}]},
        {"name": "summarize", "description": "Summarize a text"},
        {
            "name": "translate",
            "title": "Translation",
            "description": "Translate a text",
            "arguments": [
                {"name": "text", "description": "What to translate", "required": True},
                {"name": "into", "description": "The language", "required": True},
                {"name": "tone", "description": "The tone", "required": False},
            ],
        },
    ]


async def test_messages_alone_come_without_a_description() -> None:
    result = await CheckedClient(Many).get_prompt("summarize")
    assert result["messages"] == [
        {"role": "user", "content": {"type": "text", "text": "Summarize."}}
    ]
    assert "description" not in result


async def test_a_description_stands_beside_the_messages() -> None:
    result = await CheckedClient(Many).get_prompt("translate", {"text": "a", "into": "b"})
    assert result["description"] == "The description"
    assert result["messages"][0]["content"]["text"] == "a -> b (plain)"


@pytest.mark.parametrize("arguments", [{}, {"text": "a"}, {"into": "b"}])
async def test_required_flags_are_enforced(arguments: dict[str, str]) -> None:
    with pytest.raises(McpError, match="required, missing") as refusal:
        await CheckedClient(Many).get_prompt("translate", arguments)
    assert refusal.value.code == -32602
    for name in {"text", "into"} - arguments.keys():
        assert f"{name}: required, missing" in refusal.value.message


async def test_the_provider_is_told_which_prompt() -> None:
    result = await CheckedClient(Many).get_prompt("greet", {"who": "Eve"})
    assert result["messages"][0]["content"]["text"] == "Hello Eve"


async def test_the_provider_completes_for_each_prompt() -> None:
    result = await CheckedClient(Many).complete({"type": "ref/prompt", "name": "greet"}, "who")
    assert result["completion"]["values"] == ["greet.who"]


async def test_the_capability_is_advertised() -> None:
    capabilities = (await CheckedClient(Many).discover())["capabilities"]
    assert capabilities == {"prompts": {}, "completions": {}}


async def test_what_a_provider_offers_may_change() -> None:
    offered = ["a"]

    class Changing(PromptProvider):
        def prompts(self) -> Any:
            return [Prompt(name) for name in offered]

        def prompt_get(self, name: str, args: Any, frame: Frame) -> Any:
            return name

    class Server(ServerBehaviour):
        name = "changing"
        version = "1"
        components = (Changing,)

    client = CheckedClient(Server)
    assert [p["name"] for p in (await client.list_prompts())["prompts"]] == ["a"]
    offered[:] = ["c", "b"]
    assert [p["name"] for p in (await client.list_prompts())["prompts"]] == ["b", "c"]
    assert (await client.get_prompt("b"))["messages"][0]["content"]["text"] == "b"
    with pytest.raises(McpError, match=r"^Unknown prompt: a\."):
        await client.get_prompt("a")


async def test_a_provider_that_fails_to_list_is_an_internal_error(server_log: ServerLog) -> None:
    working = [True]

    class Failing(PromptProvider):
        def prompts(self) -> Any:
            if not working:
                raise LookupError("hunter2")
            return [Prompt("p")]

        def prompt_get(self, name: str, args: Any, frame: Frame) -> Any:
            return name

    class Server(ServerBehaviour):
        name = "failing"
        version = "1"
        components = (Failing,)

    client = CheckedClient(Server)
    working.clear()
    for ask in (client.list_prompts(), client.get_prompt("p")):
        with pytest.raises(McpError, match=r"^Internal error \(-32603\)$"):
            await ask
        server_log.take("prompts/", traceback=True)


async def test_tools_and_resources_have_their_providers_too() -> None:
    class Tools(ToolProvider):
        def tools(self) -> Any:
            yield Tool("add", "Adds", [field("a", int, required=True), field("b", int, default=1)])

        def tool_call(self, name: str, args: Any, frame: Frame) -> Any:
            return Response.tool().text(f"{name} {args['a'] + args['b']}")

    class Resources(ResourceProvider):
        def resources(self) -> Any:
            yield Resource("today", uri="day:///today", mime_type="text/x-day", size=5)
            yield ResourceTemplate("day", uri_template="day:///{day}")

        def resource_read(self, uri: str, params: Any, frame: Frame) -> Any:
            return Response.resource().text(f"{uri} {dict(params)}")

        def complete(self, uri_template: str, argument: CompletionArgument, frame: Frame) -> Any:
            return [uri_template]

    class Server(ServerBehaviour):
        name = "providers"
        version = "1"
        components = (Tools, Resources)

    client = CheckedClient(Server)
    assert (await client.call_tool("add", {"a": 2}))["content"][0]["text"] == "add 3"
    assert (await client.call_tool("add", {"a": "2"}))["isError"]
    (today,) = (await client.read_resource("day:///today"))["contents"]
    assert today == {"uri": "day:///today", "mimeType": "text/x-day", "text": "day:///today {}"}
    (monday,) = (await client.read_resource("day:///mon%20day"))["contents"]
    assert monday["text"] == "day:///mon%20day {'day': 'mon day'}"
    ref = {"type": "ref/resource", "uri": "day:///{day}"}
    assert (await client.complete(ref, "day"))["completion"]["values"] == ["day:///{day}"]
