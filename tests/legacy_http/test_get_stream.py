"""The stream of a session that belongs to no request."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from support.legacy import LegacyHttp, LegacyStream, calls
from support.miniature import MARKS
from support.talking import Talking
from trio.testing import MockClock

pytestmark = pytest.mark.anyio

CHANGED = "notifications/tools/list_changed"
UPDATED = "notifications/resources/updated"


async def heard(stream: LegacyStream, seconds: float = 1.0) -> list[dict[str, Any]]:
    """All that comes within some time."""
    found = []
    with anyio.move_on_after(seconds):
        while True:
            found.append(await stream.message())
    return found


async def said(http: LegacyHttp, text: str) -> None:
    """A message of the server's own to this session."""
    await http.app.publish_event(text, session_id=http.session_id)


def texts(messages: list[dict[str, Any]]) -> list[str]:
    return [message["params"]["data"] for message in messages]


# Opening


async def test_it_opens_at_once_and_says_how_to_come_back(version: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    async with http.listening() as stream:
        assert stream.status == 200
        assert stream.wire.headers["content-type"] == "text/event-stream"
        assert stream.wire.headers["cache-control"] == "no-cache"
        assert stream.wire.headers["x-accel-buffering"] == "no"
        assert "content-length" not in stream.wire.headers
        stream.reader.feed(await stream.wire.chunk())
        assert stream.reader.retries == [1000]
        if version == "2025-11-25":
            stream.reader.feed(await stream.wire.chunk())
            assert stream.reader.primed
        else:
            assert stream.reader.events == []


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/json", 406),
        ("text/html", 406),
        ("text/event-stream;q=0", 406),
        ("text/event-stream", 200),
        ("Text/Event-Stream;q=0.1, application/json", 200),
        ("text/*", 200),
        ("*/*", 200),
        (None, 200),
    ],
)
async def test_the_client_has_to_take_streams(accept: str | None, status: int) -> None:
    http = await LegacyHttp.begun(Talking)
    async with http.listening(headers={"Accept": accept}) as stream:
        assert stream.status == status
        if status == 406:
            assert "text/event-stream" in (await stream.wire.body())["error"]["message"]
    await http.alive()


async def test_a_foreign_host_is_forbidden() -> None:
    http = await LegacyHttp.begun(Talking)
    for name in ("Host", "Origin"):
        for verb in ("GET", "DELETE"):
            fields = http.changed({name: "http://evil.example"})
            assert (await http.send(b"", fields, verb=verb)).status == 403
    await http.alive()


# What comes there


async def test_changes_of_lists_come_to_everybody(autojump_clock: MockClock) -> None:
    ann = await LegacyHttp.begun(Talking)
    bob = await LegacyHttp.begun(ann.app)
    async with ann.listening() as hers, bob.listening() as his:
        await ann.call("touch")
        for stream in (hers, his):
            assert [m["method"] for m in await heard(stream)] == [CHANGED]
        await ann.app.send_tools_list_changed()
        assert [m["method"] for m in await heard(hers)] == [CHANGED]


