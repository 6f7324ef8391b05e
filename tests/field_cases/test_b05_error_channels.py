"""B05: the caller's mistake, the tool's no, and our own breakage are kept apart."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.client import Answer, CheckedClient, Http, modern
from support.log import ServerLog

from anubis_py import (
    Failure,
    McpError,
    PromptComponent,
    ResourceComponent,
    ResourceNotFound,
    Response,
    ServerBehaviour,
    ToolComponent,
    ToolError,
    field,
)

pytestmark = pytest.mark.anyio

SECRET = "connect db://svc:hunter2@10.1.2.3/x failed in /srv/app/pay.py"
LEAKS = (
    "hunter2",
    "10.1.2.3",
    "/srv/app",
    "pay.py",
    "Error:",
    "Exception",
    "Traceback",
    "Unplanned",
    "line ",
)


class UnplannedError(Exception):
    pass


def crash() -> Any:
    raise UnplannedError(SECRET)


class Pay(ToolComponent):
    schema = (field("amount", int, required=True),)

    def execute(self, args: Any, frame: Any) -> Any:
        if args["amount"] == 1:
            raise ToolError("card declined")
        return crash()


class PayAsync(Pay):
    async def execute(self, args: Any, frame: Any) -> Any:
        return super().execute(args, frame)


class P(PromptComponent):
    schema = (field("x", str),)

    def get_messages(self, args: Any, frame: Any) -> Any:
        return crash()

    def complete(self, argument: Any, frame: Any) -> Any:
        return crash()


class R(ResourceComponent):
    uri = "res://r"

    def read(self, params: Any, frame: Any) -> Any:
        return crash()


class Shop(ServerBehaviour):
    name = "shop"
    version = "1"
    components = (Pay, PayAsync, P, R)


@pytest.fixture
def http() -> Http:
    return Http(Shop)


def leaks(answer: Answer) -> list[str]:
    text = json.dumps(answer.message)
    return [leak for leak in LEAKS if leak in text]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "nope", "arguments": {}}),
        ("prompts/get", {"name": "nope"}),
    ],
)
async def test_an_unknown_name_is_invalid_params(http: Http, method: str, params: Any) -> None:
    answer = await http.probe(modern(method, params))
    assert answer.code == -32602
    assert answer.status != 404
    assert "nope" in answer.error["message"]


async def test_a_near_miss_is_suggested(http: Http) -> None:
    answer = await http.tool("pey")
    assert "'pay'" in answer.error["message"]


@pytest.mark.parametrize("name", ["pay", "pay_async"])
async def test_bad_arguments_are_for_the_model_to_mend(http: Http, name: str) -> None:
    answer = await http.tool(name, {"amount": "x"})
    assert answer.is_error
    assert answer.text == "Invalid arguments: amount: expected integer, got string"


@pytest.mark.parametrize("name", ["pay", "pay_async"])
async def test_the_tools_own_words_arrive_word_for_word(http: Http, name: str) -> None:
    answer = await http.tool(name, {"amount": 1})
    assert answer.is_error
    assert answer.text == "card declined"


@pytest.mark.parametrize("name", ["pay", "pay_async"])
async def test_a_crashing_tool_says_nothing_of_the_cause(
    http: Http, server_log: ServerLog, name: str
) -> None:
    answer = await http.tool(name, {"amount": 2}, id="req-7")
    assert answer.is_error
    assert leaks(answer) == []
    server_log.take("tools/call", f"tool '{name}'", "req-7", traceback=True)
    await http.alive()


@pytest.mark.parametrize(
    ("method", "params", "named"),
    [
        ("prompts/get", {"name": "p"}, "prompt 'p'"),
        ("resources/read", {"uri": "res://r"}, "resource 'res://r'"),
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "x", "value": ""}},
            "'x'",
        ),
    ],
)
async def test_a_crashing_handler_is_an_internal_error(
    http: Http, server_log: ServerLog, method: str, params: Any, named: str
) -> None:
    answer = await http.call(method, params, id="req-8")
    assert answer.code == -32603
    assert answer.error == {"code": -32603, "message": "Internal error"}
    server_log.take(method, named, "req-8", traceback=True)
    await http.alive()


async def test_the_traceback_is_logged_once(server_log: ServerLog) -> None:
    async with CheckedClient(Shop) as client:
        await client.call_tool("pay", {"amount": 2})
    assert len(server_log.records) == 1
    server_log.clear()


async def test_a_missing_resource_is_told_with_its_uri(http: Http) -> None:
    answer = await http.probe(modern("resources/read", {"uri": "res://nope"}))
    assert answer.error == {
        "code": -32602,
        "message": "Resource not found",
        "data": {"uri": "res://nope"},
    }


# Whatever breaks, and wherever.


def raising(error: BaseException) -> type[ServerBehaviour]:
    class Break(ToolComponent):
        def execute(self, args: Any, frame: Any) -> Any:
            raise error

    class BreakAsync(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            raise error

    class BreakPrompt(PromptComponent):
        def get_messages(self, args: Any, frame: Any) -> Any:
            raise error

    class Broken(ServerBehaviour):
        name = "broken"
        version = "1"
        components = (Break, BreakAsync, BreakPrompt)

    return Broken


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(KeyError("hunter2"), id="KeyError"),
        pytest.param(StopIteration("hunter2"), id="StopIteration"),
        pytest.param(StopAsyncIteration("hunter2"), id="StopAsyncIteration"),
        pytest.param(ExceptionGroup("hunter2", [ValueError("hunter2")]), id="ExceptionGroup"),
        pytest.param(TimeoutError("hunter2"), id="TimeoutError"),
        pytest.param(RecursionError("hunter2"), id="RecursionError"),
        pytest.param(MemoryError("hunter2"), id="MemoryError"),
        pytest.param(SystemExit("hunter2"), id="SystemExit"),
        pytest.param(AssertionError("hunter2"), id="AssertionError"),
        pytest.param(UnicodeDecodeError("utf-8", b"hunter2", 0, 1, "hunter2"), id="UnicodeError"),
    ],
)
@pytest.mark.parametrize("name", ["break", "break_async"])
async def test_no_exception_gets_past_the_call(
    error: BaseException, name: str, server_log: ServerLog
) -> None:
    http = Http(raising(error))
    answer = await http.tool(name)
    assert answer.is_error
    assert leaks(answer) == []
    await http.alive()
    server_log.take(f"tool '{name}'", traceback=True)


async def test_only_tools_may_raise_what_the_model_reads(server_log: ServerLog) -> None:
    answer = await Http(raising(ToolError("hunter2"))).call("prompts/get", {"name": "break_prompt"})
    assert answer.error == {"code": -32603, "message": "Internal error"}
    server_log.take("prompt 'break_prompt'", "ToolError", traceback=True)


@pytest.mark.parametrize("name", ["break", "break_async"])
async def test_a_protocol_error_of_the_authors_leaves_as_it_is(name: str) -> None:
    error = McpError(4711, "out of order", {"until": "noon"}, http_status=409)
    answer = await Http(raising(error)).tool(name)
    assert answer.status == 409
    assert answer.error == {"code": 4711, "message": "out of order", "data": {"until": "noon"}}


async def test_failure_is_the_same_without_raising() -> None:
    class Say(ToolComponent):
        schema = (field("what", str, required=True),)

        def execute(self, args: Any, frame: Any) -> Any:
            reasons: dict[str, Any] = {
                "error": McpError(4711, "out of order"),
                "text": "in the author's words",
                "exception": UnplannedError(SECRET),
                "missing": ResourceNotFound("a:b"),
            }
            return Failure(reasons[args["what"]])

    class Server(ServerBehaviour):
        name = "failing"
        version = "1"
        components = (Say,)

    http = Http(Server)
    assert (await http.tool("say", {"what": "error"})).error["code"] == 4711
    text = await http.tool("say", {"what": "text"})
    assert text.error == {"code": -32603, "message": "in the author's words"}
    exception = await http.tool("say", {"what": "exception"})
    assert exception.error == {"code": -32603, "message": "Internal error"}
    assert (await http.tool("say", {"what": "missing"})).error["data"] == {"uri": "a:b"}


@pytest.mark.parametrize("value", [object(), {1, object()}, lambda: 0, float("nan")])
async def test_a_value_without_a_json_form_is_our_fault(value: Any, server_log: ServerLog) -> None:
    class Odd(ToolComponent):
        def execute(self, args: Any, frame: Any) -> Any:
            return Response.tool().text("x").with_meta({"odd": value})

    class Server(ServerBehaviour):
        name = "odd"
        version = "1"
        components = (Odd,)

    http = Http(Server)
    answer = await http.tool("odd", id="req-9")
    assert answer.message is not None
    if "error" in answer.message:
        assert answer.error == {"code": -32603, "message": "Internal error"}
        server_log.take("tools/call", "req-9", traceback=True)
    else:
        # JSON has no NaN: it leaves as null, as orjson writes it.
        assert answer.result["_meta"]["odd"] is None
    await http.alive()


async def test_error_data_without_a_json_form_keeps_code_and_message(
    server_log: ServerLog,
) -> None:
    answer = await Http(raising(McpError(4711, "odd", object()))).tool("break")
    assert answer.error == {"code": 4711, "message": "odd"}
    server_log.take("4711")
