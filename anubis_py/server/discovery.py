"""server/discover."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from ..annotations import compact
from ..errors import internal_error
from ..frame import Frame
from ..outcome import Reply
from ..protocol.jsonrpc import Request
from .invoke import Settled

if TYPE_CHECKING:
    from .behaviour import Behaviour

logger = logging.getLogger("anubis_py.server")


async def discover(server: Behaviour, request: Request, frame: Frame) -> Settled:
    result = compact(
        supportedVersions=list(server.versions),
        capabilities=server.capabilities_for(frame),
        instructions=instructions_for(server, frame),
    )
    return Reply(result, frame)


def instructions_for(server: Behaviour, frame: Frame) -> str | None:
    """What the server tells this caller's model. Raises McpError."""
    instructions: Any = server.server_instructions(frame)
    if isinstance(instructions, str | None):
        return instructions
    found = type(instructions).__name__
    logger.error("server_instructions returned a %s; it may return a str or None", found)
    raise internal_error()
