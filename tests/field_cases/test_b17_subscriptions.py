"""B17: what is advertised is delivered, to whoever asked for it, and nothing else is."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from typing import Any

import anyio
import anyio.to_thread
import pytest
from running.server_process import ServerProcess
from support.asgi_stream import AsgiStream, asking
from support.client import LOG_LEVEL, SUBSCRIPTION_ID, Http, calling, listening
from support.log import ServerLog
from support.miniature import Miniature
from support.program import PROGRAMS, miniature, said
from support.socket_stream import SocketStream

from anubis_py import (
    App,
    Frame,
    Ok,
    PromptComponent,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    field,
    send_log_message,
    send_progress,
    send_prompts_list_changed,
    send_resource_updated,
    send_resources_list_changed,
    send_tools_list_changed,
)

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
UPDATED = "notifications/resources/updated"
TOOLS = "notifications/tools/list_changed"
PROMPTS = "notifications/prompts/list_changed"
RESOURCES = "notifications/resources/list_changed"

asynchronous = pytest.mark.anyio


def id_of(message: dict[str, Any]) -> Any:
    """The subscription that a message names."""
    body = message["result" if "result" in message else "params"]
    return body["_meta"][SUBSCRIPTION_ID]


def brief(message: dict[str, Any]) -> tuple[str, Any]:
    return message["method"], message["params"].get("uri")


@asynccontextmanager
async def subscribed(app: App, *uris: str, **wanted: Any) -> AsyncIterator[AsgiStream]:
    """A stream behind its acknowledgement."""
    async with asking(app, listening(*uris, **wanted)) as stream:
        assert brief(await stream.message()) == (ACKNOWLEDGED, None)
        yield stream


async def heard(stream: AsgiStream) -> list[tuple[str, Any]]:
    """What has come on a stream, when everybody has done all that there is to do."""
    await anyio.wait_all_tasks_blocked()
    found = []
    with anyio.move_on_after(0.05):
        while True:
            found.append(brief(await stream.message()))
    return found


@asynchronous
async def test_two_streams_hear_what_each_has_asked_for() -> None:
    app = Miniature.asgi()
    first = listening("memo://a", toolsListChanged=True, promptsListChanged=True, id="s-1")
    second = listening(toolsListChanged=True, id=7)
    async with asking(app, first) as one, asking(app, second) as two:
        acknowledged = await one.message()
        assert acknowledged["method"] == ACKNOWLEDGED
        assert acknowledged["params"] == {
            "_meta": {SUBSCRIPTION_ID: "s-1"},
            "notifications": {"resourceSubscriptions": ["memo://a"], "toolsListChanged": True},
        }
        acknowledged = await two.message()
        assert acknowledged["params"] == {
            "_meta": {SUBSCRIPTION_ID: 7},
            "notifications": {"toolsListChanged": True},
        }
        http = Http(app)
        for arguments in ({"uri": "memo://b"}, {"uri": "memo://a"}, {}):
            await http.tool("touch", arguments)
        updated, changed = await one.message(), await one.message()
        assert (brief(updated), id_of(updated)) == ((UPDATED, "memo://a"), "s-1")
        assert (brief(changed), id_of(changed)) == ((TOOLS, None), "s-1")
        changed = await two.message()
        assert (brief(changed), id_of(changed)) == ((TOOLS, None), 7)
        assert await heard(one) == await heard(two) == []

        one.leave()
        await one.ended.wait()
        await http.tool("touch")
        assert await heard(two) == [(TOOLS, None)]


@asynchronous
@pytest.mark.parametrize("id_", ["s-1", "7", 7, 0, "", -3, 2**53 - 1, "é\u2028"])
async def test_every_message_of_a_stream_carries_the_id_as_it_was_given(id_: Any) -> None:
    app = Miniature.asgi()
    async with asking(app, listening("memo://a", id=id_)) as stream:
        await app.send_resource_updated("memo://a")
        messages = [await stream.message() for _ in range(2)]
        app.close()
        messages += await stream.rest()
    assert len(messages) == 3
    assert [(type(id_of(m)), id_of(m)) for m in messages] == [(type(id_), id_)] * 3
    assert messages[-1]["id"] == id_


@asynchronous
async def test_clients_may_use_the_same_id() -> None:
    app = Miniature.asgi()
    async with AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(subscribed(app, "memo://a")) for _ in range(3)]
        await app.send_resource_updated("memo://a")
        for stream in streams:
            assert brief(await stream.message()) == (UPDATED, "memo://a")


@asynchronous
async def test_what_happens_before_the_first_read_comes_behind_the_acknowledgement() -> None:
    app = Miniature.asgi()
    async with asking(app, listening("memo://a", toolsListChanged=True), room=0) as stream:
        # The head has been taken, the acknowledgement has not.
        await Http(app).tool("touch", {"uri": "memo://a"})
        await app.send_tools_list_changed()
        methods = [(await stream.message())["method"] for _ in range(3)]
    assert methods == [ACKNOWLEDGED, UPDATED, TOOLS]


@asynchronous
async def test_a_change_that_is_made_while_the_stream_opens_is_heard() -> None:
    """From the moment that the engine knows of the listener, not from the first read on."""

    class Opening(Miniature):
        def init(self, client_info: Any, frame: Frame) -> Ok:
            # The last thing of the author's that runs before the listener is there.
            return Ok(frame)

    app = Opening.asgi()
    async with anyio.create_task_group() as group:

        async def touch() -> None:
            while not len(app.subscriptions):
                await anyio.lowlevel.checkpoint()
            await app.send_tools_list_changed()

        group.start_soon(touch)
        async with asking(app, listening(toolsListChanged=True)) as stream:
            methods = [(await stream.message())["method"] for _ in range(2)]
    assert methods == [ACKNOWLEDGED, TOOLS]


@asynchronous
async def test_what_belongs_to_a_request_is_never_on_a_subscription(server_log: ServerLog) -> None:
    class Chatty(Miniature):
        def init(self, client_info: Any, frame: Frame) -> Ok:
            send_progress(frame, 1)
            send_log_message(frame, "error", "from init")
            return Ok(frame)

    app = Chatty.asgi()
    body = listening(toolsListChanged=True)
    body["params"]["_meta"] |= {"progressToken": "p", LOG_LEVEL: "debug"}
    async with asking(app, body) as stream:
        assert (await stream.message())["method"] == ACKNOWLEDGED
        call = calling("steps", {"size": 3}, token="p", level="debug")
        answer = await Http(app).post(call)
        assert len(answer.notifications) >= 10
        assert await heard(stream) == []
    # The capability is declared: there is nothing to complain of.
    assert [record.getMessage() for record in server_log.records] == []


@asynchronous
async def test_nothing_honoured_is_acknowledged_and_then_closed() -> None:
    async with asking(Miniature.asgi(), listening(promptsListChanged=True, id=3)) as stream:
        acknowledged, closing = await stream.rest()
    assert acknowledged["params"]["notifications"] == {}
    assert closing["id"] == id_of(closing) == 3
    assert closing["result"]["resultType"] == "complete"


@asynchronous
async def test_a_filter_may_be_empty_and_nothing_is_made_up() -> None:
    async with asking(Miniature.asgi(), listening(toolsListChanged=False)) as stream:
        acknowledged, _ = await stream.rest()
    assert acknowledged["params"]["notifications"] in ({}, {"toolsListChanged": False})


@asynchronous
@pytest.mark.parametrize(
    "notifications",
    [
        None,
        [],
        "toolsListChanged",
        {"toolsListChanged": "yes"},
        {"toolsListChanged": 1},
        {"resourceSubscriptions": "memo://a"},
        {"resourceSubscriptions": [1]},
    ],
    ids=str,
)
async def test_a_malformed_filter_is_an_error_and_no_stream(notifications: Any) -> None:
    body = listening()
    body["params"]["notifications"] = notifications
    app = Miniature.asgi()
    answer = await Http(app).probe(body)
    assert answer.refusal == (400, -32602)
    assert not answer.is_stream
    assert not len(app.subscriptions)


@asynchronous
async def test_a_filter_has_a_limit_and_its_refusal_names_it() -> None:
    app = Miniature.asgi()
    answer = await Http(app).probe(listening(*(f"memo://{n}" for n in range(1001))))
    assert answer.code == -32602
    assert "1000" in answer.error["message"]
    assert not len(app.subscriptions)


@asynchronous
async def test_changes_of_one_thing_that_nobody_has_read_yet_are_one() -> None:
    app = Miniature.asgi()
    async with asking(app, listening("memo://a", "memo://b"), room=0) as stream:
        for _ in range(1000):
            await app.send_resource_updated("memo://a")
            await app.send_resource_updated("memo://b")
        assert brief(await stream.message()) == (ACKNOWLEDGED, None)
        assert await heard(stream) == [(UPDATED, "memo://a"), (UPDATED, "memo://b")]


@asynchronous
@pytest.mark.parametrize("left_by", ["client", "server"])
async def test_nobody_is_remembered_when_a_stream_has_ended(left_by: str) -> None:
    app = Miniature.asgi()
    async with subscribed(app, "memo://a") as stream:
        assert len(app.subscriptions) == 1
        if left_by == "client":
            stream.leave()
        else:
            app.close()
            await stream.rest()
        await stream.ended.wait()
        assert not len(app.subscriptions)


# The whole kind: every capability that may be advertised, on and off.


class Tool(ToolComponent):
    """Says that something has changed."""

    name = "change"
    schema = (field("what", str, required=True),)

    async def execute(self, args: dict[str, str], frame: Frame) -> Any:
        CHANGES[args["what"]](frame)
        return Response.tool().text("changed")


class ToolInThread(Tool):
    name = "change_in_thread"

    def execute(self, args: dict[str, str], frame: Frame) -> Any:
        CHANGES[args["what"]](frame)
        return Response.tool().text("changed")


class Memo(ResourceComponent):
    uri = "memo://a"

    def read(self, params: Any, frame: Frame) -> Any:
        send_resource_updated(frame, self.uri)
        return Response.resource().text("a")


class Prompt(PromptComponent):
    name = "prompt"

    def get_messages(self, args: Any, frame: Frame) -> Any:
        send_prompts_list_changed(frame)
        return "prompt"


CHANGES: dict[str, Callable[[Frame], None]] = {
    "tools": send_tools_list_changed,
    "prompts": send_prompts_list_changed,
    "resources": send_resources_list_changed,
    "memo://a": lambda frame: send_resource_updated(frame, "memo://a"),
}

KINDS = pytest.mark.parametrize(
    ("capability", "flag", "wire_flag", "wanted", "what", "event"),
    [
        ("tools", "list_changed", "listChanged", {"toolsListChanged": True}, "tools", TOOLS),
        (
            "prompts",
            "list_changed",
            "listChanged",
            {"promptsListChanged": True},
            "prompts",
            PROMPTS,
        ),
        (
            *("resources", "list_changed", "listChanged"),
            *({"resourcesListChanged": True}, "resources", RESOURCES),
        ),
        (
            *("resources", "subscribe", "subscribe"),
            *({"resourceSubscriptions": ["memo://a"]}, "memo://a", UPDATED),
        ),
    ],
    ids=["tools", "prompts", "resources", "subscribe"],
)


def declaring(given: dict[str, Any]) -> App:
    class Declaring(ServerBehaviour):
        name = "declaring"
        version = "1"
        components = (Tool, ToolInThread, Memo, Prompt)
        capabilities = given

    return Declaring.asgi()


@asynchronous
@KINDS
@pytest.mark.parametrize("tool", ["change", "change_in_thread"])
async def test_what_is_advertised_arrives(
    capability: str, flag: str, wire_flag: str, wanted: Any, what: str, event: str, tool: str
) -> None:
    app = declaring({capability: {flag: True}})
    http = Http(app)
    advertised = (await http.call("server/discover")).result["capabilities"]
    assert advertised[capability][wire_flag] is True
    async with asking(app, listening(**wanted)) as stream:
        assert (await stream.message())["params"]["notifications"] == wanted
        await http.tool(tool, {"what": what})
        assert (await stream.message())["method"] == event


@asynchronous
@KINDS
async def test_what_is_not_advertised_is_not_honoured_and_does_not_arrive(
    capability: str, flag: str, wire_flag: str, wanted: Any, what: str, event: str
) -> None:
    other = "prompts" if capability == "tools" else "tools"
    app = declaring({other: {"list_changed": True}})
    http = Http(app)
    advertised = (await http.call("server/discover")).result["capabilities"]
    assert not advertised.get(capability, {}).get(wire_flag)
    # With something that is honoured, so that the stream stays open.
    alive = {f"{other}ListChanged": True}
    async with asking(app, listening(**wanted, **alive)) as stream:
        assert (await stream.message())["params"]["notifications"] == alive
        await http.tool("change", {"what": what})
        assert await heard(stream) == []
        await http.tool("change", {"what": other})
        assert len(await heard(stream)) == 1


@asynchronous
@KINDS
async def test_what_was_not_asked_for_does_not_arrive(
    capability: str, flag: str, wire_flag: str, wanted: Any, what: str, event: str
) -> None:
    everything: dict[str, Any] = {
        "toolsListChanged": True,
        "promptsListChanged": True,
        "resourcesListChanged": True,
        "resourceSubscriptions": ["memo://a"],
    }
    app = declaring(
        {
            "tools": {"list_changed": True},
            "prompts": {"list_changed": True},
            "resources": {"list_changed": True, "subscribe": True},
        }
    )
    rest = {key: value for key, value in everything.items() if key not in wanted}
    async with subscribed(app, **rest) as stream:
        await Http(app).tool("change", {"what": what})
        assert await heard(stream) == []


@asynchronous
@pytest.mark.parametrize(
    ("method", "arguments", "event"),
    [
        ("send_tools_list_changed", (), TOOLS),
        ("send_prompts_list_changed", (), PROMPTS),
        ("send_resources_list_changed", (), RESOURCES),
        ("send_resource_updated", ("memo://a",), UPDATED),
    ],
)
async def test_from_outside_of_callbacks_too(
    method: str, arguments: tuple[str, ...], event: str
) -> None:
    app = declaring(
        {
            "tools": {"list_changed": True},
            "prompts": {"list_changed": True},
            "resources": {"list_changed": True, "subscribe": True},
        }
    )
    lists = {f"{kind}ListChanged": True for kind in ("tools", "prompts", "resources")}
    async with subscribed(app, "memo://a", **lists) as stream:
        await getattr(app, method)(*arguments)
        assert [method for method, _ in await heard(stream)] == [event]

        def from_a_thread() -> None:
            anyio.run(getattr(app, method), *arguments)

        # A program may have its threads, and the app may be told from any of them.
        await anyio.to_thread.run_sync(from_a_thread)
        assert [method for method, _ in await heard(stream)] == [event]


@asynchronous
async def test_prompts_and_resources_may_say_that_something_has_changed() -> None:
    app = declaring({"prompts": {"list_changed": True}, "resources": {"subscribe": True}})
    http = Http(app)
    async with subscribed(app, "memo://a", promptsListChanged=True) as stream:
        await http.call("prompts/get", {"name": "prompt"})
        assert brief(await stream.message()) == (PROMPTS, None)
        await http.call("resources/read", {"uri": "memo://a"})
        assert brief(await stream.message()) == (UPDATED, "memo://a")


@asynchronous
async def test_the_tool_that_was_added_is_in_the_list_when_its_event_arrives() -> None:
    added: list[str] = []

    class Grow(ToolComponent):
        async def execute(self, args: Any, frame: Frame) -> Any:
            added.append("grown")
            send_tools_list_changed(frame)
            return Response.tool().text("added")

    class Growing(ServerBehaviour):
        name = "growing"
        version = "1"
        components = (Grow,)
        capabilities = {"tools": {"list_changed": True}}  # noqa: RUF012

        def init(self, client_info: Any, frame: Frame) -> Ok:
            for name in added:
                frame = frame.register_tool(name)
            return Ok(frame)

    app = Growing.asgi()
    http = Http(app)
    async with subscribed(app, toolsListChanged=True) as stream:
        assert [tool["name"] for tool in (await http.call("tools/list")).result["tools"]] == [
            "grow"
        ]
        await http.tool("grow")
        assert brief(await stream.message()) == (TOOLS, None)
        listed = (await http.call("tools/list")).result["tools"]
        assert [tool["name"] for tool in listed] == ["grow", "grown"]


# On a port.


@pytest.fixture(scope="module", params=PROGRAMS)
def server(request: pytest.FixtureRequest) -> Iterator[ServerProcess]:
    with miniature(request.param) as process:
        yield process


@pytest.mark.parametrize("tool", ["touch", "touch_in_thread"])
def test_on_a_port_an_event_takes_no_second(server: ServerProcess, tool: str) -> None:
    first = listening("memo://a", toolsListChanged=True, id="s-1")
    second = listening(toolsListChanged=True, id=7)
    with ExitStack() as stack:
        one, two = (
            stack.enter_context(SocketStream(server.url, body)).head() for body in (first, second)
        )
        assert [one.message()["method"], two.message()["method"]] == [ACKNOWLEDGED] * 2
        start = time.monotonic()
        said(server.url, tool, uri="memo://b")
        said(server.url, tool, uri="memo://a")
        said(server.url, tool)
        events = [one.message(), one.message(), two.message()]
        assert time.monotonic() - start < 1
    assert [(id_of(e), *brief(e)) for e in events] == [
        ("s-1", UPDATED, "memo://a"),
        ("s-1", TOOLS, None),
        (7, TOOLS, None),
    ]


def test_on_a_port_closing_one_leaves_the_other(server: ServerProcess) -> None:
    with SocketStream(server.url, listening(toolsListChanged=True, id=1)) as staying:
        with SocketStream(server.url, listening(toolsListChanged=True, id=1)) as leaving:
            for stream in (staying.head(), leaving.head()):
                assert stream.message()["method"] == ACKNOWLEDGED
        for _ in range(3):
            said(server.url, "touch")
            assert staying.message()["method"] == TOOLS
