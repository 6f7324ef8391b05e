"""`init`: once, while the handshake is answered."""

from __future__ import annotations

from typing import Any

import pytest
from support.either_era import LEGACY, EitherEra
from support.log import ServerLog

from anubis_py import Context, Failure, Frame, McpError, NoReply, Ok, Reply

from .parts import counter, said

pytestmark = pytest.mark.anyio

SEEN: list[tuple[dict[str, Any], Frame]] = []


@pytest.fixture(autouse=True)
def _unseen() -> None:
    SEEN.clear()


def init(self: Any, client_info: Any, frame: Frame) -> Any:
    SEEN.append((dict(client_info), frame))
    return Ok(frame.assign(who=client_info["name"]))


@pytest.mark.parametrize("version", LEGACY)
async def test_it_runs_once_and_its_frame_stays(version: str) -> None:
    info = {"name": "ada", "version": "2"}
    async with EitherEra(counter(init=init), protocol_version=version, client_info=info) as client:
        assert await said(client, "assigns") == "[('who', 'ada')]"
        assert await said(client, "assigns") == "[('who', 'ada')]"
        await client.list_tools()
    assert [seen for seen, _ in SEEN] == [info]


async def test_it_has_the_whole_context() -> None:
    client = EitherEra(
        counter(init=init),
        client_info={"name": "ada", "version": "2"},
        capabilities={"roots": {}},
        auth={"sub": "eve", "scope": "a"},
        headers={"X-Plan": "free"},
        assigns={"plan": "free"},
    )
    params = {
        "protocolVersion": "2025-06-18",
        "capabilities": {"roots": {}},
        "clientInfo": {"name": "ada", "version": "2"},
    }
    await client.request("initialize", params, meta={"com.example/own": 1})
    [(_, frame)] = SEEN
    context = frame.context
    assert context.session_id == client.session_id
    assert context.request_id == client.last_id
    assert context.protocol_version == "2025-06-18"
    assert context.era == "legacy"
    assert context.client_info == {"name": "ada", "version": "2"}
    assert context.client_capabilities == {"roots": {}}
    assert context.init_meta == {"com.example/own": 1}
    assert context.headers == {"x-plan": "free"}
    assert context.initialized is False
    assert frame.subject == "eve"
    assert frame.has_scope("a")
    assert frame.assigns == {"plan": "free"}
    await client.end_session()


async def test_what_later_callbacks_know_of_the_handshake() -> None:
    found: list[Context] = []

    def handle_tool_call(self: Any, name: str, args: Any, frame: Frame) -> Any:
        found.append(frame.context)
        return NoReply()

    def init(self: Any, client_info: Any, frame: Frame) -> Any:
        return Ok(frame.register_tool("look"))

    client = EitherEra(counter(init=init, handle_tool_call=handle_tool_call))
    client.capabilities = {"roots": {"listChanged": True}}
    await client.initialize()
    await client.call_tool("look")
    await client.notify("notifications/initialized")
    await client.call_tool("look", meta={"progressToken": "t"})
    before, after = found
    assert (before.initialized, after.initialized) == (False, True)
    assert after.session_id == client.session_id
    assert after.client_capabilities == {"roots": {"listChanged": True}}
    assert after.client_info["name"] == "anubis_py.testing"
    assert (after.progress_token, after.meta) == ("t", {"progressToken": "t"})
    await client.end_session()


@pytest.mark.parametrize(
    ("reason", "error"),
    [
        (McpError(4711, "Not you", {"a": 1}), (4711, "Not you", {"a": 1})),
        ("no licence", (-32603, "no licence", None)),
        (("tag", 5), (-32603, "('tag', 5)", None)),
        (LookupError("hunter2"), (-32603, "Internal error", None)),
    ],
)
async def test_a_rejection_answers_the_handshake_and_leaves_nothing(
    reason: Any, error: Any
) -> None:
    rejecting = [True]

    def init(self: Any, client_info: Any, frame: Frame) -> Any:
        return Failure(reason) if rejecting.pop() else Ok(frame)

    rejecting.insert(0, False)
    client = EitherEra(counter(init=init))
    with pytest.raises(McpError) as refusal:
        await client.initialize()
    assert (refusal.value.code, refusal.value.message, refusal.value.data) == error
    assert client.session_id is None
    assert len(client.engines.sessions) == 0
    assert await client.engines.store.list_active() == []
    async with client:
        assert await said(client, "increment") == "1"


