"""B04: what follows a result is decided after asking whether it failed."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest
from support.client import Http
from support.log import ServerLog

from anubis_py import (
    Failure,
    McpError,
    NoReply,
    Response,
    ServerBehaviour,
    Tool,
    ToolComponent,
    ToolError,
    ToolProvider,
    field,
)

pytestmark = pytest.mark.anyio


@attrs.frozen
class Reading:
    celsius: float


def give(how: str) -> Any:
    match how:
        case "ok":
            return Response.tool().structured({"celsius": 21.5})
        case "summary":
            return Response.tool().structured({"celsius": 21.5}, text="mild")
        case "instance":
            return Response.tool().structured(Reading(21.5))
        case "fail":
            raise ToolError("station offline")
        case "fail by builder":
            return Response.tool().error("station offline")
        case "fail half way":
            return Response.tool().structured({"celsius": "warm"}).error("station offline")
        case "bad":
            return Response.tool().structured({"celsius": "warm"})
        case "extra":
            return Response.tool().structured({"celsius": 21.5, "kelvin": 294.65})
        case "none":
            return Response.tool().text("21 degrees")
        case "nothing":
            return NoReply()
        case "refuse":
            return Failure(McpError(4711, "not today"))
    raise AssertionError(how)


class Temp(ToolComponent):
    schema = (field("how", str, required=True),)
    output_schema = (field("celsius", float, required=True),)

    def execute(self, args: Any, frame: Any) -> Any:
        return give(args["how"])


class TempByClass(Temp):
    output_schema = Reading  # type: ignore[assignment]


class TempByJsonSchema(Temp):
    output_schema = {  # type: ignore[assignment]  # noqa: RUF012
        "type": "object",
        "properties": {"celsius": {"type": "number"}},
        "required": ["celsius"],
        "additionalProperties": False,
    }


class Anything(ToolProvider):
    """Tools whose structured value is no object, which this revision allows."""

    VALUES: dict[str, tuple[dict[str, Any], Any]] = {  # noqa: RUF012
        "names": ({"type": "array", "items": {"type": "string"}}, ["a", "b"]),
        "count": ({"type": "integer"}, 3),
        "flag": ({"type": "boolean"}, False),
        "nothing": ({"type": "null"}, None),
        "word": ({"type": "string"}, ""),
    }

    def tools(self) -> Any:
        return [
            Tool(name, output_schema=schema) for name, (schema, _) in sorted(self.VALUES.items())
        ]

    def tool_call(self, name: str, args: Any, frame: Any) -> Any:
        return Response.tool().structured(self.VALUES[name][1])


class Weather(ServerBehaviour):
    name = "weather"
    version = "1"
    components = (Temp, TempByClass, TempByJsonSchema, Anything)


TEMPS = ("temp", "temp_by_class", "temp_by_json_schema")


@pytest.fixture
def http() -> Http:
    return Http(Weather)


@pytest.mark.parametrize("name", TEMPS)
@pytest.mark.parametrize("how", ["ok", "instance"])
async def test_a_good_value_travels_as_structure_and_as_text(
    http: Http, name: str, how: str
) -> None:
    answer = await http.tool(name, {"how": how})
    assert not answer.is_error
    assert answer.result["structuredContent"] == {"celsius": 21.5}
    assert [json.loads(block["text"]) for block in answer.result["content"]] == [{"celsius": 21.5}]


async def test_a_summary_may_stand_for_the_json(http: Http) -> None:
    answer = await http.tool("temp", {"how": "summary"})
    assert answer.result["structuredContent"] == {"celsius": 21.5}
    assert answer.text == "mild"


@pytest.mark.parametrize("name", TEMPS)
@pytest.mark.parametrize("how", ["fail", "fail by builder"])
async def test_a_tools_own_failure_is_not_held_against_the_schema(
    http: Http, name: str, how: str
) -> None:
    answer = await http.tool(name, {"how": how})
    assert answer.is_error
    assert answer.text == "station offline"
    assert "structuredContent" not in answer.result


async def test_a_failure_never_carries_structure(http: Http) -> None:
    answer = await http.tool("temp", {"how": "fail half way"})
    assert answer.is_error
    assert "station offline" in answer.text
    assert "structuredContent" not in answer.result
    assert "schema" not in answer.text


async def test_a_protocol_error_is_not_held_against_the_schema(http: Http) -> None:
    answer = await http.tool("temp", {"how": "refuse"})
    assert answer.error == {"code": 4711, "message": "not today"}


@pytest.mark.parametrize("name", TEMPS)
@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("bad", "celsius"),
        ("extra", "kelvin"),
        ("none", "structured content"),
        ("nothing", "structured content"),
    ],
)
async def test_what_breaks_the_schema_is_never_a_success(
    http: Http, server_log: ServerLog, name: str, how: str, said: str
) -> None:
    answer = await http.tool(name, {"how": how})
    assert answer.message is not None
    assert "error" not in answer.message or answer.code == -32603
    assert "error" in answer.message or answer.is_error
    assert "structuredContent" not in answer.result
    line = server_log.take(f"tool '{name}'", said)
    assert "warm" not in line
    assert "294" not in line
    await http.alive()


@pytest.mark.parametrize("name", Anything.VALUES)
async def test_a_structured_value_may_be_any_json(http: Http, name: str) -> None:
    schema, value = Anything.VALUES[name]
    tools = {t["name"]: t for t in (await http.call("tools/list")).result["tools"]}
    assert tools[name]["outputSchema"] == schema
    answer = await http.tool(name)
    assert answer.result["structuredContent"] == value
    assert json.loads(answer.text) == value
    assert not answer.is_error


async def test_the_output_schema_is_advertised(http: Http) -> None:
    tools = {t["name"]: t for t in (await http.call("tools/list")).result["tools"]}
    assert tools["temp"]["outputSchema"]["required"] == ["celsius"]
    assert tools["temp"]["outputSchema"]["properties"]["celsius"] == {"type": "number"}


async def test_a_tool_without_output_schema_may_be_structured() -> None:
    class Free(ToolComponent):
        def execute(self, args: Any, frame: Any) -> Any:
            return Response.tool().structured({"anything": [1]})

    class Server(ServerBehaviour):
        name = "free"
        version = "1"
        components = (Free,)

    answer = await Http(Server).tool("free")
    assert answer.result["structuredContent"] == {"anything": [1]}
    tools = (await Http(Server).call("tools/list")).result["tools"]
    assert "outputSchema" not in tools[0]
