"""B02: every optional member of every request, absent, null, empty and of the wrong type."""

from __future__ import annotations

from typing import Any

import pytest
from support.client import META, PREFIX, CheckedClient, Http, modern

from anubis_py import (
    McpError,
    PromptComponent,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    field,
)

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

RAN: list[str] = []


class Now(ToolComponent):
    def execute(self, args: Any, frame: Any) -> Any:
        assert args == {}
        return Response.tool().text("noon")


class Greet(ToolComponent):
    schema = (field("who", str, required=True),)

    def execute(self, args: Any, frame: Any) -> Any:
        RAN.append("greet")
        return Response.tool().text(f"Hello {args['who']}")


class Help(PromptComponent):
    def get_messages(self, args: Any, frame: Any) -> Any:
        assert args == {}
        return "Help!"


class Review(PromptComponent):
    schema = (field("code", str, required=True), field("tone", str, default="kind"))

    def get_messages(self, args: Any, frame: Any) -> Any:
        RAN.append("review")
        return f"{args['code']} ({args['tone']})"

    def complete(self, argument: Any, frame: Any) -> Any:
        return sorted(argument.context)


class Note(ResourceComponent):
    uri = "note:///n"

    def read(self, params: Any, frame: Any) -> Any:
        return Response.resource().text("n")


class Day(ResourceComponent):
    uri_template = "day:///{day}"

    def read(self, params: Any, frame: Any) -> Any:
        return Response.resource().text(params["day"])


class Optional(ServerBehaviour):
    name = "optional"
    version = "1"
    components = (Now, Greet, Help, Review, Note, Day)


@pytest.fixture
def http() -> Http:
    RAN.clear()
    return Http(Optional)


ABSENT: dict[str, Any] = {}
EMPTY: dict[str, Any] = {"arguments": {}}
NULL = {"arguments": None}
MISTYPED: tuple[Any, ...] = ([], "x", 5, True, [{}], 0, "", False)


def kind(name: str) -> str:
    return "tools/call" if name in ("now", "greet") else "prompts/get"


@pytest.mark.parametrize("arguments", [ABSENT, EMPTY], ids=["absent", "empty"])
async def test_what_needs_no_arguments_runs_without_them(
    http: Http, arguments: dict[str, Any]
) -> None:
    answer = await http.call("tools/call", {"name": "now", **arguments}, id=10)
    assert answer.text == "noon"
    assert not answer.is_error
    answer = await http.call("prompts/get", {"name": "help", **arguments})
    assert answer.result["messages"][0]["content"]["text"] == "Help!"
    await http.alive()


@pytest.mark.parametrize("name", ["now", "help"])
async def test_null_arguments_are_none_or_invalid(http: Http, name: str) -> None:
    answer = await http.probe(modern(kind(name), {"name": name, **NULL}))
    assert answer.message is not None
    assert "result" in answer.message or answer.code == -32602


@pytest.mark.parametrize("arguments", [ABSENT, EMPTY], ids=["absent", "empty"])
async def test_a_tool_that_misses_an_argument_says_so_to_the_model(
    http: Http, arguments: dict[str, Any]
) -> None:
    answer = await http.probe(modern("tools/call", {"name": "greet", **arguments}))
    assert answer.is_error
    assert "who" in answer.text
    assert RAN == []


@pytest.mark.parametrize("arguments", [ABSENT, EMPTY], ids=["absent", "empty"])
async def test_a_prompt_that_misses_an_argument_is_invalid_params(
    http: Http, arguments: dict[str, Any]
) -> None:
    answer = await http.probe(modern("prompts/get", {"name": "review", **arguments}))
    assert answer.code == -32602
    assert answer.status < 500
    assert "code" in answer.error["message"]
    assert RAN == []


@pytest.mark.parametrize("arguments", MISTYPED, ids=repr)
@pytest.mark.parametrize("name", ["now", "greet", "help", "review"])
async def test_arguments_that_are_no_object_break_the_request(
    http: Http, name: str, arguments: Any
) -> None:
    answer = await http.probe(modern(kind(name), {"name": name, "arguments": arguments}))
    assert answer.code == -32602
    assert "arguments" in answer.error["message"]
    assert RAN == []


