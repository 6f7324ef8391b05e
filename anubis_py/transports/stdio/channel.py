"""The way back: one queue, one writer, whole lines."""

from __future__ import annotations

from collections import deque
from typing import Final, Protocol

import anyio
import attrs
from anyio.abc import AnyByteSendStream

from .streams import WatchedSink

# Bytes. A client that reads keeps the queue nearly empty; for one that does not, this and one
# message are what it costs. Whoever has more to say waits.
FULL: Final = 1024 * 1024


class Sender(Protocol):
    """Whose messages they are."""

    @property
    def cancelled(self) -> bool: ...


@attrs.define(eq=False, repr=False)
class Channel:
    """Takes messages from all requests, and writes them one after another.

    "Servers MUST NOT send any further messages" for a cancelled request: what a cancelled
    sender has to say is dropped.
    """

    _stream: AnyByteSendStream
    _waiting: deque[tuple[bytes, Sender | None]] = attrs.field(factory=deque, init=False)
    _bytes: int = attrs.field(default=0, init=False)
    _writing: bool = attrs.field(default=False, init=False)
    _closed: bool = attrs.field(default=False, init=False)
    _news: anyio.Event = attrs.field(factory=anyio.Event, init=False)
    _room: anyio.Event | None = attrs.field(default=None, init=False)
    """What they wait for who found the queue full."""

    @property
    def has_room(self) -> bool:
        return self._bytes < FULL

    async def send(self, message: bytes, sender: Sender | None = None) -> None:
        """Take a message as soon as there is room. Cancelling that takes the message back. It
        returns before the message is written."""
        while self._bytes >= FULL:
            self._room = self._room or anyio.Event()
            await self._room.wait()
        self.say(message, sender)

    def say(self, message: bytes, sender: Sender | None = None) -> None:
        """Take a message now. Only for who has seen that there is room."""
        if sender is not None and sender.cancelled:
            return
        line = message + b"\n"
        if isinstance(self._stream, WatchedSink) and not (self._writing or self._waiting):
            # The writer has nothing to do. Short lines need not wake it, which would take as
            # long as to write them.
            written = self._stream.write_some(line)
            if written == len(line):
                return
            if written:
                line, sender = line[written:], None
        self._waiting.append((line, sender))
        self._bytes += len(line)
        self._news.set()

    def withdraw(self, sender: Sender) -> None:
        """Drop what waits of a sender. What is being written is written to its end."""
        self._waiting = deque(item for item in self._waiting if item[1] is not sender)
        self._bytes = sum(len(line) for line, _ in self._waiting)
        self._let_in()

    def close(self) -> None:
        """There will be no more."""
        self._closed = True
        self._news.set()

    async def run(self) -> None:
        """Write until the channel is closed and empty. Raises anyio.BrokenResourceError when
        nobody reads any more. Cancelling it may cut a line, so it is the end of the channel."""
        while self._waiting or not self._closed:
            if self._waiting:
                self._writing = True
                await self._stream.send(self._take())
                self._writing = False
            else:
                self._news = anyio.Event()
                await self._news.wait()

    def _take(self) -> bytes:
        """One line: those behind it can still be withdrawn."""
        line, _ = self._waiting.popleft()
        self._bytes -= len(line)
        self._let_in()
        return line

    def _let_in(self) -> None:
        if self._room is not None:
            self._room.set()
            self._room = None
