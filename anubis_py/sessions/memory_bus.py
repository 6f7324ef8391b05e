"""How news travels between the apps of one process."""

from __future__ import annotations

import weakref
from threading import Lock

from .bus import Deliver
from .news import News


class MemoryHub:
    """Where the ends of one bus meet. It keeps none of them alive."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._ends: tuple[weakref.ref[MemoryBus], ...] = ()

    def add(self, end: MemoryBus) -> None:
        with self._lock:
            alive = (ref for ref in self._ends if ref() not in (None, end))
            self._ends = (*alive, weakref.ref(end))

    def spread(self, news: News) -> None:
        for ref in self._ends:
            if (end := ref()) is not None:
                end.deliver(news)


class MemoryBus:
    """One end of a bus within the process. What is published is delivered before `publish`
    returns, on the thread that publishes."""

    def __init__(self, hub: MemoryHub) -> None:
        self._hub = hub
        self.deliver: Deliver = lambda news: None

    def connect(self, deliver: Deliver) -> None:
        self.deliver = deliver
        self._hub.add(self)

    def publish(self, news: News) -> None:
        self._hub.spread(news)

    async def send(self, news: News) -> None:
        self._hub.spread(news)

    async def run(self) -> None:
        return
