"""The end of a callback's time, or of its caller's patience."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from ..loop import on_trio

if TYPE_CHECKING:
    import asyncio

# Seconds until a callback that goes on after it was cancelled is cancelled again.
_INSIST: Final = 0.05


def cancel_scope(timeout: float | None) -> Any:
    """A cancel scope that ends after `timeout` seconds; None: only when it is cancelled. Within it,
    whatever awaits is cancelled, and cancelled again, until it leaves.

    Each library's own: anyio's costs a request 20 us on asyncio, and a third more than trio's on
    trio, for what no callback needs of it.
    """
    if not on_trio():
        return _AsyncioScope(timeout)
    import trio

    return trio.CancelScope() if timeout is None else trio.move_on_after(timeout)


class _AsyncioScope:
    """Entered and left in one task, once. As `asyncio.timeout`, and it insists."""

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout
        self._cancelled = 0

    def __enter__(self) -> Self:
        import asyncio

        task = asyncio.current_task()
        assert task is not None
        self._task: asyncio.Task[Any] | None = task
        self._loop = task.get_loop()
        self._before = task.cancelling()
        self._timer: asyncio.TimerHandle | None = None
        if self._timeout is not None:
            self._timer = self._loop.call_later(self._timeout, self.cancel)
        return self

    def cancel(self) -> None:
        """Cancel what is within. On the loop."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._cancelled += 1
            self._task.cancel()
            self._timer = self._loop.call_later(_INSIST, self.cancel)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        task, self._task = self._task, None
        if self._timer is not None:
            self._timer.cancel()
        if not self._cancelled:
            return False
        import asyncio

        assert task is not None
        for _ in range(self._cancelled):
            task.uncancel()
        # Somebody else may want the task to end, too.
        return kind is asyncio.CancelledError and task.cancelling() <= self._before
