"""A process that is killed takes no session with it."""

from __future__ import annotations

import signal

import httpx
import pytest
from sessions.redis_server import RedisServer

from .node import Session, node


def test_the_client_goes_on_with_the_other(store: str) -> None:
    with node(store) as a, node(store) as b:
        session = Session.begin(a)
        session.note(a, "notifications/initialized")
        assert session.call(a, "count") == "1"
        a.end(signal.SIGKILL)
        assert session.call(b, "count") == "2"
        assert session.delete(b) == 204


def test_even_in_the_middle_of_a_request(store: str) -> None:
    with node(store) as a, node(store) as b:
        session = Session.begin(a)
        assert session.call(a, "count") == "1"
        with session.calling(a, "nap", seconds=60.0) as events:
            events.until("notifications/progress")
            a.end(signal.SIGKILL)
            with pytest.raises(httpx.TransportError):
                list(events)
        # The request held the session, which B gets when the lease is over.
        assert session.call(b, "count") == "2"
        assert session.delete(b) == 204


def test_a_server_that_was_stopped_goes_on_with_its_sessions(file_store: str) -> None:
    with node(file_store) as before:
        session = Session.begin(before)
        assert session.call(before, "count") == "1"
        code, seconds = before.end(signal.SIGTERM)
        assert (code, before.rest()) == (0, [])
        assert seconds < 3
    with node(file_store) as after:
        assert session.call(after, "count") == "2"


def test_nothing_acknowledged_is_lost_with_redis(redis_server: RedisServer) -> None:
    with node(redis_server.url) as a, node(redis_server.url) as b:
        session = Session.begin(a)
        assert [session.call(each, "count") for each in (a, b)] == ["1", "2"]
        redis_server.stop()
        assert [session.status(each) for each in (a, b)] == [503, 503]
        redis_server.start()
        assert [session.call(each, "count") for each in (b, a)] == ["3", "4"]
        with session.calling(a, "greet") as events:
            question = events.until("elicitation/create")
            session.post(b, {"id": question["id"], "result": {"action": "decline"}})
        assert session.delete(a) == 204
