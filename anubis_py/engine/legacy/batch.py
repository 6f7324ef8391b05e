"""Several messages at once, as revision 2025-03-26 has them (basic, "Batching")."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import attrs

from ...caller import Caller
from ...errors import McpError, invalid_request
from ...protocol.jsonrpc import (
    Answer,
    Message,
    Notification,
    Request,
    RequestId,
    Undecodable,
)
from ...protocol.revisions import REVISIONS
from ...sessions.store import StoreDown
from ..exchange import ACCEPTED, Peer, Served
from ..outbox import Outbox
from ..refusal import refuse
from .intake import Intake
from .requests import Requests
from .sessions import Sessions

logger = logging.getLogger("anubis_py.engine")

_TWICE: Final = "Invalid request: another request of the batch has this id"


@attrs.frozen(eq=False, repr=False)
class Batches:
    _sessions: Sessions
    _requests: Requests
    _intake: Intake

    async def serve(
        self,
        session_id: str,
        parts: Sequence[Message | Undecodable],
        peer: Peer,
        outbox: Outbox | None,
    ) -> Served:
        """Answer the messages of a batch with the batch of their answers. Raises nothing but
        cancellation."""
        answers: list[bytes] = []
        ids: set[RequestId] = set()
        # In order: they belong to one session, and are answered together.
        for part in parts:
            if isinstance(part, Request) and part.id in ids:
                body = refuse(part.id, invalid_request(_TWICE)).body
            else:
                own = attrs.evolve(peer, caller=Caller())
                body = await self._part(session_id, part, own, outbox)
            if isinstance(part, Request):
                ids.add(part.id)
            if body is not None:
                answers.append(body)
        return Served(200, b"[%b]" % b",".join(answers)) if answers else ACCEPTED

    async def _part(
        self,
        session_id: str,
        part: Message | Undecodable,
        peer: Peer,
        outbox: Outbox | None,
    ) -> bytes | None:
        try:
            match part:
                case Undecodable():
                    return refuse(part.id, part.error).body
                case Request(method="initialize"):
                    # "The initialize request MUST NOT be part of a JSON-RPC batch".
                    return refuse(part.id, invalid_request("initialize is in a batch")).body
                case Request():
                    return (await self._requests.serve(session_id, part, peer, outbox)).body
                case Notification():
                    await self._intake.notify(session_id, part, peer)
                case Answer():
                    afterwards = await self._intake.take(session_id, part, peer)
                    if afterwards is not None:
                        await afterwards()
        except (McpError, StoreDown) as error:
            logger.warning("a part of a batch was not taken: %s", error)
        return None

    async def require(self, session_id: str, peer: Peer) -> None:
        """Raises McpError where the revision of the session has no batches."""
        record = await self._sessions.find(session_id, peer)
        if not REVISIONS[record.protocol_version].batches:
            raise invalid_request(
                f"Invalid request: expected one message, got a batch, which revision "
                f"{record.protocol_version} does not know"
            )
