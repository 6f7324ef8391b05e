"""The official clients in both of their modes, and one of an earlier era, all at the same time at
one server, whose code knows nothing of eras. Each goes through everything that a server is for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import httpx
import pytest

from .conftest import Command
from .earlier_client import REVISION as EARLIER
from .meeting import SHARED, meeting
from .programs import LONG, said_by
from .python_client import Guest
from .serving import Serving, hypercorn_serving, uvicorn_serving

pytestmark = [
    # Of the client: on trio it leaves the generators of a stream behind that has said all it has
    # to, and it advises against what only the handshake revisions have.
    pytest.mark.filterwarnings("ignore:Async generator 'http(x|core)2:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]

MODERN = "2026-07-28"
LEGACY = "2025-11-25"

VERSIONS = {
    "python-auto": MODERN,
    "python-legacy": LEGACY,
    "typescript-auto": MODERN,
    "typescript-legacy": LEGACY,
    "earlier": EARLIER,
}
OF_SESSIONS = [name for name, version in VERSIONS.items() if version != MODERN]

TOOLS = ["compose", "count", "greet", "identify", "initiate", "leave", "meet", "write"]


def visited(url: str, name: str, mode: str, backend: str) -> dict[str, Any]:
    async def visit() -> dict[str, Any]:
        with anyio.fail_after(LONG):
            return await Guest(url, name, mode).visit()

    return anyio.run(visit, backend=backend)


@pytest.fixture(scope="module", params=[uvicorn_serving, hypercorn_serving])
def said(
    request: pytest.FixtureRequest, typescript: Callable[[str], Command], earlier: Command
) -> Iterator[dict[str, Any]]:
    """What each client got, by its name."""
    serving: Serving = request.param
    with serving(meeting(len(VERSIONS))) as base, ThreadPoolExecutor(len(VERSIONS)) as pool:
        url = base + "/mcp"
        futures = {
            "python-auto": pool.submit(visited, url, "python-auto", "auto", "asyncio"),
            "python-legacy": pool.submit(visited, url, "python-legacy", "legacy", "trio"),
        }
        commands = {f"typescript-{mode}": typescript(mode) for mode in ("auto", "legacy")}
        for name, command in {**commands, "earlier": earlier}.items():
            futures[name] = pool.submit(said_by, command("visit", url, name))
        yield {name: future.result() for name, future in futures.items()} | {"url": url}


@pytest.fixture(params=VERSIONS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def got(said: dict[str, Any], name: str) -> dict[str, Any]:
    return dict(said[name])


def test_it_agrees_on_the_newest_revision_that_both_know(got: dict[str, Any], name: str) -> None:
    assert got["version"] == VERSIONS[name]
    assert got["server"] == ["meeting", "1.0", "Meet first."]
    era = "stateless" if VERSIONS[name] == MODERN else "legacy"
    assert json.loads(got["identified"]) == [name, era, VERSIONS[name], era == "legacy"]


def test_it_lists(got: dict[str, Any]) -> None:
    assert got["tools"] == TOOLS
    assert got["prompts"] == ["invitation"]
    assert got["resources"] == ["house://motto"]
    assert got["templates"] == ["memo://{name}"]


def test_it_calls(got: dict[str, Any], name: str) -> None:
    greeting = {"greeting": f"Hello, {name}!"}
    structured, text, is_error = got["greeted"]
    assert (structured, json.loads(text), is_error) == (greeting, greeting, False)
    assert got["failed"] == ["There is nobody to greet.", True]


def test_it_gets_a_prompt_and_reads(got: dict[str, Any], name: str) -> None:
    assert got["invited"] == ["A letter", f"Invite {name} for tonight."]
    assert got["motto"] == "Come in."


def test_it_is_asked_in_two_rounds(got: dict[str, Any], name: str) -> None:
    assert got["asked"] == [
        [f"A line for {name}", 20],
        ["For whom?", ["who", "lines"]],
        ["Sure?", ["sure"]],
    ]
    assert got["composed"] == f"{name}, True: O {name} (poet)"


def test_it_receives_progress_and_the_logs_that_it_wants(got: dict[str, Any]) -> None:
    assert got["counted"] == "counted"
    assert got["progress"] == [[step, 3, f"step {step}"] for step in (1, 2, 3)]
    steps = [["debug", "counter", {"step": step}] for step in (1, 2, 3)]
    assert got["logged"] == [*steps, ["warning", None, "done"]]


def test_it_hears_of_what_it_listens_to_and_of_nothing_else(got: dict[str, Any], name: str) -> None:
    # All were there when the last one came, and it told them all.
    assert got["met"] == f"{len(VERSIONS)} are here"
    assert got["heard"] == sorted([SHARED, f"memo://{name}", "tools"])
    assert got["memo"] == f"by {name}"


def test_it_gets_the_tool_that_is_new_for_it(got: dict[str, Any], name: str) -> None:
    assert got["more_tools"] == sorted([*TOOLS, "secret"])
    assert got["secret"] == f"{name} knows"


def test_a_session_has_a_stream_and_is_ended_by_its_client(got: dict[str, Any], name: str) -> None:
    exchanged = [tuple(each) for each in got["exchanged"]]
    assert exchanged == ([("GET", 200), ("DELETE", 204)] if name in OF_SESSIONS else [])
    assert (got["session"] is not None) == (name in OF_SESSIONS)


@pytest.mark.parametrize("name", OF_SESSIONS)
def test_a_session_that_was_ended_is_not_found(said: dict[str, Any], name: str) -> None:
    headers = {"mcp-session-id": said[name]["session"], "mcp-protocol-version": VERSIONS[name]}
    accept = {"accept": "application/json, text/event-stream"}
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with httpx.Client(headers={**headers, **accept}) as http:
        assert http.post(said["url"], json=ping).status_code == 404
        assert http.get(said["url"]).status_code == 404
        assert http.delete(said["url"]).status_code == 404
