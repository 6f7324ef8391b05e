"""A session that is held."""

from __future__ import annotations

from types import TracebackType

from ..exchange import Peer
from .session import Session
from .sessions import Sessions


class Hold:
    """Within, nobody else changes the session, here or elsewhere. Entering it raises as
    `Sessions.take_up` does.

    By hand: a generator takes several times as long, in every request.
    """

    def __init__(self, sessions: Sessions, session_id: str, peer: Peer | None) -> None:
        self._sessions = sessions
        self._session_id = session_id
        self._peer = peer
        self._turn = sessions.store.hold(session_id)

    async def __aenter__(self) -> Session:
        await self._turn.__aenter__()
        try:
            return await self._sessions.take_up(self._session_id, self._peer)
        except BaseException as error:
            await self._turn.__aexit__(type(error), error, error.__traceback__)
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._sessions.held.discard(self._session_id)
        await self._turn.__aexit__(kind, error, traceback)
