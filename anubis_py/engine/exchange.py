"""One message in flight: who sent it, what is said beside the answer, and the answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Final

import attrs

from ..annotations import compact
from ..asks.ask import Ask
from ..caller import Caller
from ..change import Change
from ..context import NOTHING
from ..loop import Loop
from ..protocol.jsonrpc import encode_notification
from .outbox import Outbox

logger = logging.getLogger("anubis_py.engine")


@attrs.define(eq=False, repr=False)
class Peer:
    """What a transport knows of whoever sent a message."""

    headers: Mapping[str, str] = NOTHING
    remote_ip: str | None = None
    auth: Mapping[str, Any] | None = None
    assigns: Mapping[str, Any] = NOTHING
    """What the surroundings of the app have put on this very message."""
    caller: Caller = attrs.field(factory=Caller)


@attrs.define(eq=False, repr=False)
class Served:
    """What is sent back, and the status that it takes over HTTP."""

    status: int
    body: bytes | None
    """One message; None: there is nothing to say."""


ACCEPTED: Final = Served(202, None)
"""It was taken, and there is nothing to say."""


@attrs.define(eq=False, repr=False)
class Exchange:
    """The way out for the callbacks of one request."""

    _publish: Callable[[Change], None]
    _outbox: Outbox | None
    """None: the client has asked for nothing beside the answer."""
    _token: str | int | None = None
    _logs: bool = False
    """Whether the server declares the capability `logging`."""
    _loop: Loop | None = None
    _progress: float | None = attrs.field(default=None, init=False)

    def progress(self, progress: float, total: float | None, message: str | None) -> None:
        # "The progress value MUST increase with each notification", and JSON has no form for NaN.
        if not isfinite(progress) or (self._progress is not None and progress <= self._progress):
            return
        total = None if total is None or not isfinite(total) else total
        self._progress = progress
        params = compact(progressToken=self._token, progress=progress, total=total, message=message)
        self._send("notifications/progress", params, replaceable=True)

    def log(self, level: str, data: Any, name: str | None) -> None:
        if self._outbox is None:
            return
        if not self._logs:
            logger.warning("a log message was not sent: declare capabilities = {'logging': {}}")
            return
        params = {"level": level, "data": data} | compact(logger=name)
        self._send("notifications/message", params)

    def publish(self, change: Change) -> None:
        self._publish(change)

    def ask(self, ask: Ask) -> str | None:
        # "Servers MUST NOT send independent JSON-RPC requests" in this era.
        logger.warning(
            "%s was not sent: this client takes no requests. Return InputRequired", ask.method
        )
        return None

    def leave_stream(self) -> None:
        """There is no coming back for the rest of a stream in this era."""

    def _send(self, method: str, params: dict[str, Any], *, replaceable: bool = False) -> None:
        if self._outbox is not None and self._loop is not None:
            message = encode_notification(method, params)
            self._loop.call(self._outbox.put, message, replaceable)
