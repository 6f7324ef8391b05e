"""One response as a stream of server-sent events. It has a single writer."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from typing import TYPE_CHECKING, Final, Protocol

import anyio
import attrs

from ...server.deadline import cancel_scope
from .asgi_types import Send
from .patience import patience

if TYPE_CHECKING:
    from ...sessions.event_store import StreamEvent

HEADERS: Final = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache"),
    # "Servers SHOULD include the X-Accel-Buffering: no header": proxies then pass on at once.
    (b"x-accel-buffering", b"no"),
]


class Source(Protocol):
    """Where messages come from: an empty list says that there will be no more. Who is cancelled
    has taken nothing."""

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
        await self.start_with(first)
        del first  # It would be kept for as long as the stream is open.
        await self._pass_on(source)

    async def run_events(self, first: Iterable[StreamEvent], source: Events, retry: int) -> None:
        """As `run`, with events that a client may come back for, after `retry` milliseconds."""
        await self.start(b"retry: %d\n\n" % retry)
        await self.events(first)
        del first
        while True:
            taken: list[StreamEvent] | None = None
            # Not a scope of the library's own: what is taken is written down, shielded.
            with anyio.move_on_after(self.keep_alive):
                taken = await source.take()
            if taken is None:
                await self.comment()
            elif taken:
                await self.events(taken)
            else:
                return

    async def _pass_on(self, source: Source) -> None:
        while True:
            taken: list[bytes] | None = None
            with patience() as waiting:
                while taken != []:
                    taken = None
                    waiting.within(self.keep_alive)
                    if taken := await source.take():
                        waiting.within(self.send_timeout)
                        await self._send_body(b"".join(map(_event, taken)))
                return
            if taken:
                raise Stalled
            await self.comment()

    async def start(self, first: bytes) -> None:
        """Begin the response, and its body at once: some proxies hold back even the headers until
        the first byte of the body."""
        await self._send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await self._write(first or _COMMENT)

    async def start_with(self, messages: Iterable[bytes]) -> None:
        await self.start(b"".join(map(_event, messages)))

    async def events(self, events: Iterable[StreamEvent]) -> None:
        if data := b"".join(map(identified, events)):
            await self._write(data)

    async def messages(self, messages: Iterable[bytes]) -> None:
        await self._write(b"".join(map(_event, messages)))

    async def comment(self) -> None:
        await self._write(_COMMENT)

    async def end(self, last: bytes | None = None) -> None:
        """Send a last message, and end the body."""
        await self._write(b"" if last is None else _event(last), more=False)

    async def _write(self, data: bytes, *, more: bool = True) -> None:
        with cancel_scope(self.send_timeout):
            await self._send_body(data, more)
            return
        raise Stalled

    def _send_body(self, data: bytes, more: bool = True) -> Awaitable[None]:
        return self._send({"type": "http.response.body", "body": data, "more_body": more})


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
