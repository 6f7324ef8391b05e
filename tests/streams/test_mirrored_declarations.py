"""What may be declared to be repeated in a header. Clients drop a tool that breaks one of these
rules, so the class cannot be created."""

from __future__ import annotations

from typing import Any

import pytest
from support.client import Http

from anubis_py import (
    ConfigurationError,
    Response,
    ServerBehaviour,
    ToolComponent,
    embeds_many,
    embeds_one,
    enum,
    field,
)

HEADER = "x-mcp-header"


def declared(*fields: Any) -> type[ToolComponent]:
    class Declared(ToolComponent):
        schema = fields

        def execute(self, args: Any, frame: Any) -> Any:
            return Response.tool().text("x")

    return Declared


def raw(**members: Any) -> type[ServerBehaviour]:
    """A server, for a schema in JSON may be known only when the tool is."""

    class Raw(ToolComponent):
        def input_schema(self) -> dict[str, Any]:
            return {"type": "object", **members}

        def execute(self, args: Any, frame: Any) -> Any:
            return Response.tool().text("x")

    class Server(ServerBehaviour):
        name = "server"
        version = "1"
        components = (Raw,)

    Server()
    return Server


def annotated(name: Any = "Region", kind: Any = "string", **more: Any) -> dict[str, Any]:
    return {"type": kind, HEADER: name, **more}


@pytest.mark.parametrize("name", ["Region", "x", "A-b_c.d~1", "!#$%&'*+-.^_`|~", "0"])
def test_a_name_is_a_token(name: str) -> None:
    declared(field("a", str, header=name))
    raw(properties={"a": annotated(name)})


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "My Region",
        "Region:Primary",
        "Région",
        "a\r\nb",
        "a\n",
        "a\t",
        "a\x00",
        "a/b",
        '"a"',
    ],
)
def test_what_is_no_token_is_no_name(name: str) -> None:
    with pytest.raises(ConfigurationError, match="a"):
        declared(field("a", str, header=name))
    with pytest.raises(ConfigurationError, match=r"\ba\b"):
        raw(properties={"a": annotated(name)})


@pytest.mark.parametrize("name", [None, 5, True, ["Region"], {}])
def test_what_is_no_string_is_no_name(name: Any) -> None:
    with pytest.raises(ConfigurationError):
        raw(properties={"a": annotated(name)})


@pytest.mark.parametrize("second", ["Region", "REGION", "region"])
def test_two_properties_cannot_have_one_header(second: str) -> None:
    with pytest.raises(ConfigurationError, match=r"(?i)region"):
        declared(field("a", str, header="Region"), field("b", str, header=second))
    with pytest.raises(ConfigurationError, match=r"(?i)region"):
        raw(properties={"a": annotated("Region"), "b": annotated(second)})
    nested = {"type": "object", "properties": {"c": annotated(second)}}
    with pytest.raises(ConfigurationError, match=r"(?i)region"):
        raw(properties={"a": annotated("Region"), "b": nested})


@pytest.mark.parametrize("kind", ["string", "integer", "boolean"])
def test_primitive_types_can_be_repeated(kind: str) -> None:
    raw(properties={"a": annotated(kind=kind)})


@pytest.mark.parametrize(
    "kind", ["number", "object", "array", "null", None, ["string", "null"], ["integer", "string"]]
)
def test_no_other_type_can(kind: Any) -> None:
    with pytest.raises(ConfigurationError):
        raw(properties={"a": annotated(kind=kind)})


def test_a_property_without_a_type_cannot() -> None:
    with pytest.raises(ConfigurationError):
        raw(properties={"a": {HEADER: "Region"}})


def test_the_types_of_fields_that_can() -> None:
    declared(
        field("a", str, header="A"),
        field("b", int, header="B"),
        field("c", bool, header="C"),
        field("d", enum("x", "y"), header="D"),
    )


@pytest.mark.parametrize("kind", [float, list[str], dict])
def test_the_types_of_fields_that_cannot(kind: Any) -> None:
    with pytest.raises(ConfigurationError):
        declared(field("a", kind, header="Region"))


def test_a_property_of_an_object_may_be_annotated_at_any_depth() -> None:
    declared(embeds_one("a", [embeds_one("b", [field("c", str, header="Region")])]))
    inner = {"type": "object", "properties": {"b": annotated()}}
    raw(properties={"a": {"type": "object", "properties": {"a": inner}}})


def test_a_property_of_a_list_cannot() -> None:
    with pytest.raises(ConfigurationError, match="items"):
        declared(embeds_many("a", [field("b", str, header="Region")]))


OBJECT = {"type": "object", "properties": {"b": annotated()}}


@pytest.mark.parametrize(
    "members",
    [
        {"properties": {"a": {"type": "array", "items": OBJECT}}},
        {"properties": {"a": {"type": "array", "items": annotated()}}},
        {"properties": {"a": {"type": "array", "prefixItems": [annotated()]}}},
        {"properties": {"a": {"type": "array", "contains": annotated()}}},
        {"oneOf": [OBJECT]},
        {"anyOf": [OBJECT]},
        {"allOf": [OBJECT]},
        {"not": OBJECT},
        {"if": OBJECT},
        {"if": {}, "then": OBJECT},
        {"if": {}, "else": OBJECT},
        {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": annotated()}},
        {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": OBJECT}},
        {"properties": {"a": {"anyOf": [annotated()]}}},
        {"properties": {"a": {"type": "object", "allOf": [OBJECT]}}},
        {"patternProperties": {"^a": annotated()}},
        {"additionalProperties": annotated()},
        {"unevaluatedProperties": annotated()},
        {"propertyNames": annotated()},
        {"dependentSchemas": {"a": OBJECT}},
        {"definitions": {"a": annotated()}},
        {HEADER: "Region"},
    ],
    ids=str,
)
def test_what_is_not_reached_through_properties_alone_cannot(members: Any) -> None:
    with pytest.raises(ConfigurationError):
        raw(**members)


@pytest.mark.parametrize(
    "members",
    [
        {"properties": {HEADER: {"type": "string"}}},
        {"properties": {"a": {"type": "object", "properties": {HEADER: {"type": "number"}}}}},
        {"properties": {"a": {"default": {HEADER: "no annotation"}}}},
        {"properties": {"a": {"const": {HEADER: "no annotation"}}}},
        {"properties": {"a": {"enum": [{HEADER: "no annotation"}]}}},
        {"properties": {"a": {"examples": [{HEADER: "no annotation"}]}}},
        {"required": [HEADER]},
        {"description": HEADER},
    ],
    ids=str,
)
def test_what_only_looks_like_an_annotation_is_none(members: Any) -> None:
    raw(**members)


def test_the_error_names_tool_and_property() -> None:
    with pytest.raises(ConfigurationError, match=r"Declared.*\ba\b|a: .*header"):
        declared(field("a", float, header="Region"))


@pytest.mark.anyio
@pytest.mark.one_loop
async def test_what_is_declared_is_listed() -> None:
    class Server(ServerBehaviour):
        name = "server"
        version = "1"
        components = (declared(field("a", str, header="Region")),)

    [tool] = (await Http(Server).call("tools/list")).result["tools"]
    assert tool["inputSchema"]["properties"]["a"][HEADER] == "Region"
