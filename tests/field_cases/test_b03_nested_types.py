"""B03: one source of truth for the advertised schema and the check, at every depth."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import anyio
import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from support.client import CheckedClient, Http
from support.schema import check_json_schema

from anubis_py import (
    ConfigurationError,
    Response,
    ServerBehaviour,
    Tool,
    ToolComponent,
    embeds_one,
    enum,
    field,
)

pytestmark = pytest.mark.one_loop

SEEN: list[Any] = []


@attrs.frozen
class Node:
    name: str
    children: list[Node]
    kind: Literal["leaf", "branch"]


@attrs.frozen
class Plan:
    tree: Node
    mode: Literal["dry", "wet"]
    size: Literal["s", "m", "l"]
    depth: int = 3


class _Plant(ToolComponent, abstract=True):
    async def execute(self, args: Any, frame: Any) -> Any:
        SEEN.append(args)
        return Response.tool().text("planted")


class ByClass(_Plant):
    schema = Plan


class ByFields(_Plant):
    schema = (
        field("tree", Node, required=True),
        field("mode", enum("dry", "wet"), required=True),
        field("size", enum("s", "m", "l"), required=True),
        field("depth", int, default=3),
    )


class ByJsonSchema(_Plant):
    def input_schema(self) -> Any:
        return {
            "type": "object",
            "properties": {
                "tree": {"$ref": "#/$defs/Node"},
                "mode": {"enum": ["dry", "wet"]},
                "size": {"enum": ["s", "m", "l"]},
                "depth": {"type": "integer", "default": 3},
            },
            "required": ["tree", "mode", "size"],
            "additionalProperties": False,
            "$defs": {
                "Node": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                        "kind": {"enum": ["leaf", "branch"]},
                    },
                    "required": ["name", "children", "kind"],
                    "additionalProperties": False,
                }
            },
        }


class Nested(ServerBehaviour):
    name = "nested"
    version = "1"
    components = (ByClass, ByFields, ByJsonSchema)


TOOLS = ("by_class", "by_fields", "by_json_schema")

GOOD: dict[str, Any] = {
    "mode": "wet",
    "size": "m",
    "tree": {
        "name": "r",
        "kind": "branch",
        "children": [{"name": "a", "kind": "leaf", "children": []}],
    },
}


def changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    arguments = copy.deepcopy(GOOD)
    change(arguments)
    return arguments


def inner(arguments: dict[str, Any]) -> dict[str, Any]:
    child: dict[str, Any] = arguments["tree"]["children"][0]
    return child


@pytest.fixture
def http() -> Http:
    SEEN.clear()
    return Http(Nested)


@pytest.mark.anyio
@pytest.mark.parametrize("name", TOOLS)
async def test_the_advertised_schema_stands_on_its_own(http: Http, name: str) -> None:
    tools = {t["name"]: t for t in (await http.call("tools/list")).result["tools"]}
    schema = tools[name]["inputSchema"]
    assert schema["type"] == "object"
    check_json_schema(schema)
    # A recursive type needs a definition; it stands at the root, where its reference looks.
    assert set(schema["$defs"]) == {"Node"}
    for sub in schema["properties"].values():
        if "default" in sub:
            Draft202012Validator({**sub, "$defs": schema["$defs"]}).validate(sub["default"])


@pytest.mark.anyio
async def test_the_handler_gets_the_nested_value_and_the_default(http: Http) -> None:
    assert (await http.tool("by_class", GOOD)).text == "planted"
    assert [Plan(Node("r", [Node("a", [], "leaf")], "branch"), "wet", "m", 3)] == SEEN
    SEEN.clear()
    assert (await http.tool("by_fields", GOOD)).text == "planted"
    tree = Node("r", [Node("a", [], "leaf")], "branch")
    assert [{"tree": tree, "mode": "wet", "size": "m", "depth": 3}] == SEEN
    SEEN.clear()
    assert (await http.tool("by_json_schema", GOOD)).text == "planted"
    assert SEEN == [GOOD]


@pytest.mark.anyio
@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        pytest.param(
            changed(lambda a: inner(a).update(kind="twig")), "tree.children[0].kind", id="b"
        ),
        pytest.param(changed(lambda a: inner(a).pop("name")), "tree.children[0].name", id="c"),
        pytest.param(changed(lambda a: a.update(mode="damp")), "mode", id="d"),
        pytest.param(
            changed(lambda a: inner(a).update(leaves=3)), "tree.children[0].leaves", id="e"
        ),
        pytest.param(
            changed(lambda a: inner(a).update(children=[GOOD["tree"], {"name": 5}])),
            "tree.children[0].children[1].name",
            id="two levels down",
        ),
        pytest.param(changed(lambda a: a.update(depth="3")), "depth", id="a text for a number"),
        pytest.param(changed(lambda a: a.update(depth=True)), "depth", id="true for a number"),
        pytest.param(changed(lambda a: a.pop("size")), "size", id="the other enumeration"),
    ],
)
async def test_a_fault_deep_inside_is_told_by_its_path(
    http: Http, name: str, arguments: dict[str, Any], path: str
) -> None:
    answer = await http.tool(name, arguments)
    assert answer.is_error
    assert f"{path}:" in answer.text
    assert SEEN == []
    await http.alive()


@pytest.mark.anyio
@pytest.mark.parametrize("name", TOOLS)
async def test_every_value_of_every_enumeration_is_taken(http: Http, name: str) -> None:
    for mode in ("dry", "wet"):
        for size in ("s", "m", "l"):
            assert not (await http.tool(name, {**GOOD, "mode": mode, "size": size})).is_error


@pytest.mark.anyio
async def test_all_faults_are_told_at_once(http: Http) -> None:
    answer = await http.tool("by_class", {"mode": "damp", "tree": {"kind": "twig"}, "depth": 1.5})
    for path in ("mode", "size", "depth", "tree.name", "tree.kind", "tree.children"):
        assert f"{path}:" in answer.text


@pytest.mark.anyio
async def test_no_value_is_echoed_to_the_model(http: Http) -> None:
    answer = await http.tool("by_class", {**GOOD, "mode": "hunter2", "depth": "s3cret"})
    assert answer.is_error
    assert "hunter2" not in answer.text
    assert "s3cret" not in answer.text


# Accepted by the server if, and only if, a stock validator accepts it.

scalar = st.sampled_from(["s", "wet", "leaf", "branch", "", 0, 3, 3.0, 1.5, True, None])
nodes: st.SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries(
        {"name": st.sampled_from(["a", "", 5, None])},
        optional={"kind": scalar, "children": st.sampled_from([[], None, "", {}])},
    ),
    lambda inside: st.fixed_dictionaries(
        {"name": st.just("n"), "kind": st.sampled_from(["leaf", "branch", "twig"])},
        optional={"children": st.lists(inside | scalar, max_size=2), "extra": scalar},
    ),
    max_leaves=3,
)
plans = st.fixed_dictionaries(
    {"tree": nodes | st.just(GOOD["tree"]), "mode": st.sampled_from(["wet", "dry", "damp", 1])},
    optional={"size": st.sampled_from(["s", "l", "xl"]), "depth": scalar, "more": scalar},
) | st.just(GOOD)


@given(plans)
@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("name", TOOLS)
def test_the_server_and_a_stock_validator_accept_the_same(
    name: str, arguments: dict[str, Any]
) -> None:
    stock, client = Draft202012Validator(advertised(name)), CheckedClient(Nested)
    result = anyio.run(client.call_tool, name, arguments)
    assert result["isError"] is not stock.is_valid(arguments), result["content"]


@cache
def advertised(name: str) -> dict[str, Any]:
    result = anyio.run(CheckedClient(Nested).list_tools)
    schema: dict[str, Any] = next(t["inputSchema"] for t in result["tools"] if t["name"] == name)
    return schema


@pytest.mark.anyio
async def test_a_reference_to_the_network_is_never_advertised() -> None:
    with pytest.raises(ConfigurationError, match=r"^tool 't': \$ref to 'https://a\.example/s'"):
        Tool("t", None, {"type": "object", "$ref": "https://a.example/s"})


@pytest.mark.anyio
async def test_embedded_objects_are_told_by_their_path_too() -> None:
    class Send(ToolComponent):
        schema = (embeds_one("to", (field("street", str, required=True),), required=True),)

        def execute(self, args: Any, frame: Any) -> Any:
            return Response.tool().text(args["to"]["street"])

    class Post(ServerBehaviour):
        name = "post"
        version = "1"
        components = (Send,)

    http = Http(Post)
    assert (await http.tool("send", {"to": {"street": "High St"}})).text == "High St"
    assert "to.street:" in (await http.tool("send", {"to": {}})).text
