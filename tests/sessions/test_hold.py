"""One at a time, whoever asks."""

from __future__ import annotations

import anyio
import pytest

from anubis_py.sessions.store import Store

from .backends import Backend, running


class Inside:
    """Sees whether two are within at once."""

    def __init__(self) -> None:
        self.now = 0
        self.most = 0
        self.order: list[object] = []

    async def hold(self, store: Store, name: object) -> None:
        async with store.hold("s"):
            self.now += 1
            self.most = max(self.most, self.now)
            self.order.append(name)
            await anyio.sleep(0.002)
            self.now -= 1


@pytest.mark.anyio
async def test_there_are_never_two(backend: Backend) -> None:
    one, two = backend.store(), backend.store()
    inside = Inside()
    async with running(one.run, two.run), anyio.create_task_group() as tasks:
        for number in range(10):
            tasks.start_soon(inside.hold, one, number)
            tasks.start_soon(inside.hold, two, number)
    assert inside.most == 1
    assert len(inside.order) == 20


@pytest.mark.anyio
async def test_within_a_process_the_first_comes_first(backend: Backend) -> None:
    store = backend.store()
    inside = Inside()
    async with running(store.run), anyio.create_task_group() as tasks, store.hold("s"):
        for number in range(5):
            tasks.start_soon(inside.hold, store, number)
            await anyio.wait_all_tasks_blocked()
    assert inside.order == [0, 1, 2, 3, 4]


@pytest.mark.anyio
async def test_other_sessions_do_not_wait(backend: Backend) -> None:
    store = backend.store()
    async with running(store.run), store.hold("s"), store.hold("t"):
        pass


@pytest.mark.anyio
@pytest.mark.parametrize("same", [True, False])
async def test_whoever_is_cancelled_while_waiting_holds_nobody_up(
    backend: Backend, same: bool
) -> None:
    one, two = backend.store(), backend.store()
    waiting, inside = (one if same else two), Inside()
    async with running(one.run, two.run):
        async with one.hold("s"):
            with anyio.move_on_after(0.05):
                await inside.hold(waiting, "cancelled")
        assert inside.order == []
        with anyio.fail_after(5):
            await inside.hold(one, 1)
            await inside.hold(two, 2)
    assert inside.order == [1, 2]


@pytest.mark.anyio
async def test_whoever_is_cancelled_within_gives_it_up(backend: Backend) -> None:
    one, two = backend.store(), backend.store()
    async with running(one.run, two.run):
        with anyio.move_on_after(0.05):
            async with one.hold("s"):
                await anyio.sleep_forever()
        with anyio.fail_after(5):
            async with two.hold("s"):
                pass
            async with one.hold("s"):
                pass


@pytest.mark.anyio
async def test_an_error_within_gives_it_up(backend: Backend) -> None:
    one, two = backend.store(), backend.store()
    async with running(one.run, two.run):
        with pytest.raises(KeyError):
            async with one.hold("s"):
                raise KeyError
        with anyio.fail_after(5):
            async with two.hold("s"):
                pass
