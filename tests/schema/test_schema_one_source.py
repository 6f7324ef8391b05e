"""One source of truth: what is advertised is what is checked, at every depth.

Random fields make a schema; random values, most of them nearly valid, must be accepted by
the server if and only if a stock validator accepts them under the advertised document.
"""

from __future__ import annotations

import datetime
import enum
from typing import Any, Literal

import attrs
import jsonschema
import pytest
import voluptuous as vol
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from anubis_py.errors import ConfigurationError
from anubis_py.schema.faults import Invalid
from anubis_py.schema.fields import Field, embeds_many, embeds_one, field
from anubis_py.schema.fields import enum as one_of
from anubis_py.schema.schema import Schema


class Color(enum.Enum):
    RED = "red"
    ONE = 1
    NONE = None


@attrs.frozen
class Leaf:
    tag: Literal["leaf"]
    weight: int = attrs.field(default=1, metadata={"min": 0})


@attrs.frozen
class Branch:
    tag: Literal["branch"]
    parts: list[Branch | Leaf] = attrs.field(factory=list)
    by: dict[str, Branch] | None = None


def union(pair: tuple[Any, Any]) -> Any:
    try:
        return pair[0] | pair[1]
    except TypeError:  # two of "number", None, Any
        return pair[0]


NAMES = st.sampled_from(["a", "b", "c", "ab"])
DATES = ["2024-02-29", "2023-02-29", "1900-02-29", "0000-01-01", "2023-13-01", "2023-04-31\n"]
TIMES = ["09:30", "09:30:00Z", "24:00:00", "09:30:60", "09:30:00+02:00", "09:30:00.5", "9:30"]
TEXTS = [*DATES, *TIMES, *(f"{date}T{time}" for date in DATES for time in TIMES)]
NUMBERS = st.one_of(
    st.integers(-3, 5),
    st.sampled_from([0.5, 1.0, 3.0, -0.0, 1e300, 2.0**63, 2**64, -(2**70), 10**400, 0.3]),
    st.floats(allow_nan=False, allow_infinity=False),
)
STRINGS = st.one_of(
    st.sampled_from(["", "a", "aa", "red", "leaf", "branch", "\U0001f600", "a\n", *TEXTS]),
    st.text(max_size=4),
)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, STRINGS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
DECLARED = st.recursive(
    st.sampled_from([str, int, float, "number", bool, Any, None, Color, Leaf, Branch, list, dict])
    | st.sampled_from([datetime.date, datetime.time, datetime.datetime, one_of("a", 1, True)])
    | st.sampled_from(
        [one_of("red", "leaf"), Literal["a"], Literal[1], one_of(0.5, 1), one_of(None)]
    ),
    lambda inner: st.one_of(
        inner.map(lambda t: list[t]),  # type: ignore[valid-type]
        inner.map(lambda t: tuple[t, ...]),  # type: ignore[valid-type]
        inner.map(lambda t: dict[str, t]),  # type: ignore[valid-type]
        st.tuples(inner, inner).map(union),
    ),
    max_leaves=3,
)
BOUNDS = st.sampled_from([0, 1, 2, 0.5, 3])
OPTIONS = {
    **dict.fromkeys(["min", "max", "gt", "gte", "lt", "lte"], BOUNDS),
    **dict.fromkeys(["min_length", "max_length"], st.integers(0, 3)),
    "multiple_of": st.sampled_from([1, 2, 0.5, 0.1, 3]),
    "regex": st.sampled_from(["a", "^a$", "^[^a]", r"^\d+$", "(?:)"]),
    "unique": st.just(True),
}


@st.composite
def some_field(draw: st.DrawFn, name: str, depth: int = 0) -> Field:
    required = draw(st.booleans())
    kind = draw(st.integers(0, 3 if depth < 2 else 1))
    if kind == 2:
        return embeds_one(name, draw(some_fields(depth + 1)), required=required)
    if kind == 3:
        inner = draw(some_fields(depth + 1))
        return embeds_many(name, inner, required=required, max=2, extra=draw(st.booleans()))
    given_names = draw(st.lists(st.sampled_from(sorted(OPTIONS)), max_size=2, unique=True))
    options: dict[str, Any] = {option: draw(OPTIONS[option]) for option in given_names}
    declared = draw(DECLARED)
    try:
        return field(name, declared, required=required, **options)
    except ConfigurationError:  # options that the type has no use for
        return field(name, declared, required=required)


@st.composite
def some_fields(draw: st.DrawFn, depth: int = 0) -> list[Field]:
    names = draw(st.lists(NAMES, max_size=3, unique=True))
    return [draw(some_field(name, depth)) for name in names]


