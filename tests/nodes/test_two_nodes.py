"""A session is served by whichever process its messages reach (B15)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from running.server_process import PATIENCE
from support.client import modern, modern_headers

from .conftest import Nodes
from .node import Events, Session
from .program import NOTE

VERSIONS = ("2025-03-26", "2025-06-18", "2025-11-25")


@pytest.fixture
def session(nodes: Nodes) -> Iterator[Session]:
    """Begun on A, acknowledged on B."""
    session = Session.begin(nodes.a)
    session.note(nodes.b, "notifications/initialized")
    yield session
    assert session.delete(nodes.b) in (204, 404)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_was_agreed_on_one_holds_on_the_other(nodes: Nodes, version: str) -> None:
    session = Session.begin(nodes.a, version)
    session.note(nodes.b, "notifications/initialized")
    known = json.loads(session.call(nodes.b, "who_am_i"))
    assert known == {
        "client": "wanderer",
        "version": version,
        "capabilities": known["capabilities"],
        "meta": {"trace": "t-1"},
        "initialized": True,
        "made_by": nodes.a.process.pid,
    }
    assert "elicitation" in known["capabilities"]
    assert {tool["name"] for tool in session.ask(nodes.b, "tools/list")["tools"]} >= {"count"}
    assert session.delete(nodes.b) == 204


def test_the_frame_goes_from_one_to_the_other(nodes: Nodes, session: Session) -> None:
    order = (nodes.a, nodes.b, nodes.b, nodes.a, nodes.a, nodes.b)
    assert [session.call(each, "count") for each in order] == ["1", "2", "3", "4", "5", "6"]


def test_no_update_is_lost_between_them(nodes: Nodes, session: Session) -> None:
    order = [nodes.a, nodes.b] * 10
    with ThreadPoolExecutor(len(order)) as threads:
        counts = list(threads.map(lambda each: session.call(each, "count"), order))
    assert sorted(map(int, counts)) == list(range(1, 21))


def test_a_level_set_on_one_holds_on_the_other(nodes: Nodes, session: Session) -> None:
    assert session.call(nodes.a, "murmur") == "said"
    session.ask(nodes.b, "logging/setLevel", level="debug")
    with session.calling(nodes.a, "murmur") as events:
        assert events.until("notifications/message")["params"]["data"] == "murmur"


def test_an_answer_reaches_the_process_that_has_asked(nodes: Nodes, session: Session) -> None:
    with session.calling(nodes.a, "greet", id_=7) as events:
        question = events.until("elicitation/create")
        answer = {"action": "accept", "content": {"name": "Ada"}}
        response = session.post(nodes.b, {"id": question["id"], "result": answer})
        assert (response.status_code, response.content) == (202, b"")
        [last] = list(events)
    assert last["id"] == 7
    assert last["result"]["content"][0]["text"] == "Hello, Ada!"


def test_while_one_waits_for_an_answer_the_other_serves(nodes: Nodes, session: Session) -> None:
    with session.calling(nodes.a, "greet") as events:
        question = events.until("elicitation/create")
        assert session.call(nodes.b, "count") == "1"
        assert session.call(nodes.a, "count") == "2"
        session.post(nodes.a, {"id": question["id"], "result": {"action": "decline"}})


def test_nobody_else_answers_for_a_session(nodes: Nodes, session: Session) -> None:
    other = Session.begin(nodes.b)
    with session.calling(nodes.a, "greet") as events:
        question = events.until("elicitation/create")
        wrong = {"action": "accept", "content": {"name": "Mallory"}}
        assert other.post(nodes.b, {"id": question["id"], "result": wrong}).status_code == 202
        right = {"action": "accept", "content": {"name": "Ada"}}
        session.post(nodes.b, {"id": question["id"], "result": right})
        [last] = list(events)
    assert last["result"]["content"][0]["text"] == "Hello, Ada!"


def test_a_request_on_one_is_cancelled_by_way_of_the_other(nodes: Nodes, session: Session) -> None:
    with session.calling(nodes.a, "nap", id_=99, seconds=20.0) as events:
        events.until("notifications/progress")
        session.note(nodes.b, "notifications/cancelled", requestId=99)
        assert [message for message in events if "id" in message] == []
    assert session.call(nodes.b, "count") == "1"


def test_a_ping_does_not_wait_for_the_other(nodes: Nodes, session: Session) -> None:
    with session.calling(nodes.a, "nap", id_=98, seconds=20.0) as events:
        events.until("notifications/progress")
        assert session.ask(nodes.b, "ping") == {}
        session.note(nodes.a, "notifications/cancelled", requestId=98)
        list(events)


def test_changes_on_one_are_heard_on_the_other(nodes: Nodes, session: Session) -> None:
    with session.listening(nodes.b) as events:
        # Subscribed where the stream is not, and changed there.
        session.ask(nodes.a, "resources/subscribe", uri=NOTE)
        session.call(nodes.a, "change")
        heard = {events.next()["method"] for _ in range(2)}
    assert heard == {"notifications/resources/updated", "notifications/tools/list_changed"}


def test_listeners_of_the_stateless_era_hear_of_them_too(nodes: Nodes, session: Session) -> None:
    wanted = {"notifications": {"resourceSubscriptions": [NOTE]}}
    body = modern("subscriptions/listen", wanted)
    headers = {n: str(v) for n, v in modern_headers(body).items() if n.lower() != "host"}
    with httpx.stream(
        "POST", nodes.b.url, json=body, headers=headers, timeout=PATIENCE
    ) as response:
        events = Events(response)
        assert events.next()["method"] == "notifications/subscriptions/acknowledged"
        session.call(nodes.a, "change")
        assert events.next()["params"]["uri"] == NOTE


def test_a_session_ended_on_one_is_over_on_the_other(nodes: Nodes) -> None:
    session = Session.begin(nodes.a)
    session.note(nodes.a, "notifications/initialized")
    with session.listening(nodes.a) as events:
        assert session.delete(nodes.b) == 204
        assert list(events) == []
    assert session.status(nodes.a) == 404
    assert session.delete(nodes.a) == 404
    assert httpx.get(nodes.a.url, headers=session.headers).status_code == 404
    note = {"method": "notifications/cancelled", "params": {"requestId": 1}}
    assert session.post(nodes.a, note).status_code == 404
    assert session.post(nodes.a, {"id": "x", "result": {}}).status_code == 404


def test_a_stream_left_on_one_is_read_on_at_the_other(nodes: Nodes, session: Session) -> None:
    with session.calling(nodes.a, "errand", id_=55, seconds=0.5) as events:
        assert list(events) == []
        assert events.last_id is not None
    with session.listening(nodes.b, after=events.last_id) as rest:
        progress, answer = list(rest)
    assert progress["method"] == "notifications/progress"
    assert answer["id"] == 55
    assert answer["result"]["content"][0]["text"] == "back again"


def test_a_stream_moves_to_where_its_client_opens_it(nodes: Nodes, session: Session) -> None:
    session.ask(nodes.a, "resources/subscribe", uri=NOTE)
    with session.listening(nodes.a) as before, session.listening(nodes.b) as after:
        assert list(before) == []
        session.call(nodes.a, "change")
        assert after.next()["method"].startswith("notifications/")
