"""The scope around every callback: alike on both event loops."""

from __future__ import annotations

import asyncio
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from trio.testing import MockClock

from anubis_py.server.deadline import cancel_scope

pytestmark = pytest.mark.anyio


async def test_what_ends_in_time_is_left_alone() -> None:
    with cancel_scope(10):
        await anyio.lowlevel.checkpoint()
    with cancel_scope(None):
        await anyio.lowlevel.checkpoint()
    await anyio.sleep(0.01)


@pytest.mark.parametrize("timeout", [0, 0.01])
async def test_what_does_not_is_cancelled_and_the_task_goes_on(timeout: float) -> None:
    cleaned = []
    with cancel_scope(timeout):
        try:
            await anyio.sleep_forever()
        finally:
            cleaned.append(True)
    assert cleaned == [True]
    await anyio.sleep(0.01)


async def test_each_ends_in_its_own_time_whichever_began_first() -> None:
    ended: list[float] = []

    async def last(timeout: float) -> None:
        with cancel_scope(timeout):
            await anyio.sleep_forever()
        ended.append(timeout)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(last, 0.08)
            group.start_soon(last, 0.02)
            group.start_soon(last, 0.05)
            with cancel_scope(0.01):
                await anyio.sleep_forever()
    assert ended == [0.02, 0.05, 0.08]


async def test_one_that_is_over_before_the_others_takes_no_deadline_along() -> None:
    with anyio.fail_after(5):
        with cancel_scope(0.01):
            pass
        with cancel_scope(0.05):
            await anyio.sleep_forever()


async def test_it_is_cancelled_from_outside() -> None:
    with cancel_scope(None) as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(_cancel, scope)
            await anyio.sleep_forever()
    await anyio.sleep(0.01)


async def _cancel(scope: Any) -> None:
    await anyio.sleep(0.01)
    scope.cancel()


async def test_it_is_cancelled_before_anything_awaits() -> None:
    reached = []
    with cancel_scope(None) as scope:
        scope.cancel()
        await anyio.lowlevel.checkpoint()
        await anyio.lowlevel.checkpoint()
        reached.append(True)
    assert reached == []


async def test_whoever_goes_on_is_cancelled_again() -> None:
    attempts = 0
    with anyio.fail_after(5), cancel_scope(0.01):
        while True:
            try:
                await anyio.sleep_forever()
            except anyio.get_cancelled_exc_class():
                attempts += 1
                if attempts == 3:
                    raise
    assert attempts == 3
    await anyio.sleep(0.01)


async def test_an_error_passes() -> None:
    with pytest.raises(KeyError), cancel_scope(10):
        raise KeyError
    with pytest.raises(KeyError), cancel_scope(0.01):
        await _fail_when_cancelled()
    await anyio.sleep(0.01)


async def _fail_when_cancelled() -> None:
    try:
        await anyio.sleep_forever()
    finally:
        raise KeyError


async def test_somebody_elses_cancellation_passes() -> None:
    ended = []
    with anyio.move_on_after(0.01):
        with cancel_scope(10):
            await anyio.sleep_forever()
        ended.append("inner")
    assert ended == []


async def test_scopes_of_anyio_work_within() -> None:
    ended = []
    with cancel_scope(10):
        with anyio.move_on_after(0.01):
            await anyio.sleep_forever()
        ended.append("inner")
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.sleep, 0)
        ended.append("group")
    assert ended == ["inner", "group"]


async def test_it_ends_a_task_group_within(autojump_clock: MockClock) -> None:
    with cancel_scope(1):
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.sleep_forever)
            await anyio.sleep_forever()
    await anyio.sleep(1)


async def test_scopes_are_nested() -> None:
    ended = []
    with cancel_scope(10):
        with cancel_scope(0.01):
            await anyio.sleep_forever()
        ended.append("inner")
        await anyio.sleep(0.01)
    with cancel_scope(0.01):
        with cancel_scope(10):
            await anyio.sleep_forever()
        ended.append("never")
    assert ended == ["inner"]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_asyncio_keeps_no_count_of_what_was_cancelled() -> None:
    """`Task.cancelling` is what asyncio's own time-outs and task groups go by."""
    task = asyncio.current_task()
    assert task is not None
    for _ in range(3):
        with cancel_scope(0):
            await asyncio.sleep(10)
        assert task.cancelling() == 0
    async with asyncio.timeout(1):
        await asyncio.sleep(0)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_task_that_is_cancelled_at_the_same_time_ends() -> None:
    async def work() -> None:
        with cancel_scope(10) as scope:
            scopes.append(scope)
            await asyncio.sleep(10)

    scopes: list[Any] = []
    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    scopes[0].cancel()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
