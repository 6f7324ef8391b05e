"""What a store keeps of a frame."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from ...errors import internal_error
from ...frame import Frame
from ...protocol.jsonrpc import Request
from ...server.behaviour import Behaviour
from ...sessions.storable import unstorable

logger = logging.getLogger("anubis_py.sessions")


def saved(
    server: Behaviour, frame: Frame, setter: Request | str, *, storable: bool
) -> dict[str, Any]:
    """The frame as plain data, with the assigns that `serialize_assigns` keeps. `storable`: it has
    to come back from JSON as it was. Raises McpError, and logs which assign of whose does not."""
    kept = frame.to_saved()
    if "serialize_assigns" in server.overrides:
        kept["assigns"] = _serialized(server, frame)
    if storable:
        _require_storable(kept["assigns"], setter)
    return kept


def _serialized(server: Behaviour, frame: Frame) -> dict[str, Any]:
    try:
        return dict(server.serialize_assigns(frame.assigns))
    except Exception:
        logger.exception("serialize_assigns failed")
        raise internal_error() from None


def _require_storable(assigns: Mapping[str, Any], setter: Request | str) -> None:
    for key, value in assigns.items():
        if fault := unstorable(value, f"the assign {key!r}"):
            logger.error(
                "%s was refused: %s. Sessions are stored as JSON: keep an id instead of the "
                "thing, or write serialize_assigns",
                setter if isinstance(setter, str) else _label(setter),
                fault,
            )
            raise internal_error()


def _label(request: Request) -> str:
    name = request.params.get("name") or request.params.get("uri")
    return f"{request.method} {request.id!r}" + (f" ({name!r})" if isinstance(name, str) else "")
