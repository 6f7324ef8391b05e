"""B22, over HTTP: a server that is told to stop says so on every stream, and stops."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from running.server_process import ServerProcess
from support.client import SUBSCRIPTION_ID, calling, listening, modern
from support.program import held, marks, miniature
from support.socket_stream import SocketStream, ask

LIMIT = 3.0
"""Seconds from the signal to the end of the process."""


@pytest.fixture(
    params=[
        ("hypercorn", signal.SIGTERM),
        ("hypercorn", signal.SIGINT),
        ("scope", signal.SIGUSR1),
    ],
    ids=["SIGTERM", "SIGINT", "cancelled scope"],
)
def server_and_signal(
    request: pytest.FixtureRequest,
) -> Iterator[tuple[ServerProcess, signal.Signals]]:
    program, number = request.param
    with miniature(program) as server:
        yield server, number


def open_all(stack: ExitStack, url: str, bodies: list[Any]) -> list[SocketStream]:
    return [stack.enter_context(SocketStream(url, body)) for body in bodies]


def wait_until_begun(url: str, *names: str) -> None:
    deadline = time.monotonic() + 10
    while not {f"{name} begins" for name in names} <= set(marks(url)):
        assert time.monotonic() < deadline, f"{names} have not begun"


def refuses_connections(url: str) -> bool:
    host, port = url.split("/")[2].split(":")
    try:
        with socket.create_connection((host, int(port)), timeout=5):
            return False
    except (ConnectionRefusedError, ConnectionResetError):
        return True


def ended_well(server: ServerProcess, start: float) -> float:
    """The process has ended in time, with 0 and a quiet log. Gives the seconds it took."""
    code = server.process.wait(10)
    seconds = time.monotonic() - start
    assert server.rest() == []
    assert code == 0
    assert seconds < LIMIT
    return seconds


def test_every_stream_is_closed_and_every_short_call_answered(
    server_and_signal: tuple[ServerProcess, signal.Signals], tmp_path: Path
) -> None:
    server, number = server_and_signal
    cleaned = tmp_path / "cleaned"
    with ExitStack() as stack:
        listeners = open_all(
            stack,
            server.url,
            [listening("memo://a", toolsListChanged=True, id=n) for n in range(1, 21)],
        )
        for listener in listeners:
            assert listener.head().message()["params"]["_meta"] == {
                SUBSCRIPTION_ID: listener.request["id"]
            }
        long = calling("nap", {"s": 60, "mark": "long", "file": str(cleaned)}, id="long")
        short = calling("nap", {"s": 0.5, "mark": "short"}, id="short")
        spoken = calling("nap", {"s": 0.5, "mark": "spoken"}, id="spoken", token=1)
        open_all(stack, server.url, [long])
        answered = open_all(stack, server.url, [short, spoken])
        wait_until_begun(server.url, "long", "short", "spoken")

        start = time.monotonic()
        server.process.send_signal(number)
        for listener in listeners:
            [closing] = listener.rest()
            assert closing["id"] == listener.request["id"]
            assert closing["result"]["resultType"] == "complete"
            assert closing["result"]["_meta"][SUBSCRIPTION_ID] == listener.request["id"]
        assert time.monotonic() - start < 1
        assert refuses_connections(server.url)
        plain, streamed = answered
        assert plain.head().body()["result"]["content"][0]["text"] == "awake"
        assert streamed.head().rest()[-1]["result"]["content"][0]["text"] == "awake"
        ended_well(server, start)
    assert cleaned.read_text() == "long"


def test_listeners_alone_do_not_hold_the_process(
    server_and_signal: tuple[ServerProcess, signal.Signals],
) -> None:
    server, number = server_and_signal
    with ExitStack() as stack:
        bodies = [listening(toolsListChanged=True, id=n) for n in range(20)]
        for listener in open_all(stack, server.url, bodies):
            listener.head().message()
        start = time.monotonic()
        server.process.send_signal(number)
        ended_well(server, start)


def test_a_long_stream_is_ended_within_the_grace(
    server_and_signal: tuple[ServerProcess, signal.Signals], tmp_path: Path
) -> None:
    server, number = server_and_signal
    cleaned = tmp_path / "cleaned"
    body = calling("nap", {"s": 60, "mark": "long", "file": str(cleaned)}, token="t")
    with SocketStream(server.url, body) as stream:
        stream.head().message()
        start = time.monotonic()
        server.process.send_signal(number)
        ended_well(server, start)
    assert cleaned.exists()


def test_a_thread_that_nobody_can_stop_does_not_hold_the_process(
    server_and_signal: tuple[ServerProcess, signal.Signals],
) -> None:
    server, number = server_and_signal
    with SocketStream(server.url, calling("block", {"s": 20, "mark": "block"})):
        wait_until_begun(server.url, "block")
        start = time.monotonic()
        server.process.send_signal(number)
        ended_well(server, start)


def test_an_idle_connection_does_not_hold_the_process(
    server_and_signal: tuple[ServerProcess, signal.Signals],
) -> None:
    server, number = server_and_signal
    with SocketStream(server.url, modern("tools/list")) as stream:
        stream.head().body()
        start = time.monotonic()
        server.process.send_signal(number)
        assert ended_well(server, start) < 1


def test_clients_that_do_not_read_do_not_hold_the_process(
    server_and_signal: tuple[ServerProcess, signal.Signals],
) -> None:
    server, number = server_and_signal
    body = calling("steps", {"count": 10_000, "size": 50_000, "pause": 0.001}, level="debug")
    with SocketStream(server.url, body, room=4096) as stream:
        stream.head()
        # It fills what the kernel keeps, and goes on.
        deadline = time.monotonic() + 1.5
        while time.monotonic() < deadline:
            assert "result" in ask(server.url, modern("tools/list"))
        start = time.monotonic()
        server.process.send_signal(number)
        ended_well(server, start)


@pytest.mark.parametrize("count", [1, 200])
def test_it_takes_no_longer_for_more_streams(count: int) -> None:
    with miniature("hypercorn") as server, ExitStack() as stack:
        bodies = [listening(toolsListChanged=True, id=n) for n in range(count)]
        listeners = open_all(stack, server.url, bodies)
        for listener in listeners:
            listener.head().message()
        assert held(server.url)["tasks"] > count
        start = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        for listener in listeners:
            assert [message["id"] for message in listener.rest()] == [listener.request["id"]]
        ended_well(server, start)
