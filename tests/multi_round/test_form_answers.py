"""What comes back from a form: held against what was asked, and nothing else."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from anubis_py import Accepted, Cancelled, Declined, ask_form, field
from anubis_py import enum as one_of
from anubis_py.asks.form import FormAsk
from anubis_py.asks.from_wire import ask_from_wire
from anubis_py.schema.faults import Invalid

FORM = ask_form(
    "Please",
    [
        field("name", str, required=True, min_length=2, max_length=5),
        field("age", int, min=0, max=150),
        field("weight", float),
        field("born", date),
        field("at", datetime),
        field("sure", bool),
        field("size", one_of("s", "l"), default="s"),
        field("color", one_of({"#f00": "Red", "#0f0": "Green"})),
        field("tags", list[one_of("a", "b")], min=1, max=2),  # type: ignore[misc]
        field("marks", list[one_of({"x": "Ex", "y": "Why"})]),  # type: ignore[misc]
    ],
)


def content_of(ask: FormAsk, content: Any) -> dict[str, Any]:
    answer = ask.read({"action": "accept", "content": content})
    assert isinstance(answer, Accepted)
    return dict(answer.content)


def faults_of(ask: FormAsk, answer: Any) -> str:
    with pytest.raises(Invalid) as raised:
        ask.read(answer)
    return str(raised.value)


def test_accepted_content_is_json_with_the_defaults_filled_in() -> None:
    sent = {
        "name": "Ada",
        "age": 36,
        "weight": 50.5,
        "born": "1815-12-10",
        "at": "1843-01-01T10:00:00Z",
        "sure": True,
        "color": "#f00",
        "tags": ["a", "b"],
        "marks": [],
    }
    assert content_of(FORM, sent) == {**sent, "size": "s"}
    assert content_of(FORM, {**sent, "size": "l"})["size"] == "l"


def test_an_integer_is_an_int_however_it_is_spelt() -> None:
    assert type(content_of(FORM, {"name": "Ada", "age": 36.0})["age"]) is int


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ({}, "content.name: required, missing"),
        ({"name": 3}, "content.name: expected string"),
        ({"name": "A"}, "content.name: expected string of 2 to 5 characters"),
        ({"name": "Ada", "age": -1}, "content.age: expected integer >= 0"),
        ({"name": "Ada", "age": 1.5}, "content.age: expected integer"),
        ({"name": "Ada", "age": True}, "content.age: expected integer"),
        ({"name": "Ada", "age": None}, "content.age: expected integer"),
        ({"name": "Ada", "born": "2023-02-29"}, "content.born: expected date"),
        ({"name": "Ada", "born": "2024-02-29\n"}, "content.born: expected date"),
        ({"name": "Ada", "at": "2024-02-29T10:00:00"}, "content.at: expected date and time"),
        ({"name": "Ada", "sure": "yes"}, "content.sure: expected boolean"),
        ({"name": "Ada", "size": "m"}, 'content.size: expected one of "s", "l"'),
        ({"name": "Ada", "color": "Red"}, 'content.color: expected one of "#f00", "#0f0"'),
        ({"name": "Ada", "tags": []}, "content.tags: expected array of 1 to 2 items"),
        ({"name": "Ada", "tags": ["a", "c"]}, "content.tags[1]: expected one of"),
        ({"name": "Ada", "tags": "a"}, "content.tags: expected array"),
        ({"name": "Ada", "nmae": "x"}, "content.nmae: not expected. Did you mean 'name'?"),
        ([], "content: expected object, got array"),
        (None, "content: expected object, got null"),
    ],
)
def test_content_that_does_not_fit_is_named(content: Any, fault: str) -> None:
    assert fault in faults_of(FORM, {"action": "accept", "content": content})


def test_no_fault_repeats_what_the_user_sent() -> None:
    said = faults_of(FORM, {"action": "accept", "content": {"name": "very secret", "age": "1234"}})
    assert "secret" not in said
    assert "1234" not in said


def test_every_fault_is_told_at_once() -> None:
    said = faults_of(FORM, {"action": "accept", "content": {"age": "x", "sure": "y"}})
    assert said.count("content.") == 3


def test_the_user_may_decline_or_cancel_whatever_the_form_requires() -> None:
    assert FORM.read({"action": "decline"}) == Declined()
    assert FORM.read({"action": "cancel"}) == Cancelled()
    assert FORM.read({"action": "decline", "content": {"odd": 1}}) == Declined()


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (3, "expected object, got integer"),
        (None, "expected object, got null"),
        ({}, "action: required, missing"),
        ({"action": "maybe"}, 'action: expected one of "accept", "decline", "cancel"'),
        ({"action": ["accept"]}, "action: expected one of"),
        ({"action": "accept"}, "content.name: required, missing"),
    ],
)
def test_an_answer_that_is_none(answer: Any, fault: str) -> None:
    assert fault in faults_of(FORM, answer)


def test_a_form_without_fields_may_be_accepted_without_content() -> None:
    assert ask_form("Go on?").read({"action": "accept"}) == Accepted()
    assert ask_form("Go on?").read({"action": "accept", "content": {}}) == Accepted({})
    assert "content.x" in faults_of(ask_form("?"), {"action": "accept", "content": {"x": 1}})


def test_members_that_later_revisions_may_add_are_left_alone() -> None:
    answer = {"action": "accept", "content": {}, "_meta": {"a": 1}, "new": [1]}
    assert ask_form("Go on?").read(answer) == Accepted()


def test_content_does_not_change() -> None:
    content = {"name": "Ada"}
    answer = Accepted(content)
    content["name"] = "Eve"
    assert answer == Accepted({"name": "Ada"})
    with pytest.raises(TypeError):
        answer.content["name"] = "Eve"  # type: ignore[index]


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 151),
    st.sampled_from([0.5, 3.0, 1e300]),
    st.sampled_from(["", "s", "a", "Ada", "Ada Lovelace", "#f00", "x", "Red"]),
    st.lists(st.sampled_from(["a", "b", "x", 1, None]), max_size=3),
    st.dictionaries(st.just("name"), st.just("Ada")),
)
# Without the two whose format is checked beyond what a stock validator does.
NAMES = [name for name in FORM.schema["properties"] if name not in ("born", "at")]


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from([*NAMES, "odd"]), VALUES, max_size=4), st.booleans())
def test_what_fits_the_advertised_form_is_accepted_and_nothing_else(
    content: dict[str, Any], named: bool
) -> None:
    if named:
        content["name"] = "Ada"
    stock = Draft202012Validator({**FORM.schema, "additionalProperties": False})
    # As after a round: with no more than what was sent at hand.
    ask = ask_from_wire(FORM.to_wire())
    try:
        ask.read({"action": "accept", "content": content})
        accepted = True
    except Invalid:
        accepted = False
    assert accepted == stock.is_valid(content)
