"""B10: an id is echoed as it came, and only its absence makes a notification."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.client import META, Http, modern_headers

from anubis_py import NoReply, Notification, Response, ServerBehaviour, ToolComponent

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

RAN: list[str] = []


class Mark(ToolComponent):
    def execute(self, args: Any, frame: Any) -> Any:
        RAN.append("tool")
        return Response.tool()


class Marking(ServerBehaviour):
    name = "marking"
    version = "1"
    components = (Mark,)

    def handle_notification(self, notification: Notification, frame: Any) -> Any:
        RAN.append(notification.method)
        return NoReply()


@pytest.fixture
def http() -> Http:
    RAN.clear()
    return Http(Marking)


REQUESTS = {
    "a result": ("tools/list", {}),
    "a called tool": ("tools/call", {"name": "mark"}),
    "an error": ("no/such", {}),
    "an error of the handler's": ("tools/call", {"name": "nope"}),
}


def text(id_: str, kind: str) -> tuple[str, dict[str, str | bytes]]:
    """The request with an id as written here, which Python need not be able to write."""
    method, params = REQUESTS[kind]
    body = {"jsonrpc": "2.0", "method": method, "params": {**params, "_meta": META}}
    return f'{{"id":{id_},{json.dumps(body)[1:]}', modern_headers(body)


@pytest.mark.parametrize("kind", REQUESTS)
@pytest.mark.parametrize(
    "id_",
    [
        '"1"',
        "1",
        "-7",
        '""',
        '"é☃"',
        '"\\u0000\\u2028"',
        "0",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        '"' + "x" * 1000 + '"',
    ],
)
async def test_an_id_is_echoed_with_its_type_and_value(http: Http, id_: str, kind: str) -> None:
    content, headers = text(id_, kind)
    answer = await http.send(content, headers)
    expected = json.loads(id_)
    assert (type(answer.id), answer.id) == (type(expected), expected)
    await http.alive()


@pytest.mark.parametrize("kind", REQUESTS)
@pytest.mark.parametrize(
    "id_", ["null", "1.5", "true", "false", "[]", "{}", "[1]", "-0.5", "1e400"]
)
async def test_a_bad_id_is_refused_and_nothing_runs(http: Http, id_: str, kind: str) -> None:
    content, headers = text(id_, kind)
    answer = await http.send(content, headers)
    if id_ == "1e400":  # JSON has no infinity: no JSON, or no id
        assert answer.status == 400
        assert answer.code in (-32700, -32600)
    else:
        assert answer.refusal == (400, -32600)
    assert answer.id is None
    assert RAN == []
    await http.alive()


@pytest.mark.parametrize("kind", REQUESTS)
@pytest.mark.parametrize(
    "id_", ["18446744073709551615", "18446744073709551616", "-9223372036854775809", "1" * 60]
)
async def test_a_huge_id_is_echoed_exactly_or_refused(http: Http, id_: str, kind: str) -> None:
    content, headers = text(id_, kind)
    answer = await http.send(content, headers)
    if answer.id is None:
        assert answer.refusal == (400, -32600)
    else:
        assert answer.id == int(id_)
        assert isinstance(answer.id, int)
    await http.alive()


@pytest.mark.parametrize("id_", ["1.0", "2e0"])
async def test_a_whole_number_with_a_point_is_echoed_or_refused(http: Http, id_: str) -> None:
    content, headers = text(id_, "a result")
    answer = await http.send(content, headers)
    assert answer.id in (None, float(id_))
    assert answer.id is not None or answer.refusal == (400, -32600)
    await http.alive()


@pytest.mark.parametrize("id_", ["null", "1.5", "true", "[]", "{}"])
async def test_a_bad_id_makes_no_notification(http: Http, id_: str) -> None:
    body = f'{{"jsonrpc":"2.0","id":{id_},"method":"notifications/cancelled","params":{{}}}}'
    answer = await http.send(body, modern_headers(json.loads(body)))
    assert answer.refusal == (400, -32600)
    assert RAN == []
    await http.alive()


@pytest.mark.parametrize("method", ["notifications/cancelled", "notifications/x", "tools/call"])
async def test_without_an_id_it_is_a_notification(http: Http, method: str) -> None:
    body = {"jsonrpc": "2.0", "method": method, "params": {"name": "mark", "_meta": META}}
    answer = await http.post(body)
    assert answer.status == 202
    assert answer.message is None
    assert [method] == RAN
    await http.alive()


async def test_the_name_of_the_member_is_exact(http: Http) -> None:
    answer = await http.post({"jsonrpc": "2.0", "ID": 1, "Id": 2, "method": "tools/list"})
    assert answer.status == 202


async def test_two_ids_count_as_the_last(http: Http) -> None:
    content, headers = text('5,"id":6', "a result")
    assert (await http.send(content, headers)).id == 6
