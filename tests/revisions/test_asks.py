"""Asks as the requests of a handshake revision, and what its clients answer."""

from __future__ import annotations

import copy
import re
from typing import Any, Final

import pytest

from anubis_py import (
    Accepted,
    Cancelled,
    Declined,
    Root,
    Sampled,
    Tool,
    ask_form,
    ask_roots,
    ask_sampling,
    ask_url,
    enum,
    field,
)
from anubis_py.asks.ask import Ask
from anubis_py.protocol.revisions import REVISIONS

from .closed_schema import LEGACY, VERSIONS, check

TITLES: Final = {"r": "Red", "g": "Green"}
PLAIN: Final = ask_form(
    "Who?",
    [
        field("name", str, required=True, min_length=1, title="Name"),
        field("mail", str, format="email"),
        field("age", int, min=0, default=30),
        field("score", "number", default=95.5),
        field("status", enum("on", "off"), default="on"),
        field("color", enum(TITLES), default="r"),
        field("sure", bool, default=True),
    ],
)
LISTS: Final = ask_form("Which?", [field("few", list[enum("a", "b")]), field("x", str)])  # type: ignore[misc]
URL: Final = ask_url("Pay", "https://example.com/pay")
TALK: Final = ask_sampling(
    [("user", "hi"), ("assistant", ["one", "two"]), ("user", "go on")],
    max_tokens=10,
    system_prompt="Be kind",
    model_preferences={"hints": ["m"], "cost_priority": 0.5},
    include_context="thisServer",
    temperature=0.5,
    stop_sequences=["."],
    metadata={"a": 1},
)
TOOL: Final = Tool("t", "T", title="T", output_schema={"type": "array"}, icons=())
TOOLS: Final = ask_sampling("hi", max_tokens=1, tools=[TOOL])
CHOICE: Final = ask_sampling("hi", max_tokens=1, tool_choice="auto")
USES: Final = ask_sampling(
    [
        ("user", "hi"),
        ("assistant", {"type": "tool_use", "id": "1", "name": "t", "input": {}}),
        (
            "user",
            {
                "type": "tool_result",
                "toolUseId": "1",
                "content": [{"type": "text", "text": "x"}],
                "structuredContent": [1],
            },
        ),
    ],
    max_tokens=1,
)
ROOTS: Final = ask_roots()
ALL: Final = (PLAIN, LISTS, URL, TALK, TOOLS, CHOICE, USES, ROOTS)
REQUESTS: Final = {
    "elicitation/create": "ElicitRequest",
    "sampling/createMessage": "CreateMessageRequest",
    "roots/list": "ListRootsRequest",
}


def put(version: str, ask: Ask) -> Any:
    """The params, held against the revision."""
    dialect = REVISIONS[version].dialect
    before = copy.deepcopy(ask.to_wire())
    assert dialect.unaskable(ask) is None
    wire = dialect.ask(ask)
    envelope = {"jsonrpc": "2.0", "id": 1} if version == "2025-11-25" else {}
    check(version, REQUESTS[ask.method], {**envelope, **wire})
    assert ask.to_wire() == before
    return wire["params"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("ask", ALL, ids=lambda ask: ask.method)
def test_what_can_be_asked_is_of_the_revision(version: str, ask: Ask) -> None:
    if REVISIONS[version].dialect.unaskable(ask) is None:
        put(version, ask)


@pytest.mark.parametrize(
    ("ask", "since", "missing"),
    [
        (PLAIN, "2025-06-18", "elicitation"),
        (URL, "2025-11-25", "elicitation|url mode of elicitation"),
        (
            LISTS,
            "2025-11-25",
            "elicitation|choice of several options in a form, as the field 'few' wants",
        ),
        (TALK, "2025-03-26", ""),
        (ROOTS, "2025-03-26", ""),
        (TOOLS, "2025-11-25", "tools in sampling"),
        (CHOICE, "2025-11-25", "tools in sampling"),
        (USES, "2025-11-25", "uses of tools in the messages of sampling"),
    ],
)
def test_since_when_it_can_be_asked(ask: Ask, since: str, missing: str) -> None:
    for version in VERSIONS:
        why = REVISIONS[version].dialect.unaskable(ask)
        assert (why is None) == (version >= since)
        if why is not None:
            assert re.fullmatch(rf"Protocol version {version} has no ({missing})\.", why)


def test_a_form_of_old() -> None:
    params = put("2025-06-18", PLAIN)
    assert params == {
        "message": "Who?",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "title": "Name", "minLength": 1},
                "mail": {"type": "string", "format": "email"},
                "age": {"type": "integer", "minimum": 0},
                "score": {"type": "number"},
                "status": {"type": "string", "enum": ["on", "off"]},
                "color": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]},
                "sure": {"type": "boolean", "default": True},
            },
            "required": ["name"],
        },
    }


