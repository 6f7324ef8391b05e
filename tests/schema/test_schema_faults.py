"""Every sentence that a caller may read."""

# ruff: noqa: E501  (tables of sentences read best with a case a line)
from __future__ import annotations

import datetime
import re
from typing import Any, Literal

import attrs
import pytest

from anubis_py.schema.faults import Fault, Invalid
from anubis_py.schema.fields import embeds_many, embeds_one, field
from anubis_py.schema.fields import enum as one_of
from anubis_py.schema.schema import Schema

SECRET = "hunter2"


def sentence(declared: list[Any], value: Any) -> str:
    with pytest.raises(Invalid) as caught:
        Schema.of(declared, owner="tool t").validate(value)
    assert SECRET not in str(caught.value)
    assert "http" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("declared", "options", "value", "text"),
    [
        (str, {}, 1, "expected string, got integer"),
        (str, {}, 1.5, "expected string, got number"),
        (str, {}, True, "expected string, got boolean"),
        (str, {}, None, "expected string, got null"),
        (str, {}, [SECRET], "expected string, got array"),
        (str, {}, {SECRET: 1}, "expected string, got object"),
        (str, {}, {1}, "expected string, got set"),
        (int, {}, SECRET, "expected integer, got string"),
        (int, {}, 1.5, "expected integer, got number"),
        (int, {}, True, "expected integer, got boolean"),
        (float, {}, SECRET, "expected number, got string"),
        (bool, {}, 1, "expected boolean, got integer"),
        (None, {}, SECRET, "expected null, got string"),
        (list, {}, SECRET, "expected array, got string"),
        (dict, {}, [], "expected object, got array"),
        (str, {"max": 3}, SECRET, "expected string of at most 3 characters, got string of 7 characters"),
        (str, {"min": 1}, "", "expected string of at least 1 character, got string of 0 characters"),
        (str, {"min": 1, "max": 3}, SECRET, "expected string of 1 to 3 characters, got string of 7 characters"),
        (str, {"min": 1, "max": 1}, "ab", "expected string of exactly 1 character, got string of 2 characters"),
        (str, {"regex": "^a$"}, SECRET, "expected string matching ^a$, got string"),
        (int, {"min": 1, "max": 3}, 7, "expected integer >= 1 and <= 3, got integer"),
        (float, {"gt": 1, "multiple_of": 2}, 7, "expected number > 1 and a multiple of 2, got integer"),
        (list, {"min": 1}, [], "expected array of at least 1 item, got array of 0 items"),
        (list, {"unique": True}, [1, 1], "expected array without duplicates, got array with duplicates"),
        (Literal["a"], {}, SECRET, 'expected "a", got string'),
        (one_of("a", 1, None), {}, SECRET, 'expected one of "a", 1, null, got string'),
        (datetime.date, {}, SECRET, "expected date such as 2024-02-29, got string"),
        (datetime.datetime, {}, SECRET, "expected date and time with an offset, such as 2024-02-29T09:30:00Z, got string"),
        (datetime.time, {}, 930, "expected time such as 09:30:00 or 09:30:00+02:00, got integer"),
        (int | None, {}, SECRET, "expected integer or null, got string"),
        (int | None, {"min": 3}, 1, "expected integer >= 3, got integer"),
        (datetime.date | Literal["now"], {}, SECRET, 'expected date such as 2024-02-29 or "now", got string'),
    ],
)  # fmt: skip
def test_sentences(declared: Any, options: Any, value: Any, text: str) -> None:
    assert sentence([field("n", declared, **options)], {"n": value}) == f"n: {text}"


def test_long_choices_are_cut() -> None:
    text = sentence([field("n", one_of(*range(30)))], {"n": SECRET})
    assert re.search(r"^n: expected one of 0, 1, .*, 19 and 10 more, got string$", text)