@pytest.mark.parametrize("value", [5, True, None, [], {}])
async def test_a_prompts_argument_is_a_string(http: Http, value: Any) -> None:
    arguments = {"code": value}
    answer = await http.probe(modern("prompts/get", {"name": "review", "arguments": arguments}))
    assert answer.code == -32602
    assert "code" in answer.error["message"]
    assert RAN == []


async def test_the_optional_argument_defaults(http: Http) -> None:
    answer = await http.call("prompts/get", {"name": "review", "arguments": {"code": "x"}})
    assert answer.result["messages"][0]["content"]["text"] == "x (kind)"


async def test_a_tool_without_parameters_lists_an_object_schema(http: Http) -> None:
    tools = {t["name"]: t for t in (await http.call("tools/list")).result["tools"]}
    assert tools["now"]["inputSchema"]["type"] == "object"


async def test_in_process_the_same_rules_hold() -> None:
    async with CheckedClient(Optional) as client:
        assert (await client.request("tools/call", {"name": "now"}))["isError"] is False
        assert (await client.request("tools/call", {"name": "greet"}))["isError"] is True
        with pytest.raises(McpError, match="code") as review:
            await client.request("prompts/get", {"name": "review"})
        assert review.value.code == -32602


# The whole kind: every optional member of every request.

LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
PLAIN: dict[str, dict[str, Any]] = {
    "server/discover": {},
    **{method: {} for method in LISTS},
    "tools/call": {"name": "now"},
    "prompts/get": {"name": "help"},
    "resources/read": {"uri": "note:///n"},
    "completion/complete": {
        "ref": {"type": "ref/prompt", "name": "review"},
        "argument": {"name": "code", "value": ""},
    },
}


@pytest.mark.parametrize("method", PLAIN)
@pytest.mark.parametrize("params", [..., None, {}, [], [1], "x", 5, True], ids=repr)
async def test_params_without_metadata_are_refused(http: Http, method: str, params: Any) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    if params is ...:
        del body["params"]
    answer = await http.probe(body, headers={"Mcp-Name": "now"})
    assert answer.status == 400
    assert answer.code in (-32602, -32600)
    if isinstance(params, dict | None) or params is ...:
        assert answer.code == -32602
        assert "protocolVersion" in answer.error["message"]


