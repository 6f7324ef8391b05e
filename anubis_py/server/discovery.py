"""server/discover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..annotations import compact
from ..frame import Frame
from ..outcome import Reply
from ..protocol.jsonrpc import Request
from .invoke import Settled

if TYPE_CHECKING:
    from .behaviour import Behaviour


async def discover(server: Behaviour, request: Request, frame: Frame) -> Settled:
    result = compact(
        supportedVersions=list(server.versions),
        capabilities=server.capabilities_for(frame),
        instructions=server.server_instructions(frame),
    )
    return Reply(result, frame)
