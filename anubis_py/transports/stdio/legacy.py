"""The messages of a client that opens with a handshake: they belong to its session."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import anyio
import attrs
from anyio.abc import TaskGroup

from ...engine.exchange import Peer, Served
from ...engine.legacy.legacy import Legacy
from ...engine.refusal import refuse
from ...errors import McpError, invalid_request
from ...protocol.jsonrpc import Answer, Notification, Request, encode_result
from ...sessions.store_down import StoreDown
from .channel import Channel
from .in_flight import InFlight, OpenRequests, Settle
from .lane import Lane
from .session import Session
from .voice import Voice

if TYPE_CHECKING:
    from ...engine.legacy.conversation import Conversation

logger = logging.getLogger("anubis_py.stdio")

# Requests whose client is being asked. Each costs a task for as long as it does not answer.
MAX_CONVERSATIONS: Final = 1000


@attrs.define(eq=False, repr=False)
class LegacyMessages:
    """What changes the session, or has to wait for it, goes through the lane, in the order in
    which it is read. Pings, cancellations, answers to what a request asks, and requests that only
    show what there is do not wait there.
    A request whose client is asked leaves the lane to the next one."""

    _engine: Legacy
    _session: Session
    _channel: Channel
    _in_flight: OpenRequests
    _group: TaskGroup
    _lane: Lane
    opened: bool = attrs.field(default=False, init=False)
    """Whether a handshake was read: what names no revision belongs to the session since then."""
    _greeted: anyio.Event = attrs.field(factory=anyio.Event, init=False)
    """Set when the handshake that was read last is answered."""
    _conversing: set[InFlight] = attrs.field(factory=set, init=False)

    async def request(self, request: Request, settle: Settle | None = None) -> None:
        """Have a request answered; `settle` takes the answer in the channel's place. Raises
        McpError for an id that is in use."""
        if request.method == "ping":
            # "The receiver MUST respond promptly", and before the handshake, too.
            self._in_flight.require_free(request.id)
            pong = encode_result(request.id, {})
            await (self._channel.send(pong) if settle is None else settle(pong))
            return
        entry = self._in_flight.open(request, settle)
        if request.method == "initialize":
            self.opened, self._greeted = True, anyio.Event()
            await self._lane.do(self._initialize, entry)
        elif self._session.id is not None and self._engine.requests.reads(request):
            self._group.start_soon(self._serve, entry)
        else:
            await self._lane.do(self._serve, entry)

    async def notify(self, notification: Notification) -> None:
        """Have a notification taken, which is no cancellation."""
        await self._lane.do(self._notify, notification)

    async def take(self, answer: Answer) -> None:
        """Take a response of the client's."""
        if self._session.id is None:
            logger.warning("a response was ignored")
            return
        try:
            afterwards = await self._engine.intake.take(self._session.id, answer, Peer())
        except (McpError, StoreDown) as error:
            logger.warning("a response was not taken: %s", error)
            return
        if afterwards is not None:
            await self._lane.do(_call, afterwards)

    async def require_batches(self) -> None:
        """Wait for the handshake, which says whether there are batches. Raises McpError where
        there are none, and StoreDown."""
        await self._greeted.wait()
        if self._session.id is None:
            raise _not_initialized()
        await self._engine.batches.require(self._session.id, Peer())

    async def run(self) -> None:
        """Do what is read, until it is dismissed."""
        await self._lane.run()
        self._session.close()

    def dismiss(self) -> None:
        """Let everything end, when what was read is done."""
        self._lane.dismiss()

    # -- in the lane

    async def _initialize(self, entry: InFlight) -> None:
        before = self._session.id
        served = await self._session.begin(entry.request, self._group)
        if self._session.id != before:
            for each in self._conversing:
                each.caller.leave()
        self._greeted.set()
        await self._finish(entry, served)

    async def _serve(self, entry: InFlight) -> None:
        if self._session.id is None:
            await self._finish(entry, refuse(entry.request.id, _not_initialized()))
            return
        voice = Voice(channel=self._channel, sender=entry)
        # Cancelled before it began, it does not begin: the engine sees to that.
        peer = Peer(caller=entry.caller)
        served = await self._engine.requests.start(self._session.id, entry.request, peer, voice)
        if isinstance(served, Served):
            await self._finish(entry, served, voice)
        elif len(self._conversing) >= MAX_CONVERSATIONS:
            error = invalid_request("Invalid request: too many requests wait for the client")
            await self._finish(entry, refuse(entry.request.id, error), voice)
        else:
            self._conversing.add(entry)
            self._group.start_soon(self._converse, entry, served, voice)

    async def _notify(self, notification: Notification) -> None:
        if self._session.id is None:
            return
        try:
            await self._engine.intake.notify(self._session.id, notification, Peer())
        except (McpError, StoreDown) as error:
            logger.warning("%s was not taken: %s", notification.method, error)
        except Exception:
            logger.exception("%s was not taken", notification.method)

    # -- beside it

    async def _converse(self, entry: InFlight, conversation: Conversation, voice: Voice) -> None:
        """Ask the client, and go on with the request."""
        served: Served | Conversation = conversation
        while not isinstance(served, Served):
            served = await self._engine.requests.converse(served, voice)
        self._conversing.discard(entry)
        await self._finish(entry, served, voice)

    async def _finish(self, entry: InFlight, served: Served, voice: Voice | None = None) -> None:
        """Send the answer, behind what was said before."""
        if voice is not None:
            voice.close()
            while messages := await voice.take():
                for message in messages:
                    await self._channel.send(message, entry)
        if entry.settle is not None:
            await entry.settle(None if entry.cancelled else served.body)
        elif served.body is not None:
            await self._channel.send(served.body, entry)
        self._in_flight.close(entry)


async def _call(function: Callable[[], Awaitable[None]]) -> None:
    await function()


def _not_initialized() -> McpError:
    return invalid_request(
        "Not initialized: send initialize first, or name a protocol version in params._meta"
    )
