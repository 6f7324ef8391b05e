"""A stream that a client of a test listens to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio

Take = Callable[[], Awaitable[list[dict[str, Any]]]]


class Subscription:
    """What `Client.listen` gives."""

    def __init__(self, honoured: dict[str, Any], take: Take) -> None:
        self.honoured = honoured
        """What the server agreed to deliver."""
        self._take = take
        self._read: list[dict[str, Any]] = []

    async def receive(self) -> dict[str, Any]:
        """Wait for the next message. Raises anyio.EndOfStream when the server has ended it."""
        if not self._read:
            self._read = await self._take()
        if not self._read:
            raise anyio.EndOfStream
        return self._read.pop(0)
