"""An answer is JSON, with a status of its own, unless a notification comes before it."""

from __future__ import annotations

from functools import partial
from typing import Any

import anyio
import pytest
from support.asgi_stream import asking
from support.client import LOG_LEVEL, META, PREFIX, Http, calling, listening, modern
from trio.testing import MockClock

from anubis_py import (
    Failure,
    Frame,
    InputRequired,
    McpError,
    NoReply,
    Ok,
    PromptComponent,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    ToolError,
    ask_form,
    field,
    send_log_message,
    send_progress,
    send_tools_list_changed,
)

from .saying import saying

pytestmark = pytest.mark.anyio

ASK = InputRequired({"who": ask_form("Who?", [field("name", str, required=True)])})


def progress(frame: Frame) -> None:
    send_progress(frame, 1)


def log(frame: Frame) -> None:
    send_log_message(frame, "error", "x")


def change(frame: Frame) -> None:
    send_tools_list_changed(frame)


def fail(error: Exception, frame: Frame) -> None:
    raise error


def give(value: Any, frame: Frame) -> Any:
    return value


@pytest.mark.parametrize(
    ("word", "options", "streamed"),
    [
        (progress, {"token": 1}, True),
        (progress, {"token": ""}, True),
        (progress, {"token": 0}, True),
        (progress, {"level": "debug"}, False),
        (progress, {}, False),
        (log, {"level": "debug"}, True),
        (log, {"level": "emergency"}, False),
        (log, {"token": 1}, False),
        (log, {}, False),
        (change, {"token": 1, "level": "debug"}, False),
        (None, {"token": 1, "level": "debug"}, False),
    ],
)
async def test_a_notification_that_is_sent_makes_a_stream(
    word: Any, options: dict[str, Any], streamed: bool
) -> None:
    http = Http(saying(*([word] if word else [])))
    answer = await http.post(calling("say", **options))
    assert answer.status == 200
    assert answer.is_stream == streamed
    assert len(answer.notifications) == streamed
    assert answer.text == "said"


REFUSALS = pytest.mark.parametrize(
    ("word", "status", "code"),
    [
        # Nobody has declared that elicitation can be asked for.
        (partial(give, ASK), 400, -32021),
        (partial(fail, McpError(4711, "own", http_status=409)), 409, 4711),
        (partial(give, Failure(McpError(4711, "own", http_status=409))), 409, 4711),
    ],
    ids=["capability", "raised", "returned"],
)


@REFUSALS
async def test_an_error_has_its_status_though_a_stream_was_possible(
    word: Any, status: int, code: int
) -> None:
    answer = await Http(saying(word)).post(calling("say", token=1, level="debug"))
    assert answer.refusal == (status, code)
    assert not answer.is_stream


@REFUSALS
async def test_an_error_behind_a_notification_is_the_last_event(
    word: Any, status: int, code: int
) -> None:
    answer = await Http(saying(progress, word)).post(calling("say", token=1))
    # The status has been sent before.
    assert answer.refusal == (200, code)
    assert len(answer.notifications) == 1


async def test_a_question_behind_a_notification_is_the_last_event() -> None:
    body = calling("say", token=1)
    body["params"]["_meta"][PREFIX + "clientCapabilities"] = {"elicitation": {}}
    answer = await Http(saying(progress, partial(give, ASK))).post(body)
    assert answer.result["resultType"] == "input_required"
    assert len(answer.notifications) == 1


async def test_a_tool_that_fails_behind_a_notification_is_a_result_of_its_own() -> None:
    answer = await Http(saying(progress, partial(fail, ToolError("no")))).post(
        calling("say", token=1)
    )
    assert answer.is_error
    assert answer.text == "no"
    assert answer.is_stream


@pytest.mark.parametrize(
    ("method", "params", "meta", "refusal"),
    [
        ("no/such", {}, {"progressToken": 1}, (404, -32601)),
        ("tools/call", {"name": "unknown"}, {"progressToken": 1}, (200, -32602)),
        ("tools/call", {"name": "say"}, {"progressToken": 1.5}, (400, -32602)),
        ("tools/call", {"name": "say"}, {"progressToken": True}, (400, -32602)),
        ("tools/call", {"name": "say"}, {LOG_LEVEL: "loud"}, (400, -32602)),
        ("tools/call", {"name": "say"}, {LOG_LEVEL: 5}, (400, -32602)),
    ],
)
async def test_a_request_that_is_refused_before_its_handler_is_json(
    method: str, params: Any, meta: Any, refusal: tuple[int, int]
) -> None:
    answer = await Http(saying(progress)).probe(modern(method, params, meta={**META, **meta}))
    assert answer.refusal == refusal
    assert not answer.is_stream


