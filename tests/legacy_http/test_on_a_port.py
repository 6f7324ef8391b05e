"""Sessions on a real port: connections that are lost, silence, and clients that are killed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from running.server_process import ServerProcess
from support.legacy import LEGACY, asks, calls, cancels
from support.legacy_socket import LegacySocket, PortSession
from support.program import COUNTED, PROGRAMS, settled, talking

KEEP_ALIVE = 0.5


@pytest.fixture(scope="module", params=PROGRAMS)
def server(request: pytest.FixtureRequest) -> Iterator[ServerProcess]:
    with talking(request.param, keep_alive=KEEP_ALIVE) as process:
        yield process


def numbers(messages: list[dict[str, Any]]) -> list[int]:
    said = [m for m in messages if m.get("method") == "notifications/message"]
    return [int(m["params"]["data"].partition(":")[0]) for m in said]


@pytest.mark.parametrize("version", LEGACY)
@pytest.mark.parametrize("wait", [False, True], ids=["meanwhile", "afterwards"])
@pytest.mark.parametrize("kill", [False, True])
def test_a_connection_that_is_lost_is_made_good(
    server: ServerProcess, version: str, wait: bool, kill: bool
) -> None:
    session = PortSession.begun(server.url, version)
    body = calls("steps", {"count": 10, "pause": 0.1, "size": 3}, id=3)
    with session.post(body) as stream:
        found = [stream.head().message(), stream.message()]
        if kill:
            stream.kill()
    last = stream.events.ids[1 + stream.events.primed]
    if wait:
        # The session's requests take turns.
        assert session.call("echo", t="x") == "x"
    with session.get(last, answers="tools/call") as rest:
        messages = rest.head().rest()
    assert numbers(found + messages) == list(range(1, 11))
    assert (messages[-1]["id"], rest.events.answer) == (3, messages[-1])
    session.delete()


def test_a_stream_that_is_left_ends_cleanly_and_is_read_on(server: ServerProcess) -> None:
    session = PortSession.begun(server.url)
    with session.post(calls("leave", {"s": 1}, id=1)) as stream:
        start = time.monotonic()
        assert len(stream.head().rest()) == 1
        assert time.monotonic() - start < 0.8
    with session.get(stream.events.ids[-1], answers="tools/call") as rest:
        *_, answer = rest.head().rest()
    assert answer["result"]["content"][0]["text"] == "worth the wait"


def test_who_goes_away_cancels_nothing(server: ServerProcess) -> None:
    session = PortSession.begun(server.url)
    with session.post(calls("nap", {"s": 0.5, "mark": "left"}, id=1)):
        while "left begins" not in marks_of(server):
            time.sleep(0.01)
    assert session.call("remember", value="x") == "kept"
    assert "left is cleaned up" in marks_of(server)


def marks_of(server: ServerProcess) -> list[str]:
    found: list[str] = json.loads(PortSession.begun(server.url).call("marks"))
    return found


def test_a_quiet_stream_speaks_at_once_and_then_again(server: ServerProcess) -> None:
    session = PortSession.begun(server.url)
    quiet: list[LegacySocket] = [session.get(), session.post(calls("nap", {"s": 2}, token=1))]
    for opening in quiet:
        start = time.monotonic()
        with opening as stream:
            stream.head()
            assert stream.headers["x-accel-buffering"] == "no"
            assert stream.headers["content-type"] == "text/event-stream"
            stream.reader.feed(stream.chunk())
            assert time.monotonic() - start < 1
            while stream.reader.comments < 3:
                stream.reader.feed(stream.chunk())
            assert time.monotonic() - start < 2.2


def test_messages_come_to_a_stream_and_to_the_next(server: ServerProcess) -> None:
    session = PortSession.begun(server.url)
    session.send(asks("resources/subscribe", {"uri": "memo://a"}))
    with session.get() as stream:
        stream.head().chunk()
        session.call("touch", uri="memo://a")
        assert stream.message()["params"] == {"uri": "memo://a"}
        with session.get() as newer:
            newer.head().chunk()
            assert stream.rest() == []
            session.call("touch")
            assert newer.message()["method"] == "notifications/tools/list_changed"


def test_delete_ends_a_stream_cleanly(server: ServerProcess) -> None:
    session = PortSession.begun(server.url)
    with session.get() as stream:
        stream.head().chunk()
        assert session.delete().status_code == 204
        assert stream.rest() == []
    assert session.send(asks("ping")).status_code == 404


def test_a_cancelled_stream_ends_cleanly(server: ServerProcess) -> None:
    session = PortSession.begun(server.url)
    with session.post(calls("nap", {"s": 60}, id=1, token=1)) as stream:
        stream.head().message()
        assert session.send(cancels(1)).status_code == 202
        assert stream.rest() == []
    session.alive()


# Clients that are killed

COUNT = 30


def abandon(url: str, kind: str, *, kill: bool) -> None:
    session = PortSession.begun(url)
    if kind == "a standing stream":
        opening = session.get()
    elif kind == "a stream":
        opening = session.post(calls("steps", {"count": 100, "pause": 0.01, "size": 100}))
    else:
        opening = session.post(calls("steps", {"count": 2, "pause": 0.5}, token=1))
    with opening as stream:
        stream.head().chunk()
        if kill:
            stream.kill()


@pytest.mark.parametrize("kind", ["a standing stream", "a stream", "a silent stream"])
def test_killed_clients_leave_nothing_behind(server: ServerProcess, kind: str) -> None:
    abandon(server.url, kind, kill=True)
    before = settled(server.url)
    for number in range(COUNT):
        abandon(server.url, kind, kill=number % 2 == 0)
    after = settled(server.url, before)
    for what in COUNTED:
        assert after[what] <= before[what], f"{before} has become {after}"
