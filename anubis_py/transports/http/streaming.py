"""Answers that may become a stream, and subscriptions, which are one from the start."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import attrs

from ...caller import Caller, Gone
from ...engine.background import spawn
from ...engine.bell import Bell, bell
from ...engine.exchange import Served
from ...engine.listener import Listener
from ...engine.outbox import Outbox
from ...server.deadline import cancel_scope
from .asgi_types import Receive
from .departure import until_departure, wait_for_departure
from .sse import EventStream, Stalled

logger = logging.getLogger("anubis_py.http")


async def answer(
    work: Callable[[Outbox], Awaitable[Served]],
    receive: Receive,
    caller: Caller,
    stream: EventStream,
) -> Served | None:
    """Do the work, and stream what it says beside its answer, with the answer as the last.

    Work that says nothing gives its answer back, to be sent as plain JSON with its own status.
    The work is cancelled when the client goes away or does not read; Gone is raised.
    """
    return await until_departure(receive, caller, _Answer(stream, caller).give(work))


@attrs.define(eq=False, repr=False)
class _Answer:
    """Its stream has a task of its own, from the first thing on that is said."""

    _stream: EventStream
    _caller: Caller
    _outbox: Outbox = attrs.field(init=False)
    _written: bool = attrs.field(default=False, init=False)
    """Whether there will be no more writing, be it that all is written."""
    _end: Bell = attrs.field(factory=bell, init=False)
    _worker: Caller = attrs.field(factory=Caller, init=False)
    """For whom the stream is written, and who may stop waiting for that."""

    @_outbox.default
    def _(self) -> Outbox:
        return Outbox(on_use=lambda: spawn(self._write))

    async def give(self, work: Callable[[Outbox], Awaitable[Served]]) -> Served | None:
        outbox = self._outbox
        try:
            served = await work(outbox)
            if self._caller.gone:
                raise Gone  # Work that resists its cancellation has an answer, for nobody.
            outbox.close(served.body)
            if not outbox.used:
                return served
            with cancel_scope(None) as self._caller.scope:
                while not self._written:
                    await self._end.wait()
            return None
        finally:
            outbox.seal()
            self._worker.leave()

    async def _write(self) -> None:
        try:
            with cancel_scope(None) as self._worker.scope:
                if not (self._worker.gone or self._caller.gone):
                    await self._stream.run(await self._outbox.take(), self._outbox)
                    await self._stream.end()
        except Stalled:
            logger.warning("a stream was closed: its client does not read")
            self._caller.leave()
        except OSError:
            self._caller.leave()  # So servers may tell that the client has gone.
        except Exception:
            logger.exception("a stream was cut off")
            self._caller.leave()
        finally:
            self._written = True
            self._end.ring()


async def listen(
    listener: Listener, closing: Callable[[], bytes], receive: Receive, stream: EventStream
) -> None:
    """Stream a subscription until this side closes the listener. Raises Gone when the client
    goes away.

    There may be thousands, which say next to nothing. So there is no task beside this one, and it
    spends its days in `receive`, where news interrupt it. Nobody waits there while it sends: a
    server gives up sending to a client that has gone.
    """
    try:
        await stream.start_with([listener.acknowledgement()])
        while not listener.ended:
            if not listener.has_news:
                with listener.silence(stream.keep_alive):
                    await wait_for_departure(receive)
                    raise Gone
            await _say(listener, stream)
        await stream.end(closing())
    except Stalled:
        logger.warning("a subscription was closed: its client does not read")


async def _say(listener: Listener, stream: EventStream) -> None:
    if messages := listener.heard():
        await stream.messages(messages)
    elif not listener.ended:
        await stream.comment()
