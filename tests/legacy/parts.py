"""What the tests of sessions are made of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

import anyio
import attrs
import pytest
from support.either_era import EitherEra, text_of

from anubis_py import (
    Frame,
    McpError,
    MemoryStore,
    Reply,
    Response,
    ServerBehaviour,
    ToolComponent,
)
from anubis_py.sessions.record import Record
from anubis_py.sessions.store import StoreDown
from anubis_py.testing import Subscription


class Increment(ToolComponent):
    """Counts in the session, and says where it is."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        count = frame.assigns.get("count", 0) + 1
        return Reply(Response.tool().text(str(count)), frame.assign(count=count))


class Count(ToolComponent):
    async def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().text(str(frame.assigns.get("count", 0)))


class Assigns(ToolComponent):
    """Tells the assigns that the request finds."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().text(str(sorted(frame.assigns.items())))


class Counter(ServerBehaviour):
    name = "counter"
    version = "1"
    components: Any = (Increment, Count, Assigns)


def counter(**members: Any) -> type[ServerBehaviour]:
    """A Counter with these callbacks and attributes, and with these `tools` besides."""
    tools = members.pop("tools", ())
    members["components"] = (*Counter.components, *tools)
    made: type[ServerBehaviour] = type("Made", (Counter,), members)
    return made


def tool(name: str, execute: Callable[[Any, Frame], Any], **members: Any) -> ToolComponent:
    """A tool of a function, which may be async."""
    made: type[ToolComponent] = type(
        "Made", (ToolComponent,), {"name": name, "execute": _method(execute), **members}
    )
    return made()


def _method(execute: Callable[[Any, Frame], Any]) -> Callable[[Any, Any, Frame], Awaitable[Any]]:
    async def method(self: Any, args: Any, frame: Frame) -> Any:
        value = execute(args, frame)
        return await value if isinstance(value, Awaitable) else value

    return method


@attrs.define
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


class SharedStore(MemoryStore):
    """Memory that says of itself what a database would: it keeps JSON."""

    shared: ClassVar[bool] = True

    async def save(
        self, session_id: str, record: Record, ttl: float | None, *, new: bool = False
    ) -> bool:
        return await super().save(session_id, Record.decode(record.encode()), ttl, new=new)


class ShakyStore(SharedStore):
    """One that is down whenever it is told so."""

    down = False

    def _require_up(self) -> None:
        if self.down:
            raise StoreDown("no route to db://svc:hunter2@10.1.2.3")

    async def save(
        self, session_id: str, record: Record, ttl: float | None, *, new: bool = False
    ) -> bool:
        self._require_up()
        return await super().save(session_id, record, ttl, new=new)

    async def load(self, session_id: str) -> Record | None:
        self._require_up()
        return await super().load(session_id)

    async def touch(self, session_id: str, ttl: float) -> bool:
        self._require_up()
        return await super().touch(session_id, ttl)

    async def delete(self, session_id: str) -> bool:
        self._require_up()
        return await super().delete(session_id)

    async def cleanup_expired(self) -> dict[str, Record | None]:
        self._require_up()
        return await super().cleanup_expired()


async def said(client: EitherEra, name: str, **arguments: Any) -> str:
    """The text of a tool."""
    return text_of(await client.call_tool(name, arguments))


async def gone(client: EitherEra, method: str = "ping") -> None:
    """The session is not there: what makes a client begin anew."""
    with pytest.raises(McpError) as refusal:
        await client.request(method)
    assert (refusal.value.http_status, refusal.value.code) == (404, -32600)


async def heard(stream: Subscription) -> dict[str, Any]:
    """The next message of a stream, which has to come."""
    with anyio.fail_after(5):
        return await stream.receive()


async def settle() -> None:
    """Let every other task get as far as it can."""
    await anyio.wait_all_tasks_blocked()
