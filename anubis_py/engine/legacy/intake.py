"""What a session takes without answering: notifications, responses, the application's events."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final

from ...asks.from_wire import ask_from_wire
from ...caller import Gone
from ...context import NOTHING
from ...errors import INTERNAL_ERROR, ConfigurationError, McpError
from ...outcome import Failure
from ...protocol.jsonrpc import Answer, Notification
from ...schema.faults import Invalid
from ...server.behaviour import Behaviour
from ...server.invoke import Call, Contract
from ...sessions.news import Answered
from ...sessions.store import StoreDown
from ..contracts import NOTIFICATION, taking
from ..exchange import Peer
from .assigns import stripped
from .contexts import meta_in
from .conversation import client_error
from .frames import Frames
from .hold import Hold
from .session import Session
from .sessions import Sessions

logger = logging.getLogger("anubis_py.engine")

Afterwards = Callable[[], Awaitable[None]]

_HANDLERS: Final[Mapping[str, str]] = {
    "sampling/createMessage": "handle_sampling",
    "elicitation/create": "handle_elicitation",
    "roots/list": "handle_roots",
}


class Intake:
    def __init__(self, server: Behaviour, sessions: Sessions, frames: Frames) -> None:
        self._server = server
        self._sessions = sessions
        self._frames = frames
        sessions.unanswered = self._unanswered

    async def notify(self, session_id: str, notification: Notification, peer: Peer) -> None:
        """Take a notification. Raises McpError if there is no such session."""
        if notification.method == "notifications/cancelled":
            await self._sessions.find(session_id, peer)
            self._sessions.presences.cancel(session_id, notification.params.get("requestId"))
        elif notification.method == "notifications/initialized":
            async with Hold(self._sessions, session_id, peer) as session:
                session.initialized = True
                await self._sessions.save(session, session.frame, notification.method)
        elif "handle_notification" in self._server.overrides:
            handle = partial(self._server.handle_notification, notification)
            meta = meta_in(notification.params)
            await self._call(session_id, handle, NOTIFICATION, notification.method, peer, meta)
        else:
            await self._sessions.find(session_id, peer)

    async def take(self, session_id: str, answer: Answer, peer: Peer) -> Afterwards | None:
        """Take a client's response to a request of ours. Raises McpError if there is no such
        session. What it gives is to be called after the response was acknowledged, for it may
        have to wait for the session."""
        await self._sessions.find(session_id, peer)
        response = {"result": answer.result} if answer.error is None else {"error": answer.error}
        questions = self._sessions.presences.questions
        question = questions.find(session_id, answer.id)
        if question is not None:
            question.answer(response)
        elif questions.of_another(answer.id):
            await self._sessions.subscriptions.send(Answered(session_id, str(answer.id), response))
        elif isinstance(answer.id, str):
            return partial(self._hand_over, session_id, answer.id, response, peer)
        return None

    async def _unanswered(self, session_id: str, id_: str) -> None:
        """Tell the author, too, that there will be no answer."""
        error = {"code": INTERNAL_ERROR, "message": "The client did not answer in time"}
        await self._hand_over(session_id, id_, {"error": error}, None)

    async def _hand_over(
        self, session_id: str, id_: str, response: Mapping[str, Any], peer: Peer | None
    ) -> None:
        """To the author, who has asked without waiting. `peer` None: time is over."""
        try:
            async with Hold(self._sessions, session_id, peer) as session:
                asked = session.asked.pop(id_, None)
                if asked is None or (peer is not None and asked["expires"] < time.time()):
                    logger.debug("a response to nothing was ignored")
                    return
                name, callback, value = self._answer(asked, response)
                if name in self._server.overrides:
                    handle = partial(callback, value, id_)
                    await self._run(session, handle, taking(name), name, peer)
                else:
                    prolong = peer is not None
                    await self._sessions.save(session, session.frame, name, prolong=prolong)
        except (McpError, StoreDown, Gone, Invalid, ConfigurationError) as error:
            logger.warning("the response to %s was not taken: %s", id_, error)
        except Exception:
            logger.exception("the response to %s was not taken", id_)

    def _answer(
        self, asked: Mapping[str, Any], response: Mapping[str, Any]
    ) -> tuple[str, Callable[..., Any], Any]:
        """The callback for a response, and what it is called with. Raises Invalid."""
        ask = ask_from_wire(asked["ask"])
        name = _HANDLERS[ask.method]
        callback = getattr(self._server, name)
        if "error" in response:
            return name, callback, client_error(response)
        result = response["result"]
        ask.read(result)
        return name, callback, result["roots"] if name == "handle_roots" else result

    async def inform(self, event: Any, session_id: str | None = None) -> None:
        """Hand an event of the application's to `handle_info`, for a session or for all, after what
        they do now. Raises StoreDown, and McpError if that session is not there."""
        if "handle_info" not in self._server.overrides:
            return
        handle = partial(self._server.handle_info, event)
        if session_id is not None:
            await self._call(session_id, handle, taking("handle_info"), "handle_info", None)
            return
        for each in await self._sessions.store.list_active():
            try:
                await self._call(each, handle, taking("handle_info"), "handle_info", None)
            except McpError as error:
                logger.info("a session did not hear of an event: %s", error)

    async def _call(
        self,
        session_id: str,
        handle: Callable[..., Any],
        contract: Contract,
        label: str,
        peer: Peer | None,
        meta: Mapping[str, Any] = NOTHING,
    ) -> None:
        """Hold a session for a callback that answers nothing. Raises McpError and StoreDown."""
        async with Hold(self._sessions, session_id, peer) as session:
            await self._run(session, handle, contract, label, peer, meta)

    async def _run(
        self,
        session: Session,
        handle: Callable[..., Any],
        contract: Contract,
        label: str,
        peer: Peer | None,
        meta: Mapping[str, Any] = NOTHING,
    ) -> None:
        """Call it, and keep the frame that it leaves. Only for who holds the session."""
        frame = self._frames.of_message(session, peer or Peer(), meta)
        outcome = await Call(contract, label, self._server.timeout)(handle, frame=frame)
        if isinstance(outcome, Failure):
            logger.warning("%s: %s", label, outcome.error)
        assigns = NOTHING if peer is None else peer.assigns
        after = stripped(outcome.frame or frame, session.frame, assigns)
        # Only its client uses a session: events must not keep it for ever.
        await self._sessions.save(session, after, label, prolong=peer is not None)
