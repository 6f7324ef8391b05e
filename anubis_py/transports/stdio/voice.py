"""What a request says beside its answer, on its way to the channel."""

from __future__ import annotations

import attrs

from ...engine.outbox import Outbox
from .channel import Channel, Sender


@attrs.define(eq=False, repr=False)
class Voice(Outbox):
    """An outbox that empties itself, at once, into a channel that has room; no task is needed.

    What finds no room waits here, bounded, for the next message or for the end of the request.
    """

    _channel: Channel = attrs.field(kw_only=True)
    _sender: Sender = attrs.field(kw_only=True)

    def put(self, message: bytes, replaceable: bool = False) -> None:
        super().put(message, replaceable)
        self._flush()

    def leave(self) -> None:
        """There is no coming back to this connection, so it stays."""

    def _flush(self) -> None:
        while self._waiting and self._channel.has_room:
            self._channel.say(self._waiting.popleft()[0], self._sender)
