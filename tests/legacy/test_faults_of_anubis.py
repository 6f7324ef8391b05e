"""Faults of another framework that no other test would find here."""

from __future__ import annotations

import json
import threading
from typing import Any

import anyio
import httpx
import pytest
from stdio.legacy import call, greeted, request
from support.client import calling, modern_headers
from support.either_era import ALL, LEGACY, VERSIONS, EitherEra, text_of
from support.legacy import LegacyHttp, asks
from support.log import ServerLog

from anubis_py import (
    CompletionArgument,
    Frame,
    NoReply,
    Ok,
    PromptComponent,
    Reply,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    field,
    send_elicitation_request,
    send_log_message,
    send_progress,
    send_roots_request,
    send_sampling_request,
    send_tools_list_changed,
)

from .parts import SharedStore, counter, heard, said, settle, tool

pytestmark = pytest.mark.anyio


# 1: what a callback says outside of the process or thread of its session is lost

REF = {"type": "ref/prompt", "name": "ask"}
NAME = [field("name", str, required=True)]


def speak(frame: Frame) -> None:
    send_progress(frame, 1)
    send_log_message(frame, "warning", "x")
    send_tools_list_changed(frame)
    send_roots_request(frame)
    send_sampling_request(frame, "Go on", max_tokens=5)
    if frame.context.protocol_version > "2025-03-26":
        send_elicitation_request(frame, "Who?", NAME)


class Call(ToolComponent):
    def execute(self, args: Any, frame: Frame) -> Any:
        speak(frame)
        return Response.tool()


class Ask(PromptComponent):
    schema = (field("topic", str),)

    def get_messages(self, args: Any, frame: Frame) -> Any:
        speak(frame)
        return "hm"

    def complete(self, argument: Any, frame: Frame) -> Any:
        speak(frame)
        return ["tea"]


class Note(ResourceComponent):
    uri = "memo:///a"

    def read(self, params: Any, frame: Frame) -> Any:
        speak(frame)
        return Response.resource().text("x")


class CallAsync(Call):
    name = "call"

    async def execute(self, args: Any, frame: Frame) -> Any:
        return super().execute(args, frame)


class AskAsync(Ask):
    name = "ask"

    async def get_messages(self, args: Any, frame: Frame) -> Any:
        return super().get_messages(args, frame)

    async def complete(self, argument: Any, frame: Frame) -> Any:
        return super().complete(argument, frame)


class NoteAsync(Note):
    async def read(self, params: Any, frame: Frame) -> Any:
        return super().read(params, frame)


class Speaking(ServerBehaviour):
    name = "speaking"
    version = "1"
    capabilities: Any = {"logging": {}, "tools": {"list_changed": True}}  # noqa: RUF012
    components: Any = (Call, Ask, Note)


class SpeakingAsync(Speaking):
    components = (CallAsync, AskAsync, NoteAsync)


@pytest.mark.parametrize("server", [Speaking, SpeakingAsync])
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "call"}),
        ("prompts/get", {"name": "ask"}),
        ("resources/read", {"uri": "memo:///a"}),
        ("completion/complete", {"ref": REF, "argument": {"name": "topic", "value": ""}}),
    ],
)
@pytest.mark.parametrize("version", LEGACY)
async def test_every_callback_is_heard(
    version: str, method: str, params: dict[str, Any], server: type[ServerBehaviour]
) -> None:
    async with (
        EitherEra(server, protocol_version=version, capabilities=ALL) as client,
        client.listen(tools=True) as stream,
    ):
        await client.request(method, params, meta={"progressToken": "t"})
        notes = [note["method"] for note in client.notifications]
        assert notes == ["notifications/progress", "notifications/message"]
        asked = {request["method"] for request in client.asked}
        asking = {"elicitation/create"} if version > "2025-03-26" else set()
        assert asked == {"roots/list", "sampling/createMessage"} | asking
        assert (await heard(stream))["method"] == "notifications/tools/list_changed"


# 7: what an event changes is overwritten by the request that runs


def hearing(self: Any, event: Any, frame: Frame) -> Any:
    return NoReply(frame.assign(heard=[*frame.assigns.get("heard", []), event]))


async def test_an_event_waits_for_the_request_that_runs() -> None:
    go = anyio.Event()

    async def block(args: Any, frame: Frame) -> Any:
        await go.wait()
        return Reply(Response.tool(), frame.assign(blocked=1))

    async with EitherEra(counter(handle_info=hearing, tools=(tool("block", block),))) as client:
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "block")
                await settle()
                tasks.start_soon(client.publish_event, "rain")
                await settle()
                go.set()
        assert await said(client, "assigns") == "[('blocked', 1), ('heard', ['rain'])]"


