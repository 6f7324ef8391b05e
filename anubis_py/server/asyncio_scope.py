"""asyncio's cancel scope. Imported by those who run on it."""

from __future__ import annotations

import asyncio
from math import inf
from types import TracebackType
from typing import Any, Final, Self

# Seconds until a callback that goes on after it was cancelled is cancelled again.
_INSIST: Final = 0.05

# Seconds between two looks at all that is open: a thousand deadlines, one shortly after the other,
# are not looked through a thousand times.
_REST: Final = 0.01


class AsyncioScope:
    """Entered and left in one task, once. As `asyncio.timeout`, and it insists."""

    __slots__ = ("_alarm", "_before", "_cancelled", "_task", "_timeout", "_timer", "deadline")

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout
        self._timer: asyncio.TimerHandle | None = None
        self._cancelled = 0

    def __enter__(self) -> Self:
        self._alarm = alarm = _alarm()
        task = asyncio.current_task(alarm.loop)
        assert task is not None
        self._task: asyncio.Task[Any] | None = task
        self._before = task.cancelling()
        if self._timeout is not None:
            self.within(self._timeout)
        return self

    def within(self, seconds: float | None) -> None:
        """Move the deadline to so many seconds from now; None: there is none any more."""
        alarm = self._alarm
        if seconds is None:
            alarm.open.discard(self)
            return
        self.deadline = alarm.loop.time() + seconds
        alarm.open.add(self)
        if self.deadline < alarm.rings:
            alarm.set(self.deadline)

    def cancel(self) -> None:
        """Cancel what is within. On the loop."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._cancelled += 1
            self._task.cancel()
            self._timer = self._alarm.loop.call_later(_INSIST, self.cancel)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        self._alarm.open.discard(self)
        task, self._task = self._task, None
        if not self._cancelled:
            return False
        if self._timer is not None:
            self._timer.cancel()
        assert task is not None
        for _ in range(self._cancelled):
            task.uncancel()
        # Somebody else may want the task to end, too.
        return kind is asyncio.CancelledError and task.cancelling() <= self._before


class _Alarm:
    """One timer for the deadlines of all scopes on a loop: it is set for the first, and when it
    rings, anew for the first of those that are still open. A timer for each, which nearly always
    would be thrown away, takes longer than the rest of a scope."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.open: set[AsyncioScope] = set()
        self._timer: asyncio.TimerHandle | None = None
        self.rings = inf

    def set(self, time: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.rings = time
        self._timer = None if time == inf else self.loop.call_at(time, self._ring)

    def _ring(self) -> None:
        now = max(self.loop.time(), self.rings)  # uvloop rings half a millisecond early.
        for scope in [scope for scope in self.open if scope.deadline <= now]:
            self.open.discard(scope)
            scope.cancel()
        self.set(max(min((scope.deadline for scope in self.open), default=inf), now + _REST))


# Of the loop that was asked for last, which is nearly always the only one.
_last: _Alarm | None = None


def _alarm() -> _Alarm:
    global _last
    loop, alarm = asyncio.get_running_loop(), _last
    if alarm is None or alarm.loop is not loop:
        alarm = _last = _Alarm(loop)
    return alarm
