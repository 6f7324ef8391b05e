"""The callbacks of the handshake revisions, whose sessions outlive a request.

They are part of the behaviour of a server, so that a class can be written for both eras at
once. In the stateless era, where there is no session, none of them runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..outcome import NoReply, Ok

if TYPE_CHECKING:
    from ..frame import Frame


class SessionCallbacks:
    def serialize_assigns(self, assigns: Mapping[str, Any]) -> Mapping[str, Any]:
        """What of the assigns a session store keeps, in a JSON-safe form.

        Runs inline before every save. Keep ids rather than the things they name.
        """
        return assigns

    def handle_session_expired(self, session_id: str, frame: Frame) -> Any:
        """Take up a session that this process no longer has.

        Runs instead of the handshake, with the frame that the store kept. Return `Ok(frame)`,
        `Ok(frame, client_info)` to supply what is known of the client, or `Failure(error)` to
        reject; without it `init` runs.
        """
        return Ok(frame)

    def handle_info(self, event: Any, frame: Frame) -> Any:
        """Hear of an event of the application's own. Return `NoReply(frame)`."""
        return NoReply(frame)

    def handle_sampling(self, result: Mapping[str, Any], request_id: str, frame: Frame) -> Any:
        """Take the client's answer to a sampling request. Return `NoReply(frame)`."""
        return NoReply(frame)

    def handle_roots(
        self, roots: Sequence[Mapping[str, Any]], request_id: str, frame: Frame
    ) -> Any:
        """Take the client's answer to a request for its roots. Return `NoReply(frame)`."""
        return NoReply(frame)

    def handle_elicitation(self, result: Mapping[str, Any], request_id: str, frame: Frame) -> Any:
        """Take the client's answer to an elicitation: accept, decline or cancel. Return
        `NoReply(frame)`."""
        return NoReply(frame)

    def terminate(self, reason: Any, frame: Frame) -> Any:
        """Clean up after a session that ends. What it returns is ignored."""
        return None
