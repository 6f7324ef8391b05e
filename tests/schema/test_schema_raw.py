"""Raw JSON Schema: kept word for word, checked in its own dialect, never fetched."""

# ruff: noqa: E501  (tables of sentences read best with a case a line)
from __future__ import annotations

import copy
import json
import socket
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anubis_py.errors import ConfigurationError
from anubis_py.schema.faults import Invalid
from anubis_py.schema.schema import Schema

RICH = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "x-vendor": {"b": 1, "a": 2},
    "type": "object",
    "properties": {
        "z": {"$ref": "#node"},
        "a": {"type": "integer", "format": "int32", "default": 7},
    },
    "if": {"required": ["z"]},
    "then": {"required": ["a"]},
    "else": {"maxProperties": 1},
    "$defs": {"n": {"$anchor": "node", "type": "array", "items": {"$ref": "#node"}}},
    "additionalProperties": False,
}


def raw(document: Any, **options: Any) -> Schema:
    return Schema.from_json_schema(document, owner="tool t", **options)


def sentence(document: Any, value: Any) -> str:
    with pytest.raises(Invalid) as caught:
        raw(document, object_root=False).validate(value)
    return str(caught.value)


def test_kept_word_for_word() -> None:
    document = copy.deepcopy(RICH)
    schema = raw(document)
    assert json.dumps(schema.json_schema) == json.dumps(RICH)
    document.clear()
    assert json.dumps(schema.json_schema) == json.dumps(RICH)
    assert schema.names == ("z", "a")


def test_values_pass_as_they_are() -> None:
    schema = raw(RICH)
    assert schema.validate({"a": 10**30}) == {"a": 10**30}
    assert schema.validate({}) == {}
    assert schema.validate({"z": [[]], "a": 1}) == {"z": [[]], "a": 1}
    schema.check({"a": 1})
    assert (
        sentence(RICH, {"z": [[1]]}) == "z[0][0]: expected array, got integer; a: required, missing"
    )


@pytest.mark.parametrize("dialect", [
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-06/schema#",
])  # fmt: skip
def test_older_dialects(dialect: str) -> None:
    document = {
        "$schema": dialect,
        "type": "object",
        "properties": {"a": {"items": [{"type": "integer"}], "format": "date"}},
    }
    schema = raw(document)
    schema.validate({"a": [1, "x"]})
    with pytest.raises(Invalid, match=r"^a\[0\]: expected integer, got string$"):
        schema.validate({"a": ["x"]})
    schema.validate({"a": "no date"})  # format is an annotation in every dialect


def test_any_root_for_outputs() -> None:
    schema = raw({"type": "array", "items": {"type": "string"}}, object_root=False)
    assert schema.validate(["a"]) == ["a"]
    assert schema.names == ()


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({"type": "array"}, r'^tool t: the root of the schema must say "type": "object".* It says \'array\'$'),
        ({}, r"^tool t: the root .* It says 'nothing'$"),
        ({"type": ["object"]}, r"^tool t: the root "),
        ([], r"^tool t: JSON Schema must be a mapping here, not list$"),
        ({"type": "object", "properties": 3}, r"^tool t: invalid JSON Schema at properties: "),
        ({"type": "object", "required": "x"}, r"^tool t: invalid JSON Schema at required: "),
        ({"type": "object", "default": {1, 2}}, r"^tool t: invalid JSON Schema: "),
        ({"type": "object", "$ref": "#/$defs/x"}, r"^tool t: invalid JSON Schema: .*/\$defs/x"),
        ({"type": "object", "$schema": "http://json-schema.org/draft-03/schema#"}, r"^tool t: \$schema names an unsupported dialect: .* Supported: https://json-schema\.org/draft/2020-12/schema, "),
        ({"type": "object", "$schema": 3}, r"^tool t: \$schema names an unsupported dialect: 3\. Supported"),
    ],
)  # fmt: skip
def test_wrong_documents(document: Any, text: str) -> None:
    with pytest.raises(ConfigurationError, match=text):
        raw(document)


