"""Several messages in one array: what revision 2025-03-26 has, and no other."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from support.legacy import LegacyHttp, asks, calls, cancels, initializing, notes
from support.miniature import MARKS
from support.talking import Talking
from trio.testing import MockClock

pytestmark = pytest.mark.anyio

OLD = "2025-03-26"
PONG = {"jsonrpc": "2.0", "id": "x", "result": {}}


async def begun() -> LegacyHttp:
    return await LegacyHttp.begun(Talking, OLD)


def by_id(answers: Any) -> dict[Any, Any]:
    found = {answer.get("id"): answer for answer in answers}
    assert len(found) == len(answers)
    return found


async def test_each_request_is_answered_and_nothing_else() -> None:
    http = await begun()
    answer = await http.post(
        [
            asks("ping", id=1),
            notes("notifications/roots/list_changed"),
            asks("tools/list", id="two"),
            PONG,
            calls("echo", {"t": "x"}, id=0),
            cancels(99),
        ]
    )
    assert answer.status == 200
    assert not answer.is_stream
    found = by_id(answer.message)
    assert found.keys() == {1, "two", 0}
    assert found[1]["result"] == {}
    assert found["two"]["result"]["tools"]
    assert found[0]["result"]["content"][0]["text"] == "x"


@pytest.mark.parametrize(
    "batch", [[notes("notifications/x")], [notes("notifications/x"), PONG, cancels(1)], [PONG]]
)
async def test_without_a_request_there_is_no_answer(batch: Any) -> None:
    http = await begun()
    assert (await http.post(batch)).accepted
    await http.alive()


async def test_a_batch_of_one_is_answered_by_one() -> None:
    http = await begun()
    assert (await http.post([asks("ping", id=7)])).message == [
        {"jsonrpc": "2.0", "id": 7, "result": {}}
    ]


async def test_what_is_said_before_comes_on_a_stream_and_then_all_answers() -> None:
    http = await begun()
    batch = [calls("steps", {"count": 2}, id=1, token="a"), calls("steps", id=2, token="b")]
    answer = await http.post(batch)
    assert answer.reader is not None
    assert by_id(answer.message).keys() == {1, 2}
    tokens = [message["params"]["progressToken"] for message in answer.said]
    assert sorted(tokens) == ["a"] * 2 + ["b"] * 5


@pytest.mark.parametrize(
    ("part", "code"),
    [
        (5, -32600),
        (None, -32600),
        ([], -32600),
        ([asks("ping")], -32600),
        ({}, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, -32600),
        ({"jsonrpc": "1.0", "id": 5, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 5}, -32600),
        ({"jsonrpc": "2.0", "id": 5, "method": 7}, -32600),
        ({"jsonrpc": "2.0", "id": 5, "method": "ping", "params": [1]}, -32602),
        (asks("no/such", id=5), -32601),
        (initializing(OLD, id=5), -32600),
    ],
    ids=repr,
)
async def test_a_bad_part_has_an_error_of_its_own(part: Any, code: int) -> None:
    http = await begun()
    answer = await http.post([asks("ping", id="a"), part, asks("ping", id="b")])
    assert answer.status == 200
    assert "mcp-session-id" not in answer.headers
    found = by_id(answer.message)
    assert found["a"]["result"] == found["b"]["result"] == {}
    id_ = part.get("id") if isinstance(part, dict) else None
    id_ = id_ if isinstance(id_, int) else None
    assert found.keys() == {"a", "b", id_}
    assert found[id_]["error"]["code"] == code
    assert await http.app.engines.store.list_active() == [http.session_id]


async def test_bad_parts_alone_are_answered() -> None:
    http = await begun()
    answer = await http.post([1, 2, 3])
    assert answer.status == 200
    assert [each["error"]["code"] for each in answer.message] == [-32600] * 3
    assert all("id" not in each for each in answer.message)


async def test_an_empty_array_is_no_batch() -> None:
    http = await begun()
    for text in ("[]", " [ ] "):
        assert (await http.send(text, http.changed({}))).refusal == (400, -32600)
    await http.alive()


@pytest.mark.parametrize("text", ["[", "[1,", '[{"jsonrpc":"2.0"]', "[NaN]", "]["])
async def test_what_is_no_json_is_a_parse_error(text: str) -> None:
    http = await begun()
    assert (await http.send(text, http.changed({}))).refusal == (400, -32700)
    await http.alive()


async def test_more_than_the_limit_is_refused_whole() -> None:
    http = await begun()
    assert len((await http.post([asks("ping", id=n) for n in range(100)])).message) == 100
    many = [calls("remember", {"value": "ran"}, id=n) for n in range(101)]
    answer = await http.post(many)
    assert answer.refusal == (400, -32600)
    assert "100" in answer.message["error"]["message"]
    assert (await http.call("recall")).text == "None"


async def test_an_id_twice_is_answered_once_and_refused_once(autojump_clock: MockClock) -> None:
    http = await begun()
    answer = await http.post([calls("nap", {"s": 1}, id=1), calls("nap", {"s": 1}, id=1)])
    assert sorted("error" in each for each in answer.message) == [False, True]
    assert len(MARKS) == 2  # one beginning, and one end


async def test_a_part_that_is_cancelled_has_no_answer(autojump_clock: MockClock) -> None:
    http = await begun()
    batch = [calls("nap", {"s": 60}, id=1), asks("ping", id=2)]
    async with http.starting(batch) as stream:
        await anyio.sleep(1)
        await http.cancel(1)
        await stream.head()
        body = b"".join([await stream.wire.chunk()])
        assert [each["id"] for each in json.loads(body)] == [2]
    async with http.starting([calls("nap", {"s": 60}, id=1)]) as stream:
        await anyio.sleep(1)
        await http.cancel(1)
        await stream.head()
        assert stream.status == 202


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
@pytest.mark.parametrize(
    "batch", [[asks("ping")], [], [notes("notifications/x")], [initializing()]], ids=repr
)
async def test_later_revisions_have_none(version: str, batch: Any) -> None:
    http = await LegacyHttp.begun(Talking, version)
    assert (await http.post(batch)).refusal == (400, -32600)
    # Whatever the header says, or does not: it is the session that counts.
    for named in (None, OLD):
        answer = await http.post(batch, headers={"MCP-Protocol-Version": named})
        assert answer.refusal == (400, -32600)
    await http.alive()


async def test_a_batch_passes_the_gate_as_well() -> None:
    http = await begun()
    batch = [asks("ping"), notes("notifications/x")]
    given, http.session_id = http.session_id, "no-such"
    assert (await http.post(batch)).refusal == (404, -32600)
    http.session_id = None
    assert (await http.post(batch)).refusal == (400, -32600)
    http.session_id = given
    named = {"MCP-Protocol-Version": "1900-01-01"}
    transported = LegacyHttp(http.app, OLD, given)
    assert (await transported.post(batch, headers=named)).status == 400
    await http.delete()
    assert (await http.post(batch)).refusal == (404, -32600)
