from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import anyio
import pytest
from revisions.closed_schema import LEGACY

from anubis_py import Failure, McpError, Ok, Reply, Response, ToolComponent

from . import messages as modern
from .legacy import INITIALIZED, NEWEST, call, client_of, greeted, initialize, request
from .messages import notification, text
from .servers import Echo, Miniature

pytestmark = pytest.mark.anyio


class Seen(ToolComponent):
    """What a callback is told, and how often this session has called it."""

    async def execute(self, args: Any, frame: Any) -> Any:
        count = frame.assigns.get("count", 0) + 1
        context = frame.context
        said = f"{context.protocol_version} {context.initialized} {count} {context.session_id}"
        return Reply(Response.tool().text(said), frame.assign(count=count))


class Seeing(Miniature):
    components: Iterable[Any] = (Seen, Echo)


@pytest.mark.parametrize(
    ("asked", "agreed"), [*((v, v) for v in LEGACY), ("2024-11-05", NEWEST), ("2026-07-28", NEWEST)]
)
async def test_the_revision_is_agreed_on(asked: str, agreed: str) -> None:
    async with client_of(Seeing) as client:
        client.rules.version = agreed
        opened = (await client.ask(initialize(0, asked)))["result"]
        assert opened["protocolVersion"] == agreed
        assert opened["serverInfo"]["name"] == "miniature"
        assert opened["capabilities"]["tools"] == {"listChanged": True}
        client.send(INITIALIZED)
        version, initialized, *_ = text(await client.ask(call(1, "seen"))).split()
        assert (version, initialized) == (agreed, "True")


async def test_a_client_that_does_not_wait_for_the_answer_is_served_in_order() -> None:
    async with client_of(Seeing) as client:
        client.send(initialize(0), call(1, "seen"), INITIALIZED, call(2, "seen"), call(3, "seen"))
        client.peer.end()
        opened, *answers = await client.rest()
    assert opened["id"] == 0
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    assert [text(answer).split()[1:3] for answer in answers] == [
        ["False", "1"],
        ["True", "2"],
        ["True", "3"],
    ]


async def test_before_the_handshake_there_is_only_ping() -> None:
    async with client_of(Seeing) as client:
        assert (await client.ask(request("p", "ping"))) == {
            "jsonrpc": "2.0",
            "id": "p",
            "result": {},
        }
        refusal = await client.ask(request("q", "tools/list"))
        assert (refusal["id"], refusal["error"]["code"]) == ("q", -32600)
        assert refusal["error"]["message"].startswith("Not initialized: send initialize first")
        await client.greet()
        assert len((await client.ask(request("q", "tools/list")))["result"]["tools"]) == 2


async def test_what_is_sent_before_the_handshake_is_answered_waits_for_it() -> None:
    release = anyio.Event()

    class Slow(Seeing):
        async def init(self, client_info: Any, frame: Any) -> Any:
            if frame.context.era == "legacy":
                await release.wait()
            return Ok(frame)

    async with client_of(Slow) as client:
        client.send(initialize(0), call(1, "echo", {"t": "a"}), request(2, "ping"))
        client.send(modern.call(3, "echo", {"t": "b"}))
        assert {(await client.receive())["id"] for _ in range(2)} == {2, 3}
        client.send(modern.cancelled(0))
        await anyio.wait_all_tasks_blocked()
        release.set()
        assert [(await client.receive())["id"] for _ in range(2)] == [0, 1]


async def test_a_rejected_client_has_no_session_and_may_try_again() -> None:
    class Choosy(Seeing):
        def init(self, client_info: Any, frame: Any) -> Any:
            if "elicitation" in frame.context.client_capabilities:
                return Ok(frame.assign(count=10))
            return Failure(McpError(-32001, "not you"))

    async with client_of(Choosy) as client:
        client.send(initialize(0), call(1, "seen"))
        refusal, other = await client.receive(), await client.receive()
        assert (refusal["id"], refusal["error"]["code"]) == (0, -32001)
        assert (other["id"], other["error"]["code"]) == (1, -32600)
        await client.greet(elicitation={})
        assert text(await client.ask(call(2, "seen"))).split()[2] == "11"


