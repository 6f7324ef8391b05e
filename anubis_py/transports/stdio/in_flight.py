"""The requests in flight, of both eras: they share a channel, and so their ids."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import attrs

from ...caller import Caller
from ...errors import invalid_request
from ...protocol.jsonrpc import Request, RequestId
from .channel import Channel

logger = logging.getLogger("anubis_py.stdio")

Settle: TypeAlias = Callable[[bytes | None], Awaitable[None]]
"""Takes the answer to a request; None: there is none."""


@attrs.define(eq=False, repr=False)
class InFlight:
    """A request that is being served, or waits for that."""

    request: Request
    settle: Settle | None = None
    """What takes the answer; None: the channel does."""
    caller: Caller = attrs.field(factory=Caller)

    @property
    def cancelled(self) -> bool:
        return self.caller.gone


@attrs.define(eq=False, repr=False)
class OpenRequests:
    """A request is in flight from when it is read until whoever serves it is done.

    Completion is decided once: `cancel` finds a request that is in flight, and then nothing
    more is sent for it; or it does not, and the answer is on its way.
    """

    _channel: Channel
    _open: dict[RequestId, InFlight] = attrs.field(factory=dict, init=False)

    def open(self, request: Request, settle: Settle | None = None) -> InFlight:
        """Raises McpError for an id that is in use: its two answers could not be told apart."""
        self.require_free(request.id)
        entry = self._open[request.id] = InFlight(request, settle)
        return entry

    def require_free(self, id_: RequestId) -> None:
        """Raises McpError for an id that is in use."""
        if id_ in self._open:
            raise invalid_request("Invalid request: a request with this id is in flight")

    def close(self, entry: InFlight) -> None:
        del self._open[entry.request.id]

    def cancel(self, params: Mapping[str, Any]) -> None:
        """Stop the request that `notifications/cancelled` names, if there is one.

        "Invalid cancellation notifications SHOULD be ignored: unknown request IDs, already
        completed requests, malformed notifications."
        """
        id_ = params.get("requestId")
        # True == 1 == 1.0 to a dictionary, but not to a client.
        entry = self._open.get(id_) if type(id_) is str or type(id_) is int else None
        # "The initialize request MUST NOT be cancelled by clients".
        if entry is None or entry.request.method == "initialize":
            return
        logger.debug("request %r was cancelled: %.200s", id_, params.get("reason"))
        entry.caller.leave()
        self._channel.withdraw(entry)
