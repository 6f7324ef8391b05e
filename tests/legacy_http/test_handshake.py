"""The handshake: which revision is agreed on, and what the server says of itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.client import Http
from support.legacy import LEGACY, LegacyHttp, asks, initializing
from support.talking import Talking

from anubis_py import Failure, Frame, McpError, ServerBehaviour

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

NEWEST = "2025-11-25"


@pytest.mark.parametrize("requested", LEGACY)
async def test_a_served_version_is_agreed_on(requested: str) -> None:
    http = LegacyHttp(Talking.asgi(), requested)
    answer = await http.initialize()
    assert answer.result["protocolVersion"] == requested
    assert not answer.is_stream
    assert http.session_id


@pytest.mark.parametrize(
    "requested", ["2026-07-28", "2024-11-05", "2099-01-01", "1.0", "", "latest", "2025-06-18 "]
)
async def test_for_any_other_the_newest_is_offered(requested: str) -> None:
    http = LegacyHttp(Talking.asgi())
    answer = await http.initialize(version=requested)
    assert answer.result["protocolVersion"] == NEWEST
    await http.initialized()
    await http.alive()


@pytest.mark.parametrize("garbage", [None, 5, True, ["2025-11-25"], {}, 2025.1125])
async def test_a_version_that_is_no_text_is_refused(garbage: Any) -> None:
    http = LegacyHttp(Talking.asgi())
    answer = await http.initialize(version=garbage)
    assert answer.refusal == (200, -32602)
    assert "protocolVersion" in answer.message["error"]["message"]
    assert http.session_id is None


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("capabilities", ...),
        ("capabilities", []),
        ("capabilities", None),
        ("clientInfo", ...),
        ("clientInfo", "me"),
        ("clientInfo", {}),
        ("clientInfo", {"name": 5, "version": "1"}),
        ("protocolVersion", ...),
    ],
)
async def test_a_handshake_that_lacks_something_is_told_what(member: str, value: Any) -> None:
    http = LegacyHttp(Talking.asgi())
    body = initializing()
    body["params"] = {k: v for k, v in {**body["params"], member: value}.items() if v is not ...}
    answer = await http.send(json.dumps(body), http.headers(opening=True))
    assert answer.refusal == (200, -32602)
    assert member in answer.message["error"]["message"]
    assert "mcp-session-id" not in answer.headers
    assert await http.app.engines.store.list_active() == []


@pytest.mark.parametrize("params", [..., None, {}])
async def test_a_handshake_of_nothing(params: Any) -> None:
    http = LegacyHttp(Talking.asgi())
    body = {k: v for k, v in {**initializing(), "params": params}.items() if v is not ...}
    answer = await http.send(json.dumps(body), http.headers(opening=True))
    assert answer.refusal == (200, -32602)


async def test_a_header_does_not_decide_what_is_agreed_on() -> None:
    for header in (*LEGACY, "2024-11-05"):
        http = LegacyHttp(Talking.asgi())
        headers = {**http.headers(opening=True), "MCP-Protocol-Version": header}
        answer = await http.send(json.dumps(initializing("2025-06-18")), headers)
        assert answer.result["protocolVersion"] == "2025-06-18"


# A server that serves fewer revisions


class Restricted(Talking):
    protocol_versions = ("2025-06-18",)


class ModernOnly(Talking):
    protocol_versions = ("2026-07-28",)


class Two(Talking):
    protocol_versions = ("2026-07-28", "2025-03-26")


@pytest.mark.parametrize("requested", [*LEGACY, "2026-07-28", "x"])
async def test_the_only_version_is_offered_to_all(requested: str) -> None:
    http = LegacyHttp(Restricted.asgi(), "2025-06-18")
    answer = await http.initialize(version=requested)
    assert answer.result["protocolVersion"] == "2025-06-18"
    await http.initialized()
    await http.alive()
    refused = await http.ask("ping", headers={"MCP-Protocol-Version": "2025-11-25"})
    assert refused.refusal == (400, -32600)
    assert "2025-06-18" in refused.message["error"]["message"]


async def test_the_newest_that_is_served_is_offered() -> None:
    http = LegacyHttp(Two.asgi(), "2025-03-26")
    answer = await http.initialize(version="2025-11-25")
    assert answer.result["protocolVersion"] == "2025-03-26"
    assert (await Http(http.app).call("server/discover")).result["supportedVersions"]


async def test_a_legacy_server_refuses_the_modern_era_and_names_what_it_speaks() -> None:
    answer = await Http(Restricted.asgi()).call("tools/list")
    assert answer.refusal == (400, -32022)
    assert answer.error["data"]["supported"] == ["2025-06-18"]


@pytest.mark.parametrize("header", [None, *LEGACY])
async def test_a_modern_server_refuses_a_handshake_and_names_what_it_speaks(
    header: str | None,
) -> None:
    http = Http(ModernOnly.asgi())
    fields = {"Content-Type": "application/json", "Host": "127.0.0.1:8000"}
    if header is not None:
        fields["MCP-Protocol-Version"] = header
    answer = await http.send(json.dumps(initializing(id=0)), fields)
    assert answer.refusal == (400, -32022)
    assert answer.id == 0
    assert answer.error["data"]["supported"] == ["2026-07-28"]
    assert "2026-07-28" in answer.error["message"]
    assert "mcp-session-id" not in answer.headers


@pytest.mark.parametrize("verb", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"])
async def test_a_modern_server_has_no_sessions_to_open_or_end(verb: str) -> None:
    http = LegacyHttp(ModernOnly.asgi(), session_id="x")
    answer = await http.send(b"", http.changed({}), verb=verb)
    assert (answer.status, answer.message) == (405, None)
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize("verb", ["PUT", "PATCH", "OPTIONS", "HEAD", "TRACE"])
async def test_other_verbs_are_not_allowed(verb: str) -> None:
    http = await LegacyHttp.begun(Talking)
    answer = await http.send(b"", http.changed({}), verb=verb)
    assert answer.status == 405
    assert {v.strip() for v in answer.headers["allow"].split(",")} == {"GET", "POST", "DELETE"}
    await http.alive()


# What the server says of itself


class Described(Talking):
    title = "A server that talks"
    website_url = "https://example.com"


@pytest.mark.parametrize("version", LEGACY)
async def test_it_says_of_itself_what_the_revision_has_words_for(version: str) -> None:
    http = LegacyHttp(Described.asgi(), version)
    result = (await http.initialize()).result  # held against the closed schema
    assert result["serverInfo"]["name"] == "talking"
    assert ("title" in result["serverInfo"]) == (version >= "2025-06-18")
    assert ("websiteUrl" in result["serverInfo"]) == (version >= "2025-11-25")
    assert result["instructions"] == "Talk to me"
    assert result["capabilities"] == {
        "tools": {"listChanged": True},
        "resources": {"subscribe": True},
        "prompts": {},
        "logging": {},
    }
    assert result.keys() == {"protocolVersion", "capabilities", "serverInfo", "instructions"}


async def test_instructions_see_the_frame_of_init() -> None:
    class Greeting(Talking):
        def server_instructions(self, frame: Frame) -> str:
            return f"{frame.context.protocol_version}, {frame.context.client_info['name']}"

    result = (await LegacyHttp(Greeting.asgi(), "2025-06-18").initialize()).result
    assert result["instructions"] == "2025-06-18, tests"


async def test_without_anything_there_are_no_capabilities_and_no_instructions() -> None:
    class Bare(ServerBehaviour):
        name = "bare"
        version = "1"

    http = LegacyHttp(Bare.asgi())
    result = (await http.initialize()).result
    assert result["capabilities"] == {}
    assert "instructions" not in result
    for method in ("tools/list", "prompts/get", "logging/setLevel", "resources/subscribe"):
        assert (await http.ask(method, {"uri": "a:b"})).refusal == (200, -32601)
    await http.alive()


async def test_who_is_rejected_has_no_session() -> None:
    class Closed(Talking):
        async def init(self, client_info: Any, frame: Frame) -> Any:
            return Failure(McpError(-32603, "not today"))

    http = LegacyHttp(Closed.asgi())
    answer = await http.initialize(id="i")
    assert (answer.id, answer.code) == ("i", -32603)
    assert http.session_id is None
    assert await http.app.engines.store.list_active() == []


async def test_a_second_handshake_within_a_session_begins_another() -> None:
    http = await LegacyHttp.begun(Talking)
    answer = await http.post(asks("initialize", initializing()["params"]))
    assert answer.headers["mcp-session-id"] != http.session_id
    await http.alive()
