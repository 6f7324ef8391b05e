"""Answers that may become a stream, and subscriptions, which are one from the start."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import anyio

from ...caller import Caller, Gone
from ...engine.exchange import Served
from ...engine.listener import Listener
from ...engine.outbox import Outbox
from .asgi_types import Receive
from .body import Disconnected
from .departure import until_departure, wait_for_departure
from .sse import EventStream, Stalled

logger = logging.getLogger("anubis_py.http")


async def answer(
    work: Callable[[Outbox], Awaitable[Served]], receive: Receive, stream: EventStream
) -> Served | None:
    """Do the work, and stream what it says beside its answer, with the answer as the last.

    Work that says nothing gives its answer back, to be sent as plain JSON with its own status.
    The work is cancelled when the client goes away or does not read; Disconnected is raised.
    """
    outbox, written = Outbox(), anyio.Event()

    async def write() -> None:
        try:
            await stream.run(await outbox.take(), outbox)
            await stream.end()
            written.set()
        except Stalled:
            logger.warning("a stream was closed: its client does not read")
            group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(_cancel_when_gone, receive, group.cancel_scope)
        group.start_soon(write)
        try:
            served = await work(outbox)
        finally:
            outbox.seal()
        if outbox.used:
            outbox.close(served.body)
            await written.wait()
        group.cancel_scope.cancel()
        return None if outbox.used else served
    raise Disconnected


async def listen(
    listener: Listener,
    closing: Callable[[], bytes],
    receive: Receive,
    caller: Caller,
    stream: EventStream,
) -> None:
    """Stream a subscription until this side closes the listener. Raises Gone when the client
    goes away."""
    with anyio.CancelScope() as caller.scope:
        await until_departure(receive, caller, _pass_on(listener, closing, stream))
    if caller.gone:
        raise Gone


async def _pass_on(listener: Listener, closing: Callable[[], bytes], stream: EventStream) -> None:
    try:
        await stream.run([listener.acknowledgement()], listener)
        await stream.end(closing())
    except Stalled:
        logger.warning("a subscription was closed: its client does not read")


async def _cancel_when_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    await wait_for_departure(receive)
    scope.cancel()
