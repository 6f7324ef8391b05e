"""Requests that nobody waits for: the answer comes to `handle_sampling` and its like."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from support.either_era import ALL, EitherEra
from support.log import ServerLog

from anubis_py import (
    Accepted,
    Cancelled,
    Declined,
    Frame,
    McpError,
    MemoryStore,
    NoReply,
    Reply,
    Response,
    Root,
    Sampled,
    ask_url,
    field,
    send_elicitation_request,
    send_request,
    send_roots_request,
    send_sampling_request,
)
from anubis_py.protocol.jsonrpc import Answer

from .parts import counter, heard, said, settle, tool

pytestmark = pytest.mark.anyio

HEARD: list[tuple[str, Any, str]] = []
SENT: list[str | None] = []


@pytest.fixture(autouse=True)
def _nothing() -> None:
    HEARD.clear()
    SENT.clear()


def _taking(name: str) -> Any:
    def take(self: Any, value: Any, request_id: str, frame: Frame) -> Any:
        HEARD.append((name, value, request_id))
        return NoReply(frame.assign(heard=len(HEARD)))

    return take


def handle_sampling(self: Any, result: Any, request_id: str, frame: Frame) -> Any:
    return _taking("sampling")(self, result, request_id, frame)


def handle_elicitation(self: Any, result: Any, request_id: str, frame: Frame) -> Any:
    return _taking("elicitation")(self, result, request_id, frame)


def handle_roots(self: Any, roots: Any, request_id: str, frame: Frame) -> Any:
    return _taking("roots")(self, roots, request_id, frame)


NAME = [field("name", str, required=True)]


def ask(args: Any, frame: Frame) -> Any:
    SENT.append(
        {
            "sampling": lambda: send_sampling_request(frame, "Go on", max_tokens=5),
            "elicitation": lambda: send_elicitation_request(frame, "Who?", NAME),
            "roots": lambda: send_roots_request(frame),
            "url": lambda: send_request(frame, ask_url("Pay", "https://pay.example/1")),
        }[args["what"]]()
    )
    return Response.tool()


ASK = tool("ask", ask, schema=(field("what", str, required=True),))
SERVER = counter(
    tools=(ASK,),
    handle_sampling=handle_sampling,
    handle_elicitation=handle_elicitation,
    handle_roots=handle_roots,
)
SAMPLED = Sampled("assistant", [{"type": "text", "text": "and on"}], "m")
ROOTS = (Root("file:///a", "A"), Root("file:///b"))


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18"])
@pytest.mark.parametrize(
    ("what", "method", "answer", "value"),
    [
        ("sampling", "sampling/createMessage", SAMPLED, SAMPLED.to_wire()),
        (
            "elicitation",
            "elicitation/create",
            Accepted({"name": "Ada"}),
            {"action": "accept", "content": {"name": "Ada"}},
        ),
        ("elicitation", "elicitation/create", Declined(), {"action": "decline"}),
        ("elicitation", "elicitation/create", Cancelled(), {"action": "cancel"}),
        (
            "roots",
            "roots/list",
            ROOTS,
            [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b"}],
        ),
    ],
)
async def test_the_answer_comes_to_its_callback(
    version: str, what: str, method: str, answer: Any, value: Any
) -> None:
    async with EitherEra(SERVER, protocol_version=version, capabilities=ALL) as client:
        await client.call_tool("ask", {"what": what})
        [request] = client.asked
        assert (request["method"], request["id"]) == (method, SENT[0])
        if version == "2025-06-18" and what == "sampling":
            answer = {**SAMPLED.to_wire(), "content": {"type": "text", "text": "and on"}}
            value = answer
        await client.answer(request, answer)
        assert [(what, value, SENT[0])] == HEARD
        assert client.asked == []
        assert await said(client, "assigns") == "[('heard', 1)]"


async def test_a_second_answer_is_nobodys() -> None:
    async with EitherEra(SERVER, capabilities=ALL) as client:
        await client.call_tool("ask", {"what": "roots"})
        [request] = client.asked
        await client.answer(request, ROOTS)
        await client.answer(request, ROOTS)
        await client.answer({"id": "unattended.x"}, ROOTS)
        await client.answer({"id": 5}, ROOTS)
        assert len(HEARD) == 1


@pytest.mark.parametrize(
    ("what", "capabilities"),
    [
        ("sampling", {"roots": {}, "elicitation": {}}),
        ("elicitation", {"roots": {}, "sampling": {}}),
        ("roots", {"elicitation": {}, "sampling": {}}),
        ("url", {"elicitation": {"form": {}}}),
        ("url", {"elicitation": {}}),
    ],
)
async def test_nothing_is_sent_to_a_client_that_has_not_declared_it(
    what: str, capabilities: Mapping[str, Any], server_log: ServerLog
) -> None:
    async with EitherEra(SERVER, capabilities=capabilities) as client:
        await client.call_tool("ask", {"what": what})
        assert (SENT, client.asked) == ([None], [])
        server_log.take("was not sent", "has not declared", traceback=False)


@pytest.mark.parametrize(
    ("version", "what"), [("2025-03-26", "elicitation"), ("2025-06-18", "url")]
)
async def test_nothing_is_sent_that_the_revision_has_no_words_for(
    version: str, what: str, server_log: ServerLog
) -> None:
    async with EitherEra(SERVER, protocol_version=version, capabilities=ALL) as client:
        await client.call_tool("ask", {"what": what})
        assert (SENT, client.asked) == ([None], [])
        server_log.take("was not sent", version, traceback=False)


async def test_nothing_is_sent_in_the_stateless_era(server_log: ServerLog) -> None:
    async with EitherEra(SERVER, protocol_version="2026-07-28", capabilities=ALL) as client:
        await client.call_tool("ask", {"what": "roots"})
        assert (SENT, client.asked) == ([None], [])
        server_log.take("roots/list", "Return InputRequired")


@pytest.mark.parametrize(
    ("what", "answer"),
    [
        ("elicitation", {"action": "accept", "content": {"name": 5}}),
        ("elicitation", {"action": "accept", "content": {}}),
        ("elicitation", {"action": "maybe"}),
        ("elicitation", "accept"),
        ("roots", {"roots": "file:///a"}),
        ("roots", {"roots": [{"name": "A"}]}),
        ("roots", []),
        ("sampling", {"role": "assistant", "model": "m"}),
        ("sampling", None),
    ],
)
async def test_an_answer_that_is_none_of_that_kind_is_logged_and_not_taken(
    what: str, answer: Any, server_log: ServerLog
) -> None:
    async with EitherEra(SERVER, capabilities=ALL) as client:
        await client.call_tool("ask", {"what": what})
        await client.answer(client.asked[0], answer)
        assert HEARD == []
        server_log.take("response to", "not taken", str(SENT[0]), traceback=False)
        assert await said(client, "increment") == "1"


@pytest.mark.parametrize("what", ["sampling", "elicitation", "roots"])
async def test_an_error_of_the_clients_comes_as_an_error(what: str) -> None:
    async with EitherEra(SERVER, capabilities=ALL) as client:
        await client.call_tool("ask", {"what": what})
        await client.answer(client.asked[0], McpError(-1, "User rejected", {"a": 1}))
        [(name, error, _)] = HEARD
        assert (name, type(error)) == (what, McpError)
        assert (error.code, error.message, error.data) == (-1, "User rejected", {"a": 1})


@pytest.mark.parametrize(
    "error", [None, "no", {}, {"code": "x", "message": 5}, {"code": True, "message": "m"}]
)
async def test_an_error_that_is_malformed_is_an_error(error: Any) -> None:
    async with EitherEra(SERVER, capabilities=ALL) as client:
        await client.call_tool("ask", {"what": "roots"})
        intake = client.engines.legacy.intake
        answer = Answer(client.asked[0]["id"], None, {} if error is None else error)
        assert client.session_id is not None
        afterwards = await intake.take(client.session_id, answer, client.peer())
        assert afterwards is not None
        await afterwards()
        [(_, found, _)] = HEARD
        assert (type(found), found.code) == (McpError, -32603)


@pytest.mark.parametrize("what", ["sampling", "elicitation", "roots"])
async def test_no_answer_in_time_comes_as_an_error(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EitherEra(SERVER, capabilities=ALL) as client:
        await client.call_tool("ask", {"what": what})
        await client.engines.sessions.sweep()
        assert HEARD == []
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now + client.server.round_timeout + 1)
        await client.engines.sessions.sweep()
        [(name, error, request_id)] = HEARD
        assert (name, error.code, request_id) == (what, -32603, SENT[0])
        assert "did not answer in time" in error.message
        # It is too late now, and said once.
        await client.answer(client.asked[0], ROOTS)
        await client.engines.sessions.sweep()
        assert len(HEARD) == 1


async def test_an_answer_out_of_another_session_is_nobodys() -> None:
    store = MemoryStore()
    async with (
        EitherEra(SERVER, capabilities=ALL, store=store) as one,
        EitherEra(SERVER, capabilities=ALL, store=store) as other,
    ):
        await one.call_tool("ask", {"what": "roots"})
        await other.answer(one.asked[0], ROOTS)
        assert HEARD == []
        await one.answer(one.asked[0], ROOTS)
        assert len(HEARD) == 1


async def test_the_answer_may_come_to_another_node() -> None:
    store = MemoryStore()
    async with EitherEra(SERVER, capabilities=ALL, store=store) as client:
        await client.call_tool("ask", {"what": "roots"})
        async with EitherEra(SERVER, store=store, session_id=client.session_id) as elsewhere:
            await elsewhere.answer(client.asked[0], ROOTS)
            await elsewhere.answer(client.asked[0], ROOTS)
        assert len(HEARD) == 1
        assert await said(client, "assigns") == "[('heard', 1)]"


async def test_an_answer_waits_for_the_request_that_runs() -> None:
    go = anyio.Event()

    async def block(args: Any, frame: Frame) -> Any:
        SENT.append(send_roots_request(frame))
        await go.wait()
        assert HEARD == []
        return Reply(Response.tool(), frame.assign(blocked=1))

    server = counter(tools=(tool("block", block),), handle_roots=handle_roots)
    async with EitherEra(server, capabilities=ALL) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "block")
            await settle()
            tasks.start_soon(client.answer, client.asked[0], ROOTS)
            await settle()
            go.set()
        assert await said(client, "assigns") == "[('blocked', 1), ('heard', 1)]"


async def test_transport_assigns_come_with_the_answer_and_do_not_stay() -> None:
    async with EitherEra(SERVER, capabilities=ALL) as client:
        await client.call_tool("ask", {"what": "roots"})
        client.assigns = {"plan": "free"}
        await client.answer(client.asked[0], ROOTS)
        client.assigns = {}
        assert await said(client, "assigns") == "[('heard', 1)]"


async def test_a_request_out_of_an_event_comes_on_the_stream() -> None:
    def handle_info(self: Any, event: Any, frame: Frame) -> Any:
        SENT.append(send_roots_request(frame))
        return NoReply()

    server = counter(handle_info=handle_info, handle_roots=handle_roots)
    async with EitherEra(server, capabilities=ALL) as client, client.listen() as stream:
        await client.publish_event("now")
        request = await heard(stream)
        assert (request["method"], request["id"]) == ("roots/list", SENT[0])
        assert client.asked == [request]
        await client.answer(request, ROOTS)
        assert len(HEARD) == 1


async def test_a_callback_that_is_not_there(server_log: ServerLog) -> None:
    async with EitherEra(counter(tools=(ASK,)), capabilities=ALL) as client:
        await client.call_tool("ask", {"what": "roots"})
        await client.answer(client.asked[0], ROOTS)
        assert await said(client, "increment") == "1"


async def test_too_many_are_not_sent(server_log: ServerLog) -> None:
    def many(args: Any, frame: Frame) -> Any:
        SENT.extend(send_roots_request(frame) for _ in range(101))
        return Response.tool()

    async with EitherEra(counter(tools=(tool("many", many),)), capabilities=ALL) as client:
        await client.call_tool("many")
        assert (len(client.asked), SENT[-1]) == (100, None)
        server_log.take("too many")


async def test_an_answer_without_a_session() -> None:
    client = EitherEra(SERVER, session_id="no-such")
    with pytest.raises(McpError) as refusal:
        await client.answer({"id": "unattended.x"}, ROOTS)
    assert refusal.value.http_status == 404