@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
@pytest.mark.parametrize(
    "where", ["http://{}/x", "http://{}/x#/$defs/y", "file:///etc/hosts", "other.json"]
)
def test_references_are_never_fetched(
    keyword: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        uri = where.format(f"127.0.0.1:{server.getsockname()[1]}")
        document = {"type": "object", "properties": {"a": {keyword: uri}}}
        with pytest.raises(ConfigurationError, match=r"^tool t: (\$ref to '|invalid JSON Schema)"):
            raw(document)
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_reference_by_its_own_id_is_local() -> None:
    document = {
        "$id": "https://example.com/tree",
        "type": "object",
        "properties": {"a": {"$ref": "https://example.com/tree#/$defs/x"}},
        "$defs": {"x": {"type": "string"}},
    }
    with pytest.raises(Invalid, match=r"^a: expected string, got integer$"):
        raw(document).validate({"a": 1})


@pytest.mark.parametrize(
    ("document", "value", "text"),
    [
        ({"type": "string"}, 1, "expected string, got integer"),
        ({"type": ["string", "null"]}, 1, "expected null or string, got integer"),
        ({"enum": ["a", 1]}, "hunter2", 'expected one of "a", 1, got string'),
        ({"const": "a"}, "hunter2", 'expected "a", got string'),
        ({"minimum": 3}, 1, "expected a value >= 3, got integer"),
        ({"maximum": 3}, 10**30, "expected a value <= 3, got integer"),
        ({"exclusiveMinimum": 3}, 3, "expected a value > 3, got integer"),
        ({"exclusiveMaximum": 3}, 3.5, "expected a value < 3, got number"),
        ({"multipleOf": 2}, 3, "expected a multiple of 2, got integer"),
        ({"minLength": 3}, "a", "expected at least 3 characters, got string"),
        ({"maxLength": 3}, "hunter2", "expected at most 3 characters, got string"),
        ({"minItems": 3}, [], "expected at least 3 items, got array"),
        ({"maxItems": 0}, ["hunter2"], "expected at most 0 items, got array"),
        ({"uniqueItems": True}, [1, 1.0], "expected items without duplicates, got array"),
        ({"minProperties": 1}, {}, "expected at least 1 members, got object"),
        ({"maxProperties": 0}, {"a": 1}, "expected at most 0 members, got object"),
        ({"pattern": "^a$"}, "hunter2", "expected a match for ^a$, got string"),
        ({"required": ["a"]}, {}, "a: required, missing"),
        ({"properties": {"name": {}}, "additionalProperties": False}, {"nam": 1}, "nam: not expected. Did you mean 'name'?"),
        ({"unevaluatedProperties": False}, {"a": 1}, "a: not expected"),
        ({"properties": {"a": False}}, {"a": 1}, "a: not expected"),
        ({"not": {"const": "hunter2"}}, "hunter2", "expected a value that meets 'not', got string"),
        ({"contains": {"const": 1}}, ["hunter2"], "expected a value that meets 'contains', got array"),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, "expected a value that meets 'propertyNames', got object"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, [], "expected string or integer, got array"),
        ({"anyOf": [{"type": "string"}, {"type": "object", "required": ["a"]}]}, {}, "a: required, missing"),
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, "expected one of the 2 alternatives that the schema has here, got object"),
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": 1, "b": 1}, "expected exactly one of 2 alternatives to match, got object"),
    ],
)  # fmt: skip
def test_sentences(document: Any, value: Any, text: str) -> None:
    assert sentence(document, value) == text
    assert not jsonschema.Draft202012Validator(document).is_valid(value)


@pytest.mark.parametrize("value", [{1: 2}, {"a": {1, 2}}, {"a": object()}])
def test_what_json_cannot_say(value: Any) -> None:
    with pytest.raises(
        Invalid,
        match=r"^(expected JSON, got a value that JSON cannot say|a: expected string, got (set|object))$",
    ):
        raw({"type": "object", "properties": {"a": {"type": "string"}}}).validate(value)


@given(st.integers(), st.integers(), st.sampled_from([63, 64, 65, 200]))
def test_integers_of_any_size(small: int, other: int, bits: int) -> None:
    bound, value = small + 2**bits, other + 2**bits
    document = {"type": "object", "properties": {"a": {"type": "integer", "minimum": bound}}}
    schema, stock = raw(document), jsonschema.Draft202012Validator(document)
    try:
        schema.validate({"a": value})
    except Invalid:
        assert not stock.is_valid({"a": value})
    else:
        assert stock.is_valid({"a": value})


def test_prompt_arguments_and_strings() -> None:
    schema = raw(
        {
            "type": "object",
            "properties": {
                "s": {"type": "string", "title": "S", "description": "text"},
                "n": {"type": ["integer", "null"]},
                "l": {"type": "array"},
                "any": True,
            },
            "required": ["s"],
        }
    )
    assert schema.prompt_arguments() == [
        {"name": "s", "title": "S", "description": "text", "required": True},
        {"name": "n", "required": False},
        {"name": "l", "required": False},
        {"name": "any", "required": False},
    ]
    assert schema.validate_strings({"s": "3", "n": "3", "l": "[1]", "any": "1", "x": "1"}) == {
        "s": "3",
        "n": 3,
        "l": [1],
        "any": "1",
        "x": "1",
    }
    with pytest.raises(Invalid) as caught:
        schema.validate_strings({"s": "3", "n": "x", "l": "x"})
    assert str(caught.value) == (
        "n: expected integer or null, got a string that is none"
        "; l: expected JSON text of array, got a string that is none"
    )
