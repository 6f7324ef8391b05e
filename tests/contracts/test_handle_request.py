"""`handle_request`: overriding it bypasses the router; super() is the router."""

from __future__ import annotations

from typing import Any

import pytest
from support.client import CheckedClient, Http
from support.log import ServerLog

from anubis_py import (
    Failure,
    Frame,
    McpError,
    NoReply,
    Ok,
    PromptComponent,
    Reply,
    Request,
    Response,
    ServerBehaviour,
    ToolComponent,
    ToolError,
)

pytestmark = pytest.mark.anyio


class Now(ToolComponent):
    def execute(self, args: Any, frame: Frame) -> Any:
        return Reply(Response.tool().text("noon"), frame.assign(ran="now"))


class Ask(PromptComponent):
    def get_messages(self, args: Any, frame: Frame) -> Any:
        return "ask"


class Base(ServerBehaviour, abstract=True):
    name = "own"
    version = "1"
    components = (Now, Ask)


async def test_super_is_the_router() -> None:
    outcomes: list[Any] = []

    class Around(Base):
        async def handle_request(self, request: Request, frame: Frame) -> Any:
            outcome = await super().handle_request(request, frame.assign(before=True))
            outcomes.append((request.method, outcome))
            return outcome

    client = CheckedClient(Around)
    assert (await client.call_tool("now"))["content"][0]["text"] == "noon"
    assert len((await client.list_tools())["tools"]) == 1
    (called, outcome), (listed, _) = outcomes
    assert (called, listed) == ("tools/call", "tools/list")
    assert outcome.frame.assigns == {"before": True, "ran": "now"}


async def test_a_plain_def_may_hand_on_what_super_gives() -> None:
    class Plain(Base):
        def handle_request(self, request: Request, frame: Frame) -> Any:
            return super().handle_request(request, frame)

    assert (await CheckedClient(Plain).call_tool("now"))["content"][0]["text"] == "noon"


async def test_errors_of_the_router_can_be_caught() -> None:
    class Lenient(Base):
        async def handle_request(self, request: Request, frame: Frame) -> Any:
            try:
                return await super().handle_request(request, frame)
            except McpError as error:
                return Reply({"content": [{"type": "text", "text": f"caught {error.code}"}]})

    result = await CheckedClient(Lenient).call_tool("nope")
    assert result["content"][0]["text"] == "caught -32602"


async def test_errors_of_the_router_pass_through() -> None:
    class Through(Base):
        async def handle_request(self, request: Request, frame: Frame) -> Any:
            return await super().handle_request(request, frame)

    http = Http(Through)
    assert (await http.tool("nope")).code == -32602
    assert (await http.call("no/such")).refusal == (404, -32601)
    assert (await http.call("prompts/get", {"name": "ask", "arguments": []})).code == -32602


async def test_methods_of_its_own() -> None:
    class Own(Base):
        async def handle_request(self, request: Request, frame: Frame) -> Any:
            if request.method == "x/echo":
                return Reply({"echo": request.params["it"], "_meta": {"com.example/a": 1}})
            return await super().handle_request(request, frame)

    answer = await Http(Own).call("x/echo", {"it": [1, None]}, id="e")
    assert answer.status == 200
    assert answer.id == "e"
    assert answer.result["echo"] == [1, None]
    assert answer.result["resultType"] == "complete"
    assert answer.result["_meta"]["com.example/a"] == 1
    assert answer.result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "own"
    assert "ttlMs" not in answer.result


async def test_it_may_take_over_a_known_method() -> None:
    class Taken(Base):
        def handle_request(self, request: Request, frame: Frame) -> Any:
            return Reply({"tools": [], "ttlMs": 5})

    answer = await Http(Taken).call("tools/list")
    assert answer.result["tools"] == []
    assert (answer.result["ttlMs"], answer.result["cacheScope"]) == (5, "private")


async def test_no_reply_is_202_without_a_body_over_http() -> None:
    class Silent(Base):
        async def handle_request(self, request: Request, frame: Frame) -> Any:
            if request.method == "x/quiet":
                return NoReply(frame.assign(done=True))
            return await super().handle_request(request, frame)

    http = Http(Silent)
    answer = await http.call("x/quiet")
    assert answer.status == 202
    assert answer.message is None
    assert answer.headers["content-length"] == "0"
    assert "content-type" not in answer.headers
    await http.alive()
    assert await CheckedClient(Silent).request("x/quiet") == {}


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (Failure(McpError(4711, "out of order", [1])), (4711, "out of order", [1])),
        (Failure("in words"), (-32603, "in words", None)),
    ],
)
async def test_a_failure_is_an_error(failure: Failure, error: tuple[int, str, Any]) -> None:
    class Failing(Base):
        async def handle_request(self, request: Request, frame: Frame) -> Any:
            return failure

    with pytest.raises(McpError) as caught:
        await CheckedClient(Failing).list_tools()
    assert (caught.value.code, caught.value.message, caught.value.data) == error


async def test_an_error_may_be_raised() -> None:
    class Raising(Base):
        async def handle_request(self, request: Request, frame: Frame) -> Any:
            raise McpError(4711, "out of order", http_status=409)

    answer = await Http(Raising).call("tools/list", id="q")
    assert answer.status == 409
    assert answer.error == {"code": 4711, "message": "out of order"}
    assert answer.id == "q"


@pytest.mark.parametrize("error", [LookupError("hunter2"), ToolError("hunter2")])
async def test_a_crash_is_an_internal_error(error: Exception, server_log: ServerLog) -> None:
    class Crashing(Base):
        async def handle_request(self, request: Request, frame: Frame) -> Any:
            raise error

    answer = await Http(Crashing).call("tools/list", id="q")
    assert answer.error == {"code": -32603, "message": "Internal error"}
    server_log.take("handle_request", "tools/list", "'q'", traceback=True)


@pytest.mark.parametrize(
    "junk",
    [None, "text", 5, [], Reply(None), Reply("text"), Reply([1]), Ok(Frame()), Frame()],
    ids=repr,
)
async def test_anything_else_is_an_internal_error_told_in_the_log(
    junk: Any, server_log: ServerLog
) -> None:
    class Junk(Base):
        async def handle_request(self, request: Request, frame: Frame) -> Any:
            return junk

    answer = await Http(Junk).call("tools/list", id="q")
    assert answer.error == {"code": -32603, "message": "Internal error"}
    line = server_log.take("handle_request", "it may return Reply", traceback=False)
    assert "text'" not in line


async def test_it_gets_the_request_as_it_was_sent() -> None:
    seen: list[Request] = []

    class Seeing(Base):
        async def handle_request(self, request: Request, frame: Frame) -> Any:
            seen.append(request)
            return await super().handle_request(request, frame)

    await Http(Seeing).call("tools/list", {"cursor": None, "own": {"a": 1}}, id="q")
    (request,) = seen
    assert (request.id, request.method) == ("q", "tools/list")
    assert request.params["own"] == {"a": 1}


async def test_a_response_built_with_the_builders_is_a_result() -> None:
    class Built(Base):
        async def handle_request(self, request: Request, frame: Frame) -> Any:
            return Reply(Response.tool().text("built"))

    assert (await Http(Built).tool("whatever")).text == "built"
