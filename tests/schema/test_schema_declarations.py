"""What is declared, what is advertised for it, and what is refused when it is declared."""

# ruff: noqa: E501  (tables of sentences read best with a case a line)
from __future__ import annotations

import datetime
import enum
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NewType, Optional, Union

import pytest

from anubis_py.errors import ConfigurationError
from anubis_py.schema.fields import embeds_many, embeds_one, field, literal
from anubis_py.schema.fields import enum as one_of
from anubis_py.schema.schema import Schema


class Mood(enum.Enum):
    GOOD = "good"
    BAD = "bad"


def advertised(*fields: Any) -> Any:
    return Schema.of(list(fields), owner="tool t").json_schema


@pytest.mark.parametrize(
    ("declared", "options", "document"),
    [
        (str, {}, {"type": "string"}),
        (str, {"min": 1, "max": 3}, {"type": "string", "minLength": 1, "maxLength": 3}),
        (str, {"min_length": 1, "max_length": 3}, {"type": "string", "minLength": 1, "maxLength": 3}),
        (str, {"regex": "^a"}, {"type": "string", "pattern": "^a"}),
        (str, {"regex": re.compile("^a")}, {"type": "string", "pattern": "^a"}),
        (str, {"format": "email"}, {"type": "string", "format": "email"}),
        (int, {"min": 1, "max": 3}, {"type": "integer", "minimum": 1, "maximum": 3}),
        (int, {"gte": 1, "lte": 3}, {"type": "integer", "minimum": 1, "maximum": 3}),
        (float, {"gt": 1, "lt": 3}, {"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 3}),
        ("number", {"multiple_of": 0.5}, {"type": "number", "multipleOf": 0.5}),
        (bool, {"title": "T"}, {"type": "boolean", "title": "T"}),
        (Any, {"description": "D"}, {"description": "D"}),
        (int, {"examples": [1, 2]}, {"type": "integer", "examples": [1, 2]}),
        (int, {"deprecated": True}, {"type": "integer", "deprecated": True}),
        (int, {"default": 3}, {"type": "integer", "default": 3}),
        (Mood, {"default": Mood.BAD}, {"type": "string", "enum": ["good", "bad"], "default": "bad"}),
        (one_of("a", 1), {}, {"enum": ["a", 1]}),
        (literal("a"), {}, {"type": "string", "const": "a"}),
        (int | None, {"min": 1}, {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}),
        (list, {}, {"type": "array"}),
        (
            list[int],
            {"min": 1, "max": 2, "unique": True},
            {
                "type": "array",
                "items": {"type": "integer"},
                "minItems": 1,
                "maxItems": 2,
                "uniqueItems": True,
            },
        ),
        (dict, {}, {"type": "object"}),
        (dict[str, int], {}, {"type": "object", "additionalProperties": {"type": "integer"}}),
    ],
)  # fmt: skip
def test_advertised_document(declared: Any, options: Any, document: Any) -> None:
    assert advertised(field("n", declared, **options))["properties"]["n"] == document


Metres = NewType("Metres", int)


@pytest.mark.parametrize(
    ("declared", "same"),
    [
        (Annotated[int, "metres"], int),
        (Metres, int),
        (Sequence[int], list[int]),
        (Mapping[str, int], dict[str, int]),
        (Optional[list], list | None),  # noqa: UP045
        (Union[int, str], int | str),  # noqa: UP007
        (one_of("a") | None | int, Literal["a"] | None | int),
        (None | one_of("a"), None | Literal["a"]),
        ((None | one_of("b")) | int, None | Literal["b"] | int),
        (int | (one_of("a") | None), Union[int, Literal["a"], None]),  # noqa: UP007
    ],
)
def test_other_spellings(declared: Any, same: Any) -> None:
    assert advertised(field("n", declared)) == advertised(field("n", same))


def test_repr_names_the_owner_and_the_members() -> None:
    schema = Schema.of([field("a", int, default=3)], owner="tool t")
    assert repr(schema) == "<Schema of tool t: a>"
    assert repr(Schema.of([], owner="tool t")) == "<Schema of tool t: no members>"
    assert "UNSET" in repr(field("a", int))


@pytest.mark.parametrize(
    ("declared", "format"),
    [
        (datetime.date, "date"),
        (datetime.time, "time"),
        (datetime.datetime, "date-time"),
    ],
)
def test_dates_advertise_their_format(declared: Any, format: str) -> None:  # noqa: A002
    document = advertised(field("at", declared))["properties"]["at"]
    assert document["type"] == "string"
    assert document["format"] == format
    assert "(?!" not in document["pattern"]  # RE2 has no lookahead


def test_objects_are_closed_at_every_level() -> None:
    document = advertised(
        embeds_one("one", [field("a", int, required=True)], required=True),
        embeds_many("many", [field("b", int)], min=1, description="some"),
        embeds_one("open", [], extra=True),
    )
    closed = {"additionalProperties": False}
    assert document == {
        "type": "object",
        "properties": {
            "one": {
                "type": "object",
                "properties": {"a": {"type": "integer"}},
                "required": ["a"],
                **closed,
            },
            "many": {
                "type": "array",
                "items": {"type": "object", "properties": {"b": {"type": "integer"}}, **closed},
                "minItems": 1,
                "description": "some",
            },
            "open": {"type": "object"},
        },
        "required": ["one"],
        **closed,
    }


@pytest.mark.parametrize("nothing", [None, [], ()])
def test_nothing_declared_is_an_object_without_members(nothing: Any) -> None:
    schema = Schema.of(nothing, owner="tool now")
    assert schema.json_schema == {"type": "object", "additionalProperties": False}
    assert schema.validate({}) == {}
    assert schema.names == ()
    assert Schema.of(schema, owner="other") is schema


def test_defaults_are_filled_in_and_never_shared() -> None:
    schema = Schema.of(
        [
            field("tags", list[str], default=[]),
            field("any", Any, default={"a": [1]}),
            embeds_one("inner", [field("n", float, default=1)], default={}),
            field("at", datetime.date, default=datetime.date(2024, 2, 29)),
        ],
        owner="tool t",
    )
    first, second = schema.validate({}), schema.validate({})
    assert first == second
    assert first["inner"] == {"n": 1.0}
    assert first["at"] == datetime.date(2024, 2, 29)
    first["tags"].append("x")
    first["any"]["a"].append(2)
    assert schema.validate({}) == second
    assert schema.json_schema["properties"]["at"]["default"] == "2024-02-29"


def test_extra_members_pass_when_allowed() -> None:
    schema = Schema.of([field("a", int)], owner="tool t", extra=True)
    assert schema.validate({"a": 1.0, "b": None}) == {"a": 1, "b": None}
    assert "additionalProperties" not in schema.json_schema


@pytest.mark.parametrize(
    ("declared", "options", "sentence"),
    [
        (int, {"required": True, "default": 1}, r"^field 'n': a required field .*Remove required=True"),
        (int, {"default": "x"}, r"^field 'n': its own type refuses the default 'x': expected integer"),
        (str, {"default": None}, r"^field 'n': .*expected string, got null\. Declare the type as … \| None"),
        (str, {"default": object()}, r"^field 'n': the default cannot be advertised: object is no JSON"),
        (list[int], {"default": ["x"]}, r"^field 'n': .*\[0\]: expected integer, got string$"),
        (int, {"regex": "a"}, r"^field 'n': regex says nothing about integer\. Options that do: .*multiple_of"),
        (bool, {"min": 1}, r"^field 'n': min says nothing about boolean\. Remove it$"),
        (dict, {"min": 1}, r"^field 'n': min says nothing about object\. Remove it$"),
        (int, {"min": 1, "gte": 1}, r"^field 'n': min and gte say the same\. Keep one of them$"),
        (int, {"min": 3, "max": 1}, r"^field 'n': no number is above 3 and below 1\. Exchange"),
        (int, {"min": "1"}, r"^field 'n': min must be a number, not '1'$"),
        (int, {"multiple_of": 0}, r"^field 'n': multiple_of must be above 0$"),
        (str, {"min": -1}, r"^field 'n': min counts here, so it must be an int of 0 or more, not -1$"),
        (str, {"min": 1.0}, r"^field 'n': min counts here, so it must be an int of 0 or more, not 1\.0$"),
        (str, {"min": 3, "max": 1}, r"^field 'n': nothing is at least 3 and at most 1 long"),
        (str, {"regex": "("}, r"^field 'n': regex '\(' does not compile"),
        (str, {"regex": r"\Aa"}, r"^field 'n': regex uses '\\\\A', .*Instead: \^$"),
        (str, {"regex": "(?P<x>a)"}, r"^field 'n': regex uses '\(\?P<'.*Instead: plain"),
        (str, {"regex": re.compile("a", re.IGNORECASE)}, r"^field 'n': regex has flags"),
        (str, {"regex": 3}, r"^field 'n': regex must be a str, not int$"),
        (str, {"format": 3}, r"^field 'n': format must be a str, not int$"),
        (str, {"description": 3}, r"^field 'n': description must be a str, not int$"),
        (str, {"examples": "abc"}, r"^field 'n': examples must be a list, not str$"),
        (str, {"examples": [{1}]}, r"^field 'n': an example cannot be advertised: set is no JSON value$"),
        ("string", {}, r"^field 'n': unknown type 'string'\. Use str\. What can be declared: "),
        ("numbr", {}, r"^field 'n': unknown type 'numbr'\. Did you mean 'number'\? "),
        (set[int], {}, r"^field 'n': set\[int\] cannot be declared\. What can: str, int, "),
        (tuple[int, str], {}, r"^field 'n': tuple\[int, str\] cannot be declared"),
        (dict[int, str], {}, r"^field 'n': dict\[int, str\] cannot be declared"),
        (bytes, {}, r"^field 'n': bytes cannot be declared"),
        (enum.Enum("Empty", []), {}, r"^field 'n': there are no options to choose from"),
        (enum.Enum("Odd", {"A": b"x"}), {}, r"^field 'n': options must be strings, numbers"),
    ],
)  # fmt: skip
def test_wrong_declarations(declared: Any, options: Any, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        field("n", declared, **options)


@pytest.mark.parametrize(
    ("declaration", "sentence"),
    [
        ([field("a", int), field("a", str)], r"^tool t: field 'a' is declared twice\. Remove or rename"),
        ([int], r"^tool t: item 0 of the list is type and must be a field\(…\)"),
        ("abc", r"^tool t: str declares nothing\. Use a list of field\(…\), a voluptuous mapping"),
        (int, r"^tool t: class int declares nothing"),
    ],
)  # fmt: skip
def test_wrong_lists(declaration: Any, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        Schema.of(declaration, owner="tool t")


def test_names_and_choices_are_checked() -> None:
    with pytest.raises(ConfigurationError, match=r"^field '': a field's name must be a str"):
        field("", int)
    with pytest.raises(ConfigurationError, match=r"^the same option is there twice"):
        one_of(1, 1.0)
    with pytest.raises(ConfigurationError, match=r"^options must be .*, and \[1\] is none$"):
        literal([1])  # type: ignore[arg-type]
    with pytest.raises(
        ConfigurationError, match=r"^field 'm': max says nothing|^field 'm': nothing"
    ):
        embeds_many("m", [], min=2, max=1)


@pytest.mark.parametrize(
    "regex", [r"[*+]", r"\\A", r"a\+", r"[\]a]", r"(?:a|b)+?", r"(?=a)a", "a{2}"]
)
def test_portable_patterns_are_taken(regex: str) -> None:
    field("n", str, regex=regex)


def test_heavy_packages_are_not_imported_for_fields() -> None:
    # The package's own face may import more than this room does: a bare parent stands in.
    code = """
import importlib.util, sys, types
spec = importlib.util.find_spec("anubis_py")
bare = sys.modules["anubis_py"] = types.ModuleType("anubis_py")
bare.__path__ = list(spec.submodule_search_locations)
from anubis_py.schema.fields import field
from anubis_py.schema.schema import Schema
Schema.of([field("a", int)], owner="t").validate({"a": 1})
print([name for name in ("cattrs", "jsonschema_rs", "jsonschema") if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
