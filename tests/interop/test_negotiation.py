"""Which revision the official clients agree on with servers that do not have all of them, or that
they say so when there is none. `test_meeting` shows it for servers that have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest
from mcp import MCPError

from .conftest import Command
from .meeting import House, meeting_server
from .programs import started
from .python_client import Guest
from .serving import PATIENCE, uvicorn_serving

MODERN = "2026-07-28"
OLDEST = "2025-03-26"

SESSION = [["GET", 200], ["DELETE", 204]]


@contextmanager
def serving(*versions: str) -> Iterator[str]:
    class Old(meeting_server(House(1))):  # type: ignore[misc]
        name = "meeting"
        version = "1.0"
        protocol_versions = versions

    with uvicorn_serving(Old.asgi()) as base:
        yield base + "/mcp"


async def agree(url: str, mode: str) -> dict[str, Any]:
    guest = Guest(url, "python", mode)
    with anyio.fail_after(PATIENCE):
        async with guest.connected() as client:
            if guest.session_id is not None:
                await guest.until(lambda: ("GET", 200) in guest.exchanged)
            version = client.protocol_version
    return {"version": version, "exchanged": [list(each) for each in guest.exchanged]}


def agreed(url: str, *commands: Command) -> list[Any]:
    """What several programs say at the same time."""
    with started(commands[0]("agree", url, "guest")) as program:
        rest = agreed(url, *commands[1:]) if commands[1:] else []
        return [program.said(), *rest]


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", OLDEST])
async def test_python_falls_back_to_the_only_one(mode: str, version: str) -> None:
    with serving(version) as url:
        assert await agree(url, mode) == {"version": version, "exchanged": SESSION}


def test_others_fall_back_to_the_only_one(
    typescript: Callable[[str], Command], earlier: Command
) -> None:
    with serving(OLDEST) as url:
        said = agreed(url, typescript("auto"), earlier)
    assert said == [{"version": OLDEST, "exchanged": SESSION}] * 2


@pytest.mark.anyio
async def test_python_is_told_that_there_is_no_handshake() -> None:
    refused = pytest.RaisesExc(
        MCPError,
        match=MODERN,
        check=lambda error: (
            error.code == -32022
            and error.error.data == {"supported": [MODERN], "requested": "2025-11-25"}
        ),
    )
    with serving(MODERN) as url:
        with pytest.RaisesGroup(refused, flatten_subgroups=True):
            await agree(url, "legacy")
        assert await agree(url, "auto") == {"version": MODERN, "exchanged": []}


def test_others_are_told_that_there_is_no_handshake(
    typescript: Callable[[str], Command], earlier: Command
) -> None:
    with serving(MODERN) as url:
        [in_typescript, in_python] = agreed(url, typescript("legacy"), earlier)
    error, message = in_typescript["refused"]
    assert error == "SdkHttpError"
    assert f"This server speaks {MODERN}" in message
    # It does not say what it was told.
    assert "400 Bad Request" in in_python["refused"]
