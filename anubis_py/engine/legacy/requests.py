"""The requests of a session: one after another, handing its frame on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from ...caller import Gone
from ...context import NOTHING
from ...errors import McpError, internal_error, method_not_found, store_down
from ...frame import Frame
from ...outcome import Failure, InputRequired, NoReply, Reply
from ...protocol.jsonrpc import Request, encode_result
from ...protocol.params import SetLevelParams
from ...protocol.revisions import READS, REVISIONS, Revision
from ...protocol.wire import read
from ...server.behaviour import Behaviour
from ...server.invoke import Settled
from ...sessions.store import StoreDown
from ..dispatch import dispatch
from ..exchange import ACCEPTED, Peer, Served
from ..outbox import Outbox
from ..refusal import refuse
from .assigns import stripped
from .contexts import meta_in
from .conversation import Conversation
from .frames import Frames
from .hold import Hold
from .session import Session
from .sessions import Sessions, no_session

logger = logging.getLogger("anubis_py.engine")


class Requests:
    def __init__(self, server: Behaviour, sessions: Sessions, frames: Frames) -> None:
        self._server = server
        self._sessions = sessions
        self._frames = frames
        self._routed = "handle_request" not in server.overrides
        """Whether every request takes the way that its method says."""

    async def serve(
        self,
        session_id: str,
        request: Request,
        peer: Peer,
        outbox: Outbox | None,
        asking: Callable[[Conversation], None] | None = None,
    ) -> Served:
        """Answer a request. What is said beside the answer goes to the outbox, and so does what
        the client is asked; None: it takes no more than an answer. `asking` is called before the
        client is asked. Raises nothing but cancellation."""
        presences = self._sessions.presences
        try:
            presence = presences.enter(session_id, request.id, peer.caller)
        except McpError as error:
            return refuse(request.id, error)
        try:
            served = await self.start(session_id, request, peer, outbox)
            while isinstance(served, Conversation):
                if asking is not None:
                    asking(served)
                served = await self.converse(served, outbox)
            return served
        finally:
            presences.exit(session_id, presence, request.id)

    async def start(
        self, session_id: str, request: Request, peer: Peer, outbox: Outbox | None
    ) -> Served | Conversation:
        """Answer a request that is in flight, or find out what its callback has to know first."""
        try:
            if request.method == "ping":
                await self._sessions.find(session_id, peer)
                return Served(200, encode_result(request.id, {}))
            if self.reads(request):
                session = await self._sessions.look(session_id, peer)
                if session is not None:
                    return await self._shown(session, request, peer)
            return await self._turn(session_id, request, peer, outbox)
        except (Gone, Exception) as error:
            return self._failed(session_id, request, error)

    async def converse(
        self, conversation: Conversation, outbox: Outbox | None
    ) -> Served | Conversation:
        """Ask the client, and call again with its answers."""
        try:
            return await self._converse(conversation, outbox)
        except (Gone, Exception) as error:
            return self._failed(conversation.session_id, conversation.request, error)

    def _failed(self, session_id: str, request: Request, error: BaseException) -> Served:
        match error:
            case Gone() if self._sessions.presences.in_flight(session_id, request.id):
                # "Receivers of a cancellation notification SHOULD … not send a response".
                return ACCEPTED
            case Gone():
                # The session has ended under it, and the client still waits.
                return refuse(request.id, no_session())
            case McpError():
                return refuse(request.id, error)
            case StoreDown():
                return refuse(request.id, store_down(error))
        logger.error("%s %r failed", request.method, request.id, exc_info=error)
        return refuse(request.id, internal_error())

    def reads(self, request: Request) -> bool:
        """Whether a request has nothing to hand on, and so waits for no other one."""
        return request.method in READS and self._routed

    async def _shown(self, session: Session, request: Request, peer: Peer) -> Served:
        """Answer a request from what the session is at the moment."""
        meta = meta_in(request.params)
        frame = self._frames.of_message(session, peer, meta, request_id=request.id)
        return _served(request, session.revision, await self._outcome(session, request, frame))

    async def _converse(
        self, conversation: Conversation, outbox: Outbox | None
    ) -> Served | Conversation:
        try:
            answers = await conversation.ask(
                self._sessions.presences.questions, outbox, self._server.round_timeout
            )
        except McpError as error:
            request = conversation.request
            logger.warning(
                "%s %r: the client was asked in vain (%d)", request.method, request.id, error.code
            )
            dialect = REVISIONS[conversation.record.protocol_version].dialect
            return refuse(conversation.request.id, dialect.error(error))
        return await self._turn(
            conversation.session_id,
            conversation.request,
            conversation.peer,
            outbox,
            answers,
            conversation.state,
        )

    async def _turn(
        self,
        session_id: str,
        request: Request,
        peer: Peer,
        outbox: Outbox | None,
        answers: Mapping[str, Any] = NOTHING,
        state: Any = None,
    ) -> Served | Conversation:
        """Hold the session, serve the request, and hand the frame on."""
        async with Hold(self._sessions, session_id, peer) as session:
            if peer.caller.gone:
                raise Gone
            frame = self._frames.of_message(
                session,
                peer,
                meta_in(request.params),
                request_id=request.id,
                outbox=outbox,
                input_responses=answers,
                request_state=state,
            )
            outcome = await self._outcome(session, request, frame)
            after = stripped(outcome.frame or frame, session.frame, peer.assigns)
            await self._sessions.save(session, after, request)
            if isinstance(outcome, InputRequired):
                return Conversation(session_id, session.record, request, peer, outcome)
        return _served(request, session.revision, outcome)

    async def _outcome(self, session: Session, request: Request, frame: Frame) -> Settled:
        method = session.revision.methods.get(request.method)
        try:
            if request.method == "logging/setLevel" and method is not None and self._frames.logs:
                session.log_level = read(request.params, SetLevelParams).level
                return Reply({}, frame)
            if method is None and self._routed:
                raise method_not_found(request.method)
            rounds = method is not None and method.rounds
            return await dispatch(self._server, request, frame, rounds=rounds)
        except McpError as error:
            return Failure(error, frame)


def _served(request: Request, revision: Revision, outcome: Settled) -> Served:
    match outcome:
        case Reply(result):
            result = revision.dialect.result(request.method, result)
            return Served(200, encode_result(request.id, result))
        case Failure(error):
            return refuse(request.id, revision.dialect.error(error))
        case NoReply():
            return ACCEPTED
    raise AssertionError(outcome)
