"""What serves the clients of a handshake, part by part."""

from __future__ import annotations

from ...server.behaviour import Behaviour
from ...sessions.event_store import EventStore
from ...sessions.memory import MemoryStore
from ...sessions.store import Store
from ..subscriptions import Subscriptions
from .batch import Batches
from .frames import Frames
from .handshake import Handshake
from .intake import Intake
from .limits import SessionLimits
from .requests import Requests
from .sessions import Sessions
from .streams import Streams


class Parts:
    def __init__(
        self,
        server: Behaviour,
        versions: list[str],
        subscriptions: Subscriptions,
        store: Store | None,
        events: EventStore | None,
        limits: SessionLimits,
    ) -> None:
        store = MemoryStore() if store is None else store
        events = events or store.event_store()
        self.sessions = Sessions(server, store, events, subscriptions, limits)
        frames = Frames(server, self.sessions)
        self.streams = Streams(server, self.sessions)
        self.handshake = Handshake(server, self.sessions, self.streams, versions)
        self.requests = Requests(server, self.sessions, frames)
        self.intake = Intake(server, self.sessions, frames)
        self.batches = Batches(self.sessions, self.requests, self.intake)
