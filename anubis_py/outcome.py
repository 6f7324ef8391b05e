"""What a callback may return. `match` on them: every field is positional."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from .errors import McpError, internal_error

if TYPE_CHECKING:
    from .frame import Frame


@attrs.frozen
class Ok:
    """Go on with this frame. `client_info` replaces what a recovered session knows of its
    client (`handle_session_expired` only)."""

    frame: Frame
    client_info: Mapping[str, Any] | None = None


@attrs.frozen
class Reply:
    """Answer with this response. `frame=None` means that the frame is unchanged."""

    response: Any
    frame: Frame | None = None


@attrs.frozen
class NoReply:
    """There is nothing to answer. It completes the work; it does not defer it."""

    frame: Frame | None = None


def _as_error(error: Any) -> McpError:
    if isinstance(error, McpError):
        return error
    # A reason in the author's words may leave the server; the text of an exception may not.
    return internal_error() if isinstance(error, BaseException) else internal_error(str(error))


@attrs.frozen
class Failure:
    """Refuse, with an `McpError` or with a reason that is sent as an internal error."""

    error: McpError = attrs.field(converter=_as_error)
    frame: Frame | None = None


Outcome: TypeAlias = Ok | Reply | NoReply | Failure
