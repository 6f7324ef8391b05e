"""The conformance fixture has what the official suite looks for, without running the suite."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest

from anubis_py import McpError
from anubis_py.testing import Client
from conformance.fixture import Everything
from conformance.fixture.schemas import CONTACT

pytestmark = pytest.mark.anyio

# What each tool answers, as far as the suite looks: the type of each block, and a text.
TOOLS = {
    "test_simple_text": (["text"], "This is a simple text response for testing."),
    "test_image_content": (["image"], None),
    "test_audio_content": (["audio"], None),
    "test_embedded_resource": (["resource"], None),
    "test_multiple_content_types": (["text", "image", "resource"], "Multiple content types test:"),
    "test_error_handling": (["text"], "This tool intentionally returns an error for testing"),
}
PROMPTS: dict[str, tuple[dict[str, str], list[str]]] = {
    "test_simple_prompt": ({}, ["text"]),
    "test_prompt_with_arguments": ({"arg1": "one", "arg2": "two"}, ["text"]),
    "test_prompt_with_embedded_resource": ({"resourceUri": "test://any"}, ["resource", "text"]),
    "test_prompt_with_image": ({}, ["image", "text"]),
}


def kinds(blocks: list[dict[str, Any]]) -> list[str]:
    return [block["type"] for block in blocks]


async def test_every_tool_is_listed_and_described() -> None:
    tools = (await Client(Everything).list_tools())["tools"]

    assert {tool["name"] for tool in tools} >= {
        *TOOLS,
        "greet",
        "json_schema_2020_12_tool",
        "test_missing_capability",
    }
    assert all(tool["description"] for tool in tools)
    assert all(tool["inputSchema"]["type"] == "object" for tool in tools)


async def test_the_first_tool_takes_no_arguments() -> None:
    client = Client(Everything)
    first = (await client.list_tools())["tools"][0]["name"]

    assert not (await client.call_tool(first))["isError"]


@pytest.mark.parametrize("name", TOOLS)
async def test_a_tool_answers_as_the_suite_expects(name: str) -> None:
    expected, text = TOOLS[name]
    result = await Client(Everything).call_tool(name)

    assert kinds(result["content"]) == expected
    assert result["content"][0].get("text") == text
    assert result["isError"] is (name == "test_error_handling")


async def test_greet_greets() -> None:
    result = await Client(Everything).call_tool("greet", {"name": "Ann"})

    assert result["content"] == [{"type": "text", "text": "Hello, Ann!"}]


async def test_the_raw_schema_is_shown_word_for_word_and_enforced() -> None:
    client = Client(Everything)
    tools = {tool["name"]: tool for tool in (await client.list_tools())["tools"]}
    name = "json_schema_2020_12_tool"

    assert tools[name]["inputSchema"] == CONTACT
    assert not (await client.call_tool(name, {"contactMethod": "phone", "phone": "1"}))["isError"]
    assert (await client.call_tool(name, {"contactMethod": "phone", "email": "a@b"}))["isError"]


async def test_one_tool_has_an_argument_that_travels_in_a_header_too() -> None:
    client = Client(Everything)
    (name,) = [
        tool["name"]
        for tool in (await client.list_tools())["tools"]
        for argument in tool["inputSchema"].get("properties", {}).values()
        if argument.get("type") == "string" and "x-mcp-header" in argument
    ]

    assert not (await client.call_tool(name, {"region": "here"}))["isError"]


async def test_a_capability_that_the_client_lacks_is_asked_for() -> None:
    with pytest.raises(McpError) as refused:
        await Client(Everything).call_tool("test_missing_capability")

    assert refused.value.code == -32021
    assert refused.value.data == {"requiredCapabilities": {"sampling": {}}}
    able = Client(Everything, capabilities={"sampling": {}})
    assert not (await able.call_tool("test_missing_capability"))["isError"]


@pytest.mark.parametrize("name", PROMPTS)
async def test_a_prompt_answers_as_the_suite_expects(name: str) -> None:
    arguments, expected = PROMPTS[name]
    result = await Client(Everything).get_prompt(name, arguments)

    assert kinds([message["content"] for message in result["messages"]]) == expected
    assert {message["role"] for message in result["messages"]} == {"user"}


async def test_the_arguments_of_a_prompt_reach_its_messages() -> None:
    client = Client(Everything)
    told = await client.get_prompt("test_prompt_with_arguments", {"arg1": "one", "arg2": "two"})
    embedded = await client.get_prompt(
        "test_prompt_with_embedded_resource", {"resourceUri": "test://any"}
    )

    assert told["messages"][0]["content"]["text"] == "Prompt with arguments: arg1='one', arg2='two'"
    assert embedded["messages"][0]["content"]["resource"]["uri"] == "test://any"


async def test_every_prompt_is_listed_and_described() -> None:
    prompts = (await Client(Everything).list_prompts())["prompts"]

    assert {prompt["name"] for prompt in prompts} >= set(PROMPTS)
    assert all(prompt["description"] for prompt in prompts)


async def test_an_argument_is_completed() -> None:
    ref = {"type": "ref/prompt", "name": "test_prompt_with_arguments"}
    result = await Client(Everything).complete(ref, "arg1", "test")

    assert result["completion"]["values"] == ["test", "testing", "tested"]


async def test_every_resource_that_is_listed_can_be_read() -> None:
    client = Client(Everything)
    uris = [resource["uri"] for resource in (await client.list_resources())["resources"]]
    contents = {uri: (await client.read_resource(uri))["contents"][0] for uri in uris}

    text = "This is the content of the static text resource."
    assert set(contents) >= {
        "test://static-text",
        "test://static-binary",
        "test://watched-resource",
    }
    assert contents["test://static-text"]["text"] == text
    assert contents["test://static-binary"]["mimeType"] == "image/png"
    assert b64decode(contents["test://static-binary"]["blob"]).startswith(b"\x89PNG")


async def test_the_template_is_read_by_its_variable() -> None:
    client = Client(Everything)
    (template,) = (await client.list_resource_templates())["resourceTemplates"]
    (content,) = (await client.read_resource("test://template/123/data"))["contents"]

    assert template["uriTemplate"] == "test://template/{id}/data"
    assert content == {
        "uri": "test://template/123/data",
        "mimeType": "application/json",
        "text": '{"id":"123","templateTest":true,"data":"Data for ID: 123"}',
    }
