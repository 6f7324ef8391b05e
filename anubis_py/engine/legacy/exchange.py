"""The way out for the callbacks of a session."""

from __future__ import annotations

import logging
import time
from typing import Any

import attrs

from ...annotations import compact
from ...asks.ask import Ask
from ...protocol.jsonrpc import encode_notification, encode_request
from ..exchange import Exchange
from .questions import unattended_id
from .session import Session
from .sessions import Sessions

logger = logging.getLogger("anubis_py.engine")

# Requests that nobody waits for, and that a client has not answered yet.
MAX_ASKED = 100


@attrs.define(eq=False, repr=False)
class LegacyExchange(Exchange):
    """What belongs to no request goes out on the standing stream of the session."""

    _session: Session = attrs.field(kw_only=True)
    _sessions: Sessions = attrs.field(kw_only=True)
    _patience: float = attrs.field(kw_only=True)
    """Seconds that the client has for an answer that nobody waits for."""

    def ask(self, ask: Ask) -> str | None:
        session = self._session
        reason = session.revision.dialect.unaskable(ask)
        missing = ask.lacking(session.record.client_capabilities)
        if reason is None and missing:
            reason = f"the client has not declared {', '.join(missing)}"
        if reason is not None:
            logger.warning("%s was not sent: %s", ask.method, reason)
            return None
        if len(session.asked) >= MAX_ASKED:
            logger.warning("%s was not sent: too many requests are unanswered", ask.method)
            return None
        id_ = unattended_id()
        session.asked[id_] = {"ask": ask.to_wire(), "expires": time.time() + self._patience}
        wire = session.revision.dialect.ask(ask)
        self._put(encode_request(id_, wire["method"], wire["params"]))
        return id_

    def log(self, level: str, data: Any, name: str | None) -> None:
        if not self._logs:
            logger.warning("a log message was not sent: declare capabilities = {'logging': {}}")
            return
        params = {"level": level, "data": data} | compact(logger=name)
        self._put(encode_notification("notifications/message", params))

    def leave_stream(self) -> None:
        # Before there were priming events, a stream had to last until its answer, and clients
        # did not come back to one that had ended.
        if not self._session.revision.primes:
            return
        if self._outbox is not None and self._loop is not None:
            self._loop.call(self._outbox.leave)

    def _put(self, message: bytes) -> None:
        if self._outbox is not None and self._loop is not None:
            self._loop.call(self._outbox.put, message)
        else:
            self._sessions.presences.told(self._session.id, message)
