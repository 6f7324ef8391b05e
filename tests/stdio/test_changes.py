"""What a session is told beside its answers."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from revisions.closed_schema import LEGACY

from anubis_py import NoReply, Response, ToolComponent, send_log_message, send_progress
from anubis_py.change import TOOLS_CHANGED
from anubis_py.engine.engines import Engines

from . import messages as modern
from .legacy import call, client_of, greeted, initialize, request
from .messages import listen, subscription, text
from .servers import Echo, Miniature

pytestmark = pytest.mark.anyio

UPDATED = "notifications/resources/updated"
TOOLS = "notifications/tools/list_changed"


@pytest.mark.parametrize("tool", ["steps", "steps_in_thread"])
@pytest.mark.parametrize("version", LEGACY)
async def test_what_is_said_meanwhile_comes_before_the_answer(tool: str, version: str) -> None:
    async with greeted(Miniature, version) as client:
        messages = [await client.ask(call(7, tool, progressToken="t"))]
        while "id" not in messages[-1]:
            messages.append(await client.receive())
    *said, answer = messages
    progress = [m["params"] for m in said if m["method"] == "notifications/progress"]
    assert [params["progress"] for params in progress] == [1, 2, 3, 4, 5]
    assert {params["progressToken"] for params in progress} == {"t"}
    assert [m["method"] for m in said[5:]] == ["notifications/message"] * (tool == "steps")
    assert text(answer) == "five"


async def test_log_messages_of_the_level_that_is_set() -> None:
    class Speak(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            for level in ("debug", "info", "error"):
                send_log_message(frame, level, level)
            return Response.tool().text("said")

    class Speaking(Miniature):
        components = (Speak,)

    async with greeted(Speaking) as client:
        for number, level, heard in (
            (1, None, ["info", "error"]),
            (2, "debug", ["debug", "info", "error"]),
            (3, "warning", ["error"]),
        ):
            if level is not None:
                setting = request("set", "logging/setLevel", {"level": level})
                assert (await client.ask(setting))["result"] == {}
            client.send(call(number, "speak"))
            levels = [(await client.receive())["params"]["level"] for _ in heard]
            assert levels == heard
            assert text(await client.receive()) == "said"


async def test_subscribed_resources() -> None:
    async with greeted(Miniature) as client:
        a, b = {"uri": "memo://a"}, {"uri": "memo://b"}
        assert (await client.ask(request(1, "resources/subscribe", a)))["result"] == {}
        client.send(call(2, "touch", b), call(3, "touch", a))
        messages = [await client.receive() for _ in range(3)]
        assert [m["params"] for m in messages if m.get("method") == UPDATED] == [a]
        assert (await client.ask(request(4, "resources/unsubscribe", a)))["result"] == {}
        client.send(call(5, "touch", a), call(6, "echo", {"t": "quiet"}))
        await anyio.wait_all_tasks_blocked()
        client.peer.end()
        assert [message["id"] for message in await client.rest()] == [5, 6]


async def test_changed_lists_are_told_of_from_the_answer_to_the_handshake_on() -> None:
    # Which task is the first to run is for the event loop to say.
    for _ in range(20):
        async with client_of(Miniature) as client:
            client.send(initialize(0), call(1, "touch"))
            messages = [await client.receive() for _ in range(3)]
        assert messages[0]["id"] == 0
        assert {m.get("method", "answer") for m in messages[1:]} == {"answer", TOOLS}


async def test_what_is_said_to_a_client_that_does_not_read_is_bounded() -> None:
    class Chatty(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            for step in range(20_000):
                send_progress(frame, step, message="x" * 1000)
            return Response.tool().text("said")

    class Chatting(Miniature):
        components = (Chatty,)

    async with greeted(Chatting, room=0) as client:
        client.send(call(1, "chatty", progressToken=1))
        await anyio.wait_all_tasks_blocked()
        client.peer.end()
        *said, answer = await client.peer.rest()
    steps = [message["params"]["progress"] for message in said]
    assert 100 < len(steps) < 2000
    assert steps == sorted(steps)
    assert steps[-1] == 19_999, "the latest is what counts"
    assert text(answer) == "said"


async def test_changes_of_the_last_request_are_told_before_the_end() -> None:
    async with greeted(Miniature) as client:
        client.send(*(call(number, "touch") for number in range(3)))
        client.peer.end()
        messages = await client.rest()
    assert [m["id"] for m in messages if "id" in m] == [0, 1, 2]
    assert TOOLS in [m.get("method") for m in messages]


async def test_changes_reach_both_eras_on_one_channel() -> None:
    async with greeted(Miniature) as client:
        client.peer.send(listen("listening", toolsListChanged=True))
        assert (await client.peer.receive())["method"].endswith("/acknowledged")
        for message in (call(1, "touch"), modern.call(2, "touch")):
            client.peer.send(message)
            messages = [await client.peer.receive() for _ in range(3)]
            [answer] = [m for m in messages if "id" in m]
            assert answer["id"] == message["id"]
            told = [m for m in messages if m.get("method") == TOOLS]
            marked = [m for m in told if "params" in m and "_meta" in m["params"]]
            assert len(told) == 2
            assert [subscription(m) for m in marked] == ["listening"]


async def test_an_apps_changes_and_events_reach_the_session() -> None:
    class Hearing(Miniature):
        components = (Echo,)

        async def handle_info(self, event: Any, frame: Any) -> Any:
            send_log_message(frame, "notice", event)
            return NoReply(frame)

    engines = Engines(Hearing())
    async with greeted(Hearing, engines=engines) as client:
        await anyio.to_thread.run_sync(engines.subscriptions.publish, TOOLS_CHANGED)
        assert (await client.receive())["method"] == TOOLS
        await engines.legacy.intake.inform({"new": "mail"})
        told = await client.receive()
        assert told["params"] == {"level": "notice", "data": {"new": "mail"}}
        client.peer.end()
        assert await client.rest() == []
        await client.peer.ended.wait()
    assert await engines.store.list_active() == []


async def test_a_client_that_does_not_read_costs_no_more_than_so_much() -> None:
    class Loud(Miniature):
        async def handle_info(self, event: Any, frame: Any) -> Any:
            send_log_message(frame, "notice", event)
            return NoReply(frame)

    engines = Engines(Loud())
    async with greeted(Loud, engines=engines, room=0) as client:
        for number in range(5000):
            await engines.legacy.intake.inform([number, "x" * 1000])
        await anyio.wait_all_tasks_blocked()
        client.peer.end()
        messages = await client.rest()
    assert messages[-1]["params"]["data"][0] == 4999, "the latest is what counts"
    assert len(messages) < 3000
