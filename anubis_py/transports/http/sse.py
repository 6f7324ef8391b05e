"""One response as a stream of server-sent events. It has a single writer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import anyio
import attrs

from .asgi_types import Send

if TYPE_CHECKING:
    from ...sessions.event_store import StreamEvent

T = TypeVar("T")

HEADERS: Final = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache"),
    # "Servers SHOULD include the X-Accel-Buffering: no header": proxies then pass on at once.
    (b"x-accel-buffering", b"no"),
]


class Source(Protocol):
    """Where messages come from: an empty list says that there will be no more."""

    async def take(self) -> list[bytes]: ...


class Events(Protocol):
    """Where events come from: an empty list says that there will be no more."""

    async def take(self) -> list[StreamEvent]: ...


class Stalled(Exception):
    """The client does not read."""


@attrs.frozen(eq=False, repr=False)
class EventStream:
    """Everything that sends raises Stalled when the client does not take what is sent."""

    _send: Send
    keep_alive: float | None
    send_timeout: float | None

    async def run(self, first: Iterable[bytes], source: Source) -> None:
        """Send the first messages and then what comes, with comments into the silence. The body
        is left open."""
        await self.start(b"".join(map(_event, first)))
        del first  # It would be kept for as long as the stream is open.
        await self._pass_on(source.take, _event)

    async def run_events(self, first: Iterable[StreamEvent], source: Events, retry: int) -> None:
        """As `run`, with events that a client may come back for, after `retry` milliseconds."""
        await self.start(b"retry: %d\n\n" % retry)
        await self.events(first)
        del first
        await self._pass_on(source.take, identified)

    async def _pass_on(
        self, take: Callable[[], Awaitable[list[T]]], write: Callable[[T], bytes]
    ) -> None:
        while True:
            taken: list[T] | None = None
            with anyio.move_on_after(self.keep_alive):
                taken = await take()
            if taken is None:
                await self.comment()
            elif taken:
                await self._write(b"".join(map(write, taken)))
            else:
                return

    async def start(self, first: bytes) -> None:
        """Begin the response, and its body at once: some proxies hold back even the headers until
        the first byte of the body."""
        await self._send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await self._write(first or _COMMENT)

    async def events(self, events: Iterable[StreamEvent]) -> None:
        if data := b"".join(map(identified, events)):
            await self._write(data)

    async def comment(self) -> None:
        await self._write(_COMMENT)

    async def end(self, last: bytes | None = None) -> None:
        """Send a last message, and end the body."""
        await self._write(b"" if last is None else _event(last), more=False)

    async def _write(self, data: bytes, *, more: bool = True) -> None:
        with anyio.move_on_after(self.send_timeout) as scope:
            await self._send({"type": "http.response.body", "body": data, "more_body": more})
        if scope.cancelled_caught:
            raise Stalled


_COMMENT: Final = b":\n\n"


def _event(message: bytes) -> bytes:
    # A message is one line: JSON escapes line breaks, and U+2028 is none to SSE.
    return b"data: %b\n\n" % message


def identified(event: StreamEvent, retry: int | None = None) -> bytes:
    """An event with its id, if it has one. Without a message it still needs a data line, or
    parsers drop it."""
    name = b"id: %b\n" % event.id.encode() if event.id else b""
    pause = b"" if retry is None else b"retry: %d\n" % retry
    return b"%b%bdata: %b\n\n" % (name, pause, event.message)