async def test_what_is_not_declared_is_not_told(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    async with http.listening() as stream:
        await http.app.send_prompts_list_changed()
        await http.app.send_resources_list_changed()
        await http.app.send_resource_updated("memo://a")
        assert await heard(stream) == []


async def test_updates_of_what_is_subscribed_to_and_of_nothing_else(
    version: str, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking, version)
    other = await LegacyHttp.begun(http.app, version)
    await http.ask("resources/subscribe", {"uri": "memo://a"})
    async with http.listening() as stream, other.listening() as foreign:
        await other.call("touch", {"uri": "memo://a"})
        await other.call("touch", {"uri": "memo://b"})
        assert [m["params"] for m in await heard(stream)] == [{"uri": "memo://a"}]
        # Subscribed to while the stream is open.
        await http.ask("resources/subscribe", {"uri": "memo://b"})
        await http.app.send_resource_updated("memo://b")
        assert [m["params"] for m in await heard(stream)] == [{"uri": "memo://b"}]
        await http.ask("resources/unsubscribe", {"uri": "memo://a"})
        await http.app.send_resource_updated("memo://a")
        assert await heard(stream) == []
        await http.app.send_resource_updated("memo://b")
        assert [m["method"] for m in await heard(stream)] == [UPDATED]
        assert await heard(foreign) == []


async def test_changes_of_one_thing_that_wait_are_one(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    async with http.listening() as stream:
        for _ in range(100):
            await http.app.send_tools_list_changed()
        assert len(await heard(stream)) == 1


async def test_a_request_of_the_servers_own_comes_there_and_its_answer_is_handed_over(
    version: str, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking, version, capabilities={"roots": {}})
    mute = await LegacyHttp.begun(http.app, version)
    async with http.listening() as stream, mute.listening() as foreign:
        await http.app.publish_event("ask")
        [asked] = await heard(stream)
        assert asked["method"] == "roots/list"
        assert await heard(foreign) == []  # it has not declared that it has roots
        roots = {"roots": [{"uri": "file:///a"}, {"uri": "file:///b"}]}
        reply = {"jsonrpc": "2.0", "id": asked["id"], "result": roots}
        assert (await mute.post(reply)).accepted
        assert MARKS == []
        assert (await http.post(reply)).accepted
        assert (await http.post(reply)).accepted
    assert MARKS == ["2 roots"]


async def test_what_one_session_is_told_no_other_hears(autojump_clock: MockClock) -> None:
    ann = await LegacyHttp.begun(Talking)
    bob = await LegacyHttp.begun(ann.app)
    async with ann.listening() as hers, bob.listening() as his:
        await said(ann, "for ann")
        await ann.app.publish_event("for both")
        assert texts(await heard(hers)) == ["for ann", "for both"]
        assert texts(await heard(his)) == ["for both"]


async def test_what_belongs_to_a_request_does_not_come_there(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    async with http.listening() as stream:
        answer = await http.call("steps", {"size": 3}, token=1)
        assert len(answer.said) == 10
        assert await heard(stream) == []


# Silence


@pytest.mark.parametrize(("keep_alive", "comments"), [(0.5, 3), (None, 0)])
async def test_comments_into_the_silence(
    keep_alive: float | None, comments: int, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking, keep_alive=keep_alive)
    async with http.listening() as stream:
        assert await heard(stream, 1.9) == []
        assert stream.reader.comments == comments


# Coming and going


async def test_a_newer_stream_takes_over_and_the_old_one_ends(
    version: str, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking, version)
    async with http.listening() as old, http.listening() as new:
        assert await old.rest() == []
        await http.app.send_tools_list_changed()
        assert [m["method"] for m in await heard(new)] == [CHANGED]
        async with http.listening() as newest:
            assert await new.rest() == []
            await said(http, "x")
            assert texts(await heard(newest)) == ["x"]


@pytest.mark.parametrize("with_id", [True, False])
async def test_what_comes_while_the_client_is_away_waits_for_it(
    with_id: bool, version: str, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking, version)
    found = []
    async with http.listening() as stream:
        await said(http, "0")
        found += texts(await heard(stream))
        last = stream.last
    await anyio.sleep(1)  # the server has noticed
    for number in range(1, 6):
        await said(http, str(2 * number - 1))
        await anyio.sleep(5)
        async with http.listening(last if with_id else None) as stream:
            await said(http, str(2 * number))
            found += texts(await heard(stream))
            last = stream.last
        await anyio.sleep(1)
    assert found == [str(n) for n in range(11)]


async def test_what_is_said_before_anybody_listens_waits_for_a_while(
    autojump_clock: MockClock,
) -> None:
    http = await LegacyHttp.begun(Talking)
    await said(http, "first")
    async with http.listening() as stream:
        assert texts(await heard(stream)) == ["first"]


async def test_what_was_sent_into_a_dead_connection_comes_again_behind_an_id(
    version: str, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking, version)
    async with http.listening() as stream:
        await said(http, "first")
        await heard(stream)
        last = stream.last
        await said(http, "second")
        await said(http, "third")
        await anyio.sleep(0.01)
    # The client has not read them.
    async with http.listening(last) as stream:
        assert texts(await heard(stream)) == ["second", "third"]
        again = stream.last
    async with http.listening(again) as stream:
        assert await heard(stream) == []


async def test_who_comes_back_takes_over_what_the_old_connection_has_not_sent(
    autojump_clock: MockClock,
) -> None:
    """A connection that hangs: the client opens another one before the server has noticed."""
    http = await LegacyHttp.begun(Talking)
    async with http.listening(room=0) as hanging:
        await anyio.sleep(1)
        for number in range(5):
            await said(http, str(number))
        async with http.listening() as stream:
            found = texts(await heard(stream))
        hanging.leave()
    assert found == sorted(set(found), key=int)
    assert len(found) >= 4


async def test_a_client_that_stays_away_is_not_waited_for_for_ever(
    autojump_clock: MockClock,
) -> None:
    http = await LegacyHttp.begun(Talking)
    async with http.listening() as stream:
        await heard(stream)
    presences = http.app.engines.sessions.presences
    await anyio.sleep(1)
    assert len(presences) == 1
    presences.drop_stale(http.app.engines.sessions.now() + 61)
    assert len(presences) == 0
    await said(http, "to nobody")
    async with http.listening() as stream:
        assert await heard(stream) == []


async def test_what_waits_is_bounded(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    async with http.listening() as stream:
        await heard(stream)
    await anyio.sleep(1)
    for number in range(400):
        await said(http, str(number))
    async with http.listening() as stream:
        found = texts(await heard(stream))
    assert found == [str(n) for n in range(400 - 256, 400)]


async def test_a_stream_that_was_dropped_leaves_no_reader(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    for _ in range(50):
        async with http.listening() as stream:
            await stream.wire.chunk()
    await anyio.sleep(1)
    assert not http.app.engines.sessions.presences.busy(http.session_id or "")


# The end of the server


async def test_it_ends_with_the_server(version: str, autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking, version)
    async with http.listening() as stream:
        await said(http, "last")
        http.app.close()
        assert texts(await stream.rest()) == ["last"]


async def test_a_server_that_stops_opens_no_stream_that_stays(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    http.app.close()
    async with http.listening() as stream:
        with anyio.fail_after(1):
            assert await stream.rest() == []


async def test_requests_are_answered_while_it_is_open(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    async with http.listening():
        await http.alive()
        assert (await http.post(calls("echo", {"t": "x"}))).text == "x"
