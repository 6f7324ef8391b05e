"""SIGINT and SIGTERM: the first asks a server to stop, the second ends it."""

from __future__ import annotations

import signal
from typing import Final, Protocol

import attrs
import trio

from .http import ShutdownTrigger, sole

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Serve(Protocol):
    async def __call__(self, *, shutdown_trigger: ShutdownTrigger) -> None: ...


async def until_signalled(serve: Serve) -> int:
    """Call `serve` with a trigger that the first signal fires, and wait for its end.

    A second signal cancels `serve`; a third one does what it does in any program, so that a
    handler that resists cancellation can be ended too. Gives the exit status: 0, or 128 + n
    when a second signal of number n cut it short, which is how shells say it.
    """
    watch = _Watch()
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(watch.run, nursery.cancel_scope)
            await serve(shutdown_trigger=watch.stop.wait)
            nursery.cancel_scope.cancel()
    except ExceptionGroup as group:
        raise sole(group) from None
    return watch.status


@attrs.define
class _Watch:
    stop: trio.Event = attrs.field(factory=trio.Event)
    status: int = 0

    async def run(self, scope: trio.CancelScope, *, task_status: trio.TaskStatus[None]) -> None:
        with trio.open_signal_receiver(*STOP_SIGNALS) as arriving:
            task_status.started()
            await anext(arriving)
            self.stop.set()
            self.status = 128 + await anext(arriving)
        scope.cancel()
