"""Reading on where a stream was lost, or was left."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from support.legacy import LegacyHttp, LegacyStream, calls
from support.miniature import MARKS
from support.talking import Talking
from trio.testing import MockClock

pytestmark = pytest.mark.anyio


def data_of(messages: list[dict[str, Any]]) -> list[str]:
    return [m["params"]["data"] for m in messages if m.get("method") == "notifications/message"]


def answers_in(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [message for message in messages if "method" not in message]


@asynccontextmanager
async def left(http: LegacyHttp, **arguments: Any) -> AsyncIterator[LegacyStream]:
    """A stream that the tool has left, read up to there. It works on within the block."""
    async with http.asking(calls("leave", arguments, id="l")) as stream:
        with anyio.fail_after(1):
            messages = await stream.rest()
        assert stream.wire.complete
        assert answers_in(messages) == []
        assert not stream.wire.ended.is_set()
        yield stream


@pytest.mark.parametrize("pause", [0, 5, 30], ids=["at once", "meanwhile", "afterwards"])
async def test_a_stream_that_the_tool_leaves_is_read_on_up_to_the_answer(
    pause: float, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking)
    async with left(http, after=3) as stream:
        assert stream.reader.retries == [1000]
        assert stream.reader.primed
        await anyio.sleep(pause)
        async with http.listening(stream.last, answers="tools/call") as rest:
            messages = await rest.rest()
            assert not rest.reader.primed
            assert not set(rest.reader.ids) & set(stream.reader.ids)
        assert data_of(messages) == ["after 0", "after 1", "after 2"]
        [answer] = answers_in(messages)
        assert answer["id"] == "l"
        assert answer["result"]["content"][0]["text"] == "worth the wait"
        assert messages[-1] == answer


async def test_a_stream_that_is_left_at_once_can_be_read_on_from_its_priming_event(
    autojump_clock: MockClock,
) -> None:
    http = await LegacyHttp.begun(Talking)
    async with left(http, before=0, after=0) as stream:
        assert len(stream.reader.events) == 1
        async with http.listening(stream.last, answers="tools/call") as rest:
            [answer] = await rest.rest()
        assert answer["id"] == "l"


@pytest.mark.parametrize("version", ["2025-03-26", "2025-06-18"])
@pytest.mark.parametrize("before", [0, 1])
async def test_a_client_that_would_not_come_back_is_not_left(
    before: int, version: str, autojump_clock: MockClock
) -> None:
    """ "The server SHOULD NOT close the SSE stream before sending the JSON-RPC response." """
    http = await LegacyHttp.begun(Talking, version)
    answer = await http.call("leave", {"before": before, "after": 1})
    assert answer.text == "worth the wait"


async def test_without_a_stream_there_is_nothing_to_leave(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    body = calls("leave")
    answer = await http.post(body, headers={"Accept": "application/json"})
    assert answer.text == "worth the wait"


@pytest.mark.parametrize("pause", [0, 3, 30], ids=["at once", "meanwhile", "afterwards"])
@pytest.mark.parametrize("behind", [0, 1, 3])
async def test_a_connection_that_is_lost_is_made_good(
    pause: float, behind: int, version: str, autojump_clock: MockClock
) -> None:
    """Everything behind the event that the client has seen last, once and in its order."""
    http = await LegacyHttp.begun(Talking, version)
    body = calls("steps", {"count": 8, "pause": 1, "size": 1}, id=5)
    async with http.asking(body) as stream:
        while len(stream.reader.events) <= behind + stream.reader.primed:
            await stream.message()
        seen = stream.reader.ids[behind]
        known = [e.message for e in stream.reader.events[: behind + 1] if e.message]
        stream.leave()
        await anyio.sleep(pause)
        async with http.listening(seen, answers="tools/call") as rest:
            messages = await rest.rest()
    numbers = [data.partition(":")[0] for data in data_of(known + messages)]
    assert numbers == [str(n) for n in range(1, 9)]
    [answer] = answers_in(messages)
    assert (answer["id"], messages[-1]) == (5, answer)


async def test_who_goes_away_does_not_cancel(version: str, autojump_clock: MockClock) -> None:
    """ "Disconnection SHOULD NOT be interpreted as the client cancelling its request." """
    http = await LegacyHttp.begun(Talking, version)
    for token in (None, 1):
        MARKS.clear()
        async with http.starting(calls("nap", {"s": 10}, token=token)) as stream:
            await anyio.sleep(1)
            stream.leave()
            await anyio.sleep(1)
            assert MARKS == ["nap begins"]
            # It can be cancelled all the same.
            await http.cancel(1)
            await anyio.sleep(0.5)
            assert MARKS == ["nap begins", "nap is cleaned up"]
            await stream.wire.ended.wait()


async def test_several_connections_may_be_lost(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    body = calls("steps", {"count": 20, "pause": 1, "size": 1}, id=5)
    async with http.asking(body) as stream:
        found = [await stream.message()]
        last = stream.last
        stream.leave()
        for _ in range(5):
            async with http.listening(last, answers="tools/call") as rest:
                await rest.message()
                found += [event.message for event in rest.reader.events]
                last = rest.last
        async with http.listening(last, answers="tools/call") as rest:
            found += await rest.rest()
    numbers = [data.partition(":")[0] for data in data_of(found)]
    assert numbers == [str(n) for n in range(1, 21)]
    assert [m["id"] for m in answers_in(found)] == [5]


async def test_reading_on_does_not_touch_the_standing_stream(autojump_clock: MockClock) -> None:
    """It "must not be refused because the standalone GET stream is already open"."""
    http = await LegacyHttp.begun(Talking)
    async with http.listening() as standing, left(http) as stream:
        async with http.listening(stream.last, answers="tools/call") as rest:
            await http.app.send_tools_list_changed()
            assert (await standing.message())["method"] == "notifications/tools/list_changed"
            assert data_of(await rest.rest()) == ["after 0"]
        assert not standing.wire.complete


async def test_a_stream_that_was_read_to_its_end_has_no_rest(
    version: str, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking, version)
    answer = await http.call("steps", token=1)
    assert answer.reader is not None
    async with http.listening(answer.reader.ids[-1], answers="tools/call") as rest:
        with anyio.fail_after(5):
            assert await rest.rest() == []


async def test_a_request_that_was_cancelled_has_no_answer_to_wait_for(
    version: str, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking, version)
    async with http.asking(calls("nap", {"s": 60}, id=1, token=1)) as stream:
        await stream.message()
        last = stream.last
        stream.leave()
        async with http.listening(last, answers="tools/call") as rest:
            await http.cancel(1)
            with anyio.fail_after(5):
                assert await rest.rest() == []
            assert [e for e in rest.reader.events if e.message is None] == []


@pytest.mark.parametrize(
    "last", ["", "x", "x:1", "standing:99999", ":", "standing", "é", "9" * 5000, "a, b"]
)
async def test_an_unknown_event_opens_a_stream_that_begins_now(
    last: str, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking)
    await http.call("steps", {"size": 1}, token=1)
    async with http.listening(last) as stream:
        assert stream.status == 200
        await http.app.send_tools_list_changed()
        message = await stream.message()
        assert message["method"] == "notifications/tools/list_changed"


async def test_the_events_of_another_session_are_nobody_elses(autojump_clock: MockClock) -> None:
    ann = await LegacyHttp.begun(Talking)
    bob = await LegacyHttp.begun(ann.app)
    async with left(ann) as stream:
        secret = await ann.call("steps", {"size": 1}, token=1)
        assert secret.reader is not None
        async with ann.listening() as standing:
            await ann.app.publish_event("for ann", session_id=ann.session_id)
            await standing.message()
            standing_ids = standing.reader.ids
        for last in (*stream.reader.ids, *secret.reader.ids, *standing_ids):
            async with bob.listening(last) as foreign:
                with anyio.move_on_after(2):
                    raise AssertionError(await foreign.message())
        async with ann.listening(stream.last, answers="tools/call") as rest:
            assert answers_in(await rest.rest())


async def test_ids_of_one_stream_lead_to_no_other(autojump_clock: MockClock) -> None:
    """ "MUST NOT replay messages that would have been delivered on a different stream." """
    http = await LegacyHttp.begun(Talking)
    async with left(http, s=5, after=1) as first:
        other = await http.call("steps", {"count": 2, "size": 1}, id=9)
        async with http.listening() as standing:
            await http.app.send_tools_list_changed()
            await standing.message()
        async with http.listening(first.last, answers="tools/call") as rest:
            messages = await rest.rest()
        assert data_of(messages) == ["after 0"]
        assert [m["id"] for m in answers_in(messages)] == ["l"]
        assert other.id == 9


async def test_what_is_kept_is_bounded(autojump_clock: MockClock) -> None:
    """Where something is lost, the client gets a stream that begins now, and no gap."""
    http = await LegacyHttp.begun(Talking)
    answer = await http.call("steps", {"count": 200, "pause": 0.01, "size": 1})
    assert answer.reader is not None
    ids = answer.reader.ids
    assert len(ids) == 202
    async with http.listening(ids[-5], answers="tools/call") as rest:
        assert len(await rest.rest()) == 4
    async with http.listening(ids[3]) as stream:
        with anyio.move_on_after(2):
            raise AssertionError(await stream.message())


async def test_reading_on_ends_with_the_session(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    async with left(http, s=60) as stream, http.listening(stream.last) as rest:
        await http.delete()
        with anyio.fail_after(1):
            assert await rest.rest() == []


async def test_reading_on_ends_with_the_server(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    async with left(http, s=60) as stream:
        async with http.listening(stream.last) as rest:
            http.app.close()
            with anyio.fail_after(1):
                assert await rest.rest() == []
        async with http.listening(stream.last) as rest:
            with anyio.fail_after(1):
                assert await rest.rest() == []


async def test_reading_on_has_comments_into_the_silence(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking, keep_alive=1)
    async with left(http, s=5.5) as stream, http.listening(stream.last) as rest:
        rest.reader.method = "tools/call"
        await rest.rest()
        assert rest.reader.comments == 5
