"""B10, B11 and B12 behind a handshake: ids, codes and media types."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.legacy import BOTH, LEGACY, LegacyHttp, asks, calls, notes
from support.talking import Talking

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]


@pytest.fixture(params=LEGACY)
def version(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


# B10, the ids

REQUESTS = {
    "a result": ("tools/list", {}),
    "a ping": ("ping", {}),
    "an error": ("no/such", {}),
    "an error of the handler's": ("tools/call", {"name": "nope"}),
}


def text(id_: str, kind: str) -> str:
    method, params = REQUESTS[kind]
    return f'{{"id":{id_},{json.dumps({"jsonrpc": "2.0", "method": method, "params": params})[1:]}'


@pytest.mark.parametrize("kind", REQUESTS)
async def test_an_id_is_echoed_with_its_type_and_value(version: str, kind: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    for id_ in ('"1"', "1", "-7", '""', '"é☃"', "0", "9007199254740993", '"' + "x" * 1000 + '"'):
        answer = await http.send(text(id_, kind), http.changed({}))
        expected = json.loads(id_)
        assert (type(answer.id), answer.id) == (type(expected), expected)
    await http.alive()


@pytest.mark.parametrize("kind", REQUESTS)
async def test_a_bad_id_is_refused_and_nothing_runs(version: str, kind: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    for id_ in ("null", "1.5", "true", "false", "[]", "{}", "-0.5"):
        answer = await http.send(text(id_, kind), http.changed({}))
        assert answer.refusal == (400, -32600)
        assert "id" not in answer.message
    await http.alive()


async def test_a_huge_id_is_echoed_exactly_or_refused(version: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    for id_ in ("18446744073709551615", "18446744073709551616", "1" * 60):
        response = await http.send(text(id_, "a ping"), {**http.changed({}), "X": "1"})
        assert response.refusal == (400, -32600) if "error" in response.message else True
        assert response.message.get("id", int(id_)) == int(id_)


# B11, the codes

BAD_ENVELOPES: list[Any] = [
    {"jsonrpc": "2.0", "id": 1},
    {"jsonrpc": "1.0", "id": 1, "method": "ping"},
    {"id": 1, "method": "ping"},
    {"jsonrpc": "2.0", "id": 1, "method": 7},
]


async def test_what_is_no_json_is_a_parse_error(version: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    for content in (b"", b" ", b"{", b'{"a":NaN}', b"\xff\xfe", b"{" * 10_000):
        assert (await http.send(content, http.changed({}))).refusal == (400, -32700)
    await http.alive()


async def test_what_is_no_message_is_an_invalid_request(version: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    for content in ("5", "null", '"x"', "[]", "true"):
        assert (await http.send(content, http.changed({}))).refusal == (400, -32600)
    for body in BAD_ENVELOPES:
        answer = await http.post(body)
        assert answer.refusal == (400, -32600)
        assert answer.message.get("id") in (1, None)
    await http.alive()


@pytest.mark.parametrize("params", ["x", [1], 5, True])
async def test_params_that_are_no_object(version: str, params: Any) -> None:
    http = await LegacyHttp.begun(Talking, version)
    answer = await http.post({**asks("tools/list"), "params": params})
    assert 400 <= answer.status < 500
    assert answer.code in (-32602, -32600)
    await http.alive()


@pytest.mark.parametrize(
    "method", ["no/such", "tools/List", "", "server/discover", "subscriptions/listen", "roots/list"]
)
async def test_an_unknown_method_is_not_a_session_that_is_gone(version: str, method: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    answer = await http.ask(method, id="m")
    assert answer.code == -32601
    assert answer.status == 200
    await http.alive()


async def test_no_answer_has_the_status_of_a_session_that_is_gone(version: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    for body, code in (
        (asks("resources/read", {"uri": "memo://no-such"}), -32002),
        (asks("resources/read", {"uri": 5}), -32602),
        (asks("resources/read"), -32602),
        (calls("nope"), -32602),
        (asks("prompts/get", {"name": "nope"}), -32602),
        (asks("tools/list", {"cursor": 5}), -32602),
        (asks("tools/list", {"cursor": "bad"}), -32602),
        (asks("logging/setLevel", {"level": 5}), -32602),
    ):
        assert (await http.post(body)).refusal == (200, code)
    await http.alive()


async def test_a_body_over_the_limit_is_too_large() -> None:
    http = await LegacyHttp.begun(Talking, max_body=1000)
    answer = await http.call("echo", {"t": "x" * 1000})
    assert answer.status == 413
    await http.alive()


# B12, the media types


@pytest.mark.parametrize(
    "accept",
    [
        "*/*",
        None,
        "",
        "application/*, text/*",
        "application/json;q=0.9,text/event-stream;q=0.1",
        "Application/JSON, Text/Event-Stream",
        "text/event-stream , application/json ; q=1.0",
    ],
)
async def test_every_spelling_of_a_good_accept_is_served(accept: str | None) -> None:
    http = await LegacyHttp.begun(Talking)
    answer = await http.post(calls("steps", token=1), headers={"Accept": accept})
    assert answer.is_stream
    assert answer.text == "5 steps"
    assert not (await http.post(asks("ping"), headers={"Accept": accept})).is_stream


@pytest.mark.parametrize(
    "accept", ["text/html", "application/json;q=0, text/html", "image/*", "text/event-stream"]
)
async def test_what_cannot_be_accepted_is_told_what_is_needed(accept: str) -> None:
    http = await LegacyHttp.begun(Talking)
    for body in (asks("ping"), notes("notifications/x")):
        answer = await http.post(body, headers={"Accept": accept})
        assert answer.status == 406
        assert BOTH.partition(",")[0] in answer.message["error"]["message"]
    await http.alive()


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json; charset=utf-8", 200),
        ("Application/JSON", 200),
        ('application/json;charset="UTF-8"', 200),
        (None, 200),
        ("text/plain", 415),
        ("application/json; charset=utf-16", 415),
        ("multipart/form-data; boundary=x", 415),
    ],
)
async def test_types_of_the_body(content_type: str | None, status: int) -> None:
    http = await LegacyHttp.begun(Talking)
    answer = await http.post(asks("ping"), headers={"Content-Type": content_type})
    assert answer.status == status
    await http.alive()