def test_a_schema_of_the_authors_own_loses_its_dialect() -> None:
    schema = {"$schema": "https://json-schema.org/x", "type": "object", "properties": {}}
    assert "$schema" not in put("2025-06-18", ask_form("?", schema))["requestedSchema"]
    assert "$schema" in put("2025-11-25", ask_form("?", schema))["requestedSchema"]


def test_defaults_that_were_not_shown_are_filled_in() -> None:
    answer = PLAIN.read({"action": "accept", "content": {"name": "Bo", "color": "g"}})
    assert answer == Accepted(
        {
            "name": "Bo",
            "color": "g",
            "age": 30,
            "score": 95.5,
            "status": "on",
            "sure": True,
        }
    )


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_a_form_of_now(version: str) -> None:
    assert put(version, PLAIN) == PLAIN.params()
    assert put(version, LISTS) == LISTS.params()


OPTIONS: Final = [f"option{n}" for n in (1, 2, 3)]
TITLED: Final = [{"const": value, "title": value.upper()} for value in OPTIONS]
FIVE: Final = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2"],
        "enumNames": ["One", "Two"],
    },
}


def test_the_five_kinds_of_choices_that_the_conformance_suite_wants() -> None:
    titles = {value: value.upper() for value in OPTIONS}
    declared = [
        field("untitledSingle", enum(*OPTIONS)),
        field("titledSingle", enum(titles)),
        field("untitledMulti", list[enum(*OPTIONS)]),  # type: ignore[misc]
        field("titledMulti", list[enum(titles)]),  # type: ignore[misc]
    ]
    by_fields = put("2025-11-25", ask_form("?", declared))["requestedSchema"]["properties"]
    assert {**by_fields, "legacyEnum": FIVE["legacyEnum"]} == FIVE
    whole = ask_form("?", {"type": "object", "properties": FIVE})
    assert put("2025-11-25", whole)["requestedSchema"]["properties"] == FIVE
    content = {
        "untitledSingle": "option1",
        "titledSingle": "option2",
        "untitledMulti": ["option1", "option3"],
        "titledMulti": [],
        "legacyEnum": "opt2",
    }
    assert whole.read({"action": "accept", "content": content}) == Accepted(content)


def test_a_page_has_an_id_of_its_own() -> None:
    first, second = put("2025-11-25", URL), put("2025-11-25", URL)
    assert first["elicitationId"] != second["elicitationId"]
    assert {**first, "elicitationId": ""} == {**URL.params(), "elicitationId": ""}
    assert "elicitationId" not in put("2026-07-28", URL)


@pytest.mark.parametrize("version", VERSIONS)
def test_messages_of_several_blocks(version: str) -> None:
    messages = put(version, TALK)["messages"]
    spoken = [(m["role"], m["content"]) for m in messages]
    one, two = ({"type": "text", "text": text} for text in ("one", "two"))
    if version >= "2025-11-25":
        assert spoken[1] == ("assistant", [one, two])
    else:
        assert spoken[1:3] == [("assistant", one), ("assistant", two)]
    assert spoken[-1] == ("user", {"type": "text", "text": "go on"})


