"""One thing after another, in the order in which they were read."""

from __future__ import annotations

from collections import deque
from contextvars import copy_context
from typing import Any

import anyio
import attrs

from .crew import Function, Job, within


@attrs.define(eq=False, repr=False)
class Lane:
    """Does jobs one after another, in a task that stands ready for them.

    The turns of a session are handed out in the order in which they are asked for; of tasks
    that are started together, any may be the first to ask. As with a crew, a job raises nothing
    but cancellation, and context variables that it sets end with it.
    """

    limit: int
    """How many jobs wait; whoever has one more waits with it."""
    _jobs: deque[Job] = attrs.field(factory=deque, init=False)
    _news: anyio.Event = attrs.field(factory=anyio.Event, init=False)
    _room: anyio.Event = attrs.field(factory=anyio.Event, init=False)
    _dismissed: bool = attrs.field(default=False, init=False)

    async def do(self, function: Function, *arguments: Any) -> None:
        """Have a job done when it is its turn, and do not wait for that."""
        while len(self._jobs) >= self.limit:
            self._room = anyio.Event()
            await self._room.wait()
        self._jobs.append((function, arguments))
        self._news.set()

    def dismiss(self) -> None:
        """Let the task end, when it has done what waits."""
        self._dismissed = True
        self._news.set()

    async def run(self) -> None:
        while self._jobs or not self._dismissed:
            if self._jobs:
                function, arguments = self._jobs.popleft()
                self._room.set()
                await within(copy_context(), function(*arguments))
            else:
                self._news = anyio.Event()
                await self._news.wait()
