"""Arguments that clients repeat in `Mcp-Param-…` headers, as the server holds them to it
(basic/transports/streamable-http, "Server Behavior for Custom Headers")."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import pytest
from support.client import Http, calling

from anubis_py import (
    Frame,
    Response,
    ServerBehaviour,
    ToolComponent,
    embeds_one,
    field,
)

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

RAN: list[Any] = []


class Query(ToolComponent):
    schema = (
        field("region", str, header="Region"),
        field("number", int, header="Number"),
        field("fast", bool, header="Fast"),
        embeds_one("place", [embeds_one("inner", [field("city", str, header="City")])]),
        field("free", str),
    )

    async def execute(self, args: Any, frame: Frame) -> Any:
        RAN.append(args)
        return Response.tool().text("ran")


class Raw(ToolComponent):
    """With a schema in JSON, and a property that nothing else would allow to be absent or null."""

    def input_schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "number": {"type": "integer", "x-mcp-header": "Number"},
                "loose": {"x-mcp-header": "Loose", "type": "boolean"},
            },
        }

    async def execute(self, args: Any, frame: Frame) -> Any:
        RAN.append(args)
        return Response.tool().text("ran")


class Mirroring(ServerBehaviour):
    name = "mirroring"
    version = "1"
    components = (Query, Raw)


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RAN.clear()


async def accepted(arguments: Any, headers: Mapping[str, Any], tool: str = "query") -> None:
    answer = await Http(Mirroring).post(calling(tool, arguments), headers=headers)
    assert answer.status == 200
    assert not answer.is_error, answer.text
    assert len(RAN) == 1


async def refused(arguments: Any, headers: Mapping[str, Any], tool: str = "query") -> None:
    answer = await Http(Mirroring).probe(calling(tool, arguments, id="r"), headers=headers)
    assert answer.refusal == (400, -32020)
    assert answer.id == "r"
    assert "Mcp-Param-" in answer.error["message"]
    assert RAN == []


def encoded(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


# The specification's table.


@pytest.mark.parametrize("tool", ["query", "raw"])
async def test_a_value_that_is_provided_is_validated(tool: str) -> None:
    await accepted({"region": "us-west1"}, {"Mcp-Param-Region": "us-west1"}, tool)
    RAN.clear()
    await refused({"region": "us-west1"}, {"Mcp-Param-Region": "us-west2"}, tool)


@pytest.mark.parametrize("tool", ["query", "raw"])
async def test_a_value_without_its_header_is_refused(tool: str) -> None:
    await refused({"region": "us-west1"}, {}, tool)


async def test_null_has_no_header() -> None:
    answer = await Http(Mirroring).post(calling("raw", {"region": None}))
    # Whether it is valid is the schema's business, and a result for the model.
    assert answer.status == 200
    await refused({"region": None}, {"Mcp-Param-Region": "null"}, "raw")
    await refused({"region": None}, {"Mcp-Param-Region": ""}, "raw")


@pytest.mark.parametrize("arguments", [None, {}, {"free": "x"}, {"place": {}}])
async def test_what_is_absent_has_no_header(arguments: Any) -> None:
    await accepted(arguments, {})
    RAN.clear()
    for header in ("Region", "Number", "Fast", "City"):
        await refused(arguments, {f"Mcp-Param-{header}": "x"})


async def test_a_header_that_no_tool_has_asked_for_is_passed_over() -> None:
    await accepted({"free": "x"}, {"Mcp-Param-Free": "y", "Mcp-Param-Other": "\x80"})


# Conformance 6.3, and its kind.


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("=?base64?SGVsbG8=?=", "Hello"),
        ("SGVsbG8=", "SGVsbG8="),
        ("=?base64?SGVsbG8=", "=?base64?SGVsbG8="),
        ("us-west1", "us-west1"),
        (encoded("us-west1"), "us-west1"),
        (encoded("Hello, 世界"), "Hello, 世界"),
        (encoded(" padded "), " padded "),
        (encoded("line1\nline2"), "line1\nline2"),
        (encoded("=?base64?literal?="), "=?base64?literal?="),
        ("  us-west1 ", "us-west1"),
        ("a\tb c", "a\tb c"),
        ("=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="),
        (encoded(""), ""),
        ("", ""),
        ("true", "true"),
        ("42", "42"),
    ],
)
async def test_a_string_is_repeated(header: str, value: str) -> None:
    await accepted({"region": value}, {"Mcp-Param-Region": header})


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("=?base64?SGVsbG8?=", "Hello"),
        ("=?base64?SGVs!!!bG8=?=", "Hello"),
        ("=?base64?SGVsbG8=?=", "=?base64?SGVsbG8=?="),
        ("=?BASE64?SGVsbG8=?=", "Hello"),
        ("=?base64?/w==?=", "ÿ"),
        ("=?base64?SGVsbG9=?=", "Hello"),
        ("=?base64?SGVs bG8=?=", "Hello"),
        ("=?base64?-_-_?=", "\ufbff\ufbff"),
        ("us-west1, us-west1", "us-west1"),
        ("US-WEST1", "us-west1"),
        ("us-west1\x00", "us-west1"),
        ("us-west1\x7f", "us-west1"),
        ("Za\u00fc", "Za\u00fc"),
        ("", "us-west1"),
    ],
)
async def test_what_is_not_the_string_is_refused(header: str, value: str) -> None:
    await refused({"region": value}, {"Mcp-Param-Region": header})


@pytest.mark.parametrize("name", ["Mcp-Param-Region", "mcp-param-region", "MCP-PARAM-REGION"])
async def test_the_name_of_a_header_has_no_case(name: str) -> None:
    await accepted({"region": "a"}, {name: "a"})


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("42", 42),
        ("42.0", 42),
        ("-7", -7),
        ("0", 0),
        ("-0", 0),
        ("042", 42),
        ("4.2e1", 42),
        ("9007199254740991", 9007199254740991),
        ("-9007199254740991", -9007199254740991),
        (encoded("42"), 42),
        ("42", 42.0),
    ],
)
async def test_an_integer_is_repeated_as_a_number(header: str, value: Any) -> None:
    await accepted({"number": value}, {"Mcp-Param-Number": header})


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("43", 42),
        ("42.5", 42),
        ("4_2", 42),
        ("0x2a", 42),
        ("forty-two", 42),
        ("", 0),
        ("nan", 42),
        ("inf", 42),
        ("true", 1),
        ("9007199254740992", 9007199254740991),
        (encoded("٤٢"), 42),
        (encoded(" 42 "), 42),
        (encoded("42\n"), 42),
        ("42, 42", 42),
    ],
)
async def test_what_is_not_the_integer_is_refused(header: str, value: int) -> None:
    await refused({"number": value}, {"Mcp-Param-Number": header})


@pytest.mark.parametrize("value", [True, False])
async def test_a_boolean_is_repeated_in_lower_case(value: bool) -> None:
    await accepted({"fast": value}, {"Mcp-Param-Fast": str(value).lower()})
    RAN.clear()
    for header in (
        str(value),
        str(value).upper(),
        str(int(value)),
        str(not value).lower(),
        "",
        "x",
    ):
        await refused({"fast": value}, {"Mcp-Param-Fast": header})


async def test_a_property_of_an_object_is_repeated_by_its_path() -> None:
    arguments = {"place": {"inner": {"city": "Oslo"}}}
    await accepted(arguments, {"Mcp-Param-City": "Oslo"})
    RAN.clear()
    await refused(arguments, {})
    await refused(arguments, {"Mcp-Param-City": "Lisbon"})
    await refused({"place": {"city": "Oslo"}}, {"Mcp-Param-City": "Oslo"})
    await refused({"city": "Oslo"}, {"Mcp-Param-City": "Oslo"})


@pytest.mark.parametrize("place", ["Oslo", ["Oslo"], 3, None, {"inner": "Oslo"}])
async def test_where_the_path_leads_nowhere_there_is_no_value(place: Any) -> None:
    await refused({"place": place}, {"Mcp-Param-City": "Oslo"})
    # Without the header it is the schema that has something to say.
    answer = await Http(Mirroring).post(calling("query", {"place": place}))
    assert answer.status == 200


@pytest.mark.parametrize("value", [{}, [], ["us-west1"], {"region": "us-west1"}, 5, True])
async def test_a_value_of_another_type_is_refused_or_named_and_never_runs(value: Any) -> None:
    answer = await Http(Mirroring).probe(
        calling("query", {"region": value}), headers={"Mcp-Param-Region": "us-west1"}
    )
    assert answer.status == 400 or answer.is_error
    assert RAN == []


async def test_every_header_is_checked_and_not_the_first_alone() -> None:
    arguments = {"region": "a", "number": 1, "fast": True, "place": {"inner": {"city": "b"}}}
    headers = {
        "Mcp-Param-Region": "a",
        "Mcp-Param-Number": "1",
        "Mcp-Param-Fast": "true",
        "Mcp-Param-City": "b",
    }
    await accepted(arguments, headers)
    RAN.clear()
    for name in headers:
        await refused(arguments, {**headers, name: "wrong"})
        await refused(arguments, {**headers, name: None})


async def test_a_refusal_shows_no_more_of_a_header_than_it_has_to() -> None:
    answer = await Http(Mirroring).post(
        calling("query", {"region": "secret-in-the-body"}),
        headers={"Mcp-Param-Region": "x" * 1000},
    )
    assert "secret-in-the-body" not in answer.error["message"]
    assert len(answer.error["message"]) < 200


async def test_a_stream_is_refused_in_the_same_way() -> None:
    body = calling("query", {"region": "a"}, token=1, level="debug")
    answer = await Http(Mirroring).probe(body)
    assert answer.refusal == (400, -32020)
    assert not answer.is_stream


async def test_a_client_that_repeats_well_is_served_by_the_tools_that_it_lists() -> None:
    """As a client has it from tools/list, and from nothing else."""
    http = Http(Mirroring)
    listed = (await http.call("tools/list")).result["tools"]
    [query] = [tool for tool in listed if tool["name"] == "query"]
    properties = query["inputSchema"]["properties"]
    assert properties["region"]["x-mcp-header"] == "Region"
    assert properties["number"]["x-mcp-header"] == "Number"
    assert properties["fast"]["x-mcp-header"] == "Fast"
    inner = properties["place"]["properties"]["inner"]["properties"]
    assert inner["city"]["x-mcp-header"] == "City"
