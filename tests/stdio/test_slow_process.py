"""B18 and B22, with a process and its pipes."""

from __future__ import annotations

import signal
import time

import pytest

from .messages import call, cancelled, listen, notification, request, subscription, text
from .process import started


def test_slow_tools_and_cancelled_calls() -> None:
    with started("slow") as server:
        server.send(
            call(1, "nap", {"s": 30}),
            call(2, "block", {"s": 1}),
            request(3, "server/discover"),
            cancelled(1, reason="user"),
            cancelled("2"),
            cancelled(999),
            notification("cancelled"),
            request(4, "tools/list"),
        )
        assert {server.receive()["id"], server.receive()["id"]} == {3, 4}
        blocked = server.receive()
        assert (blocked["id"], text(blocked)) == (2, "released")
        server.end()
        assert server.rest() == []
        assert server.code() == 0


def test_the_clean_up_of_a_cancelled_call_runs_at_once() -> None:
    with started("slow") as server:
        server.send(call(1, "nap", {"s": 30}), request(2, "tools/list"))
        server.receive()
        server.send(cancelled(1), call(3, "marks", {"n": 1}))
        assert text(server.receive()) == "1"


def test_calls_that_are_cancelled_as_they_end() -> None:
    with started("slow") as server:
        for number in range(200):
            server.send(call(number, "nap", {"s": 0.001}))
            # From before its end to after it, or to its answer.
            server.hears_nothing(0.0001 * (number % 25))
            server.send(cancelled(number))
        server.send(request("last", "tools/list"))
        server.end()
        answered = [message["id"] for message in server.rest()]
        assert "last" in answered
        assert len(answered) == len(set(answered))
        assert server.code() == 0


def test_a_client_that_does_not_read_makes_the_server_wait_and_loses_nothing() -> None:
    with started("miniature") as server:
        long = "x" * 50_000
        for number in range(60):
            server.send(call(number, "echo", {"t": long}))
        answers = [server.receive() for _ in range(60)]
        assert sorted(answer["id"] for answer in answers) == list(range(60))
        assert {text(answer) for answer in answers} == {long}


@pytest.mark.parametrize("way", ["end", signal.SIGTERM, signal.SIGINT], ids=str)
def test_stopping_with_open_subscriptions_and_calls(way: signal.Signals | str) -> None:
    with started("slow") as server:
        server.send(*(listen(number, toolsListChanged=True) for number in range(1, 21)))
        for _ in range(20):
            assert server.receive()["method"] == "notifications/subscriptions/acknowledged"
        server.send(
            call("short", "nap", {"s": 0.3}),
            call("long", "nap", {"s": 60}),
            call("thread", "block", {"s": 60}),
            request("in", "tools/list"),
        )
        assert server.receive()["id"] == "in"
        started_at = time.monotonic()
        server.end() if isinstance(way, str) else server.signal(way)
        messages = server.rest()
        assert server.code() == 0
        assert time.monotonic() - started_at < 3
        closings = [message for message in messages if message["id"] != "short"]
        assert sorted(message["id"] for message in closings) == list(range(1, 21))
        assert all(subscription(message) == message["id"] for message in closings)
        assert {message["result"]["resultType"] for message in closings} == {"complete"}
        assert [text(m) for m in messages if m["id"] == "short"] == ["rested"]
        assert server.log() == "cleaned up\n" * 2


def test_nothing_to_do_is_no_reason_to_wait() -> None:
    with started("slow") as server:
        server.send(request(1, "tools/list"))
        server.receive()
        server.end()
        assert server.rest() == []
        assert server.code() == 0
        assert server.log() == ""


def test_a_second_signal_ends_it_at_once() -> None:
    with started("slow") as server:
        server.send(call(1, "hog"))
        while "hogging" not in server.log():
            assert server.hears_nothing(0.02)
        server.signal(signal.SIGTERM)
        # The loop is hogged: nothing comes of the first one.
        assert server.hears_nothing(0.2)
        server.signal(signal.SIGTERM)
        assert server.code() == -signal.SIGTERM


def test_a_client_that_is_gone_ends_it_quietly() -> None:
    with started("slow") as server:
        server.send(call(1, "nap", {"s": 60}), request(2, "tools/list"))
        server.receive()
        server.hang_up()
        server.send(request(3, "tools/list"))
        assert server.code() == 0
        assert server.log() == "cleaned up\n"
