"""`handle_notification`: hears of what the client tells; nothing is ever answered."""

from __future__ import annotations

from typing import Any

import pytest
from support.client import CheckedClient, Http
from support.log import ServerLog

from anubis_py import Failure, Frame, McpError, NoReply, Notification, Reply, ServerBehaviour

pytestmark = pytest.mark.anyio

HEARD: list[tuple[Notification, Frame]] = []


def hearing(give: Any) -> type[ServerBehaviour]:
    class Hearing(ServerBehaviour):
        name = "hearing"
        version = "1"

        def handle_notification(self, notification: Notification, frame: Frame) -> Any:
            HEARD.append((notification, frame))
            if isinstance(give, Exception):
                raise give
            return give

    return Hearing


@pytest.fixture(autouse=True)
def _unheard() -> None:
    HEARD.clear()


def note(method: str = "notifications/x", **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


async def test_it_gets_the_notification_and_a_frame() -> None:
    answer = await Http(hearing(NoReply())).post(note(a=1, _meta={"com.example/own": 2}))
    assert answer.status == 202
    assert answer.message is None
    ((notification, frame),) = HEARD
    assert notification.method == "notifications/x"
    assert notification.params["a"] == 1
    assert frame.context.request_id is None
    assert frame.context.meta == {"com.example/own": 2}
    assert frame.context.headers["host"] == "127.0.0.1:8000"
    assert frame.context.remote_ip == "127.0.0.1"


async def test_in_process_too() -> None:
    client = CheckedClient(hearing(NoReply()), assigns={"plan": "free"}, auth={"sub": "eve"})
    await client.notify("notifications/x", {"a": 1})
    ((notification, frame),) = HEARD
    assert (notification.method, notification.params) == ("notifications/x", {"a": 1})
    assert frame.assigns == {"plan": "free"}
    assert frame.subject == "eve"


async def test_without_it_notifications_are_taken_and_dropped() -> None:
    class Deaf(ServerBehaviour):
        name = "deaf"
        version = "1"

    http = Http(Deaf)
    assert (await http.post(note())).status == 202
    await http.alive()


@pytest.mark.parametrize("failure", [Failure("not now"), Failure(McpError(4711, "not now"))])
async def test_a_failure_is_logged_and_not_answered(
    failure: Failure, server_log: ServerLog
) -> None:
    http = Http(hearing(failure))
    assert (await http.post(note())).message is None
    server_log.take("notifications/x", "not now", traceback=False)
    await http.alive()


async def test_a_crash_is_logged_and_not_answered(server_log: ServerLog) -> None:
    http = Http(hearing(LookupError("hunter2")))
    answer = await http.post(note())
    assert (answer.status, answer.message) == (202, None)
    await http.alive()
    lines = [r for r in server_log.records if r.exc_info]
    assert len(lines) == 1
    assert "notifications/x" in lines[0].getMessage()
    server_log.clear()


@pytest.mark.parametrize("junk", [None, "ok", Reply({}), Frame()], ids=repr)
async def test_anything_else_is_told_in_the_log(junk: Any, server_log: ServerLog) -> None:
    http = Http(hearing(junk))
    answer = await http.post(note())
    assert (answer.status, answer.message) == (202, None)
    await http.alive()
    server_log.take("handle_notification", "returned", "it may return NoReply", traceback=False)
    server_log.clear()


async def test_an_mcp_error_raised_is_a_failure(server_log: ServerLog) -> None:
    assert (await Http(hearing(McpError(4711, "not now"))).post(note())).status == 202
    server_log.take("notifications/x", "not now", traceback=False)


async def test_a_notification_with_odd_metadata_is_no_crash() -> None:
    http = Http(hearing(NoReply()))
    metas: tuple[Any, ...] = (None, 5, [], "x")
    for meta in metas:
        answer = await http.post(note(_meta=meta))
        assert answer.status in (202, 400)
    await http.alive()