def test_all_faults_at_once_in_declared_order() -> None:
    declared = [
        field("who", str, required=True),
        field("name", str, required=True),
        embeds_many("items", [field("n", int, required=True), field("tags", list[int])], max=1),
        embeds_one("one", [embeds_one("two", [field("n", int, required=True)])]),
        field("table", dict[str, int]),
    ]
    value = {
        "zzz": 1,
        "nam": 1,
        "table": {"x y": SECRET, "ok": 1},
        "one": {"two": {"m": 1}},
        "items": [{"n": 1, "tags": [1, SECRET, None]}, {}],
    }
    assert sentence(declared, value) == (
        "who: required, missing"
        "; name: required, missing"
        "; items: expected array of at most 1 item, got array of 2 items"
        "; items[0].tags[1]: expected integer, got string"
        "; items[0].tags[2]: expected integer, got null"
        "; items[1].n: required, missing"
        "; one.two.n: required, missing"
        "; one.two.m: not expected"
        '; table["x y"]: expected integer, got string'
        "; zzz: not expected"
        "; nam: not expected. Did you mean 'name'?"
    )


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_the_root_has_no_path(value: Any) -> None:
    with pytest.raises(
        Invalid, match=r"^expected object, got (null|array|string|integer)$"
    ) as caught:
        Schema.of([], owner="tool t").validate(value)
    assert caught.value.faults[0].path == ()


def test_faults_carry_their_path() -> None:
    with pytest.raises(Invalid) as caught:
        Schema.of([field("a", list[int])], owner="tool t").validate({"a": [1, "x"]})
    assert caught.value.faults == (Fault(("a", 1), "expected integer, got string"),)


def test_a_hostile_value_does_not_make_a_hostile_answer() -> None:
    schema = Schema.of([field("name", str)], owner="tool t")
    with pytest.raises(Invalid) as caught:
        schema.validate({f"nam{n}" * 50: n for n in range(5000)})
    assert len(caught.value.faults) == 5000
    assert str(caught.value).endswith("; and 4900 more")
    assert len(str(caught.value)) < 12_000


@attrs.frozen
class Circle:
    kind: Literal["circle"]
    radius: float


@attrs.frozen
class Square:
    kind: Literal["square"]
    side: float


@attrs.frozen
class Group:
    kind: Literal["group"]
    parts: list[Group | Circle | Other]


@attrs.frozen
class Other:
    kind: Literal["other"]
    parts: list[Group | Circle | Other]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"kind": "square", "side": "x"}, "v.side: expected number, got string"),
        ({"kind": "square"}, "v.side: required, missing"),
        ({"kind": "circle", "radius": 1, "x": 1}, "v.x: not expected"),
        (3, "v: expected object, got integer"),
    ],
)
def test_a_tag_tells_which_member_of_a_union_was_meant(value: Any, text: str) -> None:
    assert sentence([field("v", Circle | Square)], {"v": value}) == text


def test_the_member_with_the_fewest_faults_is_meant() -> None:
    pair = dict[str, int] | dict[str, str]
    value = {"a": 1, "b": 2, "c": "x"}
    assert sentence([field("v", pair)], {"v": value}) == "v.c: expected integer, got string"


def test_unions_that_contain_themselves_are_checked_in_linear_time() -> None:
    schema = Schema.of([field("v", Group | Circle | Other)], owner="tool t")
    value: Any = {"kind": "circle", "radius": "x"}
    for _ in range(40):  # 3 ** 40 steps, were every member tried at every level
        value = {"kind": "other", "parts": [value]}
    with pytest.raises(
        Invalid, match=r"^v(\.parts\[0\]){40}\.radius: expected number, got string$"
    ):
        schema.validate({"v": value})
    for _ in range(40):
        value = {"kind": "other", "parts": [value], "unknown": 1}
    with pytest.raises(Invalid, match=r"unknown: not expected"):
        schema.validate({"v": value})


def test_nesting_has_an_end() -> None:
    schema = Schema.of([field("v", Group)], owner="tool t")
    value: Any = {"kind": "group", "parts": []}
    for _ in range(3000):
        value = {"kind": "group", "parts": [value]}
    with pytest.raises(Invalid, match=r"^nested too deeply$"):
        schema.validate({"v": value})
