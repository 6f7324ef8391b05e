"""What a callback may return, and what happens when it returns anything else."""

from __future__ import annotations

from collections.abc import Callable
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
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    field,
)

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

Give = Callable[[Frame], Any]


def server(give: Give) -> type[ServerBehaviour]:
    """A server all of whose components return what `give` returns."""

    class T(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            return give(frame)

    class P(PromptComponent):
        schema = (field("x", str),)

        async def get_messages(self, args: Any, frame: Frame) -> Any:
            return give(frame)

        def complete(self, argument: Any, frame: Frame) -> Any:
            return give(frame)

    class R(ResourceComponent):
        uri = "r:r"

        def read(self, params: Any, frame: Frame) -> Any:
            return give(frame)

    class Returning(ServerBehaviour):
        name = "returning"
        version = "1"
        components = (T, P, R)

    return Returning


def always(outcome: Any) -> Give:
    return lambda frame: outcome


USES: dict[str, tuple[str, dict[str, Any], str]] = {
    "tool": ("tools/call", {"name": "t"}, "tool 't'"),
    "prompt": ("prompts/get", {"name": "p"}, "prompt 'p'"),
    "resource": ("resources/read", {"uri": "r:r"}, "resource 'r:r'"),
    "completion": (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "x", "value": ""}},
        "completion",
    ),
}


class Bizarre:
    def __repr__(self) -> str:
        return "hunter2"


WRONG: dict[str, list[Any]] = {
    "tool": [
        None,
        "text",
        {"content": []},
        [],
        5,
        True,
        Bizarre(),
        Response.prompt(),
        Response.resource().text(""),
        Ok(Frame()),
        Frame(),
        Reply(None),
        Reply("text"),
        Reply(Reply(Response.tool())),
        Response.tool,
        Response,
        (Response.tool(), Frame()),
        McpError(1, "returned, not raised"),
    ],
    "prompt": [
        None,
        5,
        b"text",
        {"role": "user", "content": "x"},
        {"messages": []},
        ["just", "texts"],
        [["user", "text"]],
        Bizarre(),
        Response.tool(),
        Ok(Frame()),
        Reply(None),
        Reply(5),
        Reply([5]),
    ],
    "resource": [
        None,
        "text",
        b"bytes",
        {"text": "x"},
        [],
        Bizarre(),
        Response.resource(),
        Reply(Response.resource()),
        Response.tool(),
        Ok(Frame()),
        Reply("text"),
    ],
    "completion": [
        None,
        5,
        "text",
        b"bytes",
        Bizarre(),
        Response.tool(),
        Ok(Frame()),
        Reply(None),
        [5],
    ],
}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        pytest.param(kind, value, id=f"{kind} {type(value).__name__} {n}")
        for kind, values in WRONG.items()
        for n, value in enumerate(values)
    ],
)
async def test_a_wrong_return_is_our_fault_and_told_in_the_log(
    kind: str, value: Any, server_log: ServerLog
) -> None:
    method, params, label = USES[kind]
    answer = await Http(server(lambda frame: value)).call(method, params, id="q")
    if kind == "tool":
        assert answer.is_error
        assert answer.text == "The tool 't' failed."
    else:
        assert answer.error == {"code": -32603, "message": "Internal error"}
    found = value.response if isinstance(value, Reply) else value
    said = "None" if found is None else f"type {type(found).__name__}"
    if isinstance(found, Ok | Reply):
        said = f"{type(found).__name__} of"
    line = server_log.take(method, "'q'", label, "returned", said, "it may return", traceback=False)
    assert "hunter2" not in line


@pytest.mark.parametrize("kind", USES)
async def test_a_frame_that_is_none_is_our_fault_too(kind: str, server_log: ServerLog) -> None:
    responses: dict[str, Any] = {
        "tool": Response.tool().text("x"),
        "prompt": Response.prompt().user_message("x"),
        "resource": Response.resource().text("x"),
        "completion": Response.completion(),
    }
    method, params, label = USES[kind]
    wrong: Any = {"assigned": True}
    for outcome in (Reply(responses[kind], wrong), NoReply(wrong), Failure("no", wrong)):
        answer = await Http(server(always(outcome))).call(method, params)
        if kind == "tool":
            assert answer.is_error
        else:
            assert answer.code == -32603
        server_log.take(label, "frame", traceback=False)


