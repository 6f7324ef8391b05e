"""How much of what streams have sent is kept, wherever it is kept."""

from __future__ import annotations

from typing import Final

import attrs

OVERHEAD: Final = 100
"""Bytes that an event counts beside its message: many empty ones are no small matter either."""


@attrs.frozen
class Bounds:
    """What was quiet for longest goes first. The newest event of a stream stays for as long as
    the stream does, whatever its size: a client that has seen it has missed nothing."""

    events: int = 100
    """Of a stream."""
    size: int = 1024 * 1024
    """Of a session, in bytes."""
    streams: int = 256
    """Of a session."""
    sessions: int = 1000
    """In all, where they are kept in memory."""
    seconds: float = 3600
    """Since a stream has sent something, where other things than memory keep it."""


def event_id(stream_id: str, number: object) -> str:
    return f"{stream_id}:{number}"


def parts_of(event_id: str) -> tuple[str, str]:
    """The stream and the number; an empty stream: it is no event's id."""
    stream_id, _, number = event_id.rpartition(":")
    return stream_id, number
