"""What a client gets that comes back."""

from __future__ import annotations

import pytest

from anubis_py.sessions.bounds import OVERHEAD, Bounds
from anubis_py.sessions.event_store import EventStore

from .backends import Backend, running


async def messages(events: EventStore, session_id: str, event_id: str) -> list[bytes] | None:
    replay = await events.after(session_id, event_id)
    return None if replay is None else [event.message for event in replay.events]


@pytest.mark.anyio
async def test_what_came_after_comes_again(backend: Backend) -> None:
    stores = [backend.store() for _ in range(2)]
    one, two = (store.event_store() for store in stores)
    async with running(*(store.run for store in stores), one.run, two.run):
        first = await one.append("s", "a:b", b"")
        second = await two.append("s", "a:b", b"2")
        other = await one.append("s", "c", b"other")
        third = await one.append("s", "a:b", b"3", last=True)
        ids = {first, second, other, third}
        assert len(ids) == 4
        assert all(id_.isascii() and id_.isprintable() and " " not in id_ for id_ in ids)
        replay = await two.after("s", first)
        assert replay is not None
        assert replay.stream_id == "a:b"
        told = [(event.id, event.message, event.last) for event in replay.events]
        assert told == [(second, b"2", False), (third, b"3", True)]
        assert await messages(one, "s", third) == []
        assert await messages(one, "s", other) == []
        ends = [await two.after("s", id_) for id_ in (first, third, other)]
        assert [replay is not None and replay.ended for replay in ends] == [True, True, False]


@pytest.mark.anyio
async def test_an_unknown_id_is_none(backend: Backend) -> None:
    store = backend.store()
    events = store.event_store()
    async with running(store.run, events.run):
        known = await events.append("s", "a", b"1")
        await events.append("s", "b", b"1")
        number = known.rpartition(":")[2]
        strange = ["", ":", "a", "a:", "a:x", f":{number}", f"b:{number}", f"a:0{number}"]
        for unknown in (*strange, "a:" + "9" * 30, "a:9-9", "a:²", "a:-1", f"{known} "):
            assert await events.after("s", unknown) is None, unknown
        assert await events.after("t", known) is None


@pytest.mark.anyio
async def test_what_is_deleted_is_unknown_for_ever(backend: Backend) -> None:
    store = backend.store()
    events = store.event_store()
    async with running(store.run, events.run):
        old = await events.append("s", "a", b"1")
        kept = await events.append("t", "a", b"1")
        await events.delete("s")
        assert await events.after("s", old) is None
        assert await events.append("s", "a", b"2") != old
        assert await events.after("s", old) is None
        assert await messages(events, "t", kept) == []


@pytest.mark.anyio
async def test_a_stream_has_so_many_events(backend: Backend) -> None:
    async with backend.bounded(Bounds(events=3)) as events:
        ids = [await events.append("s", "a", b"%d" % number) for number in range(5)]
        # A gap is never silent.
        assert [await events.after("s", id_) for id_ in ids[:2]] == [None, None]
        assert await messages(events, "s", ids[2]) == [b"3", b"4"]


@pytest.mark.anyio
async def test_a_session_has_so_many_bytes(backend: Backend) -> None:
    async with backend.bounded(Bounds(size=3 * (OVERHEAD + 10))) as events:
        quiet = [await events.append("s", "quiet", b"q" * 10) for _ in range(2)]
        busy = [await events.append("s", "busy", b"b" * 10) for _ in range(4)]
        # The newest of each stream is known, so that nobody who has it has missed anything.
        assert await events.after("s", quiet[0]) is None
        assert await messages(events, "s", quiet[1]) == []
        assert [await messages(events, "s", id_) for id_ in busy[:2]] == [None, None]
        assert await messages(events, "s", busy[2]) == [b"b" * 10]
        large = await events.append("s", "busy", b"l" * 2000)
        assert await events.after("s", busy[3]) is None
        assert await messages(events, "s", large) == []
        assert await messages(events, "s", quiet[1]) == []


@pytest.mark.anyio
async def test_a_session_has_so_many_streams(backend: Backend) -> None:
    async with backend.bounded(Bounds(streams=2)) as events:
        a, b = await events.append("s", "a", b"1"), await events.append("s", "b", b"1")
        again = await events.append("s", "a", b"2")
        c = await events.append("s", "c", b"1")
        assert await events.after("s", b) is None
        assert await messages(events, "s", a) == [b"2"]
        assert await messages(events, "s", again) == []
        assert await messages(events, "s", c) == []
        assert await events.append("s", "b", b"2") != b
        assert await events.after("s", b) is None


@pytest.mark.anyio
async def test_a_quiet_stream_ends_with_time(shared_backend: Backend) -> None:
    bounds = Bounds(seconds=shared_backend.unit)
    async with shared_backend.bounded(bounds) as events:
        old = await events.append("s", "a", b"1")
        await shared_backend.pass_time(1.5)
    async with shared_backend.bounded(bounds) as events:
        await events.append("s", "b", b"1")
        assert await events.after("s", old) is None
