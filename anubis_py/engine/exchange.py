"""One message in flight: who sent it, and what it is answered with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from ..context import NOTHING


@attrs.frozen
class Peer:
    """What a transport knows of whoever sent a message."""

    headers: Mapping[str, str] = NOTHING
    remote_ip: str | None = None
    auth: Mapping[str, Any] | None = None
    assigns: Mapping[str, Any] = NOTHING
    """What the surroundings of the app have put on this very message."""


@attrs.frozen
class Served:
    """What is sent back, and the status that it takes over HTTP."""

    status: int
    body: bytes | None
    """One message; None: there is nothing to say."""
