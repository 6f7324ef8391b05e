"""A session that goes on at another node, or comes back to one that has its state of before."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from support.either_era import ALL, LEGACY, EitherEra
from support.log import ServerLog

from anubis_py import Failure, Frame, McpError, MemoryStore, NoReply, Ok, Reply, Response
from anubis_py.change import resource_updated

from .parts import SharedStore, counter, heard, said, tool

pytestmark = pytest.mark.anyio

SEEN: list[tuple[str, Any, Frame]] = []


@pytest.fixture(autouse=True)
def _unseen() -> None:
    SEEN.clear()


def elsewhere(client: EitherEra, server: Any = None, **options: Any) -> EitherEra:
    """The session of a client at another node."""
    options.setdefault("session_id", client.session_id)
    return EitherEra(server or type(client.server), store=client.engines.store, **options)


@pytest.fixture(params=[MemoryStore, SharedStore])
def store(request: pytest.FixtureRequest) -> MemoryStore:
    made: MemoryStore = request.param()
    return made


@pytest.mark.parametrize("version", LEGACY)
async def test_it_goes_on_as_if_nothing_were(version: str, store: MemoryStore) -> None:
    seen: list[Frame] = []

    def look(args: Any, frame: Frame) -> Any:
        seen.append(frame)
        return Response.tool()

    info = {"name": "ada", "version": "2"}
    client = EitherEra(
        counter(tools=(tool("look", look),), capabilities=["logging"]),
        protocol_version=version,
        store=store,
        client_info=info,
        capabilities=ALL,
    )
    await client.initialize()
    other = elsewhere(client)
    await other.notify("notifications/initialized")
    assert await said(other, "increment") == "1"
    assert await said(client, "increment") == "2"
    assert await said(other, "increment") == "3"
    await client.set_log_level("error")
    await other.call_tool("look")
    context = seen[0].context
    assert context.protocol_version == version
    assert context.client_info == info
    assert context.client_capabilities.keys() == ALL.keys()
    assert (context.initialized, context.log_level) == (True, "error")
    await other.answer({"id": "x"}, {})
    async with other.listen():
        pass
    await other.end_session()
    for each in (client, other):
        with pytest.raises(McpError) as refusal:
            await each.ping()
        assert refusal.value.http_status == 404


async def test_every_kind_of_message_may_be_the_first_there(store: MemoryStore) -> None:
    def handle_notification(self: Any, notification: Any, frame: Frame) -> Any:
        return NoReply(frame.assign(noted=1))

    client = EitherEra(counter(handle_notification=handle_notification), store=store)
    await client.initialize()
    await elsewhere(client).ping()
    await elsewhere(client).notify("notifications/x")
    await elsewhere(client).notify("notifications/cancelled", {"requestId": 7})
    await elsewhere(client).answer({"id": "x"}, {})
    async with elsewhere(client).listen():
        pass
    assert await said(elsewhere(client), "assigns") == "[('noted', 1)]"
    await elsewhere(client).end_session()


def init(self: Any, client_info: Any, frame: Frame) -> Any:
    SEEN.append(("init", client_info, frame))
    frame = frame.assign(count=frame.assigns.get("count", 0) + 100, fresh=len(SEEN))
    return Ok(frame.register_tool("runtime"))


def handle_tool_call(self: Any, name: str, args: Any, frame: Frame) -> Any:
    return Response.tool().text(f"I am {name}")


async def test_without_the_callback_init_runs_and_what_was_stored_wins(store: MemoryStore) -> None:
    server = counter(init=init, handle_tool_call=handle_tool_call)
    info = {"name": "ada", "version": "2"}
    client = EitherEra(server, store=store, client_info=info)
    await client.initialize()
    assert await said(client, "increment") == "101"
    other = elsewhere(client, headers={"X-A": "1"})
    assert await said(other, "assigns") == "[('count', 101), ('fresh', 1)]"
    assert await said(other, "runtime") == "I am runtime"
    [_, (_, client_info, frame)] = SEEN
    assert client_info == info
    assert frame.assigns == {"count": 101, "fresh": 1}
    assert frame.context.session_id == client.session_id
    assert frame.context.headers == {"x-a": "1"}
    assert await said(other, "increment") == "102"
    assert len(SEEN) == 2


async def test_what_init_adds_is_there(store: MemoryStore) -> None:
    client = EitherEra(counter(), store=store)
    await client.initialize()
    other = elsewhere(client, counter(init=init, handle_tool_call=handle_tool_call))
    assert await said(other, "assigns") == "[('count', 100), ('fresh', 1)]"


def resuming(give: Any) -> Any:
    def handle_session_expired(self: Any, session_id: str, frame: Frame) -> Any:
        SEEN.append(("expired", session_id, frame))
        return give(frame)

    return counter(
        init=init, handle_tool_call=handle_tool_call, handle_session_expired=handle_session_expired
    )


async def test_the_callback_takes_it_up_instead_of_init(store: MemoryStore) -> None:
    server = resuming(lambda frame: Ok(frame.assign(resumed=1).register_tool("again")))
    client = EitherEra(server, store=store)
    await client.initialize()
    await said(client, "increment")
    other = elsewhere(client, auth=None, headers={"X-A": "1"})
    assert await said(other, "assigns") == "[('count', 101), ('fresh', 1), ('resumed', 1)]"
    assert await said(other, "again") == "I am again"
    [(first, *_), (second, session_id, frame)] = SEEN
    assert (first, second, session_id) == ("init", "expired", client.session_id)
    assert frame.assigns == {"count": 101, "fresh": 1}
    assert frame.context.session_id == client.session_id
    assert frame.context.headers == {"x-a": "1"}
    assert frame.context.client_info["name"] == "anubis_py.testing"


async def test_the_callback_may_know_the_client_better(store: MemoryStore) -> None:
    seen: list[Any] = []

    def look(args: Any, frame: Frame) -> Any:
        seen.append(dict(frame.context.client_info))
        return Response.tool()

    better = {"name": "eve", "version": "3"}

    def handle_session_expired(self: Any, session_id: str, frame: Frame) -> Any:
        return Ok(frame, better)

    server = counter(handle_session_expired=handle_session_expired, tools=(tool("look", look),))
    client = EitherEra(server, store=store)
    await client.initialize()
    other = elsewhere(client)
    await other.call_tool("look")
    await elsewhere(client, counter(tools=(tool("look", look),))).call_tool("look")
    assert seen == [better, better]


@pytest.mark.parametrize(
    ("reason", "error"),
    [
        (McpError(4711, "Not here", {"a": 1}), (4711, "Not here", {"a": 1})),
        ("not here", (-32603, "not here", None)),
    ],
)
async def test_the_callback_may_reject(reason: Any, error: Any, store: MemoryStore) -> None:
    client = EitherEra(resuming(lambda frame: Failure(reason)), store=store)
    await client.initialize()
    other = elsewhere(client)
    for _ in range(2):
        with pytest.raises(McpError) as refusal:
            await other.list_tools()
        assert (refusal.value.code, refusal.value.message, refusal.value.data) == error
    assert len(other.engines.sessions) == 0
    # Where it was it goes on.
    assert await said(client, "increment") == "101"


async def test_a_callback_that_crashes_or_returns_junk(server_log: ServerLog) -> None:
    def crash(frame: Frame) -> Any:
        raise LookupError("hunter2")

    for give, parts in (
        (crash, ("handle_session_expired failed",)),
        (lambda frame: NoReply(), ("handle_session_expired returned", "Ok or Failure")),
    ):
        client = EitherEra(resuming(give))
        await client.initialize()
        with pytest.raises(McpError, match=r"^Internal error"):
            await said(elsewhere(client), "count")
        server_log.take(*parts)
        assert await said(client, "increment") == "101"


async def test_runtime_components_survive_where_they_are(store: MemoryStore) -> None:
    def learn(args: Any, frame: Frame) -> Any:
        return Reply(Response.tool(), frame.register_tool("runtime"))

    server = counter(tools=(tool("learn", learn),), handle_tool_call=handle_tool_call)
    client = EitherEra(server, store=store)
    await client.initialize()
    await client.call_tool("learn")
    assert await said(elsewhere(client), "increment") == "1"
    # Components are not stored, but this node has them, and has the newest assigns.
    assert await said(client, "runtime") == "I am runtime"
    assert await said(client, "count") == "1"


async def test_subscriptions_and_the_limit_of_pages_are_stored(store: MemoryStore) -> None:
    def limit(args: Any, frame: Frame) -> Any:
        return Reply(Response.tool(), frame.put_pagination_limit(1))

    server = counter(tools=(tool("limit", limit),), capabilities={"resources": {"subscribe": True}})
    client = EitherEra(server, store=store)
    await client.initialize()
    await client.call_tool("limit")
    await client.subscribe("memo:///a")
    other = elsewhere(client)
    assert len((await other.list_tools())["tools"]) == 1
    async with other, other.listen() as stream:
        other.subscriptions.publish(resource_updated("memo:///a"))
        assert (await heard(stream))["params"] == {"uri": "memo:///a"}


async def test_changes_reach_the_stream_on_another_node() -> None:
    store = MemoryStore()
    server = counter(capabilities={"resources": {"subscribe": True}})
    async with EitherEra(server, store=store) as client, client.listen() as stream:
        other = elsewhere(client)
        await other.subscribe("memo:///a")
        other.subscriptions.publish(resource_updated("memo:///a"))
        assert (await heard(stream))["params"] == {"uri": "memo:///a"}


async def test_a_newer_stream_takes_over() -> None:
    store = MemoryStore()
    async with (
        EitherEra(counter(), store=store) as client,
        client.listen() as old,
        elsewhere(client) as other,
        other.listen(),
    ):
        with pytest.raises(anyio.EndOfStream):
            await heard(old)


@pytest.mark.parametrize("who", [None, {"sub": "bob"}, {}])
async def test_a_session_is_its_subjects_own(who: Any, store: MemoryStore) -> None:
    client = EitherEra(counter(), store=store, auth={"sub": "eve"})
    await client.initialize()
    await said(client, "increment")
    for thief in (client, elsewhere(client)):
        thief.auth = who
        for attempt in (
            thief.ping(),
            thief.list_tools(),
            thief.notify("notifications/x"),
            thief.answer({"id": "x"}, {}),
            thief.end_session(),
        ):
            with pytest.raises(McpError) as refusal:
                await attempt
            assert refusal.value.http_status == 404
        with pytest.raises(McpError) as refusal:
            async with thief.listen():
                pass
        assert refusal.value.http_status == 404
    client.auth = {"sub": "eve", "scope": "more"}
    assert await said(client, "increment") == "2"


async def test_a_session_of_nobody_is_not_taken_by_somebody() -> None:
    client = EitherEra(counter())
    await client.initialize()
    client.auth = {"sub": "eve"}
    with pytest.raises(McpError) as refusal:
        await client.ping()
    assert refusal.value.http_status == 404


async def test_transport_assigns_are_there_as_they_were_at_the_handshake(
    store: MemoryStore,
) -> None:
    def init(self: Any, client_info: Any, frame: Frame) -> Any:
        return Ok(frame.assign(first=frame.assigns["plan"], who="init"))

    def handle_session_expired(self: Any, session_id: str, frame: Frame) -> Any:
        return Ok(frame.assign(again=frame.assigns["plan"]))

    client = EitherEra(counter(init=init), store=store, assigns={"plan": "free"})
    await client.initialize()
    other = elsewhere(client, assigns={"plan": "pro"})
    kept = [("first", "free"), ("who", "init")]
    assert await said(other, "assigns") == str(sorted([*kept, ("plan", "pro")]))
    other.assigns = {}
    assert await said(other, "assigns") == str(kept)
    server = counter(handle_session_expired=handle_session_expired)
    third = elsewhere(client, server, assigns={"plan": "max"})
    await third.ping()
    assert await said(third, "increment") == "1"
    third.assigns = {}
    assert await said(third, "assigns") == str(sorted([*kept, ("again", "max"), ("count", 1)]))
