"""What a callback may return. `match` on them: every field is positional."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from .errors import McpError, internal_error

if TYPE_CHECKING:
    from .asks.ask import Ask
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


@attrs.frozen
class InputRequired:
    """Ask the client first, and be called again with its answers.

    `get_messages`, `execute` and `read` may return it. `requests` maps keys of the author's own
    to what `ask_form`, `ask_url`, `ask_sampling` and `ask_roots` give. `state` is any value of
    JSON other than None; it is kept from the client's eyes and hands until it comes back. The
    callback is called again with the same arguments once every question is answered, and then
    finds the answers in `frame.context.input_responses` and the state in
    `frame.context.request_state`. That may be in another process, or never: nothing waits. A
    client that has not declared that it can be asked gets the error -32021 instead.
    """

    requests: Mapping[str, Ask] = attrs.field(factory=dict)
    state: Any = None
    frame: Frame | None = None


Outcome: TypeAlias = Ok | Reply | NoReply | Failure | InputRequired
