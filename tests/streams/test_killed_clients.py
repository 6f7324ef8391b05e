"""Clients that are killed in the middle of a stream leave nothing behind in the server."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from running.server_process import ServerProcess, post
from support.client import calling, listening, modern
from support.program import PROGRAMS, miniature
from support.socket_stream import SocketStream, ask

COUNT = 200
COUNTED = ("tasks", "threads", "descriptors")


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
    with httpx.Client() as client:
        return _settled(client, server.url, None)


@pytest.mark.parametrize("body", KILLED.values(), ids=KILLED.keys())
def test_what_they_held_is_given_back(
    server: ServerProcess, before: dict[str, int], body: Any
) -> None:
    for number in range(COUNT):
        _leave(server.url, body, kill=number % 2 == 0)
    # One connection for all questions, so that they do not count themselves.
    with httpx.Client() as client:
        after = _settled(client, server.url, before)
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


def _settled(client: httpx.Client, url: str, goal: dict[str, int] | None) -> dict[str, int]:
    """What is held once it is no more than the goal; without one, once it changes no more."""
    deadline = time.monotonic() + 25
    past: list[dict[str, int]] = []
    while time.monotonic() < deadline:
        # Threads that have nothing to do end after 10 s, on asyncio when another one is used.
        post(client, url, modern("prompts/get", {"name": "greeting"}))
        said = post(client, url, calling("held")).json()["result"]["content"][0]["text"]
        past.append(json.loads(said))
        if goal is not None and all(past[-1][what] <= goal[what] for what in COUNTED):
            break
        # hypercorn keeps what belongs to a connection for the 5 s that it may be idle.
        if goal is None and len({_counts(found) for found in past[-12:]}) == 1 and len(past) > 12:
            break
        time.sleep(0.5)
    return past[-1]


def _counts(found: dict[str, int]) -> tuple[int, ...]:
    return tuple(found[what] for what in COUNTED)
