"""B13: a mirrored header is decoded before it is compared, by one routine."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from support.client import Http, modern

from anubis_py import PromptComponent, ResourceComponent, Response, ServerBehaviour, ToolComponent

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

RAN: list[str] = []
URI = "memo:///Załącznik"


class Memo(ResourceComponent):
    uri = URI

    def read(self, params: Any, frame: Any) -> Any:
        RAN.append("read")
        return Response.resource().text("memo")


class Fast(ToolComponent):
    def execute(self, args: Any, frame: Any) -> Any:
        RAN.append("fast")
        return Response.tool().text("done")


class Ask(PromptComponent):
    name = "zażółć"

    def get_messages(self, args: Any, frame: Any) -> Any:
        RAN.append("ask")
        return "ask"


class Mirrored(ServerBehaviour):
    name = "mirrored"
    version = "1"
    components = (Memo, Fast, Ask)


@pytest.fixture
def http() -> Http:
    RAN.clear()
    return Http(Mirrored)


READ = modern("resources/read", {"uri": URI}, id="r")
CALL = modern("tools/call", {"name": "fast"}, id="c")
ENCODED = "=?base64?bWVtbzovLy9aYcWCxIVjem5paw==?="


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        pytest.param(READ, {"Mcp-Name": ENCODED}, id="a"),
        pytest.param(READ, {"mcp-name": ENCODED}, id="a, in lower case"),
        pytest.param(CALL, {"Mcp-Name": "=?base64?ZmFzdA==?="}, id="fast, encoded"),
        pytest.param(CALL, {"mcp-name": "fast"}, id="fast, in lower case"),
        pytest.param(CALL, {"MCP-NAME": "fast", "MCP-METHOD": "tools/call"}, id="in upper case"),
        pytest.param(CALL, {"Mcp-Name": " fast\t"}, id="fast, with white space around"),
    ],
)
async def test_a_name_that_means_the_bodys_is_served(
    http: Http, body: Any, headers: dict[str, str | bytes | None]
) -> None:
    answer = await http.post(body, headers=headers)
    assert answer.status == 200
    assert len(RAN) == 1


@pytest.mark.parametrize(
    ("body", "name"),
    [
        pytest.param(READ, "=?base64?bWVtbzovLy9pbm55?=", id="b: another URI"),
        pytest.param(READ, "=?base64?!!!?=", id="c: no Base64"),
        pytest.param(READ, "=?base64?/w==?=", id="d: no UTF-8"),
        pytest.param(READ, ENCODED.replace("base64", "BASE64"), id="e: upper case"),
        pytest.param(READ, URI.encode(), id="f: raw UTF-8"),
        pytest.param(READ, "memo:///Za%C5%82%C4%85cznik", id="percent-encoded"),
        pytest.param(READ, ENCODED.replace("==?=", "?="), id="without padding"),
        pytest.param(READ, ENCODED.replace("?=", "?= x"), id="something behind"),
        pytest.param(CALL, "FAST", id="FAST"),
        pytest.param(CALL, None, id="missing"),
        pytest.param(CALL, "", id="empty"),
        pytest.param(CALL, "fast, fast", id="twice"),
        pytest.param(CALL, "=?base64??=", id="encoded emptiness"),
        pytest.param(CALL, "fa\x01st", id="a control character"),
        pytest.param(CALL, b"f\xc3\xa4st", id="letters above ASCII"),
    ],
)
async def test_a_name_that_does_not_is_refused_and_nothing_runs(
    http: Http, body: Any, name: str | bytes | None
) -> None:
    answer = await http.probe(body, headers={"Mcp-Name": name})
    assert answer.refusal == (400, -32020)
    assert answer.id == body["id"]
    assert RAN == []


async def test_a_prompts_name_is_encoded_too(http: Http) -> None:
    assert (await http.call("prompts/get", {"name": "zażółć"})).status == 200
    assert RAN == ["ask"]


async def test_a_value_that_looks_encoded_is_encoded_itself(http: Http) -> None:
    uri = "=?base64?ZmFzdA==?="
    wrapped = f"=?base64?{b64encode(uri.encode()).decode()}?="
    answer = await http.probe(modern("tools/call", {"name": uri}), headers={"Mcp-Name": wrapped})
    assert answer.code == -32602  # compared well, and then unknown
    answer = await http.probe(modern("tools/call", {"name": uri}), headers={"Mcp-Name": uri})
    assert answer.code == -32020


@pytest.mark.parametrize("method", ["tools/list", "server/discover"])
async def test_a_name_where_none_belongs_is_passed_over(http: Http, method: str) -> None:
    answer = await http.post(modern(method), headers={"Mcp-Name": "anything"})
    assert answer.status == 200
