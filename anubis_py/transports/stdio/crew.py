"""Tasks that take turns: one reads, and does what it has read, as long as that need not wait."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from types import coroutine
from typing import Any

import anyio
import attrs
from anyio.abc import TaskGroup

Function = Callable[..., Coroutine[Any, Any, None]]
Job = tuple[Function, tuple[Any, ...]]
Read = Callable[[], Coroutine[Any, Any, bool]]
"""Takes in what there is to read, and adds the jobs; False: there will be no more."""


@attrs.define(eq=False, repr=False)
class Crew:
    """Does jobs, at most `limit` at once, and reads what they are.

    Whoever reads also does what it has read: to hand a short request to another task takes a
    tenth of the time of its answer. When a job waits for anything, other tasks go on with the
    jobs that are left, and with reading. So jobs run at once, as if each had a task of its own.

    A job is called with the cancel scope of its task, and then its own arguments. Whoever
    cancels that scope ends the task, too, so the scope serves many jobs: to make and enter one
    takes a tenth of the time of a short request. Context variables that a job sets end with
    it, as if the task did. A job raises nothing but cancellation.

    The tasks live in `group`, and are cancelled with it.
    """

    _group: TaskGroup
    limit: int
    _read: Read = attrs.field(init=False)
    _waiting: deque[Job] = attrs.field(factory=deque, init=False)
    _busy: int = attrs.field(default=0, init=False)
    """How many jobs have begun and not ended."""
    _reader: anyio.CancelScope | None = attrs.field(default=None, init=False)
    """Of the task that reads; None: no task does."""
    _idle: list[anyio.Event] = attrs.field(factory=list, init=False)
    """What the tasks wait for that have nothing to do."""
    _called: int = attrs.field(default=0, init=False)
    """How many tasks are about to look for something to do."""
    _over: bool = attrs.field(default=False, init=False)
    """Whether nothing more is read."""
    _end: anyio.Event = attrs.field(factory=anyio.Event, init=False)

    @property
    def has_room(self) -> bool:
        """Whether another job may be added. One waits while all others are being done: who
        reads on until it comes hears of cancellations."""
        return len(self._waiting) + self._busy <= self.limit

    def add(self, function: Function, *arguments: Any) -> None:
        """Have a job done. Only for who has seen that there is room."""
        self._waiting.append((function, arguments))

    async def run(self, read: Read) -> None:
        """Read and do jobs, until there is no more to read. What was begun goes on."""
        self._read = read
        self._call()
        await self._end.wait()

    def stop(self) -> None:
        """Read nothing more, and let every task end when there is nothing to do."""
        self._over = True
        self._end.set()
        if self._reader is not None:
            self._reader.cancel()
        while self._idle:
            self._call()

    async def _work(self) -> None:
        self._called -= 1
        with anyio.CancelScope() as scope:
            while not scope.cancel_called:
                if self._waiting and self._busy < self.limit:
                    await self._do(scope)
                elif self._may_read:
                    await self._take_in(scope)
                elif self._over:
                    break
                else:
                    await self._rest()
        self._leave_to_others()

    async def _do(self, scope: anyio.CancelScope) -> None:
        function, arguments = self._waiting.popleft()
        self._busy += 1
        try:
            await within(copy_context(), function(scope, *arguments), self._leave_to_others)
        finally:
            self._busy -= 1

    async def _take_in(self, scope: anyio.CancelScope) -> None:
        self._reader = scope
        try:
            more = await within(copy_context(), self._read(), self._leave_to_others)
        finally:
            self._reader = None
        if not more:
            self.stop()

    async def _rest(self) -> None:
        call = anyio.Event()
        self._idle.append(call)
        await call.wait()
        self._called -= 1

    @property
    def _may_read(self) -> bool:
        return self._reader is None and not self._waiting and not self._over

    def _leave_to_others(self) -> None:
        """Have as many tasks come as there is something to do for."""
        if self._waiting:
            tasks = min(len(self._waiting), self.limit - self._busy)
        else:
            tasks = int(self._may_read)
        while self._called < tasks:
            self._call()

    def _call(self) -> None:
        self._called += 1
        if self._idle:
            # The last to come is the one whose memory is still warm.
            self._idle.pop().set()
        else:
            self._group.start_soon(self._work)


def nothing() -> None:
    pass


@coroutine
def within(
    context: Context, job: Coroutine[Any, Any, Any], on_wait: Callable[[], None] = nothing
) -> Generator[Any, Any, Any]:
    """Await a job with every step of it in the context, which is not the task's own. `on_wait`
    is called whenever the job is about to wait."""
    step: Callable[[Any], Any] = job.send
    value: Any = None
    while True:
        try:
            trap = context.run(step, value)
        except StopIteration as end:
            return end.value
        on_wait()
        try:
            step, value = job.send, (yield trap)
        except BaseException as error:
            step, value = job.throw, error
