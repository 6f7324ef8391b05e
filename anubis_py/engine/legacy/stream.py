"""What a client gets that comes to listen, or to read on."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
import attrs

from ...sessions.event_store import StreamEvent
from ...sessions.store import StoreDown
from .presence import Presence
from .standing import Standing
from .tape import Follower, Tape


@attrs.frozen(eq=False, repr=False)
class Recorder:
    """The events of a standing stream, which are written down as they are taken."""

    _standing: Standing
    _tape: Tape

    async def take(self) -> list[StreamEvent]:
        """Wait for events and take them all. Empty: the stream is over. Raises StoreDown."""
        messages = await self._standing.take()
        events: list[StreamEvent] = []
        # What is taken is written down, whatever becomes of the connection meanwhile.
        with anyio.CancelScope(shield=True):
            try:
                for message in messages:
                    events.append(await self._tape.record(message))
            except StoreDown:
                # What could not be written down waits for the client's next attempt.
                for message in messages[len(events) :]:
                    self._standing.tell(message)
                if not events:
                    raise
        return events


@attrs.frozen(eq=False, repr=False)
class Stream:
    session_id: str
    presence: Presence
    source: Recorder | Follower
    first: Sequence[StreamEvent] = ()
    standing: Standing | None = None
    """None: it reads on where another connection was lost."""
