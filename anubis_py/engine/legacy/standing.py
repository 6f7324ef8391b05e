"""The stream of a session that belongs to no request: a GET over HTTP, all of stdio."""

from __future__ import annotations

from collections import deque
from typing import Final

import anyio
import attrs

from ...change import Change
from ...protocol.jsonrpc import encode_notification

STREAM: Final = "standing"
"""Its name in the event store."""

# What waits for a client that does not read, or that comes back for it: no more than this, and
# the oldest is lost.
FULL: Final = 256
FULL_BYTES: Final = 1024 * 1024


@attrs.define(eq=False, repr=False)
class Standing:
    """What waits to be sent there. It goes on filling while its client is away for a moment.

    Two changes of one thing that wait are one notification.
    """

    session_id: str
    lists: frozenset[Change]
    """The changes of lists that the server says it tells of."""
    uris: frozenset[str]
    """The resources that the client has subscribed to."""
    closed: bool = attrs.field(default=False, init=False)
    left: float | None = attrs.field(default=None, init=False)
    """Since when its client is away."""
    _changes: dict[Change, None] = attrs.field(factory=dict, init=False)
    _messages: deque[bytes] = attrs.field(factory=deque, init=False)
    _bytes: int = attrs.field(default=0, init=False)
    _news: anyio.Event = attrs.field(factory=anyio.Event, init=False)

    def hear(self, change: Change) -> None:
        if change in self.lists or (change.uri is not None and change.uri in self.uris):
            self._changes[change] = None
            self._news.set()

    def tell(self, message: bytes) -> None:
        self._messages.append(message)
        self._bytes += len(message)
        while len(self._messages) > FULL or (self._bytes > FULL_BYTES and len(self._messages) > 1):
            self._bytes -= len(self._messages.popleft())
        self._news.set()

    def leave(self, now: float) -> None:
        """The client has gone. It may come back for what waits."""
        self.left = now

    def close(self) -> None:
        """End the connection from this side, as soon as what waits is sent."""
        self.closed = True
        self._news.set()

    async def take(self) -> list[bytes]:
        """Wait for messages and take them all. Empty: it is closed."""
        while not (self._changes or self._messages or self.closed):
            self._news = anyio.Event()
            await self._news.wait()
        return self.drain()

    def drain(self) -> list[bytes]:
        """Take what waits."""
        messages = [*self._messages, *map(_notification, self._changes)]
        self._messages.clear()
        self._changes.clear()
        self._bytes = 0
        return messages


def _notification(change: Change) -> bytes:
    return encode_notification(change.method, {} if change.uri is None else {"uri": change.uri})
