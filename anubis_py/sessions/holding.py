"""A session that is held, as something to enter and to leave."""

from __future__ import annotations

from collections import deque
from typing import Protocol, TypeAlias

import anyio
import attrs

Turns: TypeAlias = dict[str, deque[anyio.Event]]
"""Who waits for a session, by its id. It costs nothing while nobody has its turn."""

# Every request of a session enters one of these: by hand, since the generators of
# `asynccontextmanager` take several times as long.


@attrs.define(eq=False, repr=False)
class Turn:
    """The turn of a session within this process: one at a time, in order of arrival."""

    _turns: Turns
    _session_id: str

    async def __aenter__(self) -> None:
        """Wait for the turn. Cancelling that gives up the place in the queue."""
        queue = self._turns.get(self._session_id)
        if queue is None:
            self._turns[self._session_id] = deque()
            return
        turn = anyio.Event()
        queue.append(turn)
        try:
            await turn.wait()
        except BaseException:
            if turn.is_set():
                await self.__aexit__()
            else:
                queue.remove(turn)
            raise

    async def __aexit__(self, *_: object) -> None:
        """End the turn. The next in the queue has it from now on, not from when it wakes."""
        queue = self._turns[self._session_id]
        if queue:
            queue.popleft().set()
        else:
            del self._turns[self._session_id]


class Lender(Protocol):
    """What makes the processes take turns."""

    async def acquire(self, session_id: str) -> None: ...

    async def release(self, session_id: str) -> None: ...


@attrs.define(eq=False, repr=False)
class Hold:
    """The turn of a session within this process, and then among all."""

    _lender: Lender
    _turn: Turn
    _session_id: str

    async def __aenter__(self) -> None:
        await self._turn.__aenter__()
        try:
            await self._lender.acquire(self._session_id)
        except BaseException:
            await self._turn.__aexit__()
            raise

    async def __aexit__(self, *_: object) -> None:
        try:
            with anyio.CancelScope(shield=True):
                await self._lender.release(self._session_id)
        finally:
            await self._turn.__aexit__()
