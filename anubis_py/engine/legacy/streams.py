"""The streams of sessions: the standing ones, and those of requests, which may be read on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import attrs

from ...change import PROMPTS_CHANGED, RESOURCES_CHANGED, TOOLS_CHANGED, Change
from ...frame import Frame
from ...protocol.revisions import REVISIONS
from ...server.behaviour import Behaviour
from ...sessions.record import Record
from ..exchange import Peer
from .presence import Presence
from .sessions import Sessions
from .standing import STREAM, Standing
from .stream import Recorder, Stream
from .tape import Follower, Tape
from .tokens import token

_LISTS: Final = {
    "tools": TOOLS_CHANGED,
    "prompts": PROMPTS_CHANGED,
    "resources": RESOURCES_CHANGED,
}


@attrs.frozen(eq=False, repr=False)
class Streams:
    _server: Behaviour
    _sessions: Sessions

    async def open(self, session_id: str, peer: Peer, last_event_id: str | None) -> Stream:
        """The standing stream of a session, or the rest of a stream that was lost behind an
        event. To be read within `reading`. Raises McpError and StoreDown."""
        record = await self._sessions.find(session_id, peer)
        presence = self._sessions.presences.presence(session_id)
        presence.readers += 1
        if self._sessions.subscriptions.closing:
            presence.close_streams()
        try:
            return await self._open(session_id, record, presence, last_event_id)
        except BaseException:
            self._left(session_id, presence)
            raise

    async def _open(
        self, session_id: str, record: Record, presence: Presence, last_event_id: str | None
    ) -> Stream:
        events = self._sessions.events
        replay = None if last_event_id is None else await events.after(session_id, last_event_id)
        if last_event_id is not None and replay is not None and replay.stream_id != STREAM:
            follower = Follower(events, session_id, presence, last_event_id)
            return Stream(session_id, presence, follower)
        tape = Tape(events, session_id, STREAM, presence)
        standing = Standing(session_id, self._lists(), _watched(record))
        missed = [] if replay is None else list(replay.events)
        if replay is None and REVISIONS[record.protocol_version].primes:
            missed.append(await tape.record(b""))
        return Stream(session_id, presence, Recorder(standing, tape), missed, standing)

    def expect(self, session_id: str) -> None:
        """Keep what is said until the client of a new session opens its standing stream."""
        lists = self._lists()
        if lists or "handle_info" in self._server.overrides:
            standing = Standing(session_id, lists, frozenset())
            standing.leave(self._sessions.now())
            self._sessions.presences.expect(session_id, standing)

    @contextmanager
    def reading(self, stream: Stream) -> Iterator[None]:
        """Within, the stream gets what belongs to it."""
        if stream.standing is not None:
            self._sessions.presences.stand(stream.session_id, stream.standing)
        try:
            yield
        finally:
            if stream.standing is not None:
                stream.standing.leave(self._sessions.now())
            self._left(stream.session_id, stream.presence)

    def _left(self, session_id: str, presence: Presence) -> None:
        presence.readers -= 1
        self._sessions.presences.leave(session_id, presence)

    def _lists(self) -> frozenset[Change]:
        can = self._server.capabilities_for(Frame())
        return frozenset(
            change for kind, change in _LISTS.items() if can.get(kind, {}).get("listChanged")
        )

    def tape(self, session_id: str) -> Tape:
        """To write the stream of a request down that is in flight."""
        presence = self._sessions.presences.known(session_id)
        return Tape(self._sessions.events, session_id, token(9), presence)

    def primes(self, session_id: str) -> bool:
        """Whether the client understands an event without a message."""
        session = self._sessions.here(session_id)
        return session is not None and session.revision.primes


def _watched(record: Record) -> frozenset[str]:
    return Frame.from_saved(record.frame).resource_subscriptions
