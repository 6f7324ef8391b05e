"""Who listens in this process, and how news reaches them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import attrs

from ..change import Change
from ..loop import Loop
from ..sessions.bus import Bus
from .listener import Listener

if TYPE_CHECKING:
    from ..sessions.news import News


class Subscriptions:
    """The listeners of this process."""

    def __init__(self, bus: Bus) -> None:
        self._listeners: set[Listener] = set()
        self._loop: Loop | None = None
        self._bus = bus
        self._closing = False
        self._hear: Callable[[News], None] = _ignore
        self._connected = False

    def __len__(self) -> int:
        return len(self._listeners)

    @property
    def loop(self) -> Loop:
        """The event loop that news reach."""
        if self._loop is None:
            self.attend()
            assert self._loop is not None
        return self._loop

    def attach(self, hear: Callable[[News], None]) -> None:
        """Have a function called with all news, on the event loop."""
        self._hear = hear

    def publish(self, news: News) -> None:
        """From any thread; does not block."""
        self._bus.publish(news)

    async def send(self, news: News) -> None:
        """As `publish`; what it says survives this process from now on. Raises StoreDown."""
        await self._bus.send(news)

    def listening(self, listener: Listener) -> AbstractContextManager[None]:
        """Within, it hears of every change."""
        return _Listening(self, listener)

    def add(self, listener: Listener) -> None:
        self.attend()
        self._listeners.add(listener)
        if self._closing:
            listener.close()

    def discard(self, listener: Listener) -> None:
        self._listeners.discard(listener)

    def attend(self) -> None:
        """News reach the event loop that runs now, from now on. Raises ConfigurationError where
        the bus cannot be had."""
        self._loop = Loop()
        if not self._connected:
            self._bus.connect(self._deliver)
            self._connected = True

    def open(self) -> None:
        """The server starts, perhaps again."""
        self.attend()
        self._closing = False

    @property
    def closing(self) -> bool:
        """Whether the server stops."""
        return self._closing

    def close(self) -> None:
        """The server stops: every stream ends with its closing result."""
        self._closing = True
        for listener in self._listeners:
            listener.close()

    def _deliver(self, news: News) -> None:
        if self._loop is not None:
            self._loop.call(self._spread, news)

    def _spread(self, news: News) -> None:
        if isinstance(news, Change):
            for listener in self._listeners:
                listener.hear(news)
        self._hear(news)


@attrs.frozen(eq=False, repr=False)
class _Listening:
    """Kept for each listener: a generator would take ten times as much memory."""

    _subscriptions: Subscriptions
    _listener: Listener

    def __enter__(self) -> None:
        self._subscriptions.add(self._listener)

    def __exit__(self, *_: object) -> None:
        self._subscriptions.discard(self._listener)


def _ignore(news: News) -> None:
    return
