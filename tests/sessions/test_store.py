"""What every store does with records and their time."""

from __future__ import annotations

import attrs
import pytest

from anubis_py.sessions.record import Record

from .backends import Backend, running

FULL = Record(
    "2025-11-25",
    {"name": "client", "version": "1"},
    {"sampling": {}},
    {"trace": 2**70},
    True,
    "info",
    "somebody",
    {"assigns": {"text": "ü\u2028"}},
    {"1": {"method": "sampling/createMessage"}},
)
LONG = 1000.0


@pytest.mark.anyio
async def test_another_process_reads_what_was_saved(backend: Backend) -> None:
    one, two = backend.store(), backend.store()
    async with running(one.run, two.run):
        assert await one.load("s") is None
        assert await one.save("s", FULL, LONG, new=True)
        assert await two.load("s") == FULL
        changed = attrs.evolve(FULL, log_level="debug")
        assert await two.save("s", changed, LONG)
        assert await one.load("s") == changed
        assert await one.load("t") is None


@pytest.mark.anyio
async def test_what_is_deleted_stays_deleted(backend: Backend) -> None:
    one, two = backend.store(), backend.store()
    async with running(one.run, two.run):
        assert not await one.delete("s")
        await one.save("s", FULL, LONG, new=True)
        assert await two.delete("s")
        assert not await one.delete("s")
        assert not await one.save("s", FULL, LONG)
        assert not await one.touch("s", LONG)
        async with one.hold("s"):
            assert not await one.save("s", FULL, LONG)
        assert await one.load("s") is None
        assert await one.list_active() == []


@pytest.mark.anyio
async def test_what_is_over_is_not_there(backend: Backend) -> None:
    one, two = backend.store(), backend.store()
    async with running(one.run, two.run):
        await one.save("s", FULL, backend.unit, new=True)
        assert await two.list_active() == ["s"]
        await backend.pass_time(1.5)
        assert await one.load("s") is None
        assert not await two.touch("s", LONG)
        assert not await one.save("s", FULL, LONG)
        assert not await two.delete("s")
        assert await one.list_active() == []
        assert await one.save("s", FULL, LONG, new=True)
        assert await two.load("s") == FULL


@pytest.mark.anyio
@pytest.mark.parametrize("by", ["touch", "save"])
async def test_a_session_is_prolonged(backend: Backend, by: str) -> None:
    store = backend.store()
    async with running(store.run):
        await store.save("s", FULL, 2 * backend.unit, new=True)
        await backend.pass_time(1)
        if by == "touch":
            assert await store.touch("s", 4 * backend.unit)
        else:
            assert await store.save("s", FULL, 4 * backend.unit)
        await backend.pass_time(2)
        assert await store.load("s") == FULL
        await backend.pass_time(3)
        assert await store.load("s") is None


@pytest.mark.anyio
async def test_a_session_is_cut_short(backend: Backend) -> None:
    store = backend.store()
    async with running(store.run):
        await store.save("s", FULL, LONG, new=True)
        assert await store.touch("s", backend.unit)
        await backend.pass_time(1.5)
        assert await store.load("s") is None
        assert await store.cleanup_expired() == ({} if backend.kind == "redis" else {"s": FULL})


@pytest.mark.anyio
@pytest.mark.parametrize("held", [True, False])
async def test_a_save_may_leave_its_time_as_it_is(backend: Backend, held: bool) -> None:
    store = backend.store()
    async with running(store.run):
        await store.save("s", FULL, 2 * backend.unit, new=True)
        await backend.pass_time(1)
        changed = attrs.evolve(FULL, log_level="error")
        if held:
            async with store.hold("s"):
                assert await store.save("s", changed, None)
        else:
            assert await store.save("s", changed, None)
        assert await store.load("s") == changed
        await backend.pass_time(1.5)
        assert await store.load("s") is None
        assert not await store.save("s", FULL, None)


@pytest.mark.anyio
async def test_each_end_is_told_to_one_caller(backend: Backend) -> None:
    one, two = backend.store(), backend.store()
    async with running(one.run, two.run):
        for number in range(4):
            await one.save(f"s{number}", FULL, backend.unit * (1 + number % 2 * 9), new=True)
        await one.touch("s2", 10 * backend.unit)
        await backend.pass_time(2)
        assert sorted(await two.list_active()) == ["s1", "s2", "s3"]
        told = [*await one.cleanup_expired(), *await two.cleanup_expired()]
        assert told == ([] if backend.kind == "redis" else ["s0"])
        assert sorted(await one.list_active()) == ["s1", "s2", "s3"]


@pytest.mark.anyio
async def test_many_sessions_are_listed_once_each(backend: Backend) -> None:
    store = backend.store()
    async with running(store.run):
        for number in range(200):
            await store.save(f"s{number}*", FULL, LONG, new=True)
        assert sorted(await store.list_active()) == sorted(f"s{n}*" for n in range(200))


@pytest.mark.anyio
async def test_what_has_no_form_changes_nothing(backend: Backend) -> None:
    store = backend.store()
    anything = attrs.evolve(FULL, frame={"assigns": {"x": object()}})
    async with running(store.run):
        await store.save("s", FULL, LONG, new=True)
        if store.shared:
            with pytest.raises(TypeError):
                await store.save("s", anything, LONG)
            assert await store.load("s") == FULL
        else:
            assert await store.save("s", anything, LONG)
            assert await store.load("s") is anything
