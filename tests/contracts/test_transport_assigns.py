"""What surrounds the app puts assigns on a request: they reach the frames of that request only."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from support.client import Http, modern

from anubis_py import (
    App,
    Frame,
    NoReply,
    Notification,
    Ok,
    Response,
    ServerBehaviour,
    ToolComponent,
)

pytestmark = pytest.mark.anyio


class Plan(ToolComponent):
    def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().text(str(sorted(frame.assigns.items())))


class Planned(ServerBehaviour):
    name = "planned"
    version = "1"
    components = (Plan,)

    def init(self, client_info: Any, frame: Frame) -> Any:
        return Ok(frame.assign_new("seen", lambda: frame.assigns.get("plan")))


def around(app: App, states: list[Any]) -> Any:
    """What a middleware does: put something on the scope, here the next of `states`."""

    async def middleware(scope: Any, receive: Any, send: Any) -> None:
        state = states.pop(0)
        await app({**scope, "state": state} if state is not ... else scope, receive, send)

    return middleware


async def test_they_reach_every_frame_of_that_request_and_no_other() -> None:
    states = [{"plan": "free"}, ..., {"plan": "enterprise"}, None, {}]
    http = Http(around(Planned.asgi(), states))
    texts = [(await http.tool("plan")).text for _ in range(5)]
    assert texts == [
        "[('plan', 'free'), ('seen', 'free')]",
        "[('seen', None)]",
        "[('plan', 'enterprise'), ('seen', 'enterprise')]",
        "[('seen', None)]",
        "[('seen', None)]",
    ]


async def test_the_surroundings_own_mapping_is_never_changed() -> None:
    state = {"plan": "free"}
    await Http(around(Planned.asgi(), [state])).tool("plan")
    assert state == {"plan": "free"}


async def test_what_changes_behind_the_frames_back_is_not_seen() -> None:
    state: dict[str, Any] = {"plan": "free"}

    class Changing(Planned):
        def init(self, client_info: Any, frame: Frame) -> Any:
            state["plan"] = "changed"
            return Ok(frame)

    assert "free" in (await Http(around(Changing.asgi(), [state])).tool("plan")).text


async def test_requests_at_the_same_time_keep_theirs_apart() -> None:
    both = {"a": anyio.Event(), "b": anyio.Event()}

    class Meet(ToolComponent):
        async def execute(self, args: Any, frame: Frame) -> Any:
            mine = frame.assigns["me"]
            both[mine].set()
            for event in both.values():
                await event.wait()
            return Response.tool().text(frame.assigns["me"])

    class Meeting(ServerBehaviour):
        name = "meeting"
        version = "1"
        components = (Meet,)

    http = Http(around(Meeting.asgi(), [{"me": "a"}, {"me": "b"}]))
    texts: list[str] = []

    async def call() -> None:
        texts.append((await http.tool("meet")).text)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            tasks.start_soon(call)
    assert sorted(texts) == ["a", "b"]


async def test_an_assign_never_touches_the_context() -> None:
    seen: list[Any] = []

    class Seeing(Planned):
        def init(self, client_info: Any, frame: Frame) -> Any:
            seen.append((frame.assigns["context"], frame.context.request_id))
            return Ok(frame)

    http = Http(around(Seeing.asgi(), [{"context": "mine", "plan": 1}]))
    await http.call("tools/list", id="q")
    assert seen == [("mine", "q")]


async def test_notifications_have_theirs_too() -> None:
    seen: list[Any] = []

    class Hearing(Planned):
        def handle_notification(self, notification: Notification, frame: Frame) -> Any:
            seen.append(dict(frame.assigns))
            return NoReply()

    http = Http(around(Hearing.asgi(), [{"plan": "free"}]))
    await http.post({"jsonrpc": "2.0", "method": "notifications/x"})
    assert seen == [{"plan": "free"}]


@pytest.mark.parametrize(
    ("path", "root_path"), [("/svc/mcp", "/svc"), ("/mcp", "/svc"), ("/svc/mcp/", "/svc")]
)
async def test_a_mounted_app_is_found_however_the_mount_tells(path: str, root_path: str) -> None:
    app = Planned.asgi()

    async def mount(scope: Any, receive: Any, send: Any) -> None:
        await app({**scope, "path": path, "root_path": root_path}, receive, send)

    assert (await Http(mount).post(modern("tools/list"))).status == 200
