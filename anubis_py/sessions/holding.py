"""A session that is held, as something to enter and to leave."""

from __future__ import annotations

from typing import Protocol

import anyio
import attrs

from .turns import Turns

# Every request of a session enters one of these: by hand, since the generators of
# `asynccontextmanager` take several times as long.


@attrs.define(eq=False, repr=False)
class Turn:
    """The turn of a session within this process."""

    _turns: Turns
    _session_id: str

    async def __aenter__(self) -> None:
        await self._turns.take(self._session_id)

    async def __aexit__(self, *_: object) -> None:
        self._turns.give(self._session_id)


class Lender(Protocol):
    """What makes the processes take turns."""

    async def acquire(self, session_id: str) -> None: ...

    async def release(self, session_id: str) -> None: ...


@attrs.define(eq=False, repr=False)
class Hold:
    """The turn of a session within this process, and then among all."""

    _lender: Lender
    _turns: Turns
    _session_id: str

    async def __aenter__(self) -> None:
        await self._turns.take(self._session_id)
        try:
            await self._lender.acquire(self._session_id)
        except BaseException:
            self._turns.give(self._session_id)
            raise

    async def __aexit__(self, *_: object) -> None:
        try:
            with anyio.CancelScope(shield=True):
                await self._lender.release(self._session_id)
        finally:
            self._turns.give(self._session_id)