@pytest.mark.parametrize("params", [{}, {"protocolVersion": 1, "_meta": 5}])
async def test_a_malformed_handshake_is_refused(params: Any) -> None:
    async with client_of(Seeing) as client:
        refusal = await client.ask(request(0, "initialize", params))
        assert (refusal["id"], refusal["error"]["code"]) == (0, -32602)


async def test_another_handshake_begins_another_session() -> None:
    ended: list[tuple[Any, Any, Any]] = []

    class Ending(Seeing):
        def terminate(self, reason: Any, frame: Any) -> None:
            ended.append((frame.context.session_id, reason, frame.assigns["count"]))

    async with greeted(Ending) as client:
        *_, count, first = text(await client.ask(call(1, "seen"))).split()
        await client.greet("2025-06-18")
        assert ended == [(first, "closed", 1)]
        version, _, count, second = text(await client.ask(call(2, "seen"))).split()
        assert (version, count) == ("2025-06-18", "1")
        assert second != first
        # The stream of the old one has ended, that of the new one goes on.
        client.send(call(3, "seen"))
        client.peer.end()
        await client.rest()
        await client.peer.ended.wait()
    assert ended[1:] == [(second, "closed", 2)]


async def test_a_handshake_that_fails_leaves_the_session_as_it_was() -> None:
    async with greeted(Seeing) as client:
        await client.ask(call(1, "seen"))
        assert "error" in await client.ask(request(2, "initialize"))
        assert text(await client.ask(call(3, "seen"))).split()[2] == "2"


async def test_notifications_belong_to_the_session() -> None:
    heard: list[tuple[str, Any]] = []

    class Hearing(Seeing):
        async def handle_notification(self, notification: Any, frame: Any) -> Any:
            heard.append((notification.method, frame.assigns.get("count")))

    async with greeted(Hearing) as client:
        client.send(call(1, "seen"), notification("roots/list_changed"), call(2, "seen"))
        await client.receive()
        await client.receive()
    assert heard == [("notifications/roots/list_changed", 1)]


async def test_a_notification_that_fails_hurts_nobody(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: Any) -> Any:
        raise ValueError("secret")

    async with greeted(Seeing) as client:
        await client.ask(request(1, "ping"))
        monkeypatch.setattr("anubis_py.engine.legacy.intake.Intake.notify", broken)
        client.send(notification("roots/list_changed"))
        assert "result" in await client.ask(call(2, "seen"))
    assert "roots/list_changed was not taken" in caplog.text


async def test_a_request_that_fails_hurts_nobody(server_log: Any) -> None:
    class Broken(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            raise ValueError("secret")

    class Breaking(Seeing):
        components = (Broken, Echo)

    async with greeted(Breaking) as client:
        failure = await client.ask(call(1, "broken"))
        assert failure["result"]["isError"] is True
        assert text(await client.ask(call(2, "echo", {"t": "alive"}))) == "alive"
    server_log.take("broken", traceback=True)


@pytest.mark.parametrize(
    "respond",
    [
        lambda: {"jsonrpc": "2.0", "id": 1, "result": {}},
        lambda: {"jsonrpc": "2.0", "id": "x.1", "error": {"code": 1, "message": "no"}},
        lambda: {"jsonrpc": "2.0", "id": "unattended.1", "result": {}},
    ],
)
async def test_responses_to_nothing_are_ignored(respond: Callable[[], Any]) -> None:
    async with client_of(Seeing) as client:
        client.send(respond(), initialize(0), respond(), INITIALIZED, respond(), call(1, "seen"))
        client.peer.end()
        assert [message["id"] for message in await client.rest()] == [0, 1]
