"""`init`: before every request, with the client's info and a complete context."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.client import META, PREFIX, CheckedClient, Http
from support.log import ServerLog

from anubis_py import (
    App,
    Context,
    Failure,
    Frame,
    McpError,
    NoReply,
    Ok,
    Reply,
    Response,
    ServerBehaviour,
    ToolComponent,
)

pytestmark = pytest.mark.anyio


class Whoami(ToolComponent):
    def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().text(str(frame.assigns.get("who")))


def server(body: Callable[[Any, Frame], Any]) -> type[ServerBehaviour]:
    class Initialised(ServerBehaviour):
        name = "initialised"
        version = "1"
        components = (Whoami,)

        def init(self, client_info: Any, frame: Frame) -> Any:
            return body(client_info, frame)

    return Initialised


async def test_it_runs_before_every_request_and_its_frame_lives_as_long() -> None:
    calls: list[int] = []

    def init(client_info: Any, frame: Frame) -> Any:
        assert frame.assigns == {}
        calls.append(1)
        return Ok(frame.assign(who=len(calls)))

    client = CheckedClient(server(init))
    assert (await client.call_tool("whoami"))["content"][0]["text"] == "1"
    assert (await client.call_tool("whoami"))["content"][0]["text"] == "2"
    await client.list_tools()
    await client.discover()
    assert len(calls) == 4


@pytest.mark.parametrize(
    "info", [None, {"name": "c", "version": "2", "title": "C", "com.example/x": [1]}]
)
async def test_it_gets_the_client_info_of_the_request_or_nothing(info: Any) -> None:
    seen: list[Any] = []

    def init(client_info: Any, frame: Frame) -> Any:
        seen.append((dict(client_info), dict(frame.context.client_info)))
        return Ok(frame)

    await CheckedClient(server(init), client_info=info).list_tools()
    assert seen == [(info or {}, info or {})]


async def test_the_context_is_complete() -> None:
    seen: list[Context] = []

    def init(client_info: Any, frame: Frame) -> Any:
        seen.append(frame.context)
        return Ok(frame)

    meta = {
        **META,
        PREFIX + "clientCapabilities": {"elicitation": {}},
        PREFIX + "clientInfo": {"name": "c", "version": "2"},
        PREFIX + "logLevel": "info",
        "progressToken": 7,
        "com.example/own": {"a": 1},
    }
    http = Http(server(init))
    await http.call("tools/list", id="q", meta=meta)
    (context,) = seen
    assert context.request_id == "q"
    assert context.protocol_version == "2026-07-28"
    assert context.era == "stateless"
    assert context.session_id is None
    assert context.client_info == {"name": "c", "version": "2"}
    assert context.client_capabilities == {"elicitation": {}}
    assert context.meta == meta
    assert context.init_meta == {}
    assert context.headers["mcp-method"] == "tools/list"
    assert context.headers["host"] == "127.0.0.1:8000"
    assert context.remote_ip == "127.0.0.1"
    assert context.auth is None
    assert context.initialized is True
    assert context.progress_token == 7
    assert context.log_level == "info"


async def test_the_claims_of_the_caller_are_there_in_init() -> None:
    def init(client_info: Any, frame: Frame) -> Any:
        return Ok(frame.assign(who=(frame.subject, sorted(frame.scopes), frame.authenticated)))

    client = CheckedClient(server(init), auth={"sub": "eve", "scope": "b a"})
    result = await client.call_tool("whoami")
    assert result["content"][0]["text"] == "('eve', ['a', 'b'], True)"


async def test_it_may_be_async() -> None:
    class Async(ServerBehaviour):
        name = "async"
        version = "1"
        components = (Whoami,)

        async def init(self, client_info: Any, frame: Frame) -> Any:
            return Ok(frame.assign(who="async"))

    assert (await CheckedClient(Async).call_tool("whoami"))["content"][0]["text"] == "async"


@pytest.mark.parametrize(
    ("reason", "error", "status"),
    [
        (
            McpError(4711, "Not you", {"a": 1}),
            {"code": 4711, "message": "Not you", "data": {"a": 1}},
            200,
        ),
        (McpError(4711, "Not you", http_status=403), {"code": 4711, "message": "Not you"}, 403),
        ("no licence", {"code": -32603, "message": "no licence"}, 200),
        (("tag", 5), {"code": -32603, "message": "('tag', 5)"}, 200),
        (LookupError("hunter2"), {"code": -32603, "message": "Internal error"}, 200),
    ],
)
@pytest.mark.parametrize("method", ["tools/list", "tools/call", "server/discover"])
async def test_a_rejection_answers_the_request(
    reason: Any, error: dict[str, Any], status: int, method: str
) -> None:
    http = Http(server(lambda client_info, frame: Failure(reason)))
    answer = await http.call(method, {"name": "whoami"}, id="q")
    assert answer.error == error
    assert answer.status == status
    assert answer.id == "q"


async def test_an_mcp_error_may_be_raised_as_well() -> None:
    def init(client_info: Any, frame: Frame) -> Any:
        raise McpError(4711, "Not you")

    answer = await Http(server(init)).call("tools/list")
    assert answer.error == {"code": 4711, "message": "Not you"}


async def test_a_crash_is_an_internal_error_and_a_traceback(server_log: ServerLog) -> None:
    def init(client_info: Any, frame: Frame) -> Any:
        raise LookupError("hunter2")

    answer = await Http(server(init)).call("tools/list", id="q")
    assert answer.error == {"code": -32603, "message": "Internal error"}
    server_log.take("init", "'q'", traceback=True)


@pytest.mark.parametrize(
    "junk",
    [
        None,
        "ok",
        {"frame": 1},
        NoReply(),
        Reply({}),
        Frame(),
        (Ok, Frame()),
        Ok(None),  # type: ignore[arg-type]
        Ok("frame"),  # type: ignore[arg-type]
    ],
    ids=repr,
)
async def test_anything_else_is_an_internal_error_told_in_the_log(
    junk: Any, server_log: ServerLog
) -> None:
    answer = await Http(server(lambda client_info, frame: junk)).call("tools/list")
    assert answer.error == {"code": -32603, "message": "Internal error"}
    server_log.take("init returned", "it may return Ok or Failure", traceback=False)


async def test_it_does_not_run_for_what_is_refused_before() -> None:
    calls: list[int] = []

    def init(client_info: Any, frame: Frame) -> Any:
        calls.append(1)
        return Ok(frame)

    http = Http(server(init))
    await http.call("no/such")
    await http.call("tools/list", meta={})
    await http.send(b"{", {"Content-Type": "application/json", "Host": "127.0.0.1:8000"})
    assert calls == []


async def test_what_init_sets_up_is_there_in_every_callback() -> None:
    seen: list[str] = []

    class Everywhere(ServerBehaviour):
        name = "everywhere"
        version = "1"
        components = (Whoami,)

        def init(self, client_info: Any, frame: Frame) -> Any:
            return Ok(frame.assign(who="init").register_tool("runtime"))

        def server_tools(self, tools: Any, frame: Frame) -> Any:
            seen.append(f"server_tools {frame.assigns['who']}")
            return tools

        def server_instructions(self, frame: Frame) -> str | None:
            seen.append(f"server_instructions {frame.assigns['who']}")
            return None

        def handle_tool_call(self, name: str, args: Any, frame: Frame) -> Any:
            seen.append(f"handle_tool_call {frame.assigns['who']}")
            return Response.tool()

    http = Http(App(Everywhere()))
    await http.call("tools/list")
    await http.call("server/discover")
    await http.tool("runtime")
    assert seen == [
        "server_tools init",
        "server_instructions init",
        "server_tools init",
        "handle_tool_call init",
    ]
