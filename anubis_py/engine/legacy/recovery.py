"""Taking a session up again that this process does not have, or does not have as it is now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from ...context import Context
from ...frame import Frame
from ...outcome import Ok
from ...server.behaviour import Behaviour
from ...server.invoke import admit
from ...sessions.record import Record
from .assigns import stripped
from .contexts import NOWHERE
from .session import Session


async def recovered(
    server: Behaviour,
    session_id: str,
    record: Record,
    context: Context,
    transport: Mapping[str, Any],
    before: Frame | None,
) -> Session:
    """The session of a record. `transport` are the assigns that came with the message which needs
    it. `before` is its frame here, as it was when another process took it over: what cannot be
    stored of it still holds.

    `handle_session_expired` decides, with the frame that was stored. Without it `init` runs, as
    it does for a client that is new; but what was stored wins over what it assigns, so that a
    session goes on where it was. Raises McpError where the author rejects.
    """
    stored = Frame.from_saved(record.frame)
    arriving = stored.with_context(context)
    if transport:
        arriving = arriving.assign(transport)
    if "handle_session_expired" in server.overrides:
        outcome = await admit(
            server.handle_session_expired,
            session_id,
            label="handle_session_expired",
            frame=arriving,
            timeout=server.timeout,
        )
        frame = stripped(outcome.frame, stored, transport)
    elif "init" in server.overrides:
        outcome = await admit(
            server.init, context.client_info, label="init", frame=arriving, timeout=server.timeout
        )
        frame = stripped(outcome.frame, stored, transport).assign(stored.assigns)
    else:
        frame = stored if before is None else _with_components(stored, before)
        outcome = Ok(frame)
    return Session(
        session_id,
        record,
        frame.with_context(NOWHERE),
        dict(record.asked),
        record.log_level,
        record.client_info if outcome.client_info is None else outcome.client_info,
        record.initialized,
    )


def _with_components(stored: Frame, before: Frame) -> Frame:
    return attrs.evolve(
        stored,
        tools=before.tools,
        prompts=before.prompts,
        resources=before.resources,
        resource_templates=before.resource_templates,
    )