@st.composite
def nearly(draw: st.DrawFn, document: Any, root: Any, depth: int = 0) -> Any:
    """A value that is probably valid under the document, or slightly wrong."""
    if depth > 5 or draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from([True, False, 1, 0, 3.0, 1.5, None, "a", [], {}]) | VALUES)
    if "$ref" in document:
        name = document["$ref"].rpartition("/")[2]
        return draw(nearly(root["$defs"][name], root, depth + 1))
    if "anyOf" in document:
        return draw(nearly(draw(st.sampled_from(document["anyOf"])), root, depth))
    if "const" in document:
        return document["const"]
    if "enum" in document:
        return draw(st.sampled_from(document["enum"]))
    return draw(nearly_typed(document, root, depth))


@st.composite
def nearly_typed(draw: st.DrawFn, document: Any, root: Any, depth: int) -> Any:
    match document.get("type"):
        case "object":
            properties = document.get("properties", {})
            chosen = [name for name in properties if draw(st.integers(0, 7))]
            value = {n: draw(nearly(properties[n], root, depth + 1)) for n in chosen}
            extra = document.get("additionalProperties", {})
            if draw(st.integers(0, 9)) == 0 or (extra and draw(st.booleans())):
                value["ab"] = draw(nearly(extra or {}, root, depth + 1))
            return value
        case "array":
            items = nearly(document.get("items", {}), root, depth + 1)
            return draw(st.lists(items, max_size=3))
        case "string" if document.get("format"):
            return draw(st.sampled_from(TEXTS))
        case "string":
            return draw(STRINGS)
        case "integer" | "number":
            return draw(NUMBERS)
        case "boolean":
            return draw(st.booleans())
        case "null":
            return None
    return draw(VALUES)


def accepted(schema: Schema, value: Any) -> bool:
    try:
        schema.validate(value)
    except Invalid:
        return False
    return True


def stock(schema: Schema, value: Any) -> bool:
    document = schema.json_schema
    try:
        return jsonschema.Draft202012Validator(document).is_valid(value)  # type: ignore[no-any-return]
    except OverflowError:  # its own: a big integer divided by a fraction
        assume(False)
        raise


def confuses_stock(value: Any) -> bool:
    """The stock validator's uniqueItems sorts, and misses duplicates beside [1] and [true]."""
    if isinstance(value, dict):
        return any(map(confuses_stock, value.values()))
    if not isinstance(value, list):
        return False
    nested = sum(isinstance(item, list) for item in value)
    return nested > 1 or any(map(confuses_stock, value))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_server_and_stock_validator_accept_the_same(data: st.DataObject) -> None:
    schema = Schema.of(data.draw(some_fields()), owner="tool t", extra=data.draw(st.booleans()))
    jsonschema.Draft202012Validator.check_schema(schema.json_schema)
    for _ in range(4):
        value = data.draw(nearly(schema.json_schema, schema.json_schema))
        assume("uniqueItems" not in str(schema.json_schema) or not confuses_stock(value))
        valid = stock(schema, value)
        event(f"valid: {valid}")
        assert accepted(schema, value) is valid, (schema.json_schema, value)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_classes_and_mappings_obey_the_same_rule(data: st.DataObject) -> None:
    mapping = {
        vol.Required("a"): vol.All(int, vol.Range(min=0, max=3, max_included=False)),
        vol.Optional("b", default=[]): vol.All([vol.Any("a", 1, None)], vol.Length(max=2)),
        "c": vol.Maybe({vol.Required("a"): vol.Match("a"), str: bool}),
        vol.Optional("ab"): vol.Any(vol.In(["a", 2]), [float], {"a": vol.All(str, vol.Length(1))}),
    }
    for declaration in (Branch, mapping):
        schema = Schema.of(declaration, owner="tool t")
        value = data.draw(nearly(schema.json_schema, schema.json_schema))
        assert accepted(schema, value) is stock(schema, value), value


@pytest.mark.parametrize("declared", [datetime.date, datetime.datetime, datetime.time])
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_every_real_date_is_accepted_and_nothing_else(declared: Any, data: st.DataObject) -> None:
    schema = Schema.of([field("at", declared)], owner="prompt p")
    native: Any = data.draw(
        st.dates()
        if declared is datetime.date
        else st.times()
        if declared is datetime.time
        else st.datetimes(timezones=st.just(datetime.UTC))
    )
    assert schema.validate({"at": native.isoformat()}) == {"at": native}
    digits = st.text("0123456789-:TZ+.", min_size=8, max_size=25)
    text = data.draw(digits | st.from_regex(schema.json_schema["properties"]["at"]["pattern"]))
    assert accepted(schema, {"at": text}) is stock(schema, {"at": text})
