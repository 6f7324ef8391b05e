"""Nobody is asked for what the client has not declared."""

from __future__ import annotations

from typing import Any

import pytest

from anubis_py import ask_form, ask_roots, ask_sampling, ask_url
from anubis_py.asks.ask import Ask
from anubis_py.asks.capabilities import merged

FORM = ask_form("Go on?")
URL = ask_url("Connect", "https://example.com")
TEXT = ask_sampling("Hi", max_tokens=1)
TOOLS = ask_sampling("Hi", max_tokens=1, tools=[])
CONTEXT = ask_sampling("Hi", max_tokens=1, include_context="allServers")
ROOTS = ask_roots()


@pytest.mark.parametrize(
    ("ask", "declared", "missing"),
    [
        (FORM, {}, {"elicitation": {"form": {}}}),
        (FORM, {"elicitation": {}}, {}),
        (FORM, {"elicitation": {"form": {}}}, {}),
        (FORM, {"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}),
        (FORM, {"elicitation": None}, {"elicitation": {"form": {}}}),
        (URL, {}, {"elicitation": {"url": {}}}),
        (URL, {"elicitation": {}}, {"elicitation": {"url": {}}}),
        (URL, {"elicitation": {"form": {}}}, {"elicitation": {"url": {}}}),
        (URL, {"elicitation": {"url": {}}}, {}),
        (TEXT, {}, {"sampling": {}}),
        (TEXT, {"sampling": {}}, {}),
        (TOOLS, {}, {"sampling": {"tools": {}}}),
        (TOOLS, {"sampling": {}}, {"sampling": {"tools": {}}}),
        (TOOLS, {"sampling": {"tools": None}}, {"sampling": {"tools": {}}}),
        (TOOLS, {"sampling": {"tools": {}}}, {}),
        (CONTEXT, {"sampling": {"tools": {}}}, {"sampling": {"context": {}}}),
        (CONTEXT, {"sampling": {"context": {}}}, {}),
        (ROOTS, {}, {"roots": {}}),
        (ROOTS, {"roots": {"listChanged": True}}, {}),
    ],
)
def test_what_is_lacking(ask: Ask, declared: Any, missing: Any) -> None:
    assert ask.lacking(declared) == missing


def test_what_several_lack_is_told_as_one() -> None:
    asks = (FORM, URL, TOOLS, CONTEXT, ROOTS)
    assert merged(ask.lacking({"roots": {}}) for ask in asks) == {
        "elicitation": {"form": {}, "url": {}},
        "sampling": {"tools": {}, "context": {}},
    }
