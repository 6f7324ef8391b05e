"""The requests of a session: one after another, handing its frame on."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Mapping
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
from ..exchange import Peer, Served
from ..outbox import Outbox
from ..refusal import refuse
from .assigns import stripped
from .conversation import Conversation
from .frames import Frames
from .in_flight import InFlight
from .session import Session
from .sessions import Sessions, no_session

logger = logging.getLogger("anubis_py.engine")


class Requests:
    def __init__(self, server: Behaviour, sessions: Sessions, frames: Frames) -> None:
        self._server = server
        self._sessions = sessions
        self._frames = frames

    async def serve(
        self, session_id: str, request: Request, peer: Peer, outbox: Outbox | None
    ) -> Served:
        """Answer a request. What is said beside the answer goes to the outbox, and so does what
        the client is asked; None: it takes no more than an answer. Raises nothing but
        cancellation."""
        with InFlight(self._sessions, session_id, request, peer.caller) as refused:
            if refused is not None:
                return refused
            served = await self.start(session_id, request, peer, outbox)
            while isinstance(served, Conversation):
                served = await self.converse(served, outbox)
            return served

    def start(
        self, session_id: str, request: Request, peer: Peer, outbox: Outbox | None
    ) -> Awaitable[Served | Conversation]:
        """Answer a request that is in flight, or find out what its callback has to know first."""
        work = self._start(session_id, request, peer, outbox)
        return self._guarded(session_id, request, work)

    def converse(
        self, conversation: Conversation, outbox: Outbox | None
    ) -> Awaitable[Served | Conversation]:
        """Ask the client, and call again with its answers."""
        work = self._converse(conversation, outbox)
        return self._guarded(conversation.session_id, conversation.request, work)

    async def _guarded(
        self, session_id: str, request: Request, work: Awaitable[Served | Conversation]
    ) -> Served | Conversation:
        try:
            return await work
        except Gone:
            if not self._sessions.presences.in_flight(session_id, request.id):
                # The session has ended under it, and the client still waits.
                return refuse(request.id, no_session())
            # "Receivers of a cancellation notification SHOULD … not send a response".
            return Served(202, None)
        except McpError as error:
            return refuse(request.id, error)
        except StoreDown as error:
            return refuse(request.id, store_down(error))
        except Exception:
            logger.exception("%s %r failed", request.method, request.id)
            return refuse(request.id, internal_error())

    async def _start(
        self, session_id: str, request: Request, peer: Peer, outbox: Outbox | None
    ) -> Served | Conversation:
        if request.method == "ping":
            await self._sessions.find(session_id, peer)
            return Served(200, encode_result(request.id, {}))
        if self.reads(request):
            session = await self._sessions.look(session_id, peer)
            if session is not None:
                return await self._shown(session, request, peer)
        return await self._turn(session_id, request, peer, outbox, NOTHING)

    def reads(self, request: Request) -> bool:
        """Whether a request has nothing to hand on, and so waits for no other one."""
        return request.method in READS and "handle_request" not in self._server.overrides

    async def _shown(self, session: Session, request: Request, peer: Peer) -> Served:
        """Answer a request from what the session is at the moment."""
        frame = self._frames.of_request(session, request, peer, None, NOTHING)
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
        additions = {"input_responses": answers, "request_state": conversation.state}
        request, peer = conversation.request, conversation.peer
        return await self._turn(conversation.session_id, request, peer, outbox, additions)

    async def _turn(
        self,
        session_id: str,
        request: Request,
        peer: Peer,
        outbox: Outbox | None,
        additions: Mapping[str, Any],
    ) -> Served | Conversation:
        """Hold the session, serve the request, and hand the frame on."""
        async with self._sessions.hold(session_id, peer) as session:
            if peer.caller.gone:
                raise Gone
            revision = session.revision
            frame = self._frames.of_request(session, request, peer, outbox, additions)
            outcome = await self._outcome(session, request, frame)
            after = stripped(outcome.frame or frame, session.frame, peer.assigns)
            await self._sessions.save(session, after, _label(request))
            if isinstance(outcome, InputRequired):
                return Conversation(session_id, session.record, request, peer, outcome)
        return _served(request, revision, outcome)

    async def _outcome(self, session: Session, request: Request, frame: Frame) -> Settled:
        method = session.revision.methods.get(request.method)
        try:
            if request.method == "logging/setLevel" and method is not None and self._frames.logs:
                session.log_level = read(request.params, SetLevelParams).level
                return Reply({}, frame)
            if method is None and "handle_request" not in self._server.overrides:
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
            return Served(202, None)
    raise AssertionError(outcome)


def _label(request: Request) -> str:
    name = request.params.get("name") or request.params.get("uri")
    return f"{request.method} {request.id!r}" + (f" ({name!r})" if isinstance(name, str) else "")
