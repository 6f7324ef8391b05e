"""Every type and option against every awkward value: the same verdict as a stock validator's."""

from __future__ import annotations

import datetime
import enum
import math
from typing import Any, Literal, Optional

import jsonschema
import pytest

from anubis_py.schema.faults import Invalid
from anubis_py.schema.fields import Field, embeds_many, embeds_one, field, literal
from anubis_py.schema.fields import enum as one_of
from anubis_py.schema.schema import Schema


class Size(enum.Enum):
    SMALL = "s"
    TWO = 2


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 1


NUMBER: Any = "number"
FIELDS: list[Field] = [
    *(field("v", plain) for plain in (str, int, float, "number", bool, Any, "any", None, object)),
    *(field("v", dated) for dated in (datetime.date, datetime.time, datetime.datetime)),
    *(field("v", choice) for choice in (Size, Level, one_of("a", 1, False), one_of(0.5))),
    *(field("v", choice) for choice in (one_of(None), literal(1.0))),
    *(field("v", choice) for choice in (literal(1), literal(True), Literal["a", "b"], Literal[0])),
    *(field("v", kind) for kind in (list, tuple, list[int], list[list[bool]], tuple[str, ...])),
    *(field("v", kind) for kind in (dict, dict[str, int], dict[str, list[str]])),
    *(field("v", either) for either in (int | None, str | int, Optional[NUMBER])),  # noqa: UP045
    *(field("v", either) for either in (bool | list[int], one_of("a") | None, int | one_of("a"))),
    field("v", Size | datetime.date),
    field("v", str, min=2), field("v", str, max=2), field("v", str, min_length=1, max_length=1),
    field("v", str, regex="^a"), field("v", str, regex="a$"), field("v", str, regex="a", max=2),
    field("v", int, min=2), field("v", int, max=2), field("v", int, gt=2), field("v", int, lt=2),
    field("v", int, gte=2, lte=2.5), field("v", float, min=0.5), field("v", "number", gt=0, lt=1),
    field("v", int, multiple_of=3), field("v", float, multiple_of=0.1),
    field("v", int, multiple_of=0.5),
    field("v", float, min=2**64), field("v", int, max=-(2**64)), field("v", int | None, min=2),
    field("v", list, min=1), field("v", list, max=1), field("v", list, unique=True),
    field("v", list[int] | str, min=2, unique=True),
    embeds_one("v", [field("a", int, required=True), field("b", str, default="x")]),
    embeds_one("v", [field("a", int)], extra=True), embeds_one("v", None),
    embeds_many("v", [field("a", int)], min=1, max=2, unique=True),
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, 1, 2, 3, -1, 0.0, -0.0, 1.0, 2.0, 2.5, 0.5, 0.3, 0.1, 1e300, -1e300,
    2**53 + 1, 2**63, 2**64, 2**64 + 1, -(2**64), 10**30, 10**30 + 2, float(2**64),
    "", "a", "b", "s", "aa", "ab", "ba", "aaa", "a\n", "\U0001f600",
    "\U0001f600\U0001f600", "1", "true",
    "2024-02-29", "2023-02-29", "2000-02-29", "1900-02-29", "0000-02-29", "2023-4-01", "2023-04-31",
    "2023-04-30\n", "٢٠٢٣-04-30", "20230430", "09:30", "09:30:00", "09:30:00Z", "09:30:00z",
    "09:30:00.123456789+02:00", "09:30:60", "24:00", "09", "2024-02-29T09:30:00Z",
    "2024-02-29t09:30:00z", "2024-02-29T09:30:00", "2024-02-29T09:30Z", "2024-02-29 09:30:00Z",
    "2024-02-29T09:30:00.5-23:59", "2024-02-29T09:30:00+24:00", "9999-12-31T23:59:59-12:00",
    [], [1], [True], [1, 1.0], [1, True], [0, False], ["a", "b"], [[True]], [[1]], [1, 2, 3],
    [{"a": 1}, {"a": 1.0}], [{"a": 1}, {"a": True}], [{"a": 1, "b": 2}, {"b": 2, "a": 1}], [{}, {}],
    {}, {"a": 1}, {"a": 1.0}, {"a": True}, {"a": "x"}, {"a": 1, "b": "y"}, {"a": 1, "c": 2},
    {"a": ["x"]}, {"a": None},
]  # fmt: skip


@pytest.mark.parametrize("declared", FIELDS, ids=lambda each: str(each.json_schema(None))[:60])
def test_same_verdict_as_a_stock_validator(declared: Field) -> None:
    schema = Schema.of([declared], owner="tool t")
    jsonschema.Draft202012Validator.check_schema(schema.json_schema)
    stock = jsonschema.Draft202012Validator(schema.json_schema)
    for value in VALUES:
        assert accepted(schema, {"v": value}) is stock.is_valid({"v": value}), value


def accepted(schema: Schema, value: Any) -> bool:
    try:
        schema.validate(value)
    except Invalid:
        return False
    return True


@pytest.mark.parametrize(
    ("declared", "sent", "got"),
    [
        (int, 3.0, 3),
        (int, 10**30, 10**30),
        (float, 3, 3.0),
        (float, 10**400, 10**400),
        ("number", 3, 3),
        ("number", 3.0, 3.0),
        (Size, "s", Size.SMALL),
        (Size, 2.0, Size.TWO),
        (one_of(1, "a"), 1.0, 1),
        (tuple[int, ...], [1.0], (1,)),
        (datetime.date, "2024-02-29", datetime.date(2024, 2, 29)),
        (datetime.time, "09:30", datetime.time(9, 30)),
        (
            datetime.datetime,
            "2024-02-29t09:30:00z",
            datetime.datetime(2024, 2, 29, 9, 30, tzinfo=datetime.UTC),
        ),
        (int | None, None, None),
        (float | int, 3, 3.0),
        (datetime.date | str, "2024-02-30", "2024-02-30"),
    ],
)
def test_what_the_callback_gets(declared: Any, sent: Any, got: Any) -> None:
    value = Schema.of([field("v", declared)], owner="tool t").validate({"v": sent})["v"]
    assert value == got
    assert type(value) is type(got)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("declared", [int, float, "number", int | None])
def test_what_json_cannot_say_is_no_number(declared: Any, value: float) -> None:
    schema = Schema.of([field("v", declared)], owner="tool t")
    with pytest.raises(Invalid, match=r"^v: expected .*, got non-finite number$"):
        schema.validate({"v": value})
