"""B11: one ordered pipeline, each step with its own code and status."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.client import META, PREFIX, Http, modern, modern_headers

from anubis_py import ResourceComponent, Response, ServerBehaviour, ToolComponent

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]


class Note(ResourceComponent):
    uri_template = "note:///{name}"

    def read(self, params: Any, frame: Any) -> Any:
        return Response.resource().text(params["name"])


class Now(ToolComponent):
    def execute(self, args: Any, frame: Any) -> Any:
        return Response.tool().text("noon")


class Piped(ServerBehaviour):
    name = "piped"
    version = "1"
    components = (Note, Now)


class Bare(ServerBehaviour):
    name = "bare"
    version = "1"


@pytest.fixture
def http() -> Http:
    return Http(Piped)


GOOD = modern("tools/list")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" ",
        b"{",
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b"{'a':1}",
        b'{"a":1,}',
        b"\xff\xfe",
        b'"\xff"',
        b'"\\ud800"',
        b"\x00",
        b"nul",
        json.dumps(GOOD).encode() + b"}",
        json.dumps(GOOD).encode() * 2,
        json.dumps(GOOD).encode("utf-16"),
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"1" * 10_000,
    ],
    ids=lambda content: repr(content[:20]),
)
async def test_what_is_no_json_is_a_parse_error(http: Http, content: bytes) -> None:
    answer = await http.probe_raw(content)
    assert answer.refusal == (400, -32700)
    assert answer.id is None


@pytest.mark.parametrize(
    "content", [b"5", b"null", b'"x"', b"true", b"[]", b"[1]", json.dumps([GOOD]).encode(), b"1.5"]
)
async def test_what_is_no_single_message_is_an_invalid_request(http: Http, content: bytes) -> None:
    answer = await http.probe_raw(content)
    assert answer.refusal == (400, -32600)
    assert answer.id is None


@pytest.mark.parametrize(
    "change",
    [
        {"method": ...},
        {"method": ..., "params": ...},
        {"jsonrpc": "1.0"},
        {"jsonrpc": ...},
        {"jsonrpc": 2.0},
        {"jsonrpc": "2"},
        {"jsonrpc": None},
        {"method": 7},
        {"method": None},
        {"method": ["tools/list"]},
    ],
    ids=repr,
)
@pytest.mark.parametrize("id_", [1, "one"])
async def test_a_broken_envelope_is_an_invalid_request_with_its_id(
    http: Http, change: dict[str, Any], id_: Any
) -> None:
    body = {k: v for k, v in {**GOOD, "id": id_, **change}.items() if v is not ...}
    answer = await http.probe(body)
    assert answer.refusal == (400, -32600)
    assert answer.id == id_


@pytest.mark.parametrize("params", ["x", [1], 5, True, ""])
async def test_params_that_are_no_object(http: Http, params: Any) -> None:
    answer = await http.probe({**GOOD, "params": params})
    assert 400 <= answer.status < 500
    assert answer.code in (-32602, -32600)
    assert answer.id == 1


@pytest.mark.parametrize(
    "method",
    [
        "no/such",
        "tools/List",
        "tools/",
        "",
        "TOOLS/LIST",
        "ping",
        "initialize",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "roots/list",
        "sampling/createMessage",
        "elicitation/create",
        "tasks/get",
        "notifications/initialized",
        "rpc.discover",
        "__init__",
        "tools/list ",
        "tools/listé",
    ],
)
async def test_an_unknown_method_is_not_found(http: Http, method: str) -> None:
    answer = await http.probe(modern(method, id="m"))
    if method in ("", "tools/list ", "tools/listé"):
        # No header can carry these as they are; the method is unknown, or the header bad.
        assert answer.refusal in ((404, -32601), (400, -32020))
    else:
        assert answer.refusal == (404, -32601)
        assert method in answer.error["message"]
    assert answer.id == "m"


@pytest.mark.parametrize(
    "method",
    [
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "completion/complete",
    ],
)
async def test_what_is_not_advertised_is_not_served(method: str) -> None:
    http = Http(Bare)
    assert (await http.call("server/discover")).result["capabilities"] == {}
    answer = await http.probe(modern(method, {"name": "x", "uri": "a:b"}))
    assert answer.refusal == (404, -32601)


@pytest.mark.parametrize("method", ["tools/list", "server/discover", "no/such", "ping"])
@pytest.mark.parametrize("missing", ["protocolVersion", "clientCapabilities"])
async def test_missing_metadata_is_invalid_params_that_names_it(
    http: Http, method: str, missing: str
) -> None:
    meta = {key: value for key, value in META.items() if key != PREFIX + missing}
    answer = await http.probe(modern(method, meta=meta))
    assert answer.refusal == (400, -32602)
    assert missing in answer.error["message"]
    assert answer.id == 1


async def test_metadata_that_is_not_there_at_all_is_invalid_params(http: Http) -> None:
    answer = await http.probe({**GOOD, "params": {}})
    assert answer.refusal == (400, -32602)
    assert "_meta" in answer.error["message"]


def versioned(version: Any) -> dict[str, Any]:
    return modern("tools/list", meta={**META, PREFIX + "protocolVersion": version})


@pytest.mark.parametrize("version", ["1900-01-01", "2099-01-01", "x", "2026-07-28 "])
async def test_an_unknown_version_is_told_what_is_served(http: Http, version: str) -> None:
    header = version if version == version.strip() else "2026-07-28"
    answer = await http.probe(versioned(version), headers={"MCP-Protocol-Version": header})
    if header != version:
        assert answer.refusal == (400, -32020)
        return
    assert answer.refusal == (400, -32022)
    assert answer.error["data"]["requested"] == version
    assert "2026-07-28" in answer.error["data"]["supported"]
    discovered = (await http.call("server/discover")).result
    assert answer.error["data"]["supported"] == discovered["supportedVersions"]


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (versioned("2099-01-01"), {}),
        (versioned("2025-11-25"), {}),
        (GOOD, {"MCP-Protocol-Version": "2099-01-01"}),
        (GOOD, {"MCP-Protocol-Version": None}),
        (GOOD, {"MCP-Protocol-Version": ""}),
        (GOOD, {"MCP-Protocol-Version": "2026-07-28, 2026-07-28"}),
        (GOOD, {"Mcp-Method": None}),
        (GOOD, {"Mcp-Method": ""}),
        (GOOD, {"Mcp-Method": "tools/call"}),
        (GOOD, {"Mcp-Method": "Tools/List"}),
        (GOOD, {"Mcp-Method": "=?base64?dG9vbHMvbGlzdA==?="}),
    ],
)
async def test_headers_that_do_not_match_the_body(
    http: Http, body: dict[str, Any], headers: dict[str, str | bytes | None]
) -> None:
    answer = await http.probe(body, headers=headers)
    assert answer.refusal == (400, -32020)
    assert answer.id == 1


async def test_an_unknown_resource_is_invalid_params_with_its_uri(http: Http) -> None:
    answer = await http.probe(modern("resources/read", {"uri": "memo:///x"}, id="r"))
    assert answer.code == -32602
    assert answer.error["data"]["uri"] == "memo:///x"
    assert answer.id == "r"


# The order: what comes first in the pipeline is what is told.


async def test_the_version_comes_before_the_method(http: Http) -> None:
    body = modern("no/such", meta={**META, PREFIX + "protocolVersion": "1900-01-01"})
    answer = await http.probe(body, headers={"MCP-Protocol-Version": "1900-01-01"})
    assert answer.code == -32022


async def test_the_headers_come_before_the_method(http: Http) -> None:
    answer = await http.probe(modern("no/such"), headers={"Mcp-Method": "tools/list"})
    assert answer.code == -32020


async def test_the_method_comes_before_its_params() -> None:
    answer = await Http(Bare).probe(modern("tools/list", {"cursor": 5}))
    assert answer.code == -32601


# Around the messages.


@pytest.mark.parametrize(
    "body",
    [
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "2.0", "id": 1, "result": None},
    ],
)
async def test_a_response_of_the_clients_is_refused(http: Http, body: dict[str, Any]) -> None:
    answer = await http.probe(body)
    assert answer.refusal == (400, -32600)
    assert answer.id is None


@pytest.mark.parametrize(
    "body",
    [
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled"},
        {"jsonrpc": "2.0", "method": "notifications/unheard/of", "params": {"_meta": {}}},
    ],
)
async def test_a_notification_is_accepted_without_a_body(http: Http, body: dict[str, Any]) -> None:
    answer = await http.probe(body)
    assert answer.status == 202
    assert answer.message is None


async def test_a_malformed_notification_is_refused_without_an_id(http: Http) -> None:
    answer = await http.probe({"jsonrpc": "2.0", "method": "notifications/x", "params": [1]})
    assert answer.status == 400
    assert answer.id is None


@pytest.mark.parametrize("verb", ["PUT", "PATCH", "OPTIONS", "HEAD"])
async def test_only_the_verbs_of_the_protocol_are_allowed(http: Http, verb: str) -> None:
    answer = await http.send(b"", {"Host": "127.0.0.1:8000"}, verb=verb)
    assert answer.status == 405
    assert answer.headers["allow"] == "GET, POST, DELETE"
    await http.alive()


@pytest.mark.parametrize("verb", ["GET", "DELETE"])
async def test_what_only_sessions_have_needs_one(http: Http, verb: str) -> None:
    answer = await http.send(b"", {"Host": "127.0.0.1:8000"}, verb=verb)
    assert answer.refusal == (400, -32600)
    await http.alive()


@pytest.mark.parametrize("path", ["/", "/mc", "/mcp/x", "/svc/mcp", "/mcpx", "//mcp"])
async def test_another_path_is_not_found(http: Http, path: str) -> None:
    url = f"http://127.0.0.1:8000{path}"
    answer = await http.send(json.dumps(GOOD), modern_headers(GOOD), url=url)
    assert answer.status == 404
    await http.alive()


async def test_a_slash_at_the_end_is_as_good_as_none(http: Http) -> None:
    url = "http://127.0.0.1:8000/mcp/"
    answer = await http.send(json.dumps(GOOD), modern_headers(GOOD), url=url)
    assert answer.status == 200


async def test_a_body_over_the_limit_is_too_large() -> None:
    http = Http(Piped.asgi(max_body=500))
    answer = await http.probe({**GOOD, "pad": "x" * 500})
    assert answer.status == 413
    assert answer.code == -32600
    assert "500" in answer.error["message"]


@pytest.mark.parametrize("depth", [200, 900])
async def test_deep_nesting_is_refused_by_its_depth(http: Http, depth: int) -> None:
    params = '{"a":' + "[" * depth + "]" * depth + "}"
    body = f'{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{params}}}'
    answer = await http.probe_raw(body, {"Mcp-Method": "tools/list"})
    assert answer.refusal == (400, -32600)


async def test_what_is_pretty_printed_is_json_too(http: Http) -> None:
    answer = await http.send(json.dumps(GOOD, indent=2), modern_headers(GOOD))
    assert answer.status == 200


async def test_sessions_and_resumption_are_ignored(http: Http) -> None:
    answer = await http.post(GOOD, headers={"Mcp-Session-Id": "no-such", "Last-Event-ID": "7"})
    assert answer.status == 200
    assert "mcp-session-id" not in answer.headers


@pytest.mark.parametrize("header", ["Host", "Origin"])
async def test_a_foreign_host_or_origin_is_forbidden(http: Http, header: str) -> None:
    value = {"Host": "evil.example:8000", "Origin": "http://evil.example"}[header]
    answer = await http.probe(GOOD, headers={header: value})
    assert answer.status == 403
    assert answer.id is None
