"""The end of a session: by the client, by time, or by want of room."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from support.either_era import EitherEra
from support.log import ServerLog

from anubis_py import Frame, McpError, MemoryStore, NoReply, Response, send_resource_updated

from .parts import Clock, SharedStore, counter, gone, heard, said, settle, tool

pytestmark = pytest.mark.anyio

ENDED: list[tuple[str, Frame]] = []


@pytest.fixture(autouse=True)
def _nothing() -> None:
    ENDED.clear()


async def terminate(self: Any, reason: str, frame: Frame) -> Any:
    ENDED.append((reason, frame))


SERVER = counter(terminate=terminate)


async def test_the_client_ends_it() -> None:
    async with EitherEra(SERVER, capabilities={"roots": {}}) as client:
        await said(client, "increment")
        session_id = client.session_id
        await client.end_session()
        [(reason, frame)] = ENDED
        assert reason == "deleted"
        assert frame.assigns == {"count": 1}
        assert frame.context.session_id == session_id
        assert frame.context.era == "legacy"
        assert frame.context.client_capabilities == {"roots": {}}
        assert frame.context.initialized is True
        for method in ("ping", "tools/list"):
            await gone(client, method)
        with pytest.raises(McpError) as refusal:
            await client.end_session()
        assert refusal.value.http_status == 404
    assert len(ENDED) == 1


async def test_leaving_the_client_ends_it() -> None:
    async with EitherEra(SERVER) as client:
        assert ENDED == []
    assert [reason for reason, _ in ENDED] == ["deleted"]
    assert len(client.engines.sessions) == 0


async def test_a_change_may_be_told_at_the_end() -> None:
    def terminate(self: Any, reason: str, frame: Frame) -> Any:
        send_resource_updated(frame, "rooms:///lobby")

    server = counter(terminate=terminate, capabilities={"resources": {"subscribe": True}})
    store = MemoryStore()
    async with (
        EitherEra(server, store=store) as staying,
        staying.listen(uris=["rooms:///lobby"]) as stream,
    ):
        async with EitherEra(server, store=store):
            pass
        assert (await heard(stream))["params"] == {"uri": "rooms:///lobby"}


async def test_a_crash_ends_it_all_the_same(server_log: ServerLog) -> None:
    def terminate(self: Any, reason: str, frame: Frame) -> Any:
        raise LookupError("hunter2")

    async with EitherEra(counter(terminate=terminate)) as client:
        await client.end_session()
        server_log.take("terminate failed", traceback=True)
        await gone(client)


async def test_what_is_in_flight_is_given_up() -> None:
    ran: list[str] = []

    async def block(args: Any, frame: Frame) -> Any:
        try:
            await anyio.sleep_forever()
        finally:
            ran.append("cancelled")

    server = counter(tools=(tool("block", block),), terminate=terminate)
    async with EitherEra(server) as client:
        results: list[tuple[str, int]] = []

        async def call(name: str) -> None:
            with pytest.raises(McpError) as refusal:
                await client.call_tool(name)
            results.append((name, refusal.value.http_status))

        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call, "block")
                await settle()
                tasks.start_soon(call, "increment")
                await settle()
                await client.end_session()
        assert sorted(results) == [("block", 404), ("increment", 404)]
        assert ran == ["cancelled"]
        assert [reason for reason, _ in ENDED] == ["deleted"]


async def test_time_ends_it() -> None:
    clock = Clock()
    client = EitherEra(SERVER, store=MemoryStore(clock), session_idle=100)
    await client.initialize()
    await said(client, "increment")
    clock.now += 99
    await client.engines.sessions.sweep()
    assert ENDED == []
    clock.now += 1
    await gone(client)
    await client.engines.sessions.sweep()
    assert [(reason, dict(frame.assigns)) for reason, frame in ENDED] == [("expired", {"count": 1})]
    await client.engines.sessions.sweep()
    assert len(ENDED) == 1
    assert len(client.engines.sessions) == 0


@pytest.mark.parametrize("use", ["ping", "notification", "request", "response"])
async def test_every_use_prolongs_it(use: str) -> None:
    clock = Clock()
    client = EitherEra(SERVER, store=MemoryStore(clock), session_idle=100)
    await client.initialize()
    for _ in range(3):
        clock.now += 60
        match use:
            case "ping":
                await client.ping()
            case "notification":
                await client.notify("notifications/x")
            case "request":
                await client.list_tools()
            case "response":
                await client.answer({"id": "x"}, {})
        await client.engines.sessions.sweep()
    assert await said(client, "count") == "0"
    await client.end_session()


async def test_it_does_not_end_while_a_request_runs() -> None:
    clock, go = Clock(), anyio.Event()

    async def block(args: Any, frame: Frame) -> Any:
        await go.wait()
        return Response.tool()

    server = counter(tools=(tool("block", block, timeout=1000),), terminate=terminate)
    client = EitherEra(server, store=MemoryStore(clock), session_idle=100)
    await client.initialize()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "block")
        await settle()
        for _ in range(5):
            clock.now += 60
            await client.engines.sessions.sweep()
        go.set()
    assert ENDED == []
    assert await said(client, "increment") == "1"
    clock.now += 100
    await client.engines.sessions.sweep()
    assert [reason for reason, _ in ENDED] == ["expired"]


async def test_it_does_not_end_while_its_stream_is_open() -> None:
    clock = Clock()
    client = EitherEra(SERVER, store=MemoryStore(clock), session_idle=100)
    await client.initialize()
    async with client.listen():
        for _ in range(5):
            clock.now += 60
            await client.engines.sessions.sweep()
        await client.ping()
    assert ENDED == []
    await client.end_session()


async def test_the_sweeper_runs_by_itself(autojump_clock: Any) -> None:
    client = EitherEra(SERVER, store=MemoryStore(anyio.current_time), session_idle=100)
    await client.initialize()
    await anyio.sleep(99)
    assert ENDED == []
    await client.ping()
    await anyio.sleep(110)
    assert [reason for reason, _ in ENDED] == ["expired"]
    # Nobody is left to be swept away, and nothing goes on; but a new session is seen to.
    await anyio.sleep(1000)
    await client.initialize()
    await anyio.sleep(110)
    assert [reason for reason, _ in ENDED] == ["expired"] * 2


async def test_the_one_that_was_used_longest_ago_makes_room() -> None:
    server = SERVER()
    client = EitherEra(server, max_sessions=2)
    await client.initialize()
    first = client.session_id
    await said(client, "increment")
    await client.initialize()
    second = client.session_id
    client.session_id = first
    await said(client, "increment")
    await client.initialize()
    [(reason, frame)] = ENDED
    assert (reason, frame.context.session_id, frame.assigns) == ("evicted", second, {})
    third, client.session_id = client.session_id, second
    await gone(client)
    client.session_id = first
    assert await said(client, "count") == "2"
    assert third in await client.engines.store.list_active()


async def test_one_that_is_in_use_makes_no_room() -> None:
    go = anyio.Event()

    async def block(args: Any, frame: Frame) -> Any:
        await go.wait()
        return Response.tool()

    client = EitherEra(counter(tools=(tool("block", block),)), max_sessions=1)
    await client.initialize()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "block")
        await settle()
        held = client.session_id
        with pytest.raises(McpError, match="no room") as refusal:
            await client.initialize()
        assert (refusal.value.http_status, refusal.value.code) == (503, -32603)
        client.session_id = held
        go.set()
    assert await said(client, "increment") == "1"


async def test_one_that_hears_of_an_event_makes_no_room() -> None:
    go = anyio.Event()

    async def handle_info(self: Any, event: Any, frame: Frame) -> Any:
        await go.wait()
        return NoReply(frame.assign(heard=event))

    client = EitherEra(counter(handle_info=handle_info, terminate=terminate), max_sessions=1)
    await client.initialize()
    held = client.session_id
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client.publish_event, "rain")
        await settle()
        with pytest.raises(McpError, match="no room"):
            await client.initialize()
        go.set()
    assert ENDED == []
    client.session_id = held
    assert await said(client, "assigns") == "[('heard', 'rain')]"


async def test_where_a_database_has_it_nobody_is_told_to_make_room() -> None:
    client = EitherEra(SERVER, max_sessions=1, store=SharedStore())
    await client.initialize()
    first = client.session_id
    await said(client, "increment")
    await client.initialize()
    assert ENDED == []
    client.session_id = first
    assert await said(client, "increment") == "2"


@pytest.mark.parametrize("store", [MemoryStore, SharedStore])
async def test_another_node_may_end_it(store: Any) -> None:
    shared = store()
    async with EitherEra(SERVER, store=shared) as client:
        await said(client, "increment")
        async with EitherEra(SERVER, store=shared, session_id=client.session_id) as elsewhere:
            await said(elsewhere, "increment")
            await elsewhere.end_session()
        # Once, by who has ended it, with the state that was the newest.
        assert [(reason, dict(f.assigns)) for reason, f in ENDED] == [("deleted", {"count": 2})]
        await gone(client)
        assert len(client.engines.sessions) == 0


async def test_the_end_elsewhere_ends_what_runs_here() -> None:
    async def block(args: Any, frame: Frame) -> Any:
        await anyio.sleep_forever()

    store = MemoryStore()
    server = counter(tools=(tool("block", block),), terminate=terminate)
    async with EitherEra(server, store=store) as client:

        async def call() -> None:
            with pytest.raises(McpError, match="Session not found"):
                await client.call_tool("block")

        async with EitherEra(server, store=store, session_id=client.session_id) as elsewhere:
            with anyio.fail_after(5):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(call)
                    await settle()
                    await elsewhere.end_session()
    assert len(ENDED) == 1


async def test_time_ends_it_once_on_one_of_the_nodes() -> None:
    clock = Clock()
    store = MemoryStore(clock)
    client = EitherEra(SERVER, store=store, session_idle=100)
    await client.initialize()
    elsewhere = EitherEra(SERVER, store=store, session_id=client.session_id, session_idle=100)
    clock.now += 60
    await said(elsewhere, "increment")
    clock.now += 60
    # Activity there, past the time that is counted from here.
    await client.engines.sessions.sweep()
    assert ENDED == []
    assert await said(client, "increment") == "2"
    clock.now += 100
    await elsewhere.engines.sessions.sweep()
    await client.engines.sessions.sweep()
    assert [reason for reason, _ in ENDED] == ["expired"]
