"""How a request is answered: in one piece, on a stream if there is something to say before, or not
at all."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from support.legacy import LEGACY, LegacyHttp, asks, calls, cancels, notes
from support.legacy_events import LegacyReader
from support.miniature import MARKS
from support.talking import Talking
from trio.testing import MockClock

pytestmark = pytest.mark.anyio


async def test_what_says_nothing_before_is_json(version: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    for body in (calls("echo", {"t": "x"}), asks("tools/list"), asks("no/such"), asks("ping")):
        answer = await http.post(body)
        assert answer.status == 200
        assert not answer.is_stream
        assert "mcp-session-id" not in answer.headers


async def test_what_says_something_before_is_a_stream_with_ids(version: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    answer = await http.call("steps", {"count": 3, "size": 5}, token="t")
    assert answer.reader is not None
    assert answer.text == "3 steps"
    progress = [m["params"] for m in answer.said if m["method"] == "notifications/progress"]
    assert [p["progress"] for p in progress] == [1, 2, 3]
    assert {p["progressToken"] for p in progress} == {"t"}
    logs = [m["params"]["data"] for m in answer.said if m["method"] == "notifications/message"]
    assert [data.partition(":")[0] for data in logs] == ["1", "2", "3"]
    assert answer.reader.retries == [1000]
    assert answer.reader.primed == (version == "2025-11-25")
    assert len(answer.reader.events) == 7 + answer.reader.primed


async def test_the_priming_event_comes_first_and_at_once(
    version: str, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking, version)
    async with http.asking(calls("nap", {"s": 5}, token=1)) as stream:
        first = await stream.wire.chunk()
        primed = version == "2025-11-25"
        lines = first.decode().splitlines()
        assert [line.partition(":")[0] for line in lines if line] == (
            ["id", "retry", "data"] if primed else ["retry"]
        )
        assert lines[2] == "data: " if primed else lines == ["retry: 1000", ""]
        stream.reader.feed(first)
        assert [m["id"] for m in await stream.rest() if "id" in m] == [1]


async def test_ids_are_unique_within_the_session(version: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    ids: list[str] = []
    for number in range(5):
        answer = await http.call("steps", {"count": 4}, id=number, token=number)
        assert isinstance(answer.reader, LegacyReader)
        ids += answer.reader.ids
    async with http.listening() as stream:
        await http.app.send_tools_list_changed()
        await stream.message()
        ids += stream.reader.ids
    assert len(ids) == len(set(ids)) >= 26


async def test_the_waiting_time_is_a_setting() -> None:
    http = await LegacyHttp.begun(Talking, retry=250)
    answer = await http.call("steps", token=1)
    assert answer.reader is not None
    assert answer.reader.retries == [250]


@pytest.mark.parametrize(
    "accept", ["application/json", "application/*", "text/event-stream;q=0, */*"]
)
async def test_who_takes_no_stream_gets_json_and_no_more(version: str, accept: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    answer = await http.post(calls("steps", token=1), headers={"Accept": accept})
    assert not answer.is_stream
    assert answer.text == "5 steps"


async def test_a_client_that_takes_no_stream_cannot_be_asked() -> None:
    http = await LegacyHttp.begun(Talking, capabilities={"elicitation": {}})
    answer = await http.post(calls("who"), headers={"Accept": "application/json"})
    assert answer.code == -32600
    assert "text/event-stream" in answer.message["error"]["message"]
    await http.alive()


async def test_no_result_is_stamped(version: str) -> None:
    """The words of the stateless era mean nothing here; the schemas are closed, too."""
    http = await LegacyHttp.begun(Talking, version)
    for method in ("ping", "tools/list", "resources/list", "prompts/list"):
        result = (await http.ask(method)).result
        assert not {"resultType", "_meta", "ttlMs", "cacheScope"} & result.keys()
    assert (await http.ask("logging/setLevel", {"level": "info"})).result == {}
    assert (await http.ask("resources/subscribe", {"uri": "memo://a"})).result == {}
    assert (await http.ask("resources/unsubscribe", {"uri": "memo://a"})).result == {}


@pytest.mark.parametrize(
    "body",
    [
        notes("notifications/initialized"),
        notes("notifications/roots/list_changed"),
        notes("notifications/unheard/of", {"a": [1]}),
        notes("notifications/x", {"_meta": "no object"}),
        notes("tools/call", {"name": "nap"}),
        cancels(99),
        cancels(None),
        notes("notifications/cancelled"),
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": "x.y", "result": None},
        {"jsonrpc": "2.0", "id": "unattended.x", "error": "not even an object"},
        {"jsonrpc": "2.0", "id": "", "result": {}, "error": {"code": 1, "message": "both"}},
    ],
    ids=repr,
)
async def test_what_is_no_request_is_accepted_without_a_body(
    version: str, body: dict[str, Any]
) -> None:
    http = await LegacyHttp.begun(Talking, version)
    answer = await http.post(body)
    assert answer.accepted
    assert answer.headers["content-length"] == "0"
    assert MARKS == []
    await http.alive()


@pytest.mark.parametrize("token", [None, 1], ids=["plain", "streaming"])
async def test_a_cancelled_request_is_not_answered(
    version: str, token: int | None, autojump_clock: MockClock
) -> None:
    http = await LegacyHttp.begun(Talking, version)
    async with http.starting(calls("nap", {"s": 60}, id="n", token=token)) as stream:
        await anyio.sleep(1)
        assert (await http.cancel("n")).accepted
        with anyio.fail_after(1):
            await stream.head()
            if token is None:
                assert stream.status == 202
                assert await stream.wire.chunk() == b""
            else:
                assert stream.status == 200
                assert ["method" in message for message in await stream.rest()] == [True]
            await stream.wire.ended.wait()
        assert MARKS == ["nap begins", "nap is cleaned up"]
    await http.alive()


async def test_a_request_whose_turn_has_not_come_can_be_cancelled(
    autojump_clock: MockClock,
) -> None:
    http = await LegacyHttp.begun(Talking)
    async with (
        http.starting(calls("nap", {"s": 10, "mark": "first"}, id=1)) as first,
        http.starting(calls("nap", {"s": 10, "mark": "second"}, id=2)) as second,
    ):
        await anyio.sleep(1)
        await http.cancel(2 if MARKS == ["first begins"] else 1)
        cancelled, other = (second, first) if MARKS == ["first begins"] else (first, second)
        await other.head()
        assert (await other.wire.body())["result"]
        await cancelled.head()
        assert cancelled.status == 202
    assert len(MARKS) == 2


async def test_an_id_that_is_in_use_is_refused(autojump_clock: MockClock) -> None:
    http = await LegacyHttp.begun(Talking)
    async with http.starting(calls("nap", {"s": 10}, id=1)) as stream:
        await anyio.sleep(1)
        assert (await http.call("echo", {"t": "x"}, id=1)).refusal == (200, -32600)
        assert (await http.ask("ping", id="1")).result == {}
        await stream.head()
        assert (await stream.wire.body())["id"] == 1
    assert (await http.call("echo", {"t": "x"}, id=1)).text == "x"


async def test_requests_take_turns_and_hand_the_frame_on() -> None:
    http = await LegacyHttp.begun(Talking)
    assert (await http.call("recall")).text == "None"
    await http.call("remember", {"value": "x"})
    assert (await http.call("recall")).text == "x"


async def test_log_messages_from_the_level_that_was_set(version: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    said = (await http.call("steps", {"count": 1, "size": 1, "level": "info"})).said
    assert len(said) == 1
    await http.ask("logging/setLevel", {"level": "error"})
    for level, heard in (("info", 0), ("warning", 0), ("error", 1), ("emergency", 1)):
        said = (await http.call("steps", {"count": 1, "size": 1, "level": level})).said
        assert len(said) == heard
    assert (await http.ask("logging/setLevel", {"level": "loud"})).refusal == (200, -32602)
    assert (await http.ask("logging/setLevel", {})).refusal == (200, -32602)


async def test_a_client_is_asked_on_the_stream_of_its_request(
    autojump_clock: MockClock,
) -> None:
    http = await LegacyHttp.begun(Talking, capabilities={"elicitation": {}})
    async with http.asking(calls("who", token=1)) as stream:
        assert (await stream.message())["method"] == "notifications/progress"
        asked = await stream.message()
        assert asked["method"] == "elicitation/create"
        result = {"action": "accept", "content": {"name": "Ann"}}
        reply = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
        other = await LegacyHttp.begun(http.app)
        assert (await other.post(reply)).accepted  # it is not asked: nothing happens
        await http.alive()
        assert (await http.post(reply)).accepted
        [*_, answer] = await stream.rest()
        assert answer["result"]["content"][0]["text"] == "hello Ann"


@pytest.mark.parametrize("version", LEGACY)
async def test_bodies_may_be_spaced_and_in_any_order(version: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    text = json.dumps(asks("ping", id=5), indent=3, sort_keys=True)
    assert (await http.send(f"\n\t {text}\r\n", http.changed({}))).id == 5
