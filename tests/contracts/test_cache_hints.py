"""`cache_hints`: on the complete results of six methods, 0 and private unless told otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.client import CheckedClient
from support.log import ServerLog

from anubis_py import (
    Frame,
    PromptComponent,
    Reply,
    Request,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    field,
)

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

CACHEABLE = {
    "server/discover": {},
    "tools/list": {},
    "prompts/list": {},
    "resources/list": {},
    "resources/templates/list": {},
    "resources/read": {"uri": "note:///n"},
}
OTHERS: dict[str, dict[str, Any]] = {
    "tools/call": {"name": "now"},
    "prompts/get": {"name": "ask"},
    "completion/complete": {
        "ref": {"type": "ref/prompt", "name": "ask"},
        "argument": {"name": "x", "value": ""},
    },
}


class Now(ToolComponent):
    def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool()


class Ask(PromptComponent):
    schema = (field("x", str),)

    def get_messages(self, args: Any, frame: Frame) -> Any:
        return "ask"

    def complete(self, argument: Any, frame: Frame) -> Any:
        return ()


class Note(ResourceComponent):
    uri = "note:///n"

    def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().text("n")


class Plain(ServerBehaviour):
    name = "plain"
    version = "1"
    components = (Now, Ask, Note)


def hinting(hints: Callable[[str], Any]) -> type[ServerBehaviour]:
    class Hinting(Plain):
        def cache_hints(self, method: str) -> Any:
            return hints(method)

    return Hinting


async def hints_of(server: type[ServerBehaviour], method: str) -> tuple[Any, Any]:
    result = await CheckedClient(server).request(method, {**CACHEABLE, **OTHERS}[method])
    return result.get("ttlMs"), result.get("cacheScope")


@pytest.mark.parametrize("method", CACHEABLE)
async def test_the_default_is_stale_at_once_and_private(method: str) -> None:
    assert await hints_of(Plain, method) == (0, "private")


@pytest.mark.parametrize("method", OTHERS)
async def test_no_other_result_has_hints(method: str) -> None:
    everywhere = hinting(lambda method: {"ttl_ms": 5, "scope": "public"})
    assert await hints_of(everywhere, method) == (None, None)


@pytest.mark.parametrize("method", CACHEABLE)
async def test_each_method_is_asked_for_by_its_name(method: str) -> None:
    lists = {"ttl_ms": 300_000, "scope": "public"}
    by_name = hinting(lambda name: lists if name == method else {})
    for each in CACHEABLE:
        expected = (300_000, "public") if each == method else (0, "private")
        assert await hints_of(by_name, each) == expected


@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        ({"ttl_ms": 7}, (7, "private")),
        ({"scope": "public"}, (0, "public")),
        ({"ttl_ms": 0, "scope": "private"}, (0, "private")),
        ({}, (0, "private")),
    ],
)
async def test_what_is_left_out_has_its_default(hints: Any, expected: Any) -> None:
    assert await hints_of(hinting(lambda method: hints), "tools/list") == expected


@pytest.mark.parametrize(
    "hints",
    [
        {"ttl_ms": -1},
        {"ttl_ms": True},
        {"ttl_ms": 1.5},
        {"ttl_ms": "5"},
        {"ttl_ms": None},
        {"scope": "shared"},
        {"scope": None},
        {"ttl": 5},
        {"ttlMs": 5},
        {"ttl_ms": 5, "scope": "public", "more": 1},
        None,
        [],
        "public",
        5,
    ],
    ids=repr,
)
async def test_a_bad_hint_is_reported_at_start_and_served_as_none(
    hints: Any, server_log: ServerLog
) -> None:
    client = CheckedClient(hinting(lambda method: hints))
    for method in CACHEABLE:
        server_log.take(f"cache_hints('{method}')")
    result = await client.list_tools()
    assert (result["ttlMs"], result["cacheScope"]) == (0, "private")
    server_log.take("cache_hints('tools/list')")


async def test_a_crashing_callback_is_reported_and_costs_no_answer(server_log: ServerLog) -> None:
    def crash(method: str) -> Any:
        raise LookupError("hunter2")

    client = CheckedClient(hinting(crash))
    server_log.take("cache_hints('tools/list')", traceback=True)
    result = await client.list_tools()
    assert (result["ttlMs"], result["cacheScope"]) == (0, "private")
    server_log.clear()


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({"ttlMs": 9}, (9, "public")),
        ({"cacheScope": "private"}, (5, "private")),
        ({"ttlMs": 0, "cacheScope": "private"}, (0, "private")),
    ],
)
async def test_members_of_a_handlers_own_result_win(own: Any, expected: Any) -> None:
    class Own(hinting(lambda method: {"ttl_ms": 5, "scope": "public"})):  # type: ignore[misc]
        async def handle_request(self, request: Request, frame: Frame) -> Any:
            return Reply({"tools": [], **own})

    assert await hints_of(Own, "tools/list") == expected
