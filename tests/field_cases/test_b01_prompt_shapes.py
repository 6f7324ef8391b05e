"""B01: whatever a handler returns passes one step with a closed set of shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.client import CheckedClient, Http
from support.log import ServerLog

from anubis_py import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    PromptComponent,
    PromptMessage,
    ResourceComponent,
    ResourceLink,
    Response,
    ServerBehaviour,
    TextContent,
    TextResourceContents,
    ToolComponent,
)

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

RAW = b"\xfb\xff\xfe"


def server(give: Callable[[], Any]) -> type[ServerBehaviour]:
    """A server whose prompt, tool, resource and completion all return what `give` returns."""

    class Triage(PromptComponent):
        schema = ()

        def get_messages(self, args: Any, frame: Any) -> Any:
            return give()

    class Look(ToolComponent):
        def execute(self, args: Any, frame: Any) -> Any:
            return give()

    class Note(ResourceComponent):
        uri = "note:///n"

        def read(self, params: Any, frame: Any) -> Any:
            return give()

    class Day(ResourceComponent):
        uri_template = "day:///{day}"

        def read(self, params: Any, frame: Any) -> Any:
            return Response.resource().text("")

        def complete(self, argument: Any, frame: Any) -> Any:
            return give()

    class Shapes(ServerBehaviour):
        name = "shapes"
        version = "1"
        components = (Triage, Look, Note, Day)

    return Shapes


async def get(give: Callable[[], Any]) -> Any:
    http = Http(server(give))
    answer = await http.call("prompts/get", {"name": "triage"}, id="p1")
    await http.alive()
    return answer


def text(role: str, words: str) -> dict[str, Any]:
    return {"role": role, "content": {"type": "text", "text": words}}


def image(role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": {"type": "image", "data": "+//+", "mimeType": "image/png"}}


@pytest.mark.parametrize(
    ("given", "messages"),
    [
        pytest.param("What fails?", [text("user", "What fails?")], id="a: one plain string"),
        pytest.param(
            [
                {"role": "system", "content": "context…"},
                {"role": "user", "content": "What fails?"},
            ],
            [text("user", "context…"), text("user", "What fails?")],
            id="b: a message meant as system text",
        ),
        pytest.param(
            Response.prompt().system_message("context…").user_message("What fails?"),
            [text("user", "context…"), text("user", "What fails?")],
            id="b: the same with the builder",
        ),
        pytest.param(
            [PromptMessage("system", "context…"), PromptMessage("user", "What fails?")],
            [text("user", "context…"), text("user", "What fails?")],
            id="b: the same with values",
        ),
        pytest.param(
            Response.prompt().user_message(ImageContent(RAW, "image/png")),
            [image()],
            id="c: an image of raw bytes",
        ),
        pytest.param(
            [{"role": "user", "content": {"type": "image", "data": RAW, "mimeType": "image/png"}}],
            [image()],
            id="c: the same as a mapping",
        ),
        pytest.param(
            [{"role": "user", "content": image()["content"]}],
            [image()],
            id="c: the same in wire form",
        ),
        pytest.param(
            Response.prompt().user_message(["one", "two"]),
            [text("user", "one"), text("user", "two")],
            id="d: a list of two texts",
        ),
        pytest.param(
            [{"role": "user", "content": ["one", TextContent("two")]}],
            [text("user", "one"), text("user", "two")],
            id="d: the same as a mapping",
        ),
        pytest.param(
            Response.prompt().assistant_message("I see."),
            [text("assistant", "I see.")],
            id="the assistant's words",
        ),
        pytest.param((), [], id="no messages"),
    ],
)
async def test_every_message_has_a_role_and_one_content_object(
    given: Any, messages: list[Any]
) -> None:
    answer = await get(lambda: given)
    assert answer.result["messages"] == messages
    assert "description" not in answer.result


@pytest.mark.parametrize(
    ("block", "wire"),
    [
        (
            AudioContent(RAW, "audio/wav"),
            {"type": "audio", "data": "+//+", "mimeType": "audio/wav"},
        ),
        (ResourceLink("a:b", "b"), {"type": "resource_link", "uri": "a:b", "name": "b"}),
        (
            EmbeddedResource(TextResourceContents("a:b", "words")),
            {"type": "resource", "resource": {"uri": "a:b", "text": "words"}},
        ),
    ],
)
async def test_every_type_of_content_leaves_without_unset_members(block: Any, wire: Any) -> None:
    answer = await get(lambda: Response.prompt().user_message(block))
    assert answer.result["messages"] == [{"role": "user", "content": wire}]


async def test_a_prompt_without_title_and_description_lists_its_name_only() -> None:
    http = Http(server(lambda: "x"))
    answer = await http.call("prompts/list")
    assert answer.result["prompts"] == [{"name": "triage"}]


async def test_nothing_unset_is_null_in_any_list() -> None:
    async with CheckedClient(server(lambda: "x")) as client:
        assert (await client.list_tools())["tools"] == [
            {"name": "look", "inputSchema": {"type": "object", "additionalProperties": False}}
        ]
        assert (await client.list_resources())["resources"] == [
            {"name": "note", "uri": "note:///n"}
        ]
        assert (await client.list_resource_templates())["resourceTemplates"] == [
            {"name": "day", "uriTemplate": "day:///{day}"}
        ]


@pytest.mark.parametrize("role", ["tool", "developer", "", None, 7, "User"])
async def test_a_bad_role_is_refused_and_named_in_the_log(role: Any, server_log: ServerLog) -> None:
    answer = await get(lambda: [{"role": role, "content": "x"}])
    assert answer.code == -32603
    server_log.take("prompt 'triage'", repr(role))


BAD_CONTENT = [
    pytest.param(5, id="a number"),
    pytest.param(None, id="None"),
    pytest.param({}, id="no type"),
    pytest.param({"type": "video", "data": "AA=="}, id="an unknown type"),
    pytest.param({"type": "text"}, id="text without text"),
    pytest.param({"type": "text", "text": 5}, id="a number for text"),
    pytest.param({"type": "text", "text": None}, id="None for text"),
    pytest.param({"type": "image", "data": "AA=="}, id="image without mimeType"),
    pytest.param({"type": "image", "data": "AA==", "mimeType": None}, id="None for mimeType"),
    pytest.param({"type": "image", "data": "A-_/", "mimeType": "image/png"}, id="URL-safe base64"),
    pytest.param({"type": "image", "data": "AA", "mimeType": "image/png"}, id="no padding"),
    pytest.param({"type": "image", "data": None, "mimeType": "image/png"}, id="None for data"),
    pytest.param({"type": "image", "data": 7, "mimeType": "image/png"}, id="a number for data"),
    pytest.param({"type": "resource_link", "uri": "a:b"}, id="link without name"),
    pytest.param(
        {"type": "resource_link", "uri": "a:b", "name": "b", "title": 5}, id="a number for a title"
    ),
    pytest.param(
        {"type": "resource_link", "uri": "a:b", "name": "b", "size": "big"}, id="a text for a size"
    ),
    pytest.param(
        {"type": "resource_link", "uri": "a:b", "name": "b", "mimeType": 5},
        id="a number for a link's mimeType",
    ),
    pytest.param({"type": "resource"}, id="resource without contents"),
    pytest.param({"type": "resource", "resource": {"uri": "a:b"}}, id="contents without text"),
    pytest.param(
        {"type": "resource", "resource": {"uri": "a:b", "text": "x", "mimeType": 5}},
        id="a number for mimeType",
    ),
    pytest.param(
        {"type": "resource", "resource": {"uri": "a:b", "text": "x", "blob": "AA=="}},
        id="text and blob",
    ),
    pytest.param(
        {"type": "text", "text": "x", "annotations": {"audience": ["system"]}},
        id="an unknown audience",
    ),
    pytest.param(
        {"type": "text", "text": "x", "annotations": {"priority": 2}}, id="a priority above 1"
    ),
    pytest.param({"type": "text", "text": "x", "_meta": 5}, id="a number for _meta"),
]


@pytest.mark.parametrize("content", BAD_CONTENT)
async def test_bad_content_of_a_prompt_is_an_internal_error(
    content: Any, server_log: ServerLog
) -> None:
    answer = await get(lambda: [{"role": "user", "content": content}])
    assert answer.code == -32603
    assert answer.error["message"] == "Internal error"
    server_log.take("prompt 'triage'")


@pytest.mark.parametrize("content", BAD_CONTENT)
async def test_bad_content_of_a_tool_is_a_failed_result(
    content: Any, server_log: ServerLog
) -> None:
    http = Http(server(lambda: Response.tool().content(content)))
    answer = await http.tool("look")
    assert answer.is_error
    await http.alive()
    server_log.take("tool 'look'")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"uri": "a:b"}, id="neither text nor blob"),
        pytest.param({"uri": "a:b", "text": 5}, id="a number for text"),
        pytest.param({"uri": "a:b", "text": b"x"}, id="bytes for text"),
        pytest.param({"uri": "a:b", "blob": "A-_/"}, id="URL-safe base64"),
        pytest.param({"uri": "a:b", "text": "x", "mimeType": 5}, id="a number for mimeType"),
        pytest.param({"uri": 5, "text": "x"}, id="a number for uri"),
        pytest.param({"uri": None, "text": "x"}, id="None for uri"),
        pytest.param("words", id="a bare text"),
    ],
)
async def test_bad_contents_of_a_resource_are_an_internal_error(
    content: Any, server_log: ServerLog
) -> None:
    http = Http(server(lambda: Response.resource().add(content)))
    answer = await http.call("resources/read", {"uri": "note:///n"})
    assert answer.code == -32603
    await http.alive()
    server_log.take("resource 'note:///n'")


@pytest.mark.parametrize("values", [[1], [None], [b"x"], ["x", {"value": "y"}], 5, "text"])
async def test_suggestions_that_are_no_texts_are_an_internal_error(
    values: Any, server_log: ServerLog
) -> None:
    http = Http(server(lambda: values))
    answer = await http.call(
        "completion/complete",
        {
            "ref": {"type": "ref/resource", "uri": "day:///{day}"},
            "argument": {"name": "day", "value": ""},
        },
    )
    assert answer.code == -32603
    await http.alive()
    server_log.take("completion")


@pytest.mark.parametrize(
    ("given", "wire"),
    [
        (
            {"type": "text", "text": "x", "annotations": None, "_meta": None},
            {"type": "text", "text": "x"},
        ),
        (
            {"type": "resource_link", "uri": "a:b", "name": "b", "title": None, "icons": None},
            {"type": "resource_link", "uri": "a:b", "name": "b"},
        ),
        (
            {
                "type": "resource_link",
                "uri": "a:b",
                "name": "b",
                "icons": [{"src": "https://a.example/i.png", "sizes": ["48x48"], "theme": None}],
            },
            {
                "type": "resource_link",
                "uri": "a:b",
                "name": "b",
                "icons": [{"src": "https://a.example/i.png", "sizes": ["48x48"]}],
            },
        ),
        (
            {"type": "resource", "resource": {"uri": "a:b", "text": "x", "mimeType": None}},
            {"type": "resource", "resource": {"uri": "a:b", "text": "x"}},
        ),
        (
            {"type": "text", "text": "x", "annotations": {"priority": 0.5, "audience": None}},
            {"type": "text", "text": "x", "annotations": {"priority": 0.5}},
        ),
    ],
)
async def test_a_mapping_in_wire_form_loses_its_nulls(given: Any, wire: Any) -> None:
    answer = await Http(server(lambda: Response.tool().content(given))).tool("look")
    assert answer.result["content"] == [wire]


@pytest.mark.parametrize("description", [5, b"x", {"a": 1}])
async def test_a_description_that_is_no_text_never_leaves(
    description: Any, server_log: ServerLog
) -> None:
    answer = await get(lambda: Response.prompt(description).user_message("x"))
    assert answer.code == -32603
    server_log.take("prompt 'triage'")
