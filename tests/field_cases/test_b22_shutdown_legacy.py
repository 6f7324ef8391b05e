"""B22, behind a handshake: a server that is told to stop ends every stream, and stops."""

from __future__ import annotations

import signal
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.legacy import LEGACY, calls
from support.legacy_socket import PortSession
from support.program import talking

LIMIT = 3.0
"""Seconds from the signal to the end of the process."""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("version", LEGACY)
def test_every_stream_ends_and_every_short_call_is_answered(
    version: str, number: signal.Signals
) -> None:
    with talking("hypercorn") as server, ExitStack() as stack:
        sessions = [PortSession.begun(server.url, version) for _ in range(20)]
        streams = [stack.enter_context(session.get()) for session in sessions]
        for stream in streams:
            stream.head().chunk()
        spoken = stack.enter_context(sessions[0].post(calls("nap", {"s": 0.5}, id=1, token=1)))
        spoken.head().message()
        plain = stack.enter_context(sessions[1].post(calls("nap", {"s": 0.5}, id=2)))
        time.sleep(0.2)  # nothing tells from outside that it has begun
        left = stack.enter_context(sessions[2].post(calls("leave", {"s": 0.5}, id=3)))
        assert left.head().rest()
        rest = stack.enter_context(sessions[2].get(left.events.ids[-1], "tools/call"))
        rest.head().chunk()

        start = time.monotonic()
        server.process.send_signal(number)
        for stream in (*streams, rest):
            assert stream.rest() == []
        assert time.monotonic() - start < 1
        assert spoken.rest()[-1]["result"]["content"][0]["text"] == "awake"
        assert plain.head().body()["result"]["content"][0]["text"] == "awake"
        code = server.process.wait(10)
        assert time.monotonic() - start < LIMIT
        assert server.rest() == []
        assert code == 0


def test_a_long_call_is_ended_within_the_grace(tmp_path: Path) -> None:
    cleaned = tmp_path / "cleaned"
    with talking("hypercorn") as server:
        session = PortSession.begun(server.url)
        body = calls("nap", {"s": 60, "mark": "long", "file": str(cleaned)}, token=1)
        with session.post(body) as stream:
            stream.head().message()
            start = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            code = server.process.wait(10)
            assert time.monotonic() - start < LIMIT
            assert server.rest() == []
            assert code == 0
    assert cleaned.read_text() == "long"


def test_a_call_that_nobody_waits_for_does_not_hold_the_process(tmp_path: Path) -> None:
    cleaned = tmp_path / "cleaned"
    with talking("hypercorn") as server:
        session = PortSession.begun(server.url)
        body = calls("nap", {"s": 60, "mark": "left", "file": str(cleaned)}, token=1)
        with session.post(body) as stream:
            stream.head().message()
            stream.kill()
        session.alive()
        start = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        code = server.process.wait(10)
        assert time.monotonic() - start < LIMIT
        assert server.rest() == []
        assert code == 0
    assert cleaned.read_text() == "left"