@pytest.mark.parametrize("method", PLAIN)
@pytest.mark.parametrize("meta", [None, {}, [], "x", 5, True], ids=repr)
async def test_metadata_of_the_wrong_type_is_refused(http: Http, method: str, meta: Any) -> None:
    params = {**PLAIN[method], "_meta": meta}
    answer = await http.probe({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    assert answer.refusal == (400, -32602)
    assert "_meta" in answer.error["message"]


@pytest.mark.parametrize(
    ("member", "value", "good"),
    [
        (PREFIX + "protocolVersion", ..., False),
        (PREFIX + "protocolVersion", None, False),
        (PREFIX + "protocolVersion", 20260728, False),
        (PREFIX + "protocolVersion", [], False),
        (PREFIX + "clientCapabilities", ..., False),
        (PREFIX + "clientCapabilities", None, False),
        (PREFIX + "clientCapabilities", [], False),
        (PREFIX + "clientCapabilities", "x", False),
        (PREFIX + "clientCapabilities", {"elicitation": {}, "x": {"y": [1]}}, True),
        (PREFIX + "clientCapabilities", {"elicitation": None}, False),
        (PREFIX + "clientInfo", {"name": "c", "version": "1"}, True),
        (PREFIX + "clientInfo", {"name": "c", "version": "1", "title": "C", "x": 1}, True),
        (PREFIX + "clientInfo", {}, False),
        (PREFIX + "clientInfo", {"name": "c"}, False),
        (PREFIX + "clientInfo", {"name": 1, "version": "1"}, False),
        (PREFIX + "clientInfo", [], False),
        (PREFIX + "clientInfo", "c", False),
        (PREFIX + "logLevel", "debug", True),
        (PREFIX + "logLevel", "loud", False),
        (PREFIX + "logLevel", "", False),
        (PREFIX + "logLevel", 3, False),
        (PREFIX + "logLevel", {}, False),
        (PREFIX + "logLevel", ["info"], False),
        ("progressToken", "t", True),
        ("progressToken", 0, True),
        ("progressToken", 1.5, False),
        ("progressToken", True, False),
        ("progressToken", {}, False),
        ("com.example/own", None, True),
        ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01", True),
    ],
)
async def test_each_member_of_the_metadata(http: Http, member: str, value: Any, good: bool) -> None:
    meta = {key: item for key, item in {**META, member: value}.items() if item is not ...}
    answer = await http.probe(modern("tools/call", {"name": "now"}, meta=meta))
    if good:
        assert answer.text == "noon"
    else:
        assert answer.refusal == (400, -32602)
        assert member.removeprefix(PREFIX) in answer.error["message"]


@pytest.mark.parametrize("member", [PREFIX + "clientInfo", PREFIX + "logLevel", "progressToken"])
async def test_null_for_an_optional_member_is_absent_or_invalid(http: Http, member: str) -> None:
    answer = await http.probe(modern("tools/call", {"name": "now"}, meta={**META, member: None}))
    assert answer.message is not None
    assert "result" in answer.message or answer.refusal == (400, -32602)


@pytest.mark.parametrize("method", PLAIN)
async def test_unknown_members_of_params_are_passed_over(http: Http, method: str) -> None:
    answer = await http.call(method, {**PLAIN[method], "extra": {"a": [1]}})
    assert "resultType" in answer.result


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("cursor", [5, [], {}, True, 1.5], ids=repr)
async def test_a_cursor_of_the_wrong_type(http: Http, method: str, cursor: Any) -> None:
    answer = await http.probe(modern(method, {"cursor": cursor}))
    assert answer.code == -32602
    assert "cursor" in answer.error["message"]


@pytest.mark.parametrize(
    ("method", "member"),
    [
        ("tools/call", "name"),
        ("prompts/get", "name"),
        ("resources/read", "uri"),
        ("completion/complete", "ref"),
        ("completion/complete", "argument"),
    ],
)
@pytest.mark.parametrize("value", [..., None, 5, [], True, "", {}], ids=repr)
async def test_a_required_member_absent_or_odd(
    http: Http, method: str, member: str, value: Any
) -> None:
    params = {**PLAIN[method], member: value}
    if value is ...:
        del params[member]
    name = value if isinstance(value, str) else "now"
    answer = await http.probe(modern(method, params), headers={"Mcp-Name": name})
    if value == "" and member in ("name", "uri"):
        # An empty header is as good as none.
        assert answer.code in (-32602, -32020)
    else:
        assert answer.code == -32602
        assert member in answer.error["message"]


@pytest.mark.parametrize("context", [..., None, {}, {"arguments": None}, {"arguments": {}}])
async def test_completion_without_resolved_arguments(http: Http, context: Any) -> None:
    params = {**PLAIN["completion/complete"], "context": context}
    if context is ...:
        del params["context"]
    answer = await http.probe(modern("completion/complete", params))
    assert answer.result["completion"]["values"] == []


@pytest.mark.parametrize(
    "context", [[], "x", 5, {"arguments": []}, {"arguments": "x"}, {"arguments": {"a": 1}}]
)
async def test_a_completion_context_of_the_wrong_type(http: Http, context: Any) -> None:
    params = {**PLAIN["completion/complete"], "context": context}
    answer = await http.probe(modern("completion/complete", params))
    assert answer.code == -32602
    assert "context" in answer.error["message"]


@pytest.mark.parametrize(
    "argument",
    [{"name": "code"}, {"value": "x"}, {"name": 5, "value": "x"}, {"name": "code", "value": 5}],
)
async def test_a_completion_argument_of_the_wrong_shape(http: Http, argument: Any) -> None:
    params = {**PLAIN["completion/complete"], "argument": argument}
    answer = await http.probe(modern("completion/complete", params))
    assert answer.code == -32602
    assert "params.argument" in answer.error["message"]
