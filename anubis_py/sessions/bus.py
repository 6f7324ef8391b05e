"""How news travels between the processes of one server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .news import News

Deliver = Callable[["News"], None]


class Bus(Protocol):
    """Carries news to every process of a server, this one included.

    A process connects once, with a function that takes what is published; it has to be called
    on the event loop.
    """

    def connect(self, deliver: Deliver) -> None:
        """What is published from now on is delivered, as soon as `run` does. It may block for
        some milliseconds, and raise ConfigurationError."""

    def publish(self, news: News) -> None:
        """Tell everybody. From any thread; returns at once and never raises: what cannot be
        carried now is carried as soon as it can, or logged."""

    async def send(self, news: News) -> None:
        """As `publish`, and return when nothing can lose it any more. Raises StoreDown."""

    async def run(self) -> None:
        """Do what has to be done meanwhile, until cancelled."""


class LocalBus:
    """The bus of a server that is one process."""

    def __init__(self) -> None:
        self._deliver: Deliver = lambda news: None

    def connect(self, deliver: Deliver) -> None:
        self._deliver = deliver

    def publish(self, news: News) -> None:
        self._deliver(news)

    async def send(self, news: News) -> None:
        self._deliver(news)

    async def run(self) -> None:
        return
