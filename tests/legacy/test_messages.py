"""What a session takes without answering: notifications, and the application's events."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from support.either_era import VERSIONS, EitherEra
from support.log import ServerLog

from anubis_py import Failure, Frame, McpError, MemoryStore, NoReply, Notification, Response

from .parts import Clock, counter, gone, said, settle, tool

pytestmark = pytest.mark.anyio


def noting(self: Any, notification: Notification, frame: Frame) -> Any:
    noted = frame.assigns.get("noted", [])
    return NoReply(frame.assign(noted=[*noted, notification.method]))


async def test_notifications_hand_the_frame_on() -> None:
    async with EitherEra(counter(handle_notification=noting)) as client:
        await client.notify("notifications/roots/list_changed")
        await client.notify("notifications/x", {"a": 1})
        noted = ["notifications/roots/list_changed", "notifications/x"]
        # What belongs to the session itself is not the author's.
        assert await said(client, "assigns") == str([("noted", noted)])


async def test_a_notification_has_a_context_and_its_own_assigns() -> None:
    seen: list[Frame] = []

    def handle_notification(self: Any, notification: Notification, frame: Frame) -> Any:
        seen.append(frame)
        return NoReply(frame)

    server = counter(handle_notification=handle_notification)
    async with EitherEra(server, headers={"X-A": "1"}, auth={"sub": "eve"}) as client:
        client.assigns = {"plan": "free"}
        await client.notify("notifications/x", {"_meta": {"com.example/own": 2}})
        [frame] = seen
        assert frame.assigns == {"plan": "free"}
        assert frame.context.session_id == client.session_id
        assert frame.context.initialized is True
        assert frame.context.request_id is None
        assert frame.context.meta == {"com.example/own": 2}
        assert frame.context.headers == {"x-a": "1"}
        assert frame.subject == "eve"
        client.assigns = {}
        assert await said(client, "assigns") == "[]"


async def test_a_notification_waits_for_its_session() -> None:
    go = anyio.Event()

    async def block(args: Any, frame: Frame) -> Any:
        await go.wait()
        return Response.tool()

    server = counter(handle_notification=noting, tools=(tool("block", block),))
    async with EitherEra(server) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "block")
            await settle()
            tasks.start_soon(client.notify, "notifications/x")
            await settle()
            go.set()
        assert "notifications/x" in await said(client, "assigns")


@pytest.mark.parametrize("failure", [Failure("not now"), Failure(McpError(4711, "not now"))])
async def test_a_failure_is_logged(failure: Failure, server_log: ServerLog) -> None:
    server = counter(handle_notification=lambda self, notification, frame: failure)
    async with EitherEra(server) as client:
        await client.notify("notifications/x")
        server_log.take("notifications/x", "not now", traceback=False)
        assert await said(client, "increment") == "1"


@pytest.mark.parametrize("method", ["notifications/x", "notifications/cancelled"])
async def test_a_notification_without_a_session(method: str) -> None:
    for server in (counter(), counter(handle_notification=noting)):
        client = EitherEra(server, session_id="no-such")
        with pytest.raises(McpError) as refusal:
            await client.notify(method, {"requestId": 1})
        assert (refusal.value.http_status, refusal.value.code) == (404, -32600)


async def test_initialized_twice_is_once() -> None:
    async with EitherEra(counter()) as client:
        await client.notify("notifications/initialized")
        assert await said(client, "increment") == "1"


def hearing(self: Any, event: Any, frame: Frame) -> Any:
    return NoReply(frame.assign(heard=[*frame.assigns.get("heard", []), event]))


async def test_an_event_reaches_every_session_or_one() -> None:
    store = MemoryStore()
    server = counter(handle_info=hearing)
    async with (
        EitherEra(server, store=store) as one,
        EitherEra(server, store=store) as other,
    ):
        await one.publish_event("rain")
        await one.publish_event("sun", session_id=one.session_id)
        assert await said(one, "assigns") == "[('heard', ['rain', 'sun'])]"
        assert await said(other, "assigns") == "[('heard', ['rain'])]"


async def test_an_event_knows_the_session_and_no_request() -> None:
    seen: list[Frame] = []

    def handle_info(self: Any, event: Any, frame: Frame) -> Any:
        seen.append(frame)
        return NoReply()

    async with EitherEra(counter(handle_info=handle_info), auth={"sub": "eve"}) as client:
        await client.publish_event({"any": object})
        [frame] = seen
        assert frame.context.session_id == client.session_id
        assert frame.context.request_id is None
        assert frame.context.client_info["name"] == "anubis_py.testing"
        assert (frame.subject, frame.context.headers) == (None, {})


async def test_a_session_that_fails_keeps_no_other_from_hearing(server_log: ServerLog) -> None:
    def handle_info(self: Any, event: Any, frame: Frame) -> Any:
        if frame.assigns.get("count"):
            raise LookupError("hunter2")
        return hearing(self, event, frame)

    store, server = MemoryStore(), counter(handle_info=handle_info)
    async with EitherEra(server, store=store) as one, EitherEra(server, store=store) as other:
        await said(one, "increment")
        await one.publish_event("rain")
        server_log.take("handle_info", "failed", traceback=True)
        assert await said(one, "increment") == "2"
        assert await said(other, "assigns") == "[('heard', ['rain'])]"


@pytest.mark.parametrize("version", VERSIONS)
async def test_an_event_without_anybody_to_hear_it(version: str) -> None:
    async with EitherEra(counter(), protocol_version=version) as client:
        await client.publish_event("rain")
    client = EitherEra(counter(handle_info=hearing), protocol_version=version)
    await client.publish_event("rain")
    with pytest.raises(McpError) as refusal:
        await client.publish_event("rain", session_id="no-such")
    assert refusal.value.http_status == 404


async def test_an_event_does_not_keep_a_session() -> None:
    def handle_info(self: Any, event: Any, frame: Frame) -> Any:
        return NoReply()

    clock = Clock()
    store = MemoryStore(clock)
    client = EitherEra(counter(handle_info=handle_info), store=store, session_idle=100)
    await client.initialize()
    clock.now += 60
    await client.publish_event("rain")
    clock.now += 60
    await gone(client)
