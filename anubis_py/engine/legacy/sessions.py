"""The sessions of a server: who has one, who holds it, and when it is over.

Every message of a client, whatever it is, finds its session here, and here alone.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable

import anyio
import attrs

from ...context import NOTHING, Context
from ...errors import McpError, internal_error, invalid_request
from ...frame import Frame
from ...protocol.jsonrpc import Request
from ...server.behaviour import Behaviour
from ...server.invoke import run
from ...sessions.event_store import EventStore
from ...sessions.news import Ended
from ...sessions.record import BadRecord, Record
from ...sessions.store import Store, StoreDown
from ..background import spawn
from ..exchange import Exchange, Peer
from ..subscriptions import Subscriptions
from .contexts import NOWHERE, context_of, subject_of
from .limits import SessionLimits
from .presences import Presences
from .recovery import recovered
from .saved import saved
from .session import Session
from .tokens import token

logger = logging.getLogger("anubis_py.sessions")

Clock = Callable[[], float]


class Sessions:
    def __init__(
        self,
        server: Behaviour,
        store: Store,
        events: EventStore,
        subscriptions: Subscriptions,
        limits: SessionLimits,
        clock: Clock = time.monotonic,
    ) -> None:
        self.server = server
        self.store = store
        self.events = events
        self.subscriptions = subscriptions
        self._limits = limits
        self._clock = clock
        self._mute = Exchange(subscriptions.publish, None)
        """The way out for callbacks that nobody listens to: changes are told all the same."""
        self._live: dict[str, Session] = {}
        """In the order of their last use."""
        self.held: set[str] = set()
        self._sweeping = False
        self.unanswered: Callable[[str, str], Awaitable[None]] = _nobody
        """Called with a session's id and that of a request which its client has not answered."""
        self.presences = Presences(subscriptions, self._forget)

    def __len__(self) -> int:
        return len(self._live)

    # -- beginning and ending

    @staticmethod
    def new_id() -> str:
        """Made by the server, so that no client can choose one that is somebody else's."""
        return token(24)

    async def begin(self, session_id: str, record: Record, frame: Frame) -> None:
        """A new session. Raises McpError, and StoreDown."""
        session = Session(session_id, record, frame, client_info=record.client_info)
        self.subscriptions.attend()
        await self._make_room()
        await self._save(session, frame, "init", self._limits.idle, new=True)
        self._used(session)

    async def end(self, session_id: str, peer: Peer, reason: str) -> None:
        """End a session for everybody. Raises McpError if it is not there, and StoreDown."""
        record = await self.find(session_id, peer)
        frame = self._frame(session_id, record)
        if not await self.store.delete(session_id):
            raise no_session()
        await self.events.delete(session_id)
        await self.subscriptions.send(Ended(session_id))
        await self._terminate(session_id, frame, reason, record)

    def _frame(self, session_id: str, record: Record | None) -> Frame:
        live = self._live.get(session_id)
        if live is not None and (record is None or live.record == record):
            return live.frame
        return Frame() if record is None else Frame.from_saved(record.frame)

    async def _terminate(
        self, session_id: str, frame: Frame, reason: str, record: Record | None = None
    ) -> None:
        self._forget(session_id)
        if "terminate" not in self.server.overrides:
            return
        context = Context(session_id=session_id, era="legacy")
        if record is not None:
            context = context_of(session_id, record)
        frame = frame.with_context(attrs.evolve(context, exchange=self._mute))
        try:
            timeout = self.server.timeout
            await run(self.server.terminate, reason, frame=frame, timeout=timeout)
        except Exception:
            logger.exception("terminate failed for a session that ends: %s", reason)

    def _forget(self, session_id: str) -> None:
        self._live.pop(session_id, None)
        self.presences.forget(session_id)

    # -- finding and holding

    async def find(self, session_id: str, peer: Peer | None) -> Record:
        """The record of a session that is there, and is this client's. It stays for as long
        again. `peer` None: the server itself looks, which makes no difference to the session.

        Raises McpError, with the status 404 that makes a client begin anew; and StoreDown.
        """
        try:
            record = await self.store.load(session_id)
        except BadRecord as fault:
            logger.error("the record of a session is unusable: %s", fault)
            self._forget(session_id)
            record = None
        if record is None:
            # What is here of it stays for `terminate`, if time has ended it: see `sweep`.
            raise no_session()
        if peer is None:
            return record
        if record.subject != subject_of(peer):
            # As if there were none: whose it is, is nobody else's business.
            raise no_session()
        if not await self.store.touch(session_id, self._limits.idle):
            raise no_session()
        return record

    async def take_up(self, session_id: str, peer: Peer | None) -> Session:
        """The session as it is, for who holds it in the store. Raises as `find` does, and McpError
        where the server does not take the session up again."""
        record = await self.find(session_id, peer)
        session = self._up_to_date(session_id, record)
        if session is None:
            context = context_of(session_id, record, peer)
            context = attrs.evolve(context, exchange=self._mute)
            stale = self._live.get(session_id)
            before = None if stale is None else stale.frame
            transport = NOTHING if peer is None else peer.assigns
            session = await recovered(self.server, session_id, record, context, transport, before)
            await self._make_room()
        self._used(session)
        self.held.add(session_id)
        return session

    def _used(self, session: Session) -> None:
        session.used = self._clock()
        self._live.pop(session.id, None)
        self._live[session.id] = session
        if not self._sweeping:
            self._sweeping = True
            spawn(self._sweep)

    async def save(
        self, session: Session, frame: Frame, setter: Request | str, *, prolong: bool = True
    ) -> None:
        """Make it the session's state. Only for who holds it. `setter` is what has set the assigns,
        a request or something else by its name; `prolong` says whether the session was used.

        Raises McpError for what cannot be stored, or if the session is over; and StoreDown. The
        state is as it was then.
        """
        if (
            frame.same_state(session.frame)
            and session.log_level == session.record.log_level
            and session.client_info == session.record.client_info
            and session.initialized == session.record.initialized
            and session.asked == session.record.asked
        ):
            return
        try:
            await self._save(session, frame, setter, self._limits.idle if prolong else None)
        except BaseException:
            session.revert()
            raise

    async def _save(
        self,
        session: Session,
        frame: Frame,
        setter: Request | str,
        ttl: float | None,
        *,
        new: bool = False,
    ) -> None:
        record = attrs.evolve(
            session.record,
            frame=saved(self.server, frame, setter, storable=self.store.shared),
            log_level=session.log_level,
            client_info=session.client_info,
            initialized=session.initialized,
            asked=dict(session.asked),
        )
        if not await self.store.save(session.id, record, ttl, new=new):
            raise no_session()
        if frame.resource_subscriptions != session.frame.resource_subscriptions:
            self.presences.watched(session.id, frame.resource_subscriptions)
        session.record = record
        session.frame = frame.with_context(NOWHERE)

    async def look(self, session_id: str, peer: Peer) -> Session | None:
        """A session as it is at the moment, to read from it without waiting for who holds it.
        None: this process has to take it up first. Raises as `find` does."""
        record = await self.find(session_id, peer)
        session = self._up_to_date(session_id, record)
        if session is not None:
            self._used(session)
        return session

    def _up_to_date(self, session_id: str, record: Record) -> Session | None:
        """What this process has, unless another one has changed the session meanwhile."""
        session = self._live.get(session_id)
        if session is None or (session.record is not record and session.record != record):
            return None
        return session

    # -- the passing of time

    def attend(self) -> None:
        """The server starts, perhaps again, and on another event loop."""
        self._sweeping = False
        self.presences.reset()

    async def shut_down(self) -> None:
        """The server has stopped, and with it every session that is nowhere else."""
        if self.store.shared or "terminate" not in self.server.overrides:
            return
        for session in list(self._live.values()):
            await self._terminate(session.id, session.frame, "stopped", session.record)

    def now(self) -> float:
        return self._clock()

    def here(self, session_id: str) -> Session | None:
        """What this process knows of a session, which may be out of date."""
        return self._live.get(session_id)

    async def _make_room(self) -> None:
        while len(self._live) >= self._limits.count:
            oldest = next((s for s in self._live.values() if not self._in_use(s.id)), None)
            if oldest is None:
                raise McpError(
                    internal_error().code, "The server has no room for a session", http_status=503
                )
            del self._live[oldest.id]
            if not self.store.shared:
                await self.store.delete(oldest.id)
                await self.events.delete(oldest.id)
                await self._terminate(oldest.id, oldest.frame, "evicted", oldest.record)

    def _in_use(self, session_id: str) -> bool:
        return session_id in self.held or self.presences.busy(session_id)

    async def _sweep(self) -> None:
        """As long as there are sessions."""
        while self._live or self.presences:
            await anyio.sleep(max(self._limits.idle / 20, 0.05))
            try:
                await self.sweep()
            except StoreDown as error:
                logger.warning("expired sessions were not removed: %s", error)
            except Exception:
                logger.exception("expired sessions were not removed")
        self._sweeping = False

    async def sweep(self) -> None:
        """Keep what is in use, and end what is not. Raises StoreDown."""
        now = self._clock()
        self.presences.drop_stale(now)
        for session_id in self.presences.busy_ones():
            await self.store.touch(session_id, self._limits.idle)
        for session_id, record in (await self.store.cleanup_expired()).items():
            frame = self._frame(session_id, record)
            await self.events.delete(session_id)
            self.subscriptions.publish(Ended(session_id))
            await self._terminate(session_id, frame, "expired", record)
        for session in list(self._live.values()):
            for request_id in [i for i, a in session.asked.items() if a["expires"] < time.time()]:
                await self.unanswered(session.id, request_id)
        for session in list(self._live.values()):
            # The store may have removed it by itself, or it is used in another process.
            if now - session.used > self._limits.idle and not self.presences.busy(session.id):
                self._live.pop(session.id, None)


async def _nobody(session_id: str, request_id: str) -> None:
    return


def no_session() -> McpError:
    """ "it MUST respond to requests containing that session ID with HTTP 404 Not Found" """
    return invalid_request("Session not found: begin anew with initialize", http_status=404)
