"""B14: every message of a session passes one gate, and whoever is not let in learns it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
import trio
from support.client import Http
from support.legacy import LEGACY, LegacyAnswer, LegacyHttp, asks, cancels, initializing, notes
from support.talking import Talking
from trio.testing import MockClock

from anubis_py import MemoryStore

pytestmark = pytest.mark.anyio

Knock = Callable[[LegacyHttp], Awaitable[LegacyAnswer]]


def posting(body: Any) -> Knock:
    return lambda http: http.post(body)


async def get(http: LegacyHttp) -> LegacyAnswer:
    """Only for what is refused: nobody would end the stream."""
    return await http.send(b"", http.changed({"Content-Type": None}), verb="GET")


KNOCKS: dict[str, Knock] = {
    "a request": posting(asks("tools/list", id="q")),
    "ping": posting(asks("ping", id=0)),
    "a call": posting(asks("tools/call", {"name": "echo", "arguments": {"t": "x"}}, id=-1)),
    "initialized": posting(notes("notifications/initialized")),
    "a cancellation": posting(cancels(1)),
    "a notification": posting(notes("notifications/roots/list_changed")),
    "a response": posting({"jsonrpc": "2.0", "id": "x", "result": {}}),
    "an error": posting({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "no"}}),
    "GET": get,
    "DELETE": lambda http: http.delete(),
}

knocking = pytest.mark.parametrize("knock", KNOCKS.values(), ids=KNOCKS.keys())
every_version = pytest.mark.parametrize("version", LEGACY)


def check_refused(answer: LegacyAnswer, status: int) -> None:
    assert answer.refusal == (status, -32600)
    assert "mcp-session-id" not in answer.headers


# 1: an unknown session


@knocking
@every_version
async def test_an_unknown_session_is_not_found_and_not_made(knock: Knock, version: str) -> None:
    app = Talking.asgi()
    for session_id in ("no-such", "x" * 5000, "~!", "ümlaut", "a, b"):
        check_refused(await knock(LegacyHttp(app, version, session_id)), 404)
    assert await app.engines.store.list_active() == []
    assert len(app.engines.sessions) == 0


@knocking
async def test_the_id_of_a_session_is_taken_as_it_is(knock: Knock) -> None:
    http = await LegacyHttp.begun(Talking)
    given = http.session_id or ""
    for other in (given.swapcase(), given[:-1], given + "x", f"{given}, {given}"):
        http.session_id = other
        check_refused(await knock(http), 404)
    http.session_id = given
    await http.alive()


# 2: no session


@knocking
@pytest.mark.parametrize("named", [None, ""])
@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
async def test_who_names_no_session_is_refused(
    knock: Knock, version: str, named: str | None
) -> None:
    check_refused(await knock(LegacyHttp(Talking.asgi(), version, named)), 400)


@pytest.mark.parametrize("kind", ["a request", "ping", "a response", "GET", "DELETE"])
async def test_who_names_neither_session_nor_version_is_refused(kind: str) -> None:
    """Whichever era it is taken for. A notification alone is none's in particular."""
    http = LegacyHttp(Talking.asgi(), "2025-03-26")
    body = {"a request": asks("tools/list", id="q"), "ping": asks("ping", id="q")}.get(kind)
    if body is None:
        assert (await KNOCKS[kind](http)).status == 400
    else:
        response = await Http(http.app).send(_text(body), _fields(http))
        assert (response.status, response.id) == (400, "q")


def _text(body: Any) -> str:
    return json.dumps(body)


def _fields(http: LegacyHttp) -> dict[str, str | bytes]:
    return http.changed({})


# The version that the header names


@knocking
@pytest.mark.parametrize("named", ["1900-01-01", "2024-11-05", "x"])
async def test_a_version_that_is_not_served_is_refused(knock: Knock, named: str) -> None:
    http = await LegacyHttp.begun(Talking)
    http.version = named
    answer = await knock_as(http, knock, named)
    assert answer == 400
    http.version = "2025-11-25"
    await http.alive()


async def knock_as(http: LegacyHttp, knock: Knock, named: str) -> int:
    """What is refused may be refused in the words of the other era."""
    statuses: list[int] = []

    class Naming(LegacyHttp):
        def headers(self, *, opening: bool = False) -> dict[str, str | bytes | None]:
            return {**super().headers(opening=opening), "MCP-Protocol-Version": named}

        def _checked(self, sent: bytes, response: Any, body: bytes) -> LegacyAnswer:
            statuses.append(response.status_code)
            return LegacyAnswer(response.status_code, response.headers, None)

    await knock(Naming(http.app, "2025-11-25", http.session_id))
    return statuses[0]


@every_version
async def test_a_session_may_be_spoken_to_in_the_name_of_each_version(version: str) -> None:
    """ "SHOULD be the one negotiated": whoever names another one that is served is let in."""
    http = await LegacyHttp.begun(Talking, version)
    for named in (*LEGACY, None):
        answer = await http.ask("ping", headers={"MCP-Protocol-Version": named})
        assert answer.result == {}


# 3: at once


@every_version
async def test_the_first_request_need_not_wait_for_the_note(version: str) -> None:
    http = LegacyHttp(Talking.asgi(), version)
    await http.initialize()
    answer = await http.ask("tools/list", id="q")
    assert (answer.status, answer.id) == (200, "q")
    assert answer.result["tools"]
    await http.initialized()
    await http.alive()


