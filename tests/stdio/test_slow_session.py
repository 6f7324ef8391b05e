"""B18 and B22 after a handshake, with a process and its pipes."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from . import messages as modern
from .legacy import INITIALIZED, NEWEST, Rules, call, initialize, request
from .messages import cancelled, notification, text
from .process import Server, started


@contextmanager
def greeted() -> Iterator[tuple[Server, Rules]]:
    with started("slow") as server:
        rules = Rules()
        rules.sent(hello := initialize("hello"))
        server.send(hello)
        rules.check(opened := server.receive())
        assert opened["result"]["protocolVersion"] == NEWEST
        server.send(INITIALIZED)
        yield server, rules


def test_slow_tools_and_cancelled_calls() -> None:
    with greeted() as (server, rules):
        calls = (
            call(1, "nap", {"s": 30}, progressToken="nap"),
            call(2, "block", {"s": 1}),
            request(3, "ping"),
            request(4, "tools/list"),
        )
        for message in calls:
            rules.sent(message)
        server.send(*calls[:3])
        first = [server.receive(), server.receive()]
        assert {message.get("id", "nap begins") for message in first} == {3, "nap begins"}
        server.send(
            cancelled(1, reason="user"),
            cancelled("2"),
            cancelled(999),
            notification("cancelled"),
            calls[3],
        )
        answers = [server.receive(), server.receive()]
        for message in (*first, *answers):
            rules.check(message)
        # What only shows what there is does not wait for a tool that blocks.
        assert [answer["id"] for answer in answers] == [4, 2]
        assert text(answers[1]) == "released"
        server.end()
        assert server.rest() == []
        assert server.code() == 0
        assert server.log() == "cleaned up\nterminated: closed\n"


def test_ping_and_the_other_era_do_not_wait_for_a_tool_that_blocks() -> None:
    with greeted() as (server, _):
        server.send(
            call(1, "block", {"s": 60}), request(2, "ping"), modern.request(3, "tools/list")
        )
        assert {server.receive()["id"], server.receive()["id"]} == {2, 3}


def test_the_clean_up_of_a_cancelled_call_runs_at_once() -> None:
    with greeted() as (server, _):
        server.send(call(1, "nap", {"s": 30}, progressToken="nap"), call(2, "marks", {"n": 1}))
        assert server.receive()["method"] == "notifications/progress"
        server.send(cancelled(1))
        assert text(server.receive()) == "1"


def test_the_same_in_one_breath() -> None:
    with greeted() as (server, _):
        server.send(
            call(1, "nap", {"s": 30}),
            call(2, "block", {"s": 0.1}),
            request(3, "ping"),
            cancelled(1),
            cancelled("2"),
            request(4, "tools/list"),
        )
        assert {server.receive()["id"] for _ in range(2)} == {3, 4}
        assert server.receive()["id"] == 2


def test_calls_that_are_cancelled_as_they_end() -> None:
    with greeted() as (server, rules):
        for number in range(200):
            rules.sent(message := call(number, "nap", {"s": 0.001}))
            server.send(message)
            # From before its end to after it, or to its answer.
            server.hears_nothing(0.0001 * (number % 25))
            server.send(cancelled(number))
        rules.sent(last := request("last", "tools/list"))
        server.send(last)
        server.end()
        messages = server.rest()
        for message in messages:
            rules.check(message)
        answered = [message["id"] for message in messages]
        assert answered[-1] == "last"
        assert len(answered) == len(set(answered))
        assert server.code() == 0


@pytest.mark.parametrize("way", ["end", signal.SIGTERM, signal.SIGINT], ids=str)
def test_stopping_with_calls(way: signal.Signals | str) -> None:
    with greeted() as (server, _):
        server.send(
            call("short", "nap", {"s": 0.3}), call("long", "nap", {"s": 60}), request("in", "ping")
        )
        assert server.receive()["id"] == "in"
        started_at = time.monotonic()
        server.end() if isinstance(way, str) else server.signal(way)
        [answer] = server.rest()
        assert text(answer) == "rested"
        assert server.code() == 0
        assert time.monotonic() - started_at < 3
        assert server.log() == "cleaned up\n" * 2 + "terminated: closed\n"


def test_nothing_to_do_is_no_reason_to_wait() -> None:
    with greeted() as (server, _):
        server.send(request(1, "tools/list"))
        server.receive()
        started_at = time.monotonic()
        server.end()
        assert server.rest() == []
        assert server.code() == 0
        assert time.monotonic() - started_at < 1
        assert server.log() == "terminated: closed\n"


def test_a_client_that_is_gone_ends_it_quietly() -> None:
    with greeted() as (server, _):
        server.send(call(1, "nap", {"s": 60}), request(2, "ping"))
        server.receive()
        server.hang_up()
        server.send(request(3, "ping"))
        assert server.code() == 0
        assert server.log() == "cleaned up\nterminated: closed\n"
