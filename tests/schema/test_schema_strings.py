"""A prompt's arguments, which are strings on the wire."""

from __future__ import annotations

import datetime
import enum
from typing import Any, Literal

import attrs
import pytest

from anubis_py.schema.faults import Invalid
from anubis_py.schema.fields import embeds_many, embeds_one, field
from anubis_py.schema.fields import enum as one_of
from anubis_py.schema.schema import Schema


class Kind(enum.Enum):
    LEAF = "leaf"
    TWO = 2


@attrs.frozen
class Node:
    name: str
    children: list[Node] = attrs.Factory(list)


READABLE: list[tuple[Any, str, Any]] = [
    (str, "3", "3"),
    (str, " true ", " true "),
    (Any, "3", "3"),
    (int, "3", 3),
    (int, " -3 ", -3),
    (int, "3.0", 3),
    (int, "1" + "0" * 40, 10**40),
    (float, "3", 3.0),
    (float, "1e3", 1000.0),
    ("number", "3", 3),
    ("number", "3.5", 3.5),
    (bool, "true", True),
    (bool, "False", False),
    (None, "null", None),
    (int | None, "null", None),
    (int | None, "3", 3),
    (str | None, "null", "null"),
    (int | str, "3", 3),
    (int | str, "x", "x"),
    (str | int, "3", "3"),
    (bool | list[int], "[1]", [1]),
    (Kind, "leaf", Kind.LEAF),
    (Kind, "2", Kind.TWO),
    (one_of("1", 1), "1", "1"),
    (Literal[True], "true", True),
    (datetime.date, "2024-02-29", datetime.date(2024, 2, 29)),
    (datetime.time, "09:30", datetime.time(9, 30)),
    (list[int], "[1, 2]", [1, 2]),
    (dict[str, int], '{"a": 1}', {"a": 1}),
    (list, "[18446744073709551617]", [2**64 + 1]),
    (Node, '{"name": "a", "children": [{"name": "b"}]}', Node("a", [Node("b")])),
]


@pytest.mark.parametrize(("declared", "text", "value"), READABLE)
def test_strings_are_read(declared: Any, text: str, value: Any) -> None:
    schema = Schema.of([field("n", declared)], owner="prompt p")
    result = schema.validate_strings({"n": text})["n"]
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("declared", "text", "sentence"),
    [
        (int, "x", "expected integer, got a string that is none"),
        (int, "", "expected integer, got a string that is none"),
        (int, "1_000", "expected integer, got a string that is none"),
        (int, "٣", "expected integer, got a string that is none"),
        (int, "9" * 5000, "expected integer, got a string that is none"),
        (int, "1.5", "expected integer, got number"),
        (float, "nan", "expected number, got a string that is none"),
        (float, "1e999", "expected number, got non-finite number"),
        (bool, "yes", "expected boolean, got a string that is none"),
        (int | None, "x", "expected integer or null, got a string that is none"),
        (list[int], "1, 2", "expected JSON text of array, got a string that is none"),
        (list[int], "{}", "expected JSON text of array, got a string that is none"),
        (list, "[NaN]", "expected JSON text of array, got a string that is none"),
        (list, "[" * 100_000, "expected JSON text of array, got a string that is none"),
        (dict, "[]", "expected JSON text of object, got a string that is none"),
        (Node, "a", "expected JSON text of object, got a string that is none"),
        (Kind, "twig", 'expected one of "leaf", 2, got string'),
        (datetime.date, "2023-02-29", "expected date such as 2024-02-29, got string"),
    ],
)
def test_strings_that_are_none(declared: Any, text: str, sentence: str) -> None:
    schema = Schema.of([field("n", declared)], owner="prompt p")
    with pytest.raises(Invalid) as caught:
        schema.validate_strings({"n": text})
    assert str(caught.value) == f"n: {sentence}"


def test_all_faults_at_once() -> None:
    declared = [
        field("who", str, required=True),
        field("count", int, required=True),
        embeds_many("items", [field("n", int)]),
        embeds_one("one", [field("n", int)]),
    ]
    with pytest.raises(Invalid) as caught:
        Schema.of(declared, owner="prompt p").validate_strings(
            {"count": "x", "items": '[{"n": "1"}]', "one": "{}", "xyz": "me"}
        )
    assert str(caught.value) == (
        "count: expected integer, got a string that is none"
        "; who: required, missing"
        "; items[0].n: expected integer, got string"
        "; xyz: not expected"
    )


def test_values_that_are_no_strings_are_validated_as_they_are() -> None:
    schema = Schema.of([field("n", int), field("s", str)], owner="prompt p")
    assert schema.validate_strings({"n": 3}) == {"n": 3}
    with pytest.raises(Invalid, match=r"^s: expected string, got integer$"):
        schema.validate_strings({"s": 3})


def test_prompt_arguments() -> None:
    schema = Schema.of(
        [
            field("code", str, required=True, title="Code", description="To review"),
            field("focus", str, default="quality"),
        ],
        owner="prompt p",
    )
    assert schema.prompt_arguments() == [
        {"name": "code", "title": "Code", "description": "To review", "required": True},
        {"name": "focus", "required": False},
    ]
    assert Schema.of(None, owner="prompt p").prompt_arguments() == []