# 4: two handshakes in parallel


async def test_two_handshakes_in_parallel_begin_two_sessions() -> None:
    app = Talking.asgi()
    clients = [LegacyHttp(app) for _ in range(20)]
    async with anyio.create_task_group() as group:
        for client in clients:
            group.start_soon(client.initialize)
    ids = {client.session_id for client in clients}
    assert len(ids) == 20
    for client in clients:
        await client.initialized()
        await client.alive()


async def test_ids_are_visible_ascii_and_not_to_be_guessed() -> None:
    app = Talking.asgi()
    found = []
    for _ in range(200):
        client = LegacyHttp(app)
        await client.initialize()
        found.append(client.session_id or "")
    assert all(0x21 <= ord(char) <= 0x7E for each in found for char in each)
    assert len(set(found)) == 200
    assert min(map(len, found)) >= 22  # 128 bits, in base64
    for place in range(len(found[0])):
        assert len({each[place] for each in found}) > 20


async def test_a_handshake_takes_no_id_that_the_client_proposes() -> None:
    http = await LegacyHttp.begun(Talking)
    await http.call("remember", {"value": "mine"})
    for proposed in (http.session_id, "of-my-own"):
        other = LegacyHttp(http.app)
        answer = await other.send(
            _text(initializing()), {**other.headers(opening=True), "Mcp-Session-Id": proposed}
        )
        other.session_id = answer.headers["mcp-session-id"]
        assert other.session_id != proposed
        assert (await other.call("recall")).text == "None"
    assert (await http.call("recall")).text == "mine"


# 5: behind its end


@knocking
@every_version
async def test_a_session_that_was_deleted_is_not_found(knock: Knock, version: str) -> None:
    http = await LegacyHttp.begun(Talking, version)
    answer = await http.delete()
    assert (answer.status, answer.message) == (204, None)
    check_refused(await knock(http), 404)
    await http.initialize()
    await http.alive()


# 6: idle for too long


class Ticking:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@knocking
async def test_a_session_that_was_idle_for_too_long_is_not_found(knock: Knock) -> None:
    clock = Ticking()
    app = Talking.asgi(session_idle=60, store=MemoryStore(clock))
    http = await LegacyHttp.begun(app)
    clock.now += 59
    await http.alive()
    clock.now += 59
    await http.alive()
    clock.now += 61
    check_refused(await knock(http), 404)
    await http.initialize()
    await http.alive()


@pytest.mark.parametrize("kind", ["ping", "a notification", "a cancellation", "a response"])
async def test_every_message_keeps_it_alive(kind: str) -> None:
    clock = Ticking()
    app = Talking.asgi(session_idle=60, store=MemoryStore(clock))
    http = await LegacyHttp.begun(app)
    for _ in range(5):
        clock.now += 50
        assert (await KNOCKS[kind](http)).status in (200, 202)


async def test_what_is_refused_keeps_nothing_alive() -> None:
    clock = Ticking()
    app = Talking.asgi(session_idle=60, store=MemoryStore(clock))
    http = await LegacyHttp.begun(app)
    clock.now += 50
    await http.ask("ping", headers={"MCP-Protocol-Version": "2024-11-05"})
    clock.now += 50
    check_refused(await http.ask("ping"), 404)


async def test_the_sweep_takes_what_is_idle_and_keeps_what_works(
    autojump_clock: MockClock,
) -> None:
    store = MemoryStore(trio.current_time)
    app = Talking.asgi(session_idle=10, store=store)
    idle, busy, listening = [await LegacyHttp.begun(app) for _ in range(3)]
    async with anyio.create_task_group() as group:
        async with listening.listening():
            group.start_soon(busy.call, "nap", {"s": 100})
            await anyio.sleep(99)
            assert await store.list_active() == [busy.session_id, listening.session_id]
        await anyio.sleep(2)
    await busy.alive()
    await listening.alive()
    check_refused(await idle.ask("ping"), 404)
    await anyio.sleep(12)
    assert len(app.engines.sessions) == 0
    assert len(app.engines.sessions.presences) == 0


# 7: the name of the header


@pytest.mark.parametrize("name", ["mcp-session-id", "Mcp-Session-Id", "MCP-SESSION-ID"])
async def test_the_header_has_no_case(name: str) -> None:
    http = await LegacyHttp.begun(Talking)
    headers = {"Mcp-Session-Id": None, name: f"  {http.session_id} "}
    assert (await http.ask("ping", headers=headers)).result == {}


# Sessions are apart


async def test_an_id_of_zero_is_an_id() -> None:
    http = LegacyHttp(Talking.asgi())
    answer = await http.initialize(id=0)
    assert answer.id == 0
    assert type(answer.id) is int
    assert (await http.ask("tools/list", id=0)).id == 0


async def test_sessions_do_not_see_each_other() -> None:
    app = Talking.asgi()
    ann, bob = [await LegacyHttp.begun(app) for _ in range(2)]
    await ann.call("remember", {"value": "ann's"}, id=7)
    await bob.call("remember", {"value": "bob's"}, id=7)
    assert (await ann.call("recall")).text == "ann's"
    await bob.delete()
    assert (await ann.call("recall")).text == "ann's"
