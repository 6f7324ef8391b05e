"""Tasks that stand ready, for to start one takes longer than to answer a short request."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from types import coroutine
from typing import Any

import anyio
import attrs
from anyio.abc import TaskGroup

Function = Callable[..., Coroutine[Any, Any, None]]
Job = tuple[Function, tuple[Any, ...]]


@attrs.define(eq=False, repr=False)
class _Hand:
    """A task that waits for its next job; None sends it home."""

    job: Job | None = None
    called: anyio.Event = attrs.field(factory=anyio.Event)

    def call(self, job: Job | None) -> None:
        self.job = job
        self.called.set()


@attrs.define(eq=False, repr=False)
class Crew:
    """Does jobs, each in a task, at most `limit` at once.

    A job is called with the cancel scope of its task, and then its own arguments. Whoever
    cancels that scope ends the task, too, so the scope serves many jobs: to make and enter one
    takes a tenth of the time of a short request. Context variables that a job sets end with
    it, as if the task did. A job raises nothing but cancellation.

    The tasks live in `group`, and are cancelled with it.
    """

    _group: TaskGroup
    limit: int
    _size: int = attrs.field(default=0, init=False)
    _idle: list[_Hand] = attrs.field(factory=list, init=False)
    _freed: anyio.Event = attrs.field(factory=anyio.Event, init=False)
    _dismissed: bool = attrs.field(default=False, init=False)

    async def do(self, function: Function, *arguments: Any) -> None:
        """Have a job begun, and do not wait for its end; wait only while all are busy."""
        job = function, arguments
        while not self._idle and self._size >= self.limit:
            self._freed = anyio.Event()
            await self._freed.wait()
        if self._idle:
            # The last to come is the one whose memory is still warm.
            self._idle.pop().call(job)
        else:
            self._size += 1
            self._group.start_soon(self._work, job)

    def dismiss(self) -> None:
        """Let every task end, when it has done its job."""
        self._dismissed = True
        for hand in self._idle:
            hand.call(None)

    async def _work(self, job: Job | None) -> None:
        with anyio.CancelScope() as scope:
            while job is not None:
                function, arguments = job
                await within(copy_context(), function(scope, *arguments))
                if scope.cancel_called or self._dismissed:
                    break
                job = await self._next()
        self._size -= 1
        self._freed.set()

    async def _next(self) -> Job | None:
        hand = _Hand()
        self._idle.append(hand)
        self._freed.set()
        await hand.called.wait()
        return hand.job


@coroutine
def within(context: Context, job: Coroutine[Any, Any, None]) -> Generator[Any, Any, None]:
    """Await a job with every step of it in the context, which is not the task's own."""
    step: Callable[[Any], Any] = job.send
    value: Any = None
    while True:
        try:
            trap = context.run(step, value)
        except StopIteration:
            return
        try:
            step, value = job.send, (yield trap)
        except BaseException as error:
            step, value = job.throw, error
