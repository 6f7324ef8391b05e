"""A request from when it is read until it is answered."""

from __future__ import annotations

from ...caller import Caller
from ...errors import McpError
from ...protocol.jsonrpc import Request
from ..exchange import Served
from ..refusal import refuse
from .sessions import Sessions


class InFlight:
    """Within, the request can be cancelled. Entering it gives the refusal of one that must not
    be served."""

    def __init__(
        self, sessions: Sessions, session_id: str, request: Request, caller: Caller
    ) -> None:
        self._sessions = sessions
        self._session_id = session_id
        self._request = request
        self._caller = caller

    def __enter__(self) -> Served | None:
        try:
            self._presence = self._sessions.presences.enter(
                self._session_id, self._request.id, self._caller
            )
        except McpError as error:
            return refuse(self._request.id, error)
        return None

    def __exit__(self, *_: object) -> None:
        if hasattr(self, "_presence"):
            self._sessions.presences.exit(self._session_id, self._presence, self._request.id)