@pytest.mark.parametrize(
    ("kind", "forms"),
    [
        (
            "tool",
            [
                lambda frame: Response.tool().text("x"),
                lambda frame: Reply(Response.tool().text("x")),
                lambda frame: Reply(Response.tool().text("x"), frame),
            ],
        ),
        (
            "prompt",
            [
                lambda frame: "x",
                lambda frame: [{"role": "user", "content": "x"}],
                lambda frame: Response.prompt().user_message("x"),
                lambda frame: Reply("x"),
                lambda frame: Reply([{"role": "user", "content": "x"}], frame),
                lambda frame: Reply(Response.prompt().user_message("x"), frame),
            ],
        ),
        (
            "resource",
            [
                lambda frame: Response.resource().text("x"),
                lambda frame: Reply(Response.resource().text("x")),
                lambda frame: Reply(Response.resource().text("x"), frame),
            ],
        ),
        (
            "completion",
            [
                lambda frame: ["x"],
                lambda frame: ("x",),
                lambda frame: iter(["x"]),
                lambda frame: dict.fromkeys("x"),
                lambda frame: Response.completion(["x"]),
                lambda frame: Reply(["x"], frame),
            ],
        ),
    ],
)
async def test_every_allowed_form_gives_the_same_answer(kind: str, forms: list[Give]) -> None:
    method, params, _ = USES[kind]
    answers = [(await Http(server(give)).call(method, params)).result for give in forms]
    assert all(answer == answers[0] for answer in answers)
    assert "x" in str(answers[0])


@pytest.mark.parametrize(
    ("kind", "empty"),
    [
        ("tool", {"content": [], "isError": False}),
        ("prompt", {"messages": []}),
        ("resource", {"contents": [{"uri": "r:r", "mimeType": "text/plain", "text": ""}]}),
        ("completion", {"completion": {"values": []}}),
    ],
)
async def test_no_reply_is_an_empty_answer(kind: str, empty: dict[str, Any]) -> None:
    method, params, _ = USES[kind]
    for give in (lambda frame: NoReply(), lambda frame: NoReply(frame)):
        result = (await Http(server(give)).call(method, params)).result
        assert {name: result[name] for name in empty} == empty


@pytest.mark.parametrize("kind", USES)
async def test_a_failure_is_a_protocol_error(kind: str) -> None:
    method, params, _ = USES[kind]

    def raising(frame: Frame) -> Any:
        raise McpError(4711, "no", {"a": 1})

    for give in (raising, lambda frame: Failure(McpError(4711, "no", {"a": 1}))):
        answer = await Http(server(give)).call(method, params)
        assert answer.error == {"code": 4711, "message": "no", "data": {"a": 1}}
    answer = await Http(server(lambda frame: Failure("my reason"))).call(method, params)
    assert answer.error == {"code": -32603, "message": "my reason"}


@pytest.mark.parametrize("kind", USES)
async def test_the_frame_goes_on_with_every_outcome(kind: str) -> None:
    responses: dict[str, Any] = {
        "tool": Response.tool(),
        "prompt": Response.prompt(),
        "resource": Response.resource().text("x"),
        "completion": Response.completion(),
    }
    method, params, _ = USES[kind]
    seen: list[Any] = []

    def seeing(give: Give) -> type[ServerBehaviour]:
        class Seeing(server(give)):  # type: ignore[misc]
            async def handle_request(self, request: Request, frame: Frame) -> Any:
                outcome = await super().handle_request(request, frame.assign(before=1))
                seen.append(dict(outcome.frame.assigns))
                return outcome

        return Seeing

    for give in (
        lambda frame: Reply(responses[kind], frame.assign(after=2)),
        lambda frame: NoReply(frame.assign(after=2)),
        lambda frame: Failure("no", frame.assign(after=2)),
        lambda frame: Reply(responses[kind]),
        lambda frame: NoReply(),
        lambda frame: Failure("no"),
    ):
        await Http(seeing(give)).call(method, params)
    assert seen == [{"before": 1, "after": 2}] * 3 + [{"before": 1}] * 3


async def test_outcomes_match_by_position() -> None:
    frame = Frame()
    match Ok(frame, {"name": "c"}), Reply(1, frame), NoReply(frame), Failure("no", frame):
        case Ok(a, info), Reply(response, b), NoReply(c), Failure(error, d):
            assert a is b is c is d is frame
            assert (info, response) == ({"name": "c"}, 1)
            assert (error.code, error.message) == (-32603, "no")
        case other:
            raise AssertionError(other)
    assert Reply(1).frame is None
    assert NoReply().frame is None


async def test_the_argument_that_a_callback_gets_is_its_own() -> None:
    class Greedy(ToolComponent):
        schema = (field("tags", list[str], default=["a"]),)

        def execute(self, args: Any, frame: Frame) -> Any:
            args["tags"].append("b")
            return Response.tool().json(args["tags"])

    class Server(ServerBehaviour):
        name = "greedy"
        version = "1"
        components = (Greedy,)

    client = CheckedClient(Server)
    for _ in range(2):
        assert (await client.call_tool("greedy"))["content"][0]["text"] == '["a","b"]'
