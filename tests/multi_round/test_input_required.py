"""Who may ask, and what an author's mistake comes to: a line in the log, nothing on the wire."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any

import pytest

from anubis_py import (
    Frame,
    InputRequired,
    McpError,
    Ok,
    PromptComponent,
    Reply,
    Response,
    ServerBehaviour,
    ToolComponent,
    ask_form,
    ask_sampling,
)
from multi_round.asking import ADA, Server, client, text_of

ASK = InputRequired({"go": ask_form("Go on?")})


def logged(caplog: pytest.LogCaptureFixture) -> str:
    [record] = [record for record in caplog.records if record.levelno >= logging.ERROR]
    return record.getMessage()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("outcome", "fault"),
    [
        (lambda: InputRequired(), "neither requests nor a state"),
        (lambda: InputRequired({}), "neither requests nor a state"),
        (lambda: InputRequired(None), "its requests are a NoneType"),  # type: ignore[arg-type]
        (lambda: InputRequired([ask_form("?")]), "its requests are a list"),  # type: ignore[arg-type]
        (lambda: InputRequired({1: ask_form("?")}), "the key 1 must be a str"),  # type: ignore[dict-item]
        (lambda: InputRequired({"a": "?"}), "the request 'a' is a str"),  # type: ignore[dict-item]
        (
            lambda: InputRequired({"a": {"method": "roots/list"}}),  # type: ignore[dict-item]
            "ask_form, ask_url, ask_sampling or ask_roots",
        ),
        (lambda: InputRequired(state={"day": date.today()}), "its state['day'] is a date"),
        (lambda: InputRequired(state=[{1}]), "its state[0] is a set"),
        (lambda: InputRequired(state={"x": float("nan")}), "its state['x'] is nan"),
        (lambda: InputRequired(state={1: 2}), "its state has the key 1"),
        (lambda: InputRequired(state=ASK), "its state is a InputRequired"),
    ],
)
async def test_what_cannot_be_asked(
    outcome: Callable[[], Any], fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Bad(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            return outcome()

    class BadPrompt(PromptComponent):
        def get_messages(self, args: Any, frame: Frame) -> Any:
            return outcome()

    class BadServer(Server):
        components = (*Server.components, Bad, BadPrompt)

    async with client(BadServer) as c:
        for call in (c.call_tool("bad"), c.get_prompt("bad_prompt")):
            with pytest.raises(McpError, match=r"^Internal error \(-32603\)$"):
                await call
            said = logged(caplog)
            assert "InputRequired that cannot be sent" in said
            assert fault in said
            caplog.clear()
        assert text_of(await c.call_tool("greet", answers=ADA)) == "Hello, Ada"


@pytest.mark.anyio
async def test_a_state_that_contains_itself(caplog: pytest.LogCaptureFixture) -> None:
    loop: dict[str, Any] = {}
    loop["loop"] = loop

    class Bad(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            return InputRequired(state=loop)

    class BadServer(ServerBehaviour):
        name, version, components = "bad", "1", (Bad,)

    async with client(BadServer) as c:
        with pytest.raises(McpError, match="Internal error"):
            await c.call_tool("bad")
    assert "its state is nested too deeply" in logged(caplog)


@pytest.mark.anyio
async def test_a_state_may_be_any_mapping_and_a_tuple() -> None:
    class Fine(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            if (state := frame.context.request_state) is not None:
                return Response.tool().json(state)
            return InputRequired(state=MappingProxyType({"pair": (1, 2)}))

    class FineServer(ServerBehaviour):
        name, version, components = "fine", "1", (Fine,)

    async with client(FineServer) as c:
        assert text_of(await c.call_tool("fine", answers={})) == '{"pair":[1,2]}'


@pytest.mark.anyio
async def test_an_ask_that_is_declared_wrongly_fails_the_call(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Bad(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            return InputRequired({"a": ask_sampling("Hi", max_tokens=0)})

    class BadServer(ServerBehaviour):
        name, version, components = "bad", "1", (Bad,)

    async with client(BadServer) as c:
        result = await c.call_tool("bad")
        assert result["isError"]
        assert "max_tokens" not in result["content"][0]["text"]
    assert "the tool 'bad' failed" in logged(caplog)


class Others(Server):
    """Every other callback asks."""

    asking: str = ""

    def init(self, client_info: Any, frame: Frame) -> Any:
        return ASK if self.asking == "init" else Ok(frame)

    async def handle_request(self, request: Any, frame: Frame) -> Any:
        if self.asking == "handle_request":
            return ASK
        return await super().handle_request(request, frame)

    def handle_completion(self, ref: Any, argument: Any, frame: Frame) -> Any:
        return ASK


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("asking", "method", "params", "label"),
    [
        ("init", "tools/list", {}, "init returned a value of type InputRequired"),
        ("handle_request", "tools/list", {}, "it may return Reply with a mapping, NoReply or F"),
        (
            "handle_completion",
            "completion/complete",
            {
                "ref": {"type": "ref/prompt", "name": "letter"},
                "argument": {"name": "tone", "value": ""},
            },
            "it may return",
        ),
    ],
)
async def test_other_callbacks_may_not_ask(
    asking: str,
    method: str,
    params: Mapping[str, Any],
    label: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    server = Others()
    server.asking = asking
    async with client(server) as c:
        with pytest.raises(McpError, match=r"^Internal error \(-32603\)$"):
            await c.request(method, params)
        assert label in logged(caplog)
        server.asking = ""
        assert text_of(await c.call_tool("greet", answers=ADA)) == "Hello, Ada"


@pytest.mark.anyio
async def test_a_notification_asks_nobody(caplog: pytest.LogCaptureFixture) -> None:
    class Hears(Server):
        def handle_notification(self, notification: Any, frame: Frame) -> Any:
            return ASK

    async with client(Hears) as c:
        await c.notify("notifications/odd")
        assert "returned a value of type InputRequired" in logged(caplog)
        assert text_of(await c.call_tool("greet", answers=ADA)) == "Hello, Ada"


@pytest.mark.anyio
async def test_a_question_is_no_response(caplog: pytest.LogCaptureFixture) -> None:
    class Bad(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            return Reply(ASK, frame)

    class BadServer(ServerBehaviour):
        name, version, components = "bad", "1", (Bad,)

    async with client(BadServer) as c:
        assert (await c.call_tool("bad"))["isError"]
    assert "Reply of a value of type InputRequired" in logged(caplog)


def test_an_outcome_can_be_matched_by_position() -> None:
    match ASK:
        case InputRequired(requests, state, frame):
            assert list(requests) == ["go"]
            assert state is None
            assert frame is None
