"""What the official clients do when a stream of theirs ends before its answer, and when the server
has forgotten their session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import MCPError

from .conftest import Command
from .meeting import meeting
from .programs import said_by, started
from .python_client import Guest, text_of
from .serving import PATIENCE, Serving, hypercorn_serving, program_serving, uvicorn_serving

pytestmark = [
    # Of the client: on trio it leaves the generators of a stream behind that has said all it has
    # to.
    pytest.mark.filterwarnings("ignore:Async generator 'http(x|core)2:ResourceWarning"),
]

GREETER = Path(__file__).with_name("greeter.py")

ANSWER = "left and right"
PROGRESS = [[1, 3, "leaving"], [2, 3, "while nobody listens"], [3, 3, "while somebody listens"]]


@pytest.fixture(params=[uvicorn_serving, hypercorn_serving])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    serving: Serving = request.param
    with serving(meeting(1)) as base:
        yield base + "/mcp"


@pytest.mark.anyio
async def test_python_comes_back_for_its_answer(url: str) -> None:
    guest = Guest(url, "python", "legacy")
    with anyio.fail_after(PATIENCE):
        async with guest.connected() as client:
            await guest.until(lambda: ("GET", 200) in guest.exchanged)
            answer = await client.call_tool("leave", progress_callback=guest.note)
            await guest.until(lambda: len(guest.progress) == 3)
    assert text_of(answer) == ANSWER
    assert guest.progress == PROGRESS
    assert guest.exchanged == [("GET", 200), ("GET", 200), ("DELETE", 204)]

    # "elsewhere it does nothing": the stream of a request without a session goes on.
    guest = Guest(url, "python", "auto")
    with anyio.fail_after(PATIENCE):
        async with guest.connected() as client:
            answer = await client.call_tool("leave", progress_callback=guest.note)
            await guest.until(lambda: len(guest.progress) == 3)
    assert text_of(answer) == ANSWER
    assert guest.progress == PROGRESS
    assert guest.exchanged == []


def test_typescript_comes_back_for_its_answer(
    url: str, typescript: Callable[[str], Command]
) -> None:
    said = said_by(typescript("legacy")("resume", url, "typescript"))
    assert said["answers"] == [ANSWER, ANSWER]
    assert said["progress"] == PROGRESS
    assert said["exchanged"] == [["GET", 200]] * 3 + [["DELETE", 204]]


def test_an_earlier_client_comes_back_when_it_has_lost_its_stream(
    url: str, earlier: Command
) -> None:
    said = said_by(earlier("resume", url, "earlier"))
    assert said["answers"] == [ANSWER, ANSWER]
    assert said["progress"] == PROGRESS
    assert said["replayed"]
    assert said["exchanged"] == [["GET", 200]] * 3 + [["DELETE", 204]]


def test_a_session_does_not_outlive_its_server_and_its_client_says_so(
    typescript: Callable[[str], Command], earlier: Command
) -> None:
    commands = {
        "typescript-auto": typescript("auto"),
        "typescript-legacy": typescript("legacy"),
        "earlier": earlier,
    }
    with ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal())
        with program_serving(GREETER) as url:
            port = int(url.rpartition(":")[2].partition("/")[0])
            guests = {
                mode: stack.enter_context(
                    portal.wrap_async_context_manager(Guest(url, mode, mode).connected())
                )
                for mode in ("auto", "legacy")
            }
            programs = {
                name: stack.enter_context(started(command("outlive", url, name)))
                for name, command in commands.items()
            }
            assert [program.line() for program in programs.values()] == ["Hello!"] * 3
            for client in guests.values():
                assert text_of(portal.call(client.call_tool, "greet")) == "Hello!"
        with program_serving(GREETER, port):
            # Nobody who has no session has lost any.
            assert text_of(portal.call(guests["auto"].call_tool, "greet")) == "Hello!"
            with pytest.raises(MCPError, match="Session not found") as lost:
                portal.call(guests["legacy"].call_tool, "greet")
            assert lost.value.code == -32600
            for program in programs.values():
                program.go_on()
            said: dict[str, Any] = {name: program.said() for name, program in programs.items()}
            stack.close()
    assert said["typescript-auto"] == "Hello!"
    assert said["typescript-legacy"][:2] == ["SdkHttpError", 404]
    assert "Session not found" in said["typescript-legacy"][2]
    # The sign is missing in that client.
    assert said["earlier"] == [32600, "Session terminated"]
