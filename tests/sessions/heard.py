"""Who listens to a bus."""

from __future__ import annotations

import anyio

from anubis_py.sessions.bus import Bus
from anubis_py.sessions.news import News


class Heard:
    """What a process has heard, in order."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.news: list[News] = []
        self._more = anyio.Event()
        bus.connect(self._deliver)

    def _deliver(self, news: News) -> None:
        self.news.append(news)
        self._more.set()

    async def wait(self, number: int, seconds: float = 10) -> list[News]:
        """Until there are so many."""
        with anyio.fail_after(seconds):
            while len(self.news) < number:
                await self._more.wait()
                self._more = anyio.Event()
        return self.news
