"""What is said beside an answer costs little, and a stream that says nothing no task.

The bounds are what was counted when they were written, and a tenth more.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import anyio
import anyio.lowlevel
import attrs
import pytest
from support.asgi_stream import scope_of
from support.client import calling, listening, modern_headers

from anubis_py import (
    App,
    Frame,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    field,
    send_progress,
)

from .counting import Counted, counting

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("anyio_backend", ["asyncio"]),
    # 3.12 and later inline comprehensions and count differently.
    pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="counted on CPython 3.11"),
]


class Tell(ToolComponent):
    """Tell of every step, and give way behind each."""

    schema = (field("steps", int, required=True),)

    async def execute(self, args: dict[str, int], frame: Frame) -> Any:
        for step in range(1, args["steps"] + 1):
            send_progress(frame, step)
            await anyio.lowlevel.checkpoint()
        return Response.tool().text("told")


class Note(ResourceComponent):
    uri = "memo://a"

    def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().text("a note")


class Telling(ServerBehaviour):
    name = "telling"
    version = "1"
    components = (Tell, Note)
    capabilities = {"resources": {"subscribe": True}}  # noqa: RUF012


@attrs.define(eq=False)
class Client:
    """Stays until it leaves, and keeps what it gets."""

    parts: list[bytes] = attrs.field(factory=list)
    _left: anyio.Event = attrs.field(factory=anyio.Event)

    async def ask(self, app: App, body: dict[str, Any]) -> None:
        given = [json.dumps(body).encode()]

        async def receive() -> dict[str, Any]:
            if given:
                return {"type": "http.request", "body": given.pop()}
            await self._left.wait()
            return {"type": "http.disconnect"}

        async def send(event: Any) -> None:
            if event["type"] == "http.response.body":
                self.parts.append(event["body"])

        await app(scope_of(modern_headers(body)), receive, send)

    def leave(self) -> None:
        self._left.set()


async def told(steps: int) -> tuple[Counted, list[bytes]]:
    app, client = Telling.asgi(), Client()
    await Client().ask(app, calling("tell", {"steps": 1}, token="t"))
    for _ in range(5):
        await anyio.lowlevel.checkpoint()
    with counting() as counted:
        await client.ask(app, calling("tell", {"steps": steps}, token="t"))
    return counted, client.parts


# From `send_progress` to what the ASGI server is given.
PLACES = (
    "/effects.py",
    "/annotations.py",
    "/loop.py",
    "/engine/exchange.py",
    "/engine/outbox.py",
    "/engine/bell.py",
    "/http/sse.py",
    "/http/patience.py",
)


def on_the_way(counted: Counted) -> int:
    called = counted.calls.items()
    return sum(count for name, count in called if name.rpartition(":")[0].endswith(PLACES))


async def test_a_token_alone_takes_no_task() -> None:
    counted, [answer] = await told(0)
    assert b'"told"' in answer
    assert counted.tasks == 0


async def test_a_notification_takes_no_task_and_no_scope_of_its_own() -> None:
    few, _ = await told(10)
    many, parts = await told(110)
    assert b"".join(parts).count(b"notifications/progress") == 110
    assert many.tasks == few.tasks == 1
    assert many.of("deadline.py:__enter__") == few.of("deadline.py:__enter__")
    # Two that are said one right after the other leave together.
    assert len(parts) <= 60
    assert (on_the_way(many) - on_the_way(few)) / 100 <= 19


async def test_what_is_said_leaves_when_its_callback_waits() -> None:
    going_on = anyio.Event()

    class Wait(ToolComponent):
        async def execute(self, args: Any, frame: Frame) -> Any:
            for step in (1, 2):
                send_progress(frame, step)
                await going_on.wait() if step == 2 else await anyio.lowlevel.checkpoint()
            return Response.tool().text("waited")

    class Waiting(ServerBehaviour):
        name = "waiting"
        version = "1"
        components = (Wait,)

    client = Client()
    async with anyio.create_task_group() as group:
        group.start_soon(client.ask, Waiting.asgi(), calling("wait", token="t"))
        await anyio.wait_all_tasks_blocked()
        assert b"".join(client.parts).count(b"notifications/progress") == 2
        going_on.set()
    assert b'"waited"' in b"".join(client.parts)


async def test_a_listener_has_no_task_beside_its_own() -> None:
    app, client = Telling.asgi(), Client()
    async with anyio.create_task_group() as group:
        await Client().ask(app, calling("tell", {"steps": 0}))
        with counting() as counted:
            group.start_soon(client.ask, app, listening("memo://a"))
            await anyio.wait_all_tasks_blocked()
            for _ in range(10):
                await app.send_resource_updated("memo://a")
                await anyio.wait_all_tasks_blocked()
        assert len(client.parts) == 11
        assert counted.tasks == 1
        client.leave()
