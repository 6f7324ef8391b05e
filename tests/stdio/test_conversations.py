"""Requests whose client is asked first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import anyio
import pytest

from anubis_py import (
    InputRequired,
    NoReply,
    Reply,
    Response,
    ToolComponent,
    ask_form,
    field,
    send_elicitation_request,
)
from anubis_py.transports.stdio import legacy

from . import messages as modern
from .legacy import answer, call, client_of, greeted, request
from .messages import cancelled, text
from .servers import Echo, Miniature

pytestmark = pytest.mark.anyio

CAN_BE_ASKED: dict[str, Any] = {"elicitation": {}}
NAME = (field("name", str, required=True),)


class Greet(ToolComponent):
    async def execute(self, args: Any, frame: Any) -> Any:
        answers = frame.context.input_responses
        if not answers:
            return InputRequired({"who": ask_form("Who are you?", NAME)}, state={"n": 1})
        who = answers["who"].content["name"]
        count = frame.assigns.get("count", 0)
        said = Response.tool().text(f"Hello {who}, {frame.context.request_state['n']}, {count}")
        return Reply(said, frame)


class Count(ToolComponent):
    async def execute(self, args: Any, frame: Any) -> Any:
        count = frame.assigns.get("count", 0) + 1
        return Reply(Response.tool().text(str(count)), frame.assign(count=count))


class Asking(Miniature):
    components: Iterable[Any] = (Greet, Count, Echo)


def accept(asked: dict[str, Any], name: str) -> dict[str, Any]:
    assert asked["method"] == "elicitation/create"
    return answer(asked, action="accept", content={"name": name})


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18"])
async def test_the_session_goes_on_while_a_client_is_asked(version: str) -> None:
    async with greeted(Asking, version, CAN_BE_ASKED) as client:
        asked = await client.ask(call(1, "greet"))
        assert (await client.ask(request(2, "ping")))["result"] == {}
        assert text(await client.ask(call(3, "count"))) == "1"
        said = await client.ask(accept(asked, "Ada"))
        assert (said["id"], text(said)) == (1, "Hello Ada, 1, 1")


async def test_the_answer_is_read_while_another_request_runs() -> None:
    release = anyio.Event()

    class Wait(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            await release.wait()
            return Response.tool().text("waited")

    class Both(Asking):
        components = (*Asking.components, Wait)

    async with greeted(Both, capabilities=CAN_BE_ASKED) as client:
        asked = await client.ask(call(1, "greet"))
        client.send(call(2, "wait"), call(3, "count"), accept(asked, "Ada"), request(4, "ping"))
        assert (await client.receive())["id"] == 4
        release.set()
        answers = [await client.receive() for _ in range(3)]
    assert sorted(message["id"] for message in answers) == [1, 2, 3]


async def test_many_are_asked_at_once() -> None:
    async with greeted(Asking, capabilities=CAN_BE_ASKED, max_in_flight=2) as client:
        client.send(*(call(number, "greet") for number in range(20)))
        asked = [await client.receive() for _ in range(20)]
        client.send(*(accept(each, f"n{number}") for number, each in enumerate(asked)))
        answers = [await client.receive() for _ in range(20)]
    assert sorted(answer["id"] for answer in answers) == list(range(20))
    assert {text(answer) for answer in answers} == {
        f"Hello n{number}, 1, 0" for number in range(20)
    }


async def test_so_many_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legacy, "MAX_CONVERSATIONS", 1)
    async with greeted(Asking, capabilities=CAN_BE_ASKED) as client:
        asked = await client.ask(call(1, "greet"))
        refusal = await client.ask(call(2, "greet"))
        assert (refusal["id"], refusal["error"]["code"]) == (2, -32600)
        assert text(await client.ask(accept(asked, "Ada"))) == "Hello Ada, 1, 0"
        assert (await client.ask(call(2, "greet")))["method"] == "elicitation/create"


async def test_a_cancelled_request_is_not_answered_whatever_its_client_answers() -> None:
    async with greeted(Asking, capabilities=CAN_BE_ASKED) as client:
        asked = await client.ask(call(1, "greet"))
        client.send(cancelled(1))
        await anyio.wait_all_tasks_blocked()
        client.send(accept(asked, "Ada"), call(1, "count"))
        client.peer.end()
        [answered] = await client.rest()
        assert text(answered) == "1"


async def test_an_error_of_the_clients_is_one_of_the_request() -> None:
    async with greeted(Asking, capabilities=CAN_BE_ASKED) as client:
        asked = await client.ask(call(1, "greet"))
        error = {"code": -32603, "message": "broken"}
        said = await client.ask({"jsonrpc": "2.0", "id": asked["id"], "error": error})
        assert (said["id"], said["error"]["code"]) == (1, -32603)


async def test_who_does_not_answer_in_time_is_told_so(autojump_clock: Any) -> None:
    class Impatient(Asking):
        round_timeout = 5.0

    async with greeted(Impatient, capabilities=CAN_BE_ASKED) as client:
        asked = await client.ask(call(1, "greet"))
        withdrawn, said = await client.receive(), await client.receive()
        assert withdrawn["params"]["requestId"] == asked["id"]
        assert (said["id"], said["error"]["code"]) == (1, -32603)


async def test_who_cannot_be_asked_is_not_asked() -> None:
    async with greeted(Asking) as client:
        assert "error" in await client.ask(call(1, "greet"))


async def test_another_handshake_ends_what_the_old_session_asks() -> None:
    async with greeted(Asking, capabilities=CAN_BE_ASKED, grace=3600) as client:
        asked = await client.ask(call(1, "greet"))
        await client.greet(elicitation={})
        client.send(accept(asked, "Ada"), call(2, "count"))
        client.peer.end()
        assert [message["id"] for message in await client.rest()] == [2]


@pytest.mark.parametrize("way", ["end", "trigger"])
async def test_open_questions_do_not_outlive_the_connection(way: str) -> None:
    async with greeted(Asking, capabilities=CAN_BE_ASKED, grace=0.05) as client:
        await client.ask(call(1, "greet"))
        client.peer.end() if way == "end" else client.peer.stop.set()
        assert await client.rest() == []
        await client.peer.ended.wait()


async def test_an_answer_that_nobody_waits_for_reaches_the_author() -> None:
    heard: list[Any] = []

    class Poll(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            return Response.tool().text(send_elicitation_request(frame, "Who?", NAME) or "nobody")

    class Polling(Asking):
        components = (Poll, Count)

        async def handle_elicitation(self, result: Any, request_id: str, frame: Any) -> Any:
            heard.append((request_id, result["content"], frame.assigns.get("count")))
            return NoReply(frame)

    async with greeted(Polling, capabilities=CAN_BE_ASKED) as client:
        asked = await client.ask(call(1, "poll"))
        assert text(await client.receive()) == asked["id"]
        client.send(call(2, "count"), accept(asked, "Ada"), call(3, "count"))
        assert [text(await client.receive()) for _ in range(2)] == ["1", "2"]
    assert heard == [(asked["id"], {"name": "Ada"}, 1)]


async def test_the_same_tool_asks_clients_of_both_eras() -> None:
    async with client_of(Asking) as client:
        capabilities = {"io.modelcontextprotocol/clientCapabilities": CAN_BE_ASKED}
        await client.greet(elicitation={})
        asked = await client.ask(call(1, "greet"))
        required = await client.ask(modern.call(2, "greet", **capabilities))
        assert required["result"]["resultType"] == "input_required"
        again = modern.call(3, "greet", **capabilities)
        again["params"] |= {
            "inputResponses": {"who": {"action": "accept", "content": {"name": "Bob"}}},
            "requestState": required["result"]["requestState"],
        }
        assert text(await client.ask(again)) == "Hello Bob, 1, 0"
        assert text(await client.ask(accept(asked, "Ada"))) == "Hello Ada, 1, 0"