# 9: on stdio there is no reply to what is wrong or takes too long


@pytest.mark.parametrize("version", LEGACY)
async def test_on_stdio_every_fault_is_answered(version: str, server_log: ServerLog) -> None:
    async def hang(args: Any, frame: Frame) -> Any:
        await anyio.sleep_forever()

    server = counter(tools=(tool("hang", hang, timeout=0.05),))
    async with greeted(server, version) as client:
        client.peer.write(b'{"jsonrpc": "2.0", "id": 1, "method"\n')
        assert (await client.receive())["error"]["code"] == -32700
        wrong: tuple[Any, ...] = ({"jsonrpc": "2.0", "id": 2}, {"id": 3, "method": "ping"}, 5)
        for message in wrong:
            assert (await client.ask(message))["error"]["code"] == -32600
        for message, code in (
            (request(4, "no/such"), -32601),
            (request(5, "tools/call"), -32602),
            ({**request(6, "tools/call"), "params": [1]}, -32602),
            (request(7, "tools/list", {"cursor": "x"}), -32602),
        ):
            client.peer.send(message)
            refusal = await client.receive()
            assert (refusal["id"], refusal["error"]["code"]) == (message["id"], code)
        late = await client.ask(call(8, "hang"))
        assert (late["id"], late["result"]["isError"]) == (8, True)
        assert (await client.ask(request(9, "ping")))["result"] == {}
    server_log.take("took longer")


# 13: events of some shapes are swallowed, and an answer of another shape has no handler


@pytest.mark.parametrize(
    "event",
    [
        None,
        (),
        ("ref", {"result": 1}),
        ("DOWN", "ref", "process", 1, "normal"),
        ("EXIT", 1, "normal"),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        LookupError("x"),
        NoReply(),
        "timeout",
    ],
    ids=repr,
)
async def test_an_event_may_be_anything(event: Any) -> None:
    found: list[Any] = []

    def handle_info(self: Any, event: Any, frame: Frame) -> Any:
        found.append(event)
        return NoReply(frame.assign(heard=len(found)))

    async with EitherEra(counter(handle_info=handle_info)) as client:
        await client.publish_event(event)
        assert len(found) == 1
        assert found[0] is event
        assert await said(client, "assigns") == "[('heard', 1)]"


@pytest.mark.parametrize(
    "give", [lambda frame: None, lambda frame: ("noreply", frame, "continue"), Ok, Reply]
)
async def test_what_an_event_may_not_be_answered_with(give: Any, server_log: ServerLog) -> None:
    server = counter(handle_info=lambda self, event, frame: give(frame))
    async with EitherEra(server) as client:
        await client.publish_event("rain")
        server_log.take("handle_info returned", "NoReply")
        assert await said(client, "increment") == "1"


# 22: a tool that hangs keeps its session for ever


async def test_a_thread_that_hangs_does_not_keep_its_session(server_log: ServerLog) -> None:
    go = threading.Event()

    class Hang(ToolComponent):
        timeout = 0.05

        def execute(self, args: Any, frame: Frame) -> Any:
            go.wait(10)
            return Reply(Response.tool(), frame.assign(count=99))

    async with EitherEra(counter(tools=(Hang,), timeout=0.05)) as client:
        try:
            with anyio.fail_after(5):
                assert (await client.call_tool("hang"))["isError"] is True
                assert await said(client, "increment") == "1"
        finally:
            go.set()
        server_log.take("took longer")
        assert await said(client, "increment") == "2"


# 24: an event has an empty data line behind its message


async def test_an_event_is_one_line_of_data() -> None:
    class Step(ToolComponent):
        async def execute(self, args: Any, frame: Frame) -> Any:
            send_progress(frame, 1)
            return Response.tool().text("a\nb\r\n\u2028")

    app = counter(tools=(Step,)).asgi()
    body = calling("step", token=1)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
        headers = {name: str(value) for name, value in modern_headers(body).items()}
        modern = await client.post("http://127.0.0.1:8000/mcp", headers=headers, json=body)
        http = await LegacyHttp.begun(app)
        body = asks("tools/call", {"name": "step", "_meta": {"progressToken": 1}})
        headers = {name: str(value) for name, value in http.changed({}).items()}
        legacy = await client.post("http://127.0.0.1:8000/mcp", headers=headers, json=body)
    for answer in (modern, legacy):
        events = [event.split(b"\n") for event in answer.content.split(b"\n\n")[:-1]]
        data = [[line for line in event if line.startswith(b"data")] for event in events]
        spoken = [lines for lines in data if lines not in ([], [b"data: "])]
        assert [len(lines) for lines in spoken] == [1, 1]
        assert "result" in json.loads(spoken[1][0].removeprefix(b"data: "))