def test_blocks_of_a_message_are_of_the_revision() -> None:
    block = {"type": "text", "text": "x", "_meta": {}, "annotations": {"lastModified": "2025"}}
    ask = ask_sampling([("user", block)], max_tokens=1)
    [message] = put("2025-03-26", ask)["messages"]
    assert message["content"] == {"type": "text", "text": "x", "annotations": {}}
    [message] = put("2025-06-18", ask)["messages"]
    assert message["content"] == block


def test_tools_of_sampling_are_of_the_revision() -> None:
    [tool] = put("2025-11-25", TOOLS)["tools"]
    assert "outputSchema" not in tool
    [tool] = put("2026-07-28", TOOLS)["tools"]
    assert tool["outputSchema"] == {"type": "array"}
    assert "structuredContent" not in put("2025-11-25", USES)["messages"][-1]["content"]


# -- what clients declare


@pytest.mark.parametrize(
    ("version", "declared", "askable"),
    [
        ("2025-03-26", {}, ()),
        ("2025-03-26", {"sampling": {}, "roots": {"listChanged": True}}, (TALK, ROOTS)),
        ("2025-06-18", {"elicitation": {}, "sampling": {}}, (PLAIN, TALK)),
        ("2025-06-18", {"elicitation": {"x": {}}, "roots": {}}, (PLAIN, ROOTS)),
        ("2025-06-18", {"elicitation": None, "sampling": True}, ()),
        ("2025-11-25", {"elicitation": {}, "sampling": {}}, (PLAIN, LISTS, USES)),
        ("2025-11-25", {"elicitation": {"url": {}}}, (URL,)),
        ("2025-11-25", {"elicitation": {"url": {}, "form": {}}}, (PLAIN, LISTS, URL)),
        ("2025-11-25", {"sampling": {"tools": {}}}, (TOOLS, CHOICE, USES)),
        ("2025-11-25", {"sampling": {"context": {}}}, (TALK, USES)),
    ],
)
def test_what_a_client_may_be_asked(
    version: str, declared: dict[str, Any], askable: tuple[Ask, ...]
) -> None:
    dialect = REVISIONS[version].dialect
    before = copy.deepcopy(declared)
    capabilities = dialect.client_capabilities(declared)
    assert declared == before
    assert dialect.client_capabilities(capabilities) == capabilities
    for name, settings in declared.items():
        assert capabilities[name] == settings or settings.items() <= capabilities[name].items()
    assert capabilities.keys() == declared.keys()
    found = [ask for ask in ALL if dialect.unaskable(ask) is None and not ask.lacking(capabilities)]
    assert found == list(askable)


# -- what clients answer

TEXT: Final = {"type": "text", "text": "yes"}
SPOKEN: Final = {"role": "assistant", "content": TEXT, "model": "m", "stopReason": "endTurn"}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("ask", "definition", "answer", "value"),
    [
        (TALK, "CreateMessageResult", SPOKEN, Sampled("assistant", (TEXT,), "m", "endTurn")),
        (ROOTS, "ListRootsResult", {"roots": []}, ()),
        (ROOTS, "ListRootsResult", {"roots": [{"uri": "file:///a"}]}, (Root("file:///a"),)),
        (PLAIN, "ElicitResult", {"action": "decline"}, Declined()),
        (PLAIN, "ElicitResult", {"action": "cancel"}, Cancelled()),
        (
            ask_form("?", [field("c", enum(TITLES)), field("n", int)]),
            "ElicitResult",
            {"action": "accept", "content": {"c": "g", "n": 1}},
            Accepted({"c": "g", "n": 1}),
        ),
    ],
)
def test_what_clients_of_every_revision_answer(
    version: str, ask: Ask, definition: str, answer: Any, value: Any
) -> None:
    if REVISIONS[version].dialect.unaskable(ask) is None:
        check(version, definition, answer)
        assert ask.read(answer) == value
        if version != "2026-07-28":
            assert ask.read({**answer, "_meta": {}, "more": 1}) == value


@pytest.mark.parametrize("version", LEGACY[:1])
def test_answers_of_several_blocks(version: str) -> None:
    answer = {**SPOKEN, "content": [TEXT, TEXT]}
    check(version, "CreateMessageResult", answer)
    assert TALK.read(answer).text == "yesyes"