async def test_no_reply_behind_a_notification_ends_the_stream_without_an_answer() -> None:
    class Silent(ServerBehaviour):
        name = "silent"
        version = "1"

        async def handle_request(self, request: Any, frame: Frame) -> Any:
            send_progress(frame, 1)
            return NoReply()

    body = modern("com.example/x")
    body["params"]["_meta"]["progressToken"] = 1
    async with asking(Silent.asgi(), body) as stream:
        assert stream.is_stream
        [message] = await stream.rest()
    assert message["method"] == "notifications/progress"


async def test_a_deadline_behind_a_notification_is_an_answer(autojump_clock: MockClock) -> None:
    class Endless(ToolComponent):
        timeout = 2.0

        async def execute(self, args: Any, frame: Frame) -> Any:
            send_progress(frame, 1)
            await anyio.sleep_forever()

    class Server(ServerBehaviour):
        name = "endless"
        version = "1"
        components = (Endless,)

    async with asking(Server.asgi(), calling("endless", token=1)) as stream:
        _, answer = await stream.rest()
    assert answer["result"]["isError"]


# The whole kind: whatever may speak.


class Prompt(PromptComponent):
    name = "x"
    schema = (field("a", str),)

    async def get_messages(self, args: Any, frame: Frame) -> Any:
        send_progress(frame, 1)
        return "x"

    async def complete(self, argument: Any, frame: Frame) -> Any:
        send_progress(frame, 1)
        return ["x"]


class Memo(ResourceComponent):
    uri = "memo://a"

    def read(self, params: Any, frame: Frame) -> Any:
        send_progress(frame, 1)
        return Response.resource().text("a")


class Speaking(ServerBehaviour):
    name = "speaking"
    version = "1"
    components = (Prompt, Memo)


class SpeakingInit(ServerBehaviour):
    name = "speaking_init"
    version = "1"
    components = (Prompt,)

    def init(self, client_info: Any, frame: Frame) -> Ok:
        send_progress(frame, 1)
        return Ok(frame)


COMPLETION = {
    "ref": {"type": "ref/prompt", "name": "x"},
    "argument": {"name": "a", "value": ""},
}


@pytest.mark.parametrize(
    ("server", "method", "params"),
    [
        (Speaking, "prompts/get", {"name": "x"}),
        (Speaking, "resources/read", {"uri": "memo://a"}),
        (Speaking, "completion/complete", COMPLETION),
        (SpeakingInit, "prompts/list", {}),
    ],
    ids=["prompt", "resource", "completion", "init"],
)
async def test_every_callback_may_speak(server: Any, method: str, params: Any) -> None:
    body = modern(method, params)
    body["params"]["_meta"]["progressToken"] = "t"
    answer = await Http(server).post(body)
    [note] = answer.notifications
    assert note["params"] == {"progressToken": "t", "progress": 1}
    assert "result" in (answer.message or {})


# What the client takes.


@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream;q=0"])
async def test_who_takes_no_stream_gets_the_answer_alone(accept: str) -> None:
    http = Http(saying(progress, log))
    body = calling("say", token=1, level="debug")
    answer = await http.post(body, headers={"Accept": accept})
    assert answer.status == 200
    assert not answer.is_stream
    assert answer.text == "said"


@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream;q=0"])
async def test_who_takes_no_stream_cannot_listen(accept: str) -> None:
    app = saying()
    answer = await Http(app).probe(listening(toolsListChanged=True), headers={"Accept": accept})
    assert answer.status == 406
    assert not len(app.subscriptions)


@pytest.mark.parametrize("accept", [None, "*/*", "application/*, text/*"])
async def test_who_takes_anything_takes_streams(accept: str | None) -> None:
    answer = await Http(saying(progress)).post(calling("say", token=1), headers={"Accept": accept})
    assert answer.is_stream


async def test_who_takes_no_stream_is_no_reason_to_complain(server_log: Any) -> None:
    body = calling("say", level="debug")
    await Http(saying(log)).post(body, headers={"Accept": "application/json"})
    assert LOG_LEVEL in body["params"]["_meta"]
    assert server_log.records == []
