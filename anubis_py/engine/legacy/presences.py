"""Which sessions this process serves at the moment, and how news reaches them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ...caller import Caller
from ...change import Change
from ...errors import invalid_request
from ...protocol.jsonrpc import RequestId
from ...sessions.news import Answered, Cancelled, Ended, News, Opened, Told, Watched
from ..subscriptions import Subscriptions
from .presence import Presence
from .questions import Questions
from .standing import Standing

# Seconds that a client may be away from its standing stream before what waits there is dropped.
GRACE: Final = 60.0


class Presences:
    def __init__(self, subscriptions: Subscriptions, on_end: Callable[[str], None]) -> None:
        """`on_end` is called with the id of a session that has ended, wherever that was."""
        self.questions = Questions()
        self._subscriptions = subscriptions
        self._on_end = on_end
        self._present: dict[str, Presence] = {}
        subscriptions.attach(self._hear)

    def __len__(self) -> int:
        return len(self._present)

    def forget(self, session_id: str) -> None:
        """A session is over: nobody is answered any more, and its streams end."""
        presence = self._present.pop(session_id, None)
        if presence is not None:
            presence.end()

    def drop_stale(self, now: float) -> None:
        """Let go of the streams whose clients do not come back."""
        for session_id, presence in list(self._present.items()):
            left = None if presence.standing is None else presence.standing.left
            if left is not None and now - left > GRACE and not presence.busy:
                presence.standing = None
                self.leave(session_id, presence)

    def reset(self) -> None:
        """Nobody is here yet."""
        self._present.clear()

    def busy_ones(self) -> list[str]:
        """The sessions that somebody in this process is served in."""
        return [session_id for session_id, presence in self._present.items() if presence.busy]

    def presence(self, session_id: str) -> Presence:
        presence = self._present.get(session_id)
        if presence is None:
            presence = self._present[session_id] = Presence()
        return presence

    def known(self, session_id: str) -> Presence:
        """That of a session which is served here. A spare one if it is over: what is still said in
        it must not bring it back."""
        return self._present.get(session_id) or Presence()

    def leave(self, session_id: str, presence: Presence) -> None:
        """Whoever has asked for a presence, and is done with it, says so."""
        if presence.empty and self._present.get(session_id) is presence:
            del self._present[session_id]

    def busy(self, session_id: str) -> bool:
        presence = self._present.get(session_id)
        return presence is not None and presence.busy

    def enter(self, session_id: str, request_id: RequestId, caller: Caller) -> Presence:
        """A request is in flight from now on. Raises McpError for an id that is in use: its two
        answers could not be told apart."""
        presence = self.presence(session_id)
        if request_id in presence.requests:
            raise invalid_request(
                "Invalid request: a request with this id is in flight", http_status=200
            )
        presence.requests[request_id] = caller
        return presence

    def exit(self, session_id: str, presence: Presence, request_id: RequestId) -> None:
        """The request is answered. `presence` is what entering has given: where the session has
        ended meanwhile, it is nobody's any more."""
        del presence.requests[request_id]
        self.leave(session_id, presence)

    def in_flight(self, session_id: str, request_id: RequestId) -> bool:
        presence = self._present.get(session_id)
        return presence is not None and request_id in presence.requests

    def cancel(self, session_id: str, request_id: Any) -> None:
        """A client does not want an answer any more, wherever it is worked on."""
        # True == 1 == 1.0 to a dictionary, but not to a client.
        known = isinstance(request_id, str | int) and not isinstance(request_id, bool)
        if known and not self._cancelled(session_id, request_id):
            self._subscriptions.publish(Cancelled(session_id, request_id))

    def _cancelled(self, session_id: str, request_id: RequestId) -> bool:
        presence = self._present.get(session_id)
        caller = None if presence is None else presence.requests.get(request_id)
        if caller is None:
            return False
        caller.leave()
        return True

    def close(self) -> None:
        """The server stops: every stream that belongs to no request ends. Their clients may come
        back, to this process or to another one."""
        for presence in list(self._present.values()):
            presence.close_streams()

    def stand(self, session_id: str, standing: Standing) -> None:
        """It is the standing stream of its session from now on, and the only one anywhere."""
        self._subscriptions.attend()
        presence = self.presence(session_id)
        before = presence.standing
        presence.standing = standing
        if before is not None:
            for message in before.drain():
                standing.tell(message)
            before.close()
        if self._subscriptions.closing:
            standing.close()
        self._subscriptions.publish(Opened(session_id, self.questions.node))

    def expect(self, session_id: str, standing: Standing) -> None:
        """Keep what is said before the client opens its standing stream."""
        self.presence(session_id).standing = standing

    def told(self, session_id: str, message: bytes) -> None:
        """Send a message on the standing stream of a session, wherever that is."""
        self._subscriptions.publish(Told(session_id, message.decode()))

    def watched(self, session_id: str, uris: frozenset[str]) -> None:
        self._subscriptions.publish(Watched(session_id, sorted(uris)))

    def _hear(self, news: News) -> None:
        """On the event loop."""
        match news:
            case Ended(session_id):
                self._on_end(session_id)
            case Cancelled(session_id, request_id):
                self._cancelled(session_id, request_id)
            case Answered(session_id, request_id, response):
                if question := self.questions.find(session_id, request_id):
                    question.answer(response)
            case Told(session_id, message):
                if standing := self._standing(session_id):
                    standing.tell(message.encode())
            case Watched(session_id, uris):
                if standing := self._standing(session_id):
                    standing.uris = frozenset(uris)
            case Opened(session_id, opener):
                if opener != self.questions.node:
                    self._move(session_id)
            case Change():
                for presence in self._present.values():
                    if presence.standing is not None:
                        presence.standing.hear(news)

    def _standing(self, session_id: str) -> Standing | None:
        presence = self._present.get(session_id)
        return None if presence is None else presence.standing

    def _move(self, session_id: str) -> None:
        """The standing stream is in another process now, and so goes what waits for it."""
        presence = self._present.get(session_id)
        if presence is None or presence.standing is None:
            return
        standing, presence.standing = presence.standing, None
        for message in standing.drain():
            self.told(session_id, message)
        standing.close()
        self.leave(session_id, presence)