async def test_a_crash_and_junk_are_internal_errors_told_in_the_log(server_log: ServerLog) -> None:
    def crash(self: Any, client_info: Any, frame: Frame) -> Any:
        raise LookupError("hunter2")

    for body, parts in (
        (crash, ("init failed",)),
        (lambda self, client_info, frame: Reply({}), ("init returned", "Ok or Failure")),
    ):
        client = EitherEra(counter(init=body))
        with pytest.raises(McpError, match=r"^Internal error \(-32603\)$"):
            await client.initialize()
        server_log.take(*parts)
        assert await client.engines.store.list_active() == []


async def test_the_instructions_see_the_frame_of_init() -> None:
    def server_instructions(self: Any, frame: Frame) -> str | None:
        return f"for {frame.assigns['who']} on {frame.assigns['plan']}, {frame.context.era}"

    server = counter(init=init, server_instructions=server_instructions)
    async with EitherEra(server, assigns={"plan": "pro"}) as client:
        assert client.instructions == "for anubis_py.testing on pro, legacy"


async def test_without_instructions_the_member_is_left_out() -> None:
    async with EitherEra(counter()) as client:
        assert client.instructions is None
        assert client.server_info == {"name": "counter", "version": "1"}
        assert client.server_capabilities == {"tools": {}}


async def test_what_init_registers_is_advertised() -> None:
    def init(self: Any, client_info: Any, frame: Frame) -> Any:
        return Ok(frame.register_prompt("p"))

    async with EitherEra(
        counter(init=init, handle_prompt_get=lambda s, n, a, frame: "x")
    ) as client:
        assert client.server_capabilities.keys() == {"tools", "prompts"}
        assert [p["name"] for p in (await client.list_prompts())["prompts"]] == ["p"]


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [
        *((version, version) for version in LEGACY),
        ("2024-11-05", LEGACY[0]),
        ("2026-07-28", LEGACY[0]),
        ("soon", LEGACY[0]),
    ],
)
async def test_the_revision_that_is_agreed_on(asked: str, agreed: str) -> None:
    client = EitherEra(counter())
    info = {"name": "c", "version": "1"}
    params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": info}
    assert (await client.request("initialize", params))["protocolVersion"] == agreed
    await client.end_session()


async def test_only_what_the_server_serves_is_agreed_on() -> None:
    server = counter(protocol_versions=("2026-07-28", "2025-03-26", "2025-06-18"))
    async with EitherEra(server, protocol_version="2025-11-25") as client:
        assert client.protocol_version == "2025-06-18"


@pytest.mark.parametrize(
    ("params", "fault"),
    [
        ({}, "protocolVersion"),
        ({"protocolVersion": "2025-11-25", "capabilities": {}}, "clientInfo"),
        ({"protocolVersion": "2025-11-25", "clientInfo": {"name": "c", "version": "1"}}, "capab"),
        (
            {"protocolVersion": 5, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
            "protocolVersion",
        ),
        (
            {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c"}},
            "version",
        ),
    ],
)
async def test_a_handshake_that_lacks_something(params: dict[str, Any], fault: str) -> None:
    client = EitherEra(counter(init=init))
    with pytest.raises(McpError, match=fault) as refusal:
        await client.request("initialize", params)
    assert refusal.value.code == -32602
    assert SEEN == []


async def test_a_second_handshake_is_a_second_session() -> None:
    client = EitherEra(counter(init=init))
    await client.initialize()
    assert await said(client, "increment") == "1"
    first = client.session_id
    await client.initialize()
    assert client.session_id != first
    assert await said(client, "increment") == "1"
    assert len(SEEN) == 2
    await client.end_session()
    client.session_id = first
    assert await said(client, "increment") == "2"
    await client.end_session()


async def test_a_request_may_come_before_the_acknowledgement() -> None:
    client = EitherEra(counter())
    await client.initialize()
    assert await said(client, "increment") == "1"
    await client.ping()
    await client.end_session()
