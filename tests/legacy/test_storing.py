"""What of a session is stored, and what happens when that fails."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from support.either_era import EitherEra
from support.log import ServerLog

from anubis_py import Failure, Frame, McpError, MemoryStore, NoReply, Ok, Reply, Response, field
from anubis_py.sessions.record import BadRecord, Record

from .parts import ShakyStore, SharedStore, counter, gone, said, tool

pytestmark = pytest.mark.anyio

UNSTORABLE: dict[str, Any] = {
    "set": {1, 2},
    "datetime": datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    "tuple": (1, 2),
    "bytes": b"x",
    "nested": {"a": [1, {"b": {1}}]},
    "nan": float("nan"),
    "key": {1: "a"},
}


def put(args: Any, frame: Frame) -> Any:
    after = frame.assign(bad=UNSTORABLE[args["what"]], count=99)
    return Failure("no", after) if args["fail"] else Reply(Response.tool(), after)


PUT = tool(
    "put", put, schema=(field("what", str, required=True), field("fail", bool, default=False))
)


@pytest.mark.parametrize("what", UNSTORABLE)
@pytest.mark.parametrize("fail", [False, True])
async def test_what_cannot_be_stored_is_refused_and_the_old_state_stays(
    what: str, fail: bool, server_log: ServerLog
) -> None:
    async with EitherEra(counter(tools=(PUT,)), store=SharedStore()) as client:
        await said(client, "increment")
        with pytest.raises(McpError, match=r"^Internal error \(-32603\)$"):
            await client.call_tool("put", {"what": what, "fail": fail})
        server_log.take("tools/call", "'put'", "'bad'", "serialize_assigns", traceback=False)
        assert await said(client, "assigns") == "[('count', 1)]"
        assert await said(client, "increment") == "2"


async def test_an_open_file_cannot_be_stored(server_log: ServerLog) -> None:
    def init(self: Any, client_info: Any, frame: Frame) -> Any:
        with open(__file__) as file:
            return Ok(frame.assign(file=file))

    client = EitherEra(counter(init=init), store=SharedStore())
    with pytest.raises(McpError, match=r"^Internal error \(-32603\)$"):
        await client.initialize()
    server_log.take("init", "'file'", "TextIOWrapper", traceback=False)
    assert await client.engines.store.list_active() == []


async def test_notifications_and_events_are_told_in_the_log(server_log: ServerLog) -> None:
    def take(self: Any, what: Any, frame: Frame) -> Any:
        return NoReply(frame.assign(bad={1}))

    server = counter(handle_notification=take, handle_info=take)
    async with EitherEra(server, store=SharedStore()) as client:
        with pytest.raises(McpError):
            await client.notify("notifications/x")
        server_log.take("notifications/x", "'bad'", traceback=False)
        await client.publish_event("rain")
        server_log.take("handle_info", "'bad'", traceback=False)
        assert await said(client, "assigns") == "[]"


async def test_memory_keeps_any_object() -> None:
    async with EitherEra(counter(tools=(PUT,))) as client:
        await client.call_tool("put", {"what": "set"})
        assert await said(client, "assigns") == "[('bad', {1, 2}), ('count', 99)]"


async def test_serialize_assigns_says_what_is_kept() -> None:
    def serialize_assigns(self: Any, assigns: Mapping[str, Any]) -> Any:
        return {"count": assigns.get("count", 0), "set": sorted(assigns.get("bad", ()))}

    def handle_session_expired(self: Any, session_id: str, frame: Frame) -> Any:
        assert frame.assigns == {"count": 99, "set": [1, 2]}
        return Ok(frame.assign(bad=set(frame.assigns["set"])))

    server = counter(
        tools=(PUT,),
        serialize_assigns=serialize_assigns,
        handle_session_expired=handle_session_expired,
    )
    store = SharedStore()
    async with EitherEra(server, store=store) as client:
        await client.call_tool("put", {"what": "set"})
        assert await said(client, "assigns") == "[('bad', {1, 2}), ('count', 99)]"
        other = EitherEra(server, store=store, session_id=client.session_id)
        assert "('bad', {1, 2})" in await said(other, "assigns")


async def test_serialize_assigns_that_fails(server_log: ServerLog) -> None:
    for body in (lambda self, assigns: None, lambda self, assigns: {"a": {1}}):
        broken = [False]
        good = counter(
            serialize_assigns=lambda self, a, b=body, on=broken: b(self, a) if on[0] else a
        )
        async with EitherEra(good, store=SharedStore()) as client:
            await said(client, "increment")
            broken[0] = True
            with pytest.raises(McpError, match=r"^Internal error"):
                await said(client, "increment")
            broken[0] = False
            assert await said(client, "increment") == "2"
        assert len(server_log.records) == 1
        server_log.clear()


class GarbageStore(SharedStore):
    garbage = False

    async def load(self, session_id: str) -> Record | None:
        if self.garbage:
            raise BadRecord("its format is 7, not 1")
        return await super().load(session_id)


async def test_a_record_that_is_garbage_is_no_session(server_log: ServerLog) -> None:
    store = GarbageStore()
    client = EitherEra(counter(), store=store)
    await client.initialize()
    store.garbage = True
    await gone(client, "tools/list")
    server_log.take("record", "its format is 7", traceback=False)
    assert len(client.engines.sessions) == 0


async def test_a_store_that_is_down_loses_nothing(server_log: ServerLog) -> None:
    store = ShakyStore()
    client = EitherEra(counter(), store=store)
    await client.initialize()
    await said(client, "increment")
    store.down = True
    attempts = (
        lambda: client.ping(),
        lambda: client.list_tools(),
        lambda: client.call_tool("increment"),
        lambda: client.notify("notifications/x"),
        lambda: client.answer({"id": "x"}, {}),
        lambda: client.end_session(),
        lambda: client.initialize(),
    )
    for attempt in attempts:
        session_id = client.session_id
        with pytest.raises(McpError) as refusal:
            await attempt()
        assert (refusal.value.http_status, refusal.value.code) == (503, -32603)
        assert "10.1.2.3" not in str(refusal.value)
        server_log.take("the session store is down", "10.1.2.3", traceback=False)
        client.session_id = session_id
    store.down = False
    assert await said(client, "increment") == "2"
    await client.end_session()


async def test_a_store_that_goes_down_meanwhile_loses_that_request_only(
    server_log: ServerLog,
) -> None:
    store = ShakyStore()

    def pull(args: Any, frame: Frame) -> Any:
        store.down = True
        return Reply(Response.tool(), frame.assign(count=99))

    async with EitherEra(counter(tools=(tool("pull", pull),)), store=store) as client:
        await said(client, "increment")
        with pytest.raises(McpError) as refusal:
            await client.call_tool("pull")
        assert refusal.value.http_status == 503
        server_log.take("the session store is down")
        store.down = False
        assert await said(client, "increment") == "2"


async def test_a_handshake_that_cannot_be_stored_leaves_nothing(server_log: ServerLog) -> None:
    store = ShakyStore()
    client = EitherEra(counter(), store=store)
    store.down = True
    with pytest.raises(McpError) as refusal:
        await client.initialize()
    assert (refusal.value.http_status, client.session_id) == (503, None)
    server_log.take("the session store is down")
    assert len(client.engines.sessions) == 0
    store.down = False
    async with client:
        assert await said(client, "increment") == "1"


async def test_the_sweeper_outlives_a_store_that_is_down(
    autojump_clock: Any, server_log: ServerLog
) -> None:
    ended: list[str] = []

    async def terminate(self: Any, reason: str, frame: Frame) -> Any:
        ended.append(reason)

    store = ShakyStore(anyio.current_time)
    client = EitherEra(counter(terminate=terminate), store=store, session_idle=100)
    await client.initialize()
    store.down = True
    await anyio.sleep(50)
    store.down = False
    assert all("were not removed" in r.getMessage() for r in server_log.records)
    await anyio.sleep(100)
    assert ended == ["expired"]


async def test_nothing_is_written_when_nothing_changes() -> None:
    class Counting(MemoryStore):
        saves = 0

        async def save(self, *args: Any, **kw: Any) -> bool:
            self.saves += 1
            return await super().save(*args, **kw)

    store = Counting()
    async with EitherEra(counter(), store=store) as client:
        before = store.saves
        await client.list_tools()
        await client.ping()
        await said(client, "count")
        assert store.saves == before
        await said(client, "increment")
        assert store.saves == before + 1


async def test_a_session_that_is_removed_meanwhile_keeps_nothing() -> None:
    store = SharedStore()

    async def remove(args: Any, frame: Frame) -> Any:
        await store.delete(frame.context.session_id or "")
        return Reply(Response.tool(), frame.assign(count=99))

    async with EitherEra(counter(tools=(tool("remove", remove),)), store=store) as client:
        with pytest.raises(McpError) as refusal:
            await client.call_tool("remove")
        assert (refusal.value.http_status, refusal.value.code) == (404, -32600)
        await gone(client)
