"""voluptuous mappings as declarations."""

# ruff: noqa: E501  (tables of sentences read best with a case a line)
from __future__ import annotations

import datetime
import enum
import re
from typing import Any

import jsonschema
import pytest
import voluptuous as vol

from anubis_py.errors import ConfigurationError
from anubis_py.schema.faults import Invalid
from anubis_py.schema.schema import Schema


class Unit(enum.Enum):
    METRE = "m"
    FOOT = "ft"


def advertised(validator: Any) -> Any:
    document = Schema.of({"n": validator}, owner="tool t").json_schema
    jsonschema.Draft202012Validator.check_schema(document)
    return document["properties"]["n"]


def closed(name: str) -> Any:
    properties = {name: {"type": "integer"}}
    return {"type": "object", "properties": properties, "additionalProperties": False}


@pytest.mark.parametrize(
    ("validator", "document"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (object, {}),
        (dict, {"type": "object"}),
        (list, {"type": "array"}),
        (Unit, {"type": "string", "enum": ["m", "ft"]}),
        ("a", {"type": "string", "const": "a"}),
        (1, {"type": "integer", "const": 1}),
        ([str], {"type": "array", "items": {"type": "string"}}),
        ([], {"type": "array", "maxItems": 0}),
        ([str, int], {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}),
        ({str: int}, {"type": "object", "additionalProperties": {"type": "integer"}}),
        ({}, {"type": "object", "additionalProperties": False}),
        (vol.Maybe(str), {"anyOf": [{"type": "null"}, {"type": "string"}]}),
        (
            vol.Any(vol.Any(str, {"a": int}), None, {"b": int}),
            {
                "anyOf": [{"type": "string"}, closed("a"), {"type": "null"}, closed("b")],
            },
        ),
        (vol.Any("a", "b"), {"type": "string", "enum": ["a", "b"]}),
        (vol.Any(str), {"type": "string"}),
        (vol.In(["a", "b"]), {"type": "string", "enum": ["a", "b"]}),
        (vol.In({"b", "a"}), {"type": "string", "enum": ["a", "b"]}),
        (vol.In({"a": 1}), {"type": "string", "const": "a"}),
        (vol.In(Unit), {"type": "string", "enum": ["m", "ft"]}),
        (vol.All(str, vol.In(["a", "b"])), {"type": "string", "enum": ["a", "b"]}),
        (vol.Range(min=1), {"type": "number", "minimum": 1}),
        (vol.All(int, vol.Range(min=1, max=3)), {"type": "integer", "minimum": 1, "maximum": 3}),
        (
            vol.All(float, vol.Range(min=1, max=3, min_included=False, max_included=False)),
            {"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 3},
        ),
        (vol.All(int, vol.Range(min=1), vol.Range(max=3)), {"type": "integer", "minimum": 1, "maximum": 3}),
        (vol.All(str, vol.Length(min=1, max=3)), {"type": "string", "minLength": 1, "maxLength": 3}),
        (vol.All([int], vol.Length(max=3), vol.Unique()), {"type": "array", "items": {"type": "integer"}, "maxItems": 3, "uniqueItems": True}),
        (vol.Match("a+"), {"type": "string", "pattern": "^(?:a+)"}),
        (vol.Match(re.compile("a|b")), {"type": "string", "pattern": "^(?:a|b)"}),
        (vol.Schema([int]), {"type": "array", "items": {"type": "integer"}}),
        (vol.Schema({"a": int}, extra=vol.ALLOW_EXTRA), {"type": "object", "properties": {"a": {"type": "integer"}}}),
    ],
)  # fmt: skip
def test_advertised_document(validator: Any, document: Any) -> None:
    assert advertised(validator) == document


def test_keys() -> None:
    schema = Schema.of(
        {
            vol.Required("a", description="the first"): str,
            vol.Required("b", default=3): int,
            vol.Optional("c", default=list): [str],
            vol.Optional("d"): {vol.Required("e"): bool},
            "f": datetime.date,
        },
        owner="tool t",
    )
    assert schema.json_schema["required"] == ["a"]
    assert schema.json_schema["properties"]["a"]["description"] == "the first"
    assert schema.validate({"a": "x", "f": "2024-02-29"}) == {
        "a": "x",
        "b": 3,
        "c": [],
        "f": datetime.date(2024, 2, 29),
    }
    with pytest.raises(
        Invalid, match=r"^a: required, missing; d\.e: required, missing; z: not exp"
    ):
        schema.validate({"d": {}, "z": 1})


def test_what_the_enclosing_schema_says_holds_inside_it() -> None:
    schema = Schema.of(
        vol.Schema({"a": {"b": int, vol.Optional("c"): int}}, required=True, extra=vol.ALLOW_EXTRA),
        owner="tool t",
    )
    assert schema.json_schema == {
        "type": "object",
        "properties": {
            "a": {
                "type": "object",
                "properties": {"b": {"type": "integer"}, "c": {"type": "integer"}},
                "required": ["b"],
            }
        },
        "required": ["a"],
    }


def test_unions_inside_unions() -> None:
    schema = Schema.of({"n": vol.Any(vol.Any(str, {"a": int}), None, {"b": int})}, owner="tool t")
    assert schema.validate({"n": {"b": 1}}) == {"n": {"b": 1}}
    with pytest.raises(Invalid, match=r"^n\.b: expected integer, got string$"):
        schema.validate({"n": {"b": "x"}})
    with pytest.raises(Invalid, match=r"^n: expected string or object or null, got integer$"):
        schema.validate({"n": 1})


@pytest.mark.parametrize("extra", [{vol.Extra: object}, {str: object}])
def test_extra_keys(extra: Any) -> None:
    schema = Schema.of({"a": int, **extra}, owner="tool t")
    assert schema.validate({"a": 1, "b": "x"}) == {"a": 1, "b": "x"}


class Unlisted:
    def __contains__(self, value: object) -> bool:
        return True


UNLISTED = Unlisted()
CAN = r"What can be said: types, literals, .*vol\.Unique\. Check the rest in the callback$"


@pytest.mark.parametrize(
    ("declaration", "sentence"),
    [
        ({"a": vol.Coerce(int)}, r"^tool t: key 'a': vol\.Coerce cannot be said in JSON Schema\. Name the type"),
        ({"a": vol.All(str, vol.Lower)}, rf"^tool t: key 'a': Lower cannot be said in JSON Schema\. {CAN}"),
        ({"a": lambda value: value}, rf"^tool t: key 'a': .*<lambda> cannot be said in JSON Schema\. {CAN}"),
        ({"a": vol.Date()}, r"^tool t: key 'a': vol\.Date cannot .* Use datetime\.date$"),
        ({"a": {"b": vol.NotIn([1])}}, r"^tool t: key 'a': key 'b': vol\.NotIn cannot be said"),
        ({"a": vol.Union(str, int)}, r"^tool t: key 'a': vol\.Union cannot be said"),
        ({"a": vol.Length(min=1)}, r"^tool t: key 'a': vol\.Length alone does not say the type\. Write vol\.All\(str"),
        ({"a": vol.All(str, int)}, r"^tool t: key 'a': vol\.All has more than one type"),
        ({"a": vol.All(str, vol.Range(min=1))}, r"^tool t: key 'a': gte says nothing about string"),
        ({"a": vol.All(int, vol.Range(min=1), vol.Range(min=2))}, r"^tool t: key 'a': gte is given twice"),
        ({"a": vol.All(str, vol.In([1]))}, r"^tool t: key 'a': vol\.In offers 1, which is no string"),
        ({"a": vol.Match("(?i)a")}, r"^tool t: key 'a': regex (has flags|uses)"),
        ({"a": vol.In(UNLISTED)}, r"^tool t: key 'a': vol\.In\(.*\) cannot be listed"),
        ({"a": vol.Any()}, r"^tool t: key 'a': vol\.Any is empty"),
        ({"a": bytes}, r"^tool t: key 'a': bytes cannot be declared"),
        ({vol.Exclusive("a", "g"): int}, r"^tool t: key 'a': vol\.Exclusive cannot be advertised"),
        ({vol.Remove("a"): int}, r"^tool t: key 'a': vol\.Remove cannot be advertised"),
        ({1: int}, r"^tool t: key 1: a key must be a str, vol\.Required\(str\)"),
        ({vol.Optional("a", default="x"): int}, r"^tool t: key 'a': its own type refuses the default"),
        (vol.Schema([int]), r"^tool t: vol\.Schema\(.*\) is no object"),
        (vol.Schema({"a": int}, extra=vol.REMOVE_EXTRA), r"^tool t: extra=vol\.REMOVE_EXTRA takes members"),
        ({"type": "object", "properties": {}}, r"^tool t: this is raw JSON Schema"),
    ],
)  # fmt: skip
def test_wrong_mappings(declaration: Any, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        Schema.of(declaration, owner="tool t")
