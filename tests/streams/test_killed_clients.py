"""Clients that are killed in the middle of a stream leave nothing behind in the server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from running.server_process import ServerProcess
from support.client import calling, listening, modern
from support.program import COUNTED, PROGRAMS, miniature, settled
from support.socket_stream import SocketStream, ask

COUNT = 200

KILLED = {
    "a subscription": listening("memo://a", toolsListChanged=True),
    "a stream": calling("steps", {"count": 100_000, "pause": 0.005, "size": 100}, level="debug"),
    "a silent stream": calling("nap", {"s": 100}, token=1),
    "a stream of a thread": calling("steps_in_thread", {"count": 40, "pause": 0.005}, token=1),
}


@pytest.fixture(scope="module", params=PROGRAMS)
def server(request: pytest.FixtureRequest) -> Iterator[ServerProcess]:
    with miniature(request.param, keep_alive=0.2) as process:
        yield process


@pytest.fixture(scope="module")
def before(server: ServerProcess) -> dict[str, int]:
    """What the server holds when it has seen everything once."""
    for body in KILLED.values():
        _leave(server.url, body, kill=True)
    return settled(server.url)


@pytest.mark.parametrize("body", KILLED.values(), ids=KILLED.keys())
def test_what_they_held_is_given_back(
    server: ServerProcess, before: dict[str, int], body: Any
) -> None:
    for number in range(COUNT):
        _leave(server.url, body, kill=number % 2 == 0)
    after = settled(server.url, before)
    for what in COUNTED:
        assert after[what] <= before[what], f"{before} has become {after}"
    assert after["kB"] - before["kB"] < 16 * 1024
    assert "result" in ask(server.url, modern("tools/list"))


def _leave(url: str, body: Any, *, kill: bool) -> None:
    """In the middle of a stream: by a reset, or in the ordinary way."""
    with SocketStream(url, body) as stream:
        stream.head().message()
        if kill:
            stream.kill()
