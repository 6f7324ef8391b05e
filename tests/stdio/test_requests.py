from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from anubis_py import Response, ServerBehaviour, ToolComponent, field, send_progress

from .memory import connected, exchange
from .messages import call, encode, notification, request, text
from .servers import Miniature, napping

pytestmark = pytest.mark.anyio


async def test_a_slow_tool_delays_nobody() -> None:
    napping_server, _ = napping()
    async with connected(napping_server) as peer:
        peer.send(call(1, "nap"), call(2, "echo", {"t": "b"}))
        assert text(await peer.receive()) == "b"
        peer.send(request("c", "tools/list"))
        assert (await peer.receive())["id"] == "c"


@pytest.mark.parametrize("tool", ["steps", "steps_in_thread"])
async def test_what_is_said_meanwhile_comes_before_the_answer_in_order(tool: str) -> None:
    level = {"io.modelcontextprotocol/logLevel": "debug"}
    async with connected(Miniature) as peer:
        peer.send(call(7, tool, progressToken="t", **level))
        messages = [await peer.receive()]
        while "id" not in messages[-1]:
            messages.append(await peer.receive())
    *said, answer = messages
    progress = [m["params"] for m in said if m["method"] == "notifications/progress"]
    assert [params["progress"] for params in progress] == [1, 2, 3, 4, 5]
    assert {params["progressToken"] for params in progress} == {"t"}
    assert [m["method"] for m in said[5:]] == ["notifications/message"] * (tool == "steps")
    assert text(answer) == "five"


async def test_nothing_is_said_to_who_has_not_asked() -> None:
    [answer] = await exchange(Miniature, encode(call(7, "steps")))
    assert text(answer) == "five"


async def test_ids_keep_their_type() -> None:
    answers = await exchange(
        Miniature, encode(call(1, "echo", {"t": "n"})), encode(call("1", "echo", {"t": "s"}))
    )
    assert sorted((type(a["id"]).__name__, text(a)) for a in answers) == [
        ("int", "n"),
        ("str", "s"),
    ]


async def test_an_id_in_flight_is_refused_and_may_be_used_again_later() -> None:
    napping_server, cleaned = napping()
    async with connected(napping_server) as peer:
        peer.send(call(1, "nap"), call(1, "echo", {"t": "second"}))
        refusal = await peer.receive()
        assert (refusal["id"], refusal["error"]["code"]) == (1, -32600)
        peer.send(notification("cancelled", {"requestId": 1}))
        await cleaned.wait()
        await anyio.wait_all_tasks_blocked()
        peer.send(call(1, "echo", {"t": "third"}))
        assert text(await peer.receive()) == "third"


class Modern(Miniature):
    protocol_versions = ("2026-07-28",)


@pytest.mark.parametrize("version", ["2025-11-25", None])
async def test_a_handshake_is_told_which_versions_are_served(version: str | None) -> None:
    params = {"protocolVersion": version} if version else {}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    [answer] = await exchange(Modern, encode(message))
    assert answer["error"]["code"] == -32022
    assert answer["error"]["data"] == {"supported": ["2026-07-28"], "requested": str(version)}


async def test_requests_without_meta_or_of_another_version_where_no_handshake_is_served() -> None:
    bare = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    other = request(2, "tools/list")
    other["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "1999-01-01"
    odd = {"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {"_meta": 5}}
    answers = await exchange(Modern, *map(encode, (bare, other, odd)))
    codes = {answer["id"]: answer["error"]["code"] for answer in answers}
    assert codes == {1: -32602, 2: -32022, 3: -32602}


async def test_other_notifications_reach_the_author() -> None:
    heard: list[str] = []

    class Hearing(Miniature):
        async def handle_notification(self, notification: Any, frame: Any) -> Any:
            heard.append(notification.method)

    await exchange(Hearing, encode(notification("roots/list_changed")))
    assert heard == ["notifications/roots/list_changed"]


async def test_a_tool_that_fails_hurts_nobody_else(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            raise ValueError("secret")

    class Breaking(Miniature):
        components = (*Miniature.components, Broken)

    async with connected(Breaking) as peer:
        peer.send(call(1, "broken", progressToken=1))
        failure = await peer.receive()
        assert failure["result"]["isError"] is True
        peer.send(call(2, "echo", {"t": "alive"}))
        assert text(await peer.receive()) == "alive"


async def test_a_fault_of_the_engine_is_an_answer(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*arguments: Any) -> Any:
        raise ValueError("secret")

    monkeypatch.setattr("anubis_py.engine.stateless.Stateless.require_version", broken)
    [answer] = await exchange(Miniature, encode(request(1, "tools/list")))
    assert answer["error"] == {"code": -32603, "message": "Internal error"}
    assert "secret" in caplog.text


async def test_context_variables_end_with_their_request() -> None:
    note: ContextVar[str] = ContextVar("note", default="nothing")

    class Remember(ToolComponent):
        schema = (field("t", str, required=True),)

        async def execute(self, args: Any, frame: Any) -> Any:
            before = note.get()
            note.set(args["t"])
            await anyio.lowlevel.checkpoint()
            within = await anyio.to_thread.run_sync(note.get)
            return Response.tool().text(f"{before}, {note.get()}, {within}")

    class Remembering(Miniature):
        components = (Remember,)

    # With one task for all of them.
    async with connected(Remembering, max_in_flight=1) as peer:
        for name in ("a", "b"):
            peer.send(call(name, "remember", {"t": name}))
            assert text(await peer.receive()) == f"nothing, {name}, {name}"


class Big(ToolComponent):
    """100 kB."""

    started = 0

    async def execute(self, args: Any, frame: Any) -> Any:
        type(self).started += 1
        return Response.tool().text("x" * 100_000)


class Bulky(ServerBehaviour):
    name = "bulky"
    version = "1"
    components = (Big,)


async def test_a_client_that_does_not_read_makes_the_server_wait() -> None:
    Big.started = 0
    async with connected(Bulky, room=0, max_in_flight=5) as peer:
        for number in range(100):
            peer.send(call(number, "big"))
        await anyio.wait_all_tasks_blocked()
        # One is being written, eleven fill the queue, five wait for room; the rest is unread.
        assert Big.started <= 1 + 11 + 5
        assert peer.stdin.statistics().current_buffer_used > 70
        peer.end()
        answers = await peer.rest()
        assert sorted(answer["id"] for answer in answers) == list(range(100))


async def test_what_is_said_to_a_client_that_does_not_read_is_bounded() -> None:
    class Chatty(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            for step in range(20_000):
                send_progress(frame, step, message="x" * 1000)
            return Response.tool().text("said")

    class Chatting(Miniature):
        components = (Chatty,)

    async with connected(Chatting, room=0) as peer:
        peer.send(call(1, "chatty", progressToken=1))
        await anyio.wait_all_tasks_blocked()
        peer.end()
        *said, answer = await peer.rest()
    steps = [message["params"]["progress"] for message in said]
    assert 100 < len(steps) < 2000
    assert steps == sorted(steps)
    assert steps[-1] == 19_999, "the latest is what counts"
    assert text(answer) == "said"


async def test_no_more_than_so_many_at_once() -> None:
    napping_server, cleaned = napping()
    async with connected(napping_server, max_in_flight=2) as peer:
        peer.send(call(1, "nap"), call(2, "nap"))
        await anyio.wait_all_tasks_blocked()
        peer.send(notification("cancelled", {"requestId": 2}), call(3, "echo", {"t": "c"}))
        assert text(await peer.receive()) == "c"
        assert cleaned.is_set()
