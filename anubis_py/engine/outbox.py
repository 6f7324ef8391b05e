"""What waits to be sent for one request, bounded."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

import attrs

from .bell import Bell, bell, give_way

# A client that reads keeps the outbox nearly empty. From CROWDED messages on, a newer progress
# replaces the one that waits at the end; from FULL ones or FULL_BYTES on, the oldest is lost.
CROWDED: Final = 32
FULL: Final = 256
FULL_BYTES: Final = 1024 * 1024


@attrs.define(eq=False, repr=False)
class Outbox:
    """Filled by callbacks, on the loop; emptied by one writer."""

    used: bool = False
    """Whether anything has come: that is what makes a stream of an answer."""
    _on_use: Callable[[], None] | None = attrs.field(default=None, kw_only=True)
    """Called with the first message."""
    _sealed: bool = attrs.field(default=False, init=False)
    _closed: bool = attrs.field(default=False, init=False)
    lost: int = 0
    _waiting: deque[tuple[bytes, bool]] = attrs.field(factory=deque, init=False)
    _bytes: int = attrs.field(default=0, init=False)
    _news: Bell | None = attrs.field(default=None, init=False)
    """What the writer waits for. Most outboxes are never used."""

    def put(self, message: bytes, replaceable: bool = False) -> None:
        """Add a message; one that is `replaceable` gives way to the next of its kind."""
        if self._sealed:
            return
        if replaceable and len(self._waiting) >= CROWDED and self._waiting[-1][1]:
            self._bytes -= len(self._waiting.pop()[0])
        self._waiting.append((message, replaceable))
        self._bytes += len(message)
        if len(self._waiting) > FULL or self._bytes > FULL_BYTES:
            self._lose()
        self._use()

    def leave(self) -> None:
        """Have the connection end here, before the answer: an empty message says so."""
        if not self._sealed:
            self._waiting.append((b"", False))
            self._use()

    def _lose(self) -> None:
        while len(self._waiting) > FULL or (self._bytes > FULL_BYTES and len(self._waiting) > 1):
            self._bytes -= len(self._waiting.popleft()[0])
            self.lost += 1

    def _use(self) -> None:
        if not self.used:
            self.used = True
            if self._on_use is not None:
                self._on_use()
        if self._news is not None:
            self._news.ring()

    def seal(self) -> None:
        """Take nothing more: the work is done, and a thread that it left behind is too late."""
        self._sealed = True
        self._on_use = None  # It refers to whoever refers to this.

    def close(self, last: bytes | None = None) -> None:
        """Add the answer, which is never lost. There will be no more."""
        self.seal()
        if last is not None:
            self._waiting.append((last, False))
        self._closed = True
        if self._news is not None:
            self._news.ring()

    async def take(self) -> list[bytes]:
        """Wait for messages and take them all. Empty: there will be no more."""
        while not self._waiting and not self._closed:
            if self._news is None:
                self._news = bell()
            await self._news.wait()
            # Who says many things, one after the other, says the next one meanwhile: then they
            # leave together, and half of all sending is saved.
            await give_way()
        messages = [message for message, _ in self._waiting]
        self._waiting.clear()
        self._bytes = 0
        return messages
