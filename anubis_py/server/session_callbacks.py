"""The callbacks of the handshake revisions, whose sessions outlive a request.

They are part of the behaviour of a server, so that a class can be written for both eras at
once. In the stateless era, where there is no session, none of them runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..outcome import NoReply, Ok

if TYPE_CHECKING:
    from ..errors import McpError
    from ..frame import Frame


class SessionCallbacks:
    def serialize_assigns(self, assigns: Mapping[str, Any]) -> Mapping[str, Any]:
        """What of the assigns a session store keeps, in a JSON-safe form.

        Runs inline before every save. Keep ids rather than the things they name. A process keeps
        the assigns of its sessions whole beside it; what is kept here is what another process
        finds. Where processes share a store, what JSON would not give back as it was, such as a
        set or a tuple, fails the message that has set it: the session stays as it was before.
        """
        return assigns

    def handle_session_expired(self, session_id: str, frame: Frame) -> Any:
        """Take up a session that this process does not have, or not as it has become elsewhere.

        Runs before the message that needs the session, with the context of that message and the
        frame that the store kept: assigns as `serialize_assigns` left them, and no runtime
        components. Return `Ok(frame)`, `Ok(frame, client_info)` to supply what is known of the
        client, or `Failure(error)` to reject: that answers the message, and the session stays in
        the store. Without it `init` runs, and what was stored wins over what that assigns.
        """
        return Ok(frame)

    def handle_info(self, event: Any, frame: Frame) -> Any:
        """Hear of an event of the application's own, for one session. Return `NoReply(frame)`.

        `App.publish_event` hands it to every session in turn, or to one. There is no request: the
        frame knows the session, but no headers and no authorization.
        """
        return NoReply(frame)

    # The three that take answers run when nothing else of the session does, and at most once for
    # each request. They do not run for an answer that is malformed, which is logged. When none
    # has come `round_timeout` seconds later, they hear of an error in its place, with the next
    # look at what has expired.

    def handle_sampling(
        self, result: Mapping[str, Any] | McpError, request_id: str, frame: Frame
    ) -> Any:
        """Take the client's answer to `send_sampling_request`, which has given this id: a message
        of its model in wire form, or the error that it answered with. Return `NoReply(frame)`."""
        return NoReply(frame)

    def handle_roots(
        self, roots: Sequence[Mapping[str, Any]] | McpError, request_id: str, frame: Frame
    ) -> Any:
        """Take the client's answer to `send_roots_request`: a list of mappings with `uri` and
        perhaps `name`, or an error. Return `NoReply(frame)`."""
        return NoReply(frame)

    def handle_elicitation(
        self, result: Mapping[str, Any] | McpError, request_id: str, frame: Frame
    ) -> Any:
        """Take the client's answer to `send_elicitation_request`: a mapping whose `action` is
        accept, with a `content` that meets the form, or decline or cancel; or an error. Return
        `NoReply(frame)`."""
        return NoReply(frame)

    def terminate(self, reason: Any, frame: Frame) -> Any:
        """Clean up after a session that has ended. What it returns is ignored.

        `reason` is "deleted" by the client, "expired", or "evicted" where the memory of the one
        process that has it is full. It runs once, in the process that ends the session, with the
        newest frame that this one knows. It does not run when another process takes a session
        over, when the server stops, or for what a store removes by itself, as Redis does.
        """
        return None
