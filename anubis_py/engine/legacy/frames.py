"""The frame of a session, as a callback gets it, and as it is kept afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...context import NOTHING, Context
from ...frame import Frame
from ...protocol.jsonrpc import RequestId
from ...server.behaviour import Behaviour
from ..exchange import Peer
from ..outbox import Outbox
from .exchange import LegacyExchange
from .session import Session
from .sessions import Sessions

# "If no logging/setLevel request has been sent from the client, the server MAY decide which
# messages to send automatically."
DEFAULT_LOG_LEVEL: Final = "info"


class Frames:
    """Makes the frames of one server's sessions. Only for who holds the session."""

    def __init__(self, server: Behaviour, sessions: Sessions) -> None:
        self._sessions = sessions
        self._patience = server.round_timeout
        # No frame adds this one, as it may add tools.
        self.logs = server.has_capability("logging", Frame())
        """Whether the server sends log messages."""

    def of_message(
        self,
        session: Session,
        peer: Peer,
        meta: Mapping[str, Any],
        *,
        request_id: RequestId | None = None,
        outbox: Outbox | None = None,
        input_responses: Mapping[str, Any] = NOTHING,
        request_state: Any = None,
    ) -> Frame:
        """`request_id` None: the message is no request, and its progress interests nobody."""
        token = None if request_id is None else meta.get("progressToken")
        token = token if isinstance(token, str | int) and not isinstance(token, bool) else None
        record = session.record
        context = Context(
            session_id=session.id,
            request_id=request_id,
            protocol_version=record.protocol_version,
            era="legacy",
            client_info=session.client_info,
            client_capabilities=record.client_capabilities,
            init_meta=record.init_meta,
            meta=meta,
            headers=peer.headers,
            remote_ip=peer.remote_ip,
            auth=peer.auth,
            initialized=session.initialized,
            progress_token=token,
            log_level=session.log_level or DEFAULT_LOG_LEVEL,
            exchange=LegacyExchange(
                self._sessions.subscriptions.publish,
                outbox,
                token,
                self.logs,
                self._sessions.subscriptions.loop,
                session=session,
                sessions=self._sessions,
                patience=self._patience,
            ),
            caller=peer.caller,
            input_responses=input_responses,
            request_state=request_state,
        )
        frame = session.frame.with_context(context)
        return frame.assign(peer.assigns) if peer.assigns else frame
