"""The official TypeScript SDK's client against a server on a port."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from .conversing import conversing
from .serving import Serving, hypercorn_serving, uvicorn_serving
from .typescript_client import converse


@pytest.fixture(scope="module", params=[uvicorn_serving, hypercorn_serving])
def said(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    serving: Serving = request.param
    with serving(conversing()) as base:
        yield converse(base + "/mcp")


def test_it_agrees_on_the_newest_revision(said: dict[str, Any]) -> None:
    assert said["version"] == "2026-07-28"
    assert said["server"] == "conversing"


def test_it_answers_what_it_is_asked_round_after_round(said: dict[str, Any]) -> None:
    assert said["asked"] == [
        {"message": "Where to?", "properties": ["where"]},
        {"message": "Is Lisbon right?", "properties": ["sure"]},
    ]
    assert said["round"] == "To Lisbon!"


def test_it_receives_progress(said: dict[str, Any]) -> None:
    assert said["counted"] == "counted"
    assert said["progress"] == [[step, 3, f"step {step}"] for step in (1, 2, 3)]


def test_it_repeats_arguments_in_headers(said: dict[str, Any]) -> None:
    assert json.loads(said["mirrored"]) == {
        "mcp-param-region": "=?base64?IMOpIA==?=",
        "mcp-param-number": "7",
        "mcp-param-fast": "true",
    }


def test_it_hears_a_subscription(said: dict[str, Any]) -> None:
    assert said["honoured"] == {"toolsListChanged": True, "resourceSubscriptions": ["memo://a"]}
    assert said["heard"] == ["resources/updated memo://a", "tools/list_changed"]


def test_it_may_end_a_subscription_and_nothing_more_comes(said: dict[str, Any]) -> None:
    assert said["closed"] == "local"
    assert said["after"] == "touched"


def test_the_servers_end_of_a_subscription_is_a_graceful_one(said: dict[str, Any]) -> None:
    assert said["stopped"] == "graceful"
