"""The legacy era (2025-03-26, 2025-06-18, 2025-11-25): a handshake, and a session that lasts.

A session's requests run one after another and hand its frame on. What concerns no frame, or only
another session, never waits for them.
"""

from __future__ import annotations

from ...protocol.revisions import REVISIONS
from ...server.behaviour import Behaviour
from .batch import Batches
from .frames import Frames
from .handshake import Handshake
from .intake import Intake
from .requests import Requests
from .sessions import Sessions
from .streams import Streams


class Legacy:
    """Serves the clients that open with a handshake: what they send, by what it is."""

    def __init__(self, server: Behaviour, sessions: Sessions) -> None:
        self.versions = [v for v in server.versions if REVISIONS[v].era == "legacy"]
        """The revisions that are served; none: nobody is to come here."""
        frames = Frames(server, sessions)
        self.sessions = sessions
        self.streams = Streams(server, sessions)
        self.handshake = Handshake(server, sessions, self.streams, self.versions)
        self.requests = Requests(server, sessions, frames)
        self.intake = Intake(server, sessions, frames)
        self.batches = Batches(sessions, self.requests, self.intake)
