"""Who listens in this process, and how changes reach them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from ..change import Change
from .listener import Listener
from .loop import Loop


class Bus(Protocol):
    """Carries changes to every process of a server.

    A process connects once, with a function that takes the changes which others publish; it
    has to be called on the event loop. `publish` may be called from any thread, returns at
    once, and never raises.
    """

    def connect(self, deliver: Callable[[Change], None]) -> None: ...
    def publish(self, change: Change) -> None: ...


class LocalBus:
    """The bus of a server that is one process."""

    def __init__(self) -> None:
        self._deliver: Callable[[Change], None] = lambda change: None

    def connect(self, deliver: Callable[[Change], None]) -> None:
        self._deliver = deliver

    def publish(self, change: Change) -> None:
        self._deliver(change)


class Subscriptions:
    """The listeners of this process."""

    def __init__(self, bus: Bus) -> None:
        self._listeners: set[Listener] = set()
        self._loop: Loop | None = None
        self._bus = bus
        self._closing = False
        bus.connect(self._deliver)

    def __len__(self) -> int:
        return len(self._listeners)

    def publish(self, change: Change) -> None:
        """From any thread; does not block."""
        self._bus.publish(change)

    @contextmanager
    def listening(self, listener: Listener) -> Iterator[None]:
        """Within, it hears of every change."""
        self._loop = Loop()
        self._listeners.add(listener)
        if self._closing:
            listener.close()
        try:
            yield
        finally:
            self._listeners.discard(listener)

    def open(self) -> None:
        """The server starts, perhaps again."""
        self._closing = False

    def close(self) -> None:
        """The server stops: every stream ends with its closing result."""
        self._closing = True
        for listener in self._listeners:
            listener.close()

    def _deliver(self, change: Change) -> None:
        if self._loop is not None:
            self._loop.call(self._spread, change)

    def _spread(self, change: Change) -> None:
        for listener in self._listeners:
            listener.hear(change)
