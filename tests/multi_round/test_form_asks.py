"""Forms on the wire: what they say, and what they refuse to say."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from datetime import date, datetime, time
from types import MappingProxyType
from typing import Any

import attrs
import pytest

from anubis_py import ConfigurationError, ask_form, embeds_many, embeds_one, field, literal
from anubis_py import enum as one_of
from anubis_py.asks.from_wire import ask_from_wire
from anubis_py.asks.roots import ask_roots
from multi_round.revision_schema import check

COLORS = {"#f00": "Red", "#0f0": "Green"}
TITLED = [{"const": "#f00", "title": "Red"}, {"const": "#0f0", "title": "Green"}]


class Size(enum.Enum):
    SMALL = "s"
    LARGE = "l"


def property_of(declared: Any, **options: Any) -> dict[str, Any]:
    ask = ask_form("Please", [field("x", declared, **options)])
    property_: dict[str, Any] = ask.to_wire()["params"]["requestedSchema"]["properties"]["x"]
    return property_


@pytest.mark.parametrize(
    ("declared", "options", "definition", "wire"),
    [
        (str, {}, "StringSchema", {"type": "string"}),
        (
            str,
            {"min_length": 3, "max_length": 50, "format": "email", "default": "a@b.example"},
            "StringSchema",
            {
                "type": "string",
                "minLength": 3,
                "maxLength": 50,
                "format": "email",
                "default": "a@b.example",
            },
        ),
        (
            str,
            {"format": "uri", "title": "Page", "description": "Where"},
            "StringSchema",
            {"type": "string", "format": "uri", "title": "Page", "description": "Where"},
        ),
        (str, {"format": "date"}, "StringSchema", {"type": "string", "format": "date"}),
        (date, {}, "StringSchema", {"type": "string", "format": "date"}),
        (
            date,
            {"default": date(2024, 2, 29)},
            "StringSchema",
            {"type": "string", "format": "date", "default": "2024-02-29"},
        ),
        (datetime, {}, "StringSchema", {"type": "string", "format": "date-time"}),
        (
            int,
            {"min": 0, "max": 9},
            "NumberSchema",
            {"type": "integer", "minimum": 0, "maximum": 9},
        ),
        (
            float,
            {"gte": 0.5, "default": 1.5},
            "NumberSchema",
            {"type": "number", "minimum": 0.5, "default": 1.5},
        ),
        ("number", {"lte": 2}, "NumberSchema", {"type": "number", "maximum": 2}),
        (bool, {"default": False}, "BooleanSchema", {"type": "boolean", "default": False}),
        (
            one_of("red", "green"),
            {"default": "red"},
            "UntitledSingleSelectEnumSchema",
            {"type": "string", "enum": ["red", "green"], "default": "red"},
        ),
        (
            one_of("only"),
            {},
            "UntitledSingleSelectEnumSchema",
            {"type": "string", "enum": ["only"]},
        ),
        (literal("only"), {}, "EnumSchema", {"type": "string", "enum": ["only"]}),
        (Size, {}, "UntitledSingleSelectEnumSchema", {"type": "string", "enum": ["s", "l"]}),
        (
            one_of(COLORS),
            {"title": "Colour", "default": "#0f0"},
            "TitledSingleSelectEnumSchema",
            {"type": "string", "oneOf": TITLED, "title": "Colour", "default": "#0f0"},
        ),
        (
            list[one_of("red", "green")],  # type: ignore[misc]
            {"min": 1, "max": 2, "default": ["red"]},
            "UntitledMultiSelectEnumSchema",
            {
                "type": "array",
                "items": {"type": "string", "enum": ["red", "green"]},
                "minItems": 1,
                "maxItems": 2,
                "default": ["red"],
            },
        ),
        (
            list[one_of(COLORS)],  # type: ignore[misc]
            {"max": 2},
            "TitledMultiSelectEnumSchema",
            {"type": "array", "items": {"anyOf": TITLED}, "maxItems": 2},
        ),
        (
            list[Size],
            {},
            "UntitledMultiSelectEnumSchema",
            {"type": "array", "items": {"type": "string", "enum": ["s", "l"]}},
        ),
    ],
)
def test_each_kind_of_field_in_the_words_of_the_revision(
    declared: Any, options: dict[str, Any], definition: str, wire: dict[str, Any]
) -> None:
    found = property_of(declared, **options)
    assert found == wire
    check(definition, found, closed=True)
    check("PrimitiveSchemaDefinition", found)


def test_a_whole_form_is_an_elicitation_of_the_revision() -> None:
    ask = ask_form("Who?", [field("name", str, required=True), field("age", int)])
    assert ask.to_wire() == {
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": "Who?",
            "requestedSchema": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
                "required": ["name"],
            },
        },
    }
    check("ElicitRequest", ask.to_wire(), closed=True)
    assert ask.needs == {"elicitation": {"form": {}}}


def test_a_form_without_fields_asks_for_a_yes() -> None:
    wire = ask_form("Go on?").to_wire()
    assert wire["params"]["requestedSchema"] == {"type": "object", "properties": {}}
    check("ElicitRequest", wire, closed=True)


RAW = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "old": {"type": "string", "enum": ["a", "b"], "enumNames": ["Alpha", "Beta"]},
        "day": {"type": "string", "format": "date", "minLength": 10, "title": "Day"},
        "many": {"type": "array", "items": {"anyOf": TITLED}, "minItems": 1},
        "yes": {"type": "boolean", "default": True},
    },
    "required": ["old", "yes"],
}


def test_raw_json_schema_goes_out_word_for_word() -> None:
    wire = ask_form("Please", RAW).to_wire()
    assert wire["params"]["requestedSchema"] == RAW
    assert list(wire["params"]["requestedSchema"]["properties"]) == list(RAW["properties"])
    check("ElicitRequest", wire)
    assert ask_form("Please", MappingProxyType(RAW)).to_wire() == wire


def test_raw_json_schema_is_copied() -> None:
    raw = {"type": "object", "properties": {"x": {"type": "string"}}}
    ask = ask_form("Please", raw)
    raw["properties"]["y"] = {"type": "integer"}  # type: ignore[index]
    assert list(ask.schema["properties"]) == ["x"]


@attrs.frozen
class Person:
    name: str


@pytest.mark.parametrize(
    ("fields", "parts"),
    [
        ([field("x", str, regex="^a")], ["field 'x'", "regex", "callback"]),
        ([field("x", str, format="phone")], ["field 'x'", "'phone'", "email, uri"]),
        ([field("x", time)], ["field 'x'", "'time'"]),
        ([field("x", int, gt=0)], ["field 'x'", "exclusiveMinimum", "Use min"]),
        ([field("x", int, lt=0)], ["field 'x'", "exclusiveMaximum", "Use max"]),
        ([field("x", int, multiple_of=2)], ["field 'x'", "multipleOf"]),
        ([field("x", str, examples=["a"])], ["field 'x'", "examples", "description"]),
        ([field("x", str, deprecated=True)], ["field 'x'", "deprecated"]),
        ([field("x", one_of(1, 2))], ["field 'x'", "texts", 'enum("1", "2")']),
        ([field("x", one_of("a", 1))], ["field 'x'", "more than one type"]),
        ([field("x", one_of({1: "One"}))], ["field 'x'", "texts"]),
        ([field("x", str | None)], ["field 'x'", "no None", "leave required out"]),
        ([field("x", Any)], ["field 'x'", "more than one type"]),
        ([field("x", dict)], ["field 'x'", "'object'", "no objects"]),
        ([field("x", Person)], ["field 'x'", "'object'"]),
        ([embeds_one("x", [field("y", str)])], ["field 'x'", "'object'"]),
        ([embeds_many("x", [field("y", str)])], ["field 'x'", "list[enum"]),
        ([field("x", list)], ["field 'x'", "list[enum"]),
        ([field("x", list[str])], ["field 'x'", "list[enum"]),
        ([field("x", list[one_of(1)])], ["field 'x'", "items.enum", "texts"]),  # type: ignore[misc]
        (
            [field("x", list[one_of("a")], unique=True)],  # type: ignore[misc]
            ["field 'x'", "uniqueItems"],
        ),
        ([field("x", str), field("x", str)], ["'x' is declared twice"]),
        (["x"], ["must be a field"]),
        (Person, ["Person", "list of field"]),
        (None, ["NoneType"]),
    ],
)
def test_what_a_form_cannot_say(fields: Any, parts: list[str]) -> None:
    with pytest.raises(ConfigurationError, match=r"^ask_form: ") as raised:
        ask_form("Please", fields)
    for part in parts:
        assert part in str(raised.value)


def root(**members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {}, **members}


def of(**property_: Any) -> dict[str, Any]:
    return root(properties={"x": property_})


@pytest.mark.parametrize(
    ("schema", "parts"),
    [
        ({}, ['"type": "object"']),
        ({"type": "object"}, ['"properties"']),
        ({"type": "array", "properties": {}}, ['"type": "object"']),
        (root(additionalProperties=False), ["additionalProperties"]),
        (root(propertes={}), ["propertes", "Did you mean 'properties'?"]),
        (root(required="x"), ["required must be a list"]),
        (root(required=["x"]), ["'x'", "no property"]),
        (root(required=[["x"]]), ["no property"]),
        (root(**{"$schema": 3}), ["$schema must be a str"]),
        (root(properties={"x": "string"}), ["field 'x'", "mapping, not str"]),
        (root(properties={"": {"type": "string"}}), ["field ''", "not empty"]),
        (root(properties={3: {"type": "string"}}), ["key 3"]),
        (of(type=["string", "null"]), ["field 'x'"]),
        (of(type="string", minLenght=3), ["minLenght", "Did you mean 'minLength'?"]),
        (of(type="string", minLength=-1), ["min_length"]),
        (of(type="string", minLength=3, maxLength=2), ["Exchange the bounds"]),
        (of(type="string", title=3), ["title must be a str"]),
        (of(type="string", format=3), ["formats"]),
        (of(type="string", default=3), ["default 3", "expected string"]),
        (of(type="string", default=date(2024, 2, 29)), ["date, which is not JSON"]),
        (of(type="string", enum=[]), ["no options"]),
        (of(type="string", enum=["a", "a"]), ["twice"]),
        (of(type="string", enum="ab"), ["enum must be a list of str"]),
        (of(type="string", enum=["a"], enumNames=["A", "B"]), ["2 names for 1 option"]),
        (of(type="string", enum=["a"], enumNames="A"), ["enumNames must be a list of str"]),
        (of(type="string", oneOf=[{"const": "a"}]), ["'const'", "'title'"]),
        (of(type="string", oneOf=[{"const": "a", "title": 1}]), ["title must be a str"]),
        (of(type="string", oneOf=[{"const": 1, "title": "1"}]), ["texts"]),
        (of(type="string", oneOf={}), ["oneOf"]),
        (of(type="integer", minimum="0"), ["min must be a number"]),
        (of(type="integer", default=1.5), ["default 1.5"]),
        (of(type="boolean", minimum=0), ["minimum"]),
        (of(type="array", items={"anyOf": TITLED}, default=["#000"]), ["default"]),
        (of(type="array", items={"type": "integer", "enum": [1]}), ["list[enum"]),
        (of(type="array"), ["list[enum"]),
        (of(type="array", items={"anyOf": TITLED}, minItems=3, maxItems=1), ["Exchange"]),
    ],
)
def test_what_raw_json_schema_of_a_form_cannot_be(
    schema: Mapping[str, Any], parts: list[str]
) -> None:
    with pytest.raises(ConfigurationError, match=r"^ask_form: ") as raised:
        ask_form("Please", schema)
    for part in parts:
        assert part in str(raised.value)


@pytest.mark.parametrize("message", ["", "  ", None, 3])
def test_a_form_says_why(message: Any) -> None:
    with pytest.raises(ConfigurationError, match="message that tells the user why"):
        ask_form(message, [])


def test_an_ask_survives_the_wire() -> None:
    for ask in (ask_form("Please", RAW), ask_form("Go on?"), ask_roots()):
        assert ask_from_wire(ask.to_wire()) == ask
    with pytest.raises(ConfigurationError, match="does not know"):
        ask_from_wire({"method": "tasks/create", "params": {}})