# 31: completions under another name, as objects, and without the arguments that are there already


@pytest.mark.parametrize("version", LEGACY)
async def test_completions_in_a_session(version: str) -> None:
    found: list[CompletionArgument] = []

    class Complete(PromptComponent):
        name = "ask"
        schema = (field("topic", str), field("other", str))

        def get_messages(self, args: Any, frame: Frame) -> Any:
            return "hm"

        def complete(self, argument: CompletionArgument, frame: Frame) -> Any:
            found.append(argument)
            return Response.completion(f"t{n}" for n in range(150))

    async with EitherEra(counter(tools=(Complete,)), protocol_version=version) as client:
        assert client.server_capabilities.keys() == {"tools", "prompts", "completions"}
        result = await client.complete(REF, "topic", "t", {"other": "x"})
        assert result["completion"]["values"] == [f"t{n}" for n in range(100)]
        assert result["completion"]["hasMore"] is True
        assert found == [CompletionArgument("topic", "t", {"other": "x"})]


# 32: what a client says of itself and of its request is cut down to a few members


async def test_nothing_that_a_client_says_is_cut_away() -> None:
    infos: list[dict[str, Any]] = []
    frames: list[Frame] = []

    def init(self: Any, client_info: Any, frame: Frame) -> Any:
        infos.append(dict(client_info))
        return Ok(frame)

    def look(args: Any, frame: Frame) -> Any:
        frames.append(frame)
        return Response.tool()

    info = {
        "name": "ada",
        "version": "2",
        "title": "Ada",
        "description": "A client",
        "websiteUrl": "https://ada.example",
        "icons": [{"src": "https://ada.example/i.png", "sizes": ["48x48"]}],
    }
    meta = {"progressToken": 7, "traceparent": "00-1-2-00", "com.example/own": {"a": [1, None]}}
    server, store = counter(init=init, tools=(tool("look", look),)), SharedStore()
    async with EitherEra(server, store=store, client_info=info) as client:
        await client.call_tool("look", meta=meta)
        other = EitherEra(server, store=store, session_id=client.session_id)
        await other.call_tool("look", meta=meta)
    assert infos == [info, info]
    for frame in frames:
        assert frame.context.client_info == info
        assert frame.context.meta == meta


# 10, 38: tasks


@pytest.mark.parametrize("task", [{}, {"ttl": 60000}, None, 5])
@pytest.mark.parametrize("version", VERSIONS)
async def test_a_task_is_a_plain_call(version: str, task: Any) -> None:
    """ "Receivers that do not declare the task capability for a request type MUST process requests
    of that type normally, ignoring any task-augmentation metadata if present." """
    async with EitherEra(counter(), protocol_version=version) as client:
        result = await client.request("tools/call", {"name": "increment", "task": task})
        assert text_of(result) == "1"
        assert "tasks" not in client.server_capabilities


@pytest.mark.parametrize("params", [None, {}, {"taskId": "x"}])
@pytest.mark.parametrize("method", ["tasks/list", "tasks/get", "tasks/cancel", "tasks/result"])
@pytest.mark.parametrize("version", LEGACY)
async def test_there_are_no_tasks(version: str, method: str, params: Any) -> None:
    http = await LegacyHttp.begun(counter(), version)
    assert (await http.ask(method, params)).refusal == (200, -32601)
    await http.alive()


# 43: a resource of several contents, each with a type of its own


@pytest.mark.parametrize("version", VERSIONS)
async def test_each_content_has_its_own_type(version: str) -> None:
    class Folder(ResourceComponent):
        uri = "memo:///"
        mime_type = "text/markdown"

        def read(self, params: Any, frame: Frame) -> Any:
            contents = Response.resource().text("a", uri="memo:///a")
            contents = contents.json([1], uri="memo:///b")
            return contents.blob(b"\x00", mime_type="image/png", uri="memo:///c")

    async with EitherEra(counter(tools=(Folder,)), protocol_version=version) as client:
        contents = (await client.read_resource("memo:///"))["contents"]
        assert [(each["uri"], each["mimeType"]) for each in contents] == [
            ("memo:///a", "text/markdown"),
            ("memo:///b", "application/json"),
            ("memo:///c", "image/png"),
        ]
