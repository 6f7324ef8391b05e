"""One at a time for each key, in order of arrival."""

from __future__ import annotations

from collections import deque

import anyio
import attrs


@attrs.define(eq=False, repr=False)
class Turns:
    """A key costs nothing while nobody has its turn."""

    _waiting: dict[str, deque[anyio.Event]] = attrs.field(factory=dict, init=False)

    async def take(self, key: str) -> None:
        """Wait for the turn. Cancelling that gives up the place in the queue."""
        queue = self._waiting.get(key)
        if queue is None:
            self._waiting[key] = deque()
            return
        turn = anyio.Event()
        queue.append(turn)
        try:
            await turn.wait()
        except BaseException:
            if turn.is_set():
                self.give(key)
            else:
                queue.remove(turn)
            raise

    def give(self, key: str) -> None:
        """End the turn. The next in the queue has it from now on, not from when it wakes."""
        queue = self._waiting[key]
        if queue:
            queue.popleft().set()
        else:
            del self._waiting[key]
