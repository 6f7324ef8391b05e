"""Choices with titles: advertised as oneOf, checked as the plain choice they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
import voluptuous as vol
from hypothesis import given, settings
from hypothesis import strategies as st

from anubis_py.errors import ConfigurationError
from anubis_py.schema.faults import Invalid
from anubis_py.schema.fields import enum, field
from anubis_py.schema.schema import Schema

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from([0.5, 1.0, "a", "b", "", "1"])
)


def schema_of(declared: Any, **options: Any) -> Schema:
    return Schema.of([field("x", declared, required=True, **options)], owner="tool t")


def test_titles_are_advertised() -> None:
    document = schema_of(enum({"a": "Alpha", "b": "Beta"}), title="X").json_schema
    assert document["properties"]["x"] == {
        "type": "string",
        "oneOf": [{"const": "a", "title": "Alpha"}, {"const": "b", "title": "Beta"}],
        "title": "X",
    }
    assert schema_of(enum({1: "One"})).json_schema["properties"]["x"]["type"] == "integer"
    assert "type" not in schema_of(enum({1: "One", "a": "A"})).json_schema["properties"]["x"]


def test_the_value_is_what_is_sent_and_given() -> None:
    schema = schema_of(enum({"a": "Alpha", 1: "One"}))
    assert schema.validate({"x": "a"}) == {"x": "a"}
    assert schema.validate_strings({"x": "1"}) == {"x": 1}
    with pytest.raises(Invalid, match='x: expected one of "a", 1, got string'):
        schema.validate({"x": "Alpha"})


def test_a_list_of_them_and_one_that_may_be_null() -> None:
    schema = schema_of(list[enum({"a": "Alpha"})])  # type: ignore[misc]
    assert schema.json_schema["properties"]["x"]["items"]["oneOf"] == [
        {"const": "a", "title": "Alpha"}
    ]
    assert schema_of(enum({"a": "Alpha"}) | None).validate({"x": None}) == {"x": None}


def test_titles_are_not_lost_among_other_choices() -> None:
    titled = enum({"a": "Alpha"})
    document = Schema.of({"x": vol.Any(titled, "b")}, owner="tool t").json_schema
    assert document["properties"]["x"]["anyOf"][0]["oneOf"] == [{"const": "a", "title": "Alpha"}]
    alone = Schema.of({"x": vol.Any(titled)}, owner="tool t").json_schema
    assert alone["properties"]["x"]["oneOf"] == [{"const": "a", "title": "Alpha"}]


@pytest.mark.parametrize(
    ("titles", "fault"),
    [
        ({}, "no options"),
        ({"a": ""}, "title of option 'a'"),
        ({"a": 3}, "title of option 'a'"),
        ({1: "One", 1.5: "x", (1,): "y"}, r"\(1,\) is none"),
    ],
)
def test_titles_that_are_none(titles: Mapping[Any, Any], fault: str) -> None:
    with pytest.raises(ConfigurationError, match=fault):
        enum(titles)


def test_a_mapping_among_values_is_no_option() -> None:
    with pytest.raises(ConfigurationError, match="is none"):
        enum("a", {"b": "Beta"})


@settings(deadline=None)
@given(st.dictionaries(SCALARS, st.just("title"), min_size=1, max_size=4), SCALARS)
def test_server_and_stock_validator_accept_the_same(titles: dict[Any, str], value: Any) -> None:
    schema = schema_of(enum(titles))
    jsonschema.Draft202012Validator.check_schema(schema.json_schema)
    try:
        schema.validate({"x": value})
        accepted = True
    except Invalid:
        accepted = False
    assert accepted == jsonschema.Draft202012Validator(schema.json_schema).is_valid({"x": value})
