"""What was sent on a stream, for clients that lose their connection and come back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import attrs


@attrs.frozen
class StreamEvent:
    id: str
    """Visible ASCII, unique within the session, and telling the stream."""
    message: bytes
    """Empty: there is no message, only an id to come back with."""
    last: bool = False
    """Whether the stream ends with it."""


@attrs.frozen
class Replay:
    """What came after an event, on its own stream."""

    stream_id: str
    events: Sequence[StreamEvent]
    ended: bool = False
    """Whether nothing will ever come behind them."""


class EventStore(ABC):
    """Keeps what streams have sent, within bounds. Subclass it to keep it somewhere else.

    Every method may raise StoreDown.
    """

    @abstractmethod
    async def append(
        self, session_id: str, stream_id: str, message: bytes, *, last: bool = False
    ) -> str:
        """Keep a message and give the id of its event. `stream_id` is visible ASCII."""

    @abstractmethod
    async def after(self, session_id: str, event_id: str) -> Replay | None:
        """What came after an event; None: it is unknown, or something after it is lost."""

    @abstractmethod
    async def delete(self, session_id: str) -> None:
        """Forget all streams of a session."""

    async def run(self) -> None:
        """Do what has to be done beside the requests, until cancelled."""
        return
