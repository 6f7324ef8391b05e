"""What calls give, in every revision."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import attrs
import pytest

from anubis_py import McpError, ResourceNotFound
from anubis_py.errors import (
    insufficient_scope,
    internal_error,
    invalid_params,
    method_not_found,
)
from anubis_py.protocol.revisions import REVISIONS

from .closed_schema import LEGACY, VERSIONS, check
from .everything import BLOCKS, Everything, answered

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

SERVER: Final = Everything()
MEASURE: Final = {"name": "measure", "arguments": {"where": "here"}}


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_tool_with_every_kind_of_content(version: str) -> None:
    result = await answered(SERVER, version, "tools/call", MEASURE)
    assert ("structuredContent" in result) == (version >= "2025-06-18")
    blocks = result["content"]
    kinds = [block["type"] for block in blocks]
    link = "resource_link" if version >= "2025-06-18" else "text"
    assert kinds == ["text", "image", "audio", link, "resource", "text"]
    assert blocks[-1]["text"] == '{"n":1}'
    for block in blocks[:-1]:
        assert ("_meta" in block) == (version >= "2025-06-18")
        assert ("lastModified" in block["annotations"]) == (version >= "2025-06-18")
    assert ("_meta" in blocks[4]["resource"]) == (version >= "2025-06-18")
    assert ("icons" in blocks[3]) == (version >= "2025-11-25")
    assert "_meta" in result


async def test_a_link_is_text_where_there_are_none() -> None:
    result = await answered(SERVER, "2025-03-26", "tools/call", MEASURE)
    assert result["content"][3] == {
        "type": "text",
        "text": "today: notes:///today",
        "annotations": {"audience": ["user"], "priority": 0.5},
    }


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_structured_list(version: str) -> None:
    result = await answered(SERVER, version, "tools/call", {"name": "lists"})
    assert ("structuredContent" in result) == (version == "2026-07-28")
    assert result["content"] == [{"type": "text", "text": "[1,2]"}]


@attrs.define
class Point:
    x: int = 1


@pytest.mark.parametrize("version", LEGACY[:-1])
@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({}, True),
        (MappingProxyType({"a": 1}), True),
        (Point(), True),
        ([], False),
        ("{", False),
        (None, False),
        (1, False),
        (True, False),
        ([{}], False),
    ],
)
def test_structured_content_is_an_object(version: str, value: Any, kept: bool) -> None:
    given = {"content": [], "structuredContent": value, "isError": False}
    result = REVISIONS[version].dialect.result("tools/call", given)
    assert ("structuredContent" in result) == kept
    assert given.keys() == {"content", "structuredContent", "isError"}


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_prompt_with_every_kind_of_content(version: str) -> None:
    params = {"name": "ask", "arguments": {"topic": "tea"}}
    result = await answered(SERVER, version, "prompts/get", params)
    kinds = [message["content"]["type"] for message in result["messages"]]
    link = "resource_link" if version >= "2025-06-18" else "text"
    assert kinds == ["text", "image", "audio", link, "resource"]
    assert {message["role"] for message in result["messages"]} == {"user"}


@pytest.mark.parametrize("version", VERSIONS)
async def test_reading(version: str) -> None:
    result = await answered(SERVER, version, "resources/read", {"uri": "notes:///today"})
    text, blob = result["contents"]
    assert ("_meta" in text) == (version >= "2025-06-18")
    assert (text["text"], blob["blob"]) == ("note", "AA==")


@pytest.mark.parametrize("version", VERSIONS)
async def test_completing(version: str) -> None:
    params = {
        "ref": {"type": "ref/prompt", "name": "ask"},
        "argument": {"name": "topic", "value": "t"},
        "context": {"arguments": {"other": "x"}},
    }
    result = await answered(SERVER, version, "completion/complete", params)
    assert result == {"completion": {"values": ["tea", "time"]}}


@pytest.mark.parametrize("version", VERSIONS)
async def test_bad_arguments_of_a_tool(version: str) -> None:
    params = {"name": "measure", "arguments": {"where": 1}}
    text = "Invalid arguments: where: expected string, got integer"
    if version >= "2025-11-25":
        result = await answered(SERVER, version, "tools/call", params)
        assert result == {"isError": True, "content": [{"type": "text", "text": text}]}
        return
    with pytest.raises(McpError) as refusal:
        await answered(SERVER, version, "tools/call", params)
    assert (refusal.value.code, refusal.value.message) == (-32602, text)


@pytest.mark.parametrize("version", VERSIONS)
async def test_no_such_resource(version: str) -> None:
    with pytest.raises(McpError) as refusal:
        await answered(SERVER, version, "resources/read", {"uri": "other:///x"})
    error = REVISIONS[version].dialect.error(refusal.value)
    assert error.to_wire() == {
        "code": -32602 if version == "2026-07-28" else -32002,
        "message": "Resource not found",
        "data": {"uri": "other:///x"},
    }


ERRORS: Final = (
    ResourceNotFound("x:y"),
    method_not_found("x"),
    invalid_params("x", {"a": 1}, http_status=400),
    insufficient_scope(["a"]),
    internal_error(),
    McpError(-32099, "own", [1], http_status=500),
)


@pytest.mark.parametrize("version", LEGACY)
def test_an_error_is_an_answer_like_any_other(version: str) -> None:
    definition = "JSONRPCErrorResponse" if version == "2025-11-25" else "JSONRPCError"
    for error in ERRORS:
        status = error.http_status
        written = REVISIONS[version].dialect.error(error)
        assert written.http_status == (403 if status == 403 else 200)
        assert error.http_status == status
        assert (written.message, written.data) == (error.message, error.data)
        check(version, definition, {"jsonrpc": "2.0", "id": 1, "error": written.to_wire()})


def test_the_newest_leaves_errors_alone() -> None:
    for error in ERRORS:
        assert REVISIONS["2026-07-28"].dialect.error(error) is error


RESULTS: Final[Mapping[str, dict[str, Any]]] = {
    "tools/call": {
        "content": [block.to_wire() for block in BLOCKS],
        "structuredContent": [1],
        "isError": False,
    },
    "prompts/get": {"messages": [{"role": "user", "content": b.to_wire()} for b in BLOCKS]},
    "resources/read": {"contents": [{"uri": "a:b", "text": "x", "_meta": {}}]},
    "tools/list": {
        "tools": [{"name": "a", "icons": [], "inputSchema": {"properties": {"a": True}}}]
    },
    "prompts/list": {"prompts": [{"name": "a", "arguments": [{"name": "b", "title": "B"}]}]},
    "resources/list": {
        "resources": [{"name": "a", "uri": "a:b", "annotations": {"lastModified": "x"}}]
    },
    "completion/complete": {"completion": {"values": []}},
}


@pytest.mark.parametrize("version", LEGACY)
@pytest.mark.parametrize("method", RESULTS)
def test_what_is_given_never_changes(version: str, method: str) -> None:
    own = {"resultType": "complete", "ttlMs": 5, "cacheScope": "public", "mine": 1}
    given = {**copy.deepcopy(RESULTS[method]), **own}
    before = copy.deepcopy(given)
    result = REVISIONS[version].dialect.result(method, given)
    assert given == before
    assert result["mine"] == 1
    assert not {"resultType", "ttlMs", "cacheScope"} & result.keys()
    assert REVISIONS[version].dialect.result(method, result) == result


@pytest.mark.parametrize("version", LEGACY)
def test_methods_of_an_authors_own_say_what_they_like(version: str) -> None:
    for method in ("ping", "example.com/mine"):
        result = {"ttlMs": 1, "content": 1}
        assert REVISIONS[version].dialect.result(method, result) is result


@pytest.mark.parametrize("version", LEGACY)
def test_odd_results_pass(version: str) -> None:
    dialect = REVISIONS[version].dialect
    wrong: tuple[Any, ...] = (None, 1, "x", {}, [None], [{}], [{"content": None}], [{"content": 1}])
    for odd in wrong:
        for method, member in (
            ("tools/call", "content"),
            ("prompts/get", "messages"),
            ("resources/read", "contents"),
            ("prompts/list", "prompts"),
        ):
            assert dialect.result(method, {member: odd}) == {member: odd}
            assert dialect.result(method, {}) == {}
    link: dict[str, Any] = {"content": [{"type": "resource", "resource": None}, {"type": []}]}
    assert dialect.result("tools/call", link) == link
