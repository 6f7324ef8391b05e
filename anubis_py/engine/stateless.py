"""The stateless era (2026-07-28): every request brings all that is needed to serve it.

There is no handshake and no session. A request's `_meta` says which revision it speaks and who
the client is; a frame is made for it, `init` fills that frame, and it dies with the request.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any, Final

import attrs

from ..context import NOTHING, Context
from ..encoding import Fragment, dumps
from ..errors import McpError, internal_error, method_not_found, unsupported_version
from ..frame import Frame
from ..loop import Loop
from ..outcome import Failure, InputRequired, NoReply, Reply
from ..protocol.jsonrpc import Notification, Request, encode_result
from ..protocol.params import ListenParams, RequestMeta
from ..protocol.revisions import REVISIONS, Method
from ..protocol.wire import read
from ..server.behaviour import Behaviour
from ..server.invoke import Call, Settled, admit
from .cache import CacheHints
from .contracts import NOTIFICATION
from .dispatch import dispatch
from .exchange import ACCEPTED, Exchange, Peer, Served
from .listener import Listener, honoured
from .outbox import Outbox
from .refusal import refuse
from .round import RESPONSES
from .rounds import STATE, Clock, Rounds
from .subscriptions import Subscriptions

logger = logging.getLogger("anubis_py.engine")

VERSION: Final = "io.modelcontextprotocol/protocolVersion"
"""What makes a message one of this era, in its `_meta`."""


def is_modern(params: Mapping[str, Any]) -> bool:
    """Whether a message with these parameters is one of this era."""
    meta = params.get("_meta")
    return isinstance(meta, dict) and VERSION in meta


SERVER_INFO: Final = "io.modelcontextprotocol/serverInfo"


LISTEN: Final = "subscriptions/listen"

UNKNOWN: Final = Method()


class Stateless:
    """Serves the requests of one server."""

    def __init__(
        self, server: Behaviour, subscriptions: Subscriptions, clock: Clock = time.time
    ) -> None:
        self._server = server
        self._subscriptions = subscriptions
        self._mute = Exchange(subscriptions.publish, None)
        self._revisions = {
            version: REVISIONS[version]
            for version in server.versions
            if REVISIONS[version].era == "stateless"
        }
        self._meta = {SERVER_INFO: server.server_info()}
        self._encoded_meta = Fragment(dumps(self._meta))
        # No frame adds this one, as it may add tools.
        self._logs = server.has_capability("logging", Frame())
        self._cache = CacheHints(server)
        self._rounds = Rounds(server, clock)

    def check(self) -> None:
        """Raises NoKey for a server that cannot do what its code says. For when it starts."""
        self._rounds.check()

    def refuse_handshake(self, request: Request, version: str | None = None) -> None:
        """A client of the handshake revisions is told which revisions are served: it may be all
        that its user gets to see (basic/versioning, "Backward Compatibility"). `version` is what
        its header names. Raises McpError (-32022)."""
        if "_meta" in request.params or (version and version in self._server.versions):
            return
        if request.method == "initialize":
            version = version or str(request.params.get("protocolVersion"))
        if version:
            raise unsupported_version(version[:64], self._server.versions)

    @staticmethod
    def read_meta(request: Request) -> RequestMeta:
        """Raises McpError (-32602): "a request missing any required field is malformed"."""
        return read(request.params.get("_meta", {}), RequestMeta, "params._meta")

    def require_version(self, version: str) -> None:
        """Raises McpError (-32022) for a version that this server does not serve."""
        if version not in self._revisions:
            raise unsupported_version(version, self._server.versions)

    @staticmethod
    def may_speak(meta: RequestMeta) -> bool:
        """Whether the client has asked for anything beside the answer."""
        return meta.progress_token is not None or meta.log_level is not None

    async def serve(
        self, request: Request, meta: RequestMeta, peer: Peer, outbox: Outbox | None = None
    ) -> Served:
        """Answer a request whose version is served. Raises nothing but cancellation.

        What the callbacks say beside the answer goes to the outbox.
        """
        try:
            exchange = self._mute if outbox is None else self._exchange(meta, outbox)
            frame = self._frame(request, meta, peer, exchange)
            if (STATE in request.params or RESPONSES in request.params) and (
                self._method(request, frame).rounds
            ):
                return await self._retry(request, frame)
            return self._answer(request, frame, await self._outcome(request, frame))
        except McpError as error:
            return refuse(request.id, error)
        except Exception:
            logger.exception("%s %r failed", request.method, request.id)
            return refuse(request.id, internal_error())

    async def listen(self, request: Request, meta: RequestMeta, peer: Peer) -> Listener | Served:
        """Make a subscription, or refuse it.

        The transport serves it `with subscriptions.listening(…)`, in which it hears of every
        change, and sends the acknowledgement first.
        """
        try:
            frame = await self._admitted(self._frame(request, meta, peer, self._mute))
            asked = read(request.params, ListenParams).notifications
            listener = Listener(request.id, honoured(self._server, asked, frame))
        except McpError as error:
            return refuse(request.id, error)
        except Exception:
            logger.exception("%s %r failed", request.method, request.id)
            return refuse(request.id, internal_error())
        if not listener.honoured.to_wire():
            listener.close()
        return listener

    def closing_result(self, listener: Listener) -> bytes:
        return listener.closing_result(self._meta)

    def _exchange(self, meta: RequestMeta, outbox: Outbox) -> Exchange:
        publish = self._subscriptions.publish
        return Exchange(publish, outbox, meta.progress_token, self._logs, Loop())

    async def notify(self, notification: Notification, peer: Peer) -> None:
        """Hand a notification to the author, if there is a callback for it."""
        if not self._revisions or "handle_notification" not in self._server.overrides:
            return
        meta = notification.params.get("_meta")
        context = Context(
            protocol_version=next(iter(self._revisions)),
            meta=meta if isinstance(meta, dict) else NOTHING,
            headers=peer.headers,
            remote_ip=peer.remote_ip,
            auth=peer.auth,
            exchange=self._mute,
        )
        call = Call(NOTIFICATION, notification.method, self._server.timeout)
        outcome = await call(
            self._server.handle_notification, notification, frame=Frame(peer.assigns, context)
        )
        if isinstance(outcome, Failure):
            logger.warning("%s: %s", notification.method, outcome.error)

    def _frame(self, request: Request, meta: RequestMeta, peer: Peer, exchange: Exchange) -> Frame:
        context = Context(
            request_id=request.id,
            protocol_version=meta.protocol_version,
            client_info=meta.client_info or NOTHING,
            client_capabilities=meta.client_capabilities,
            meta=request.params["_meta"],
            headers=peer.headers,
            remote_ip=peer.remote_ip,
            auth=peer.auth,
            progress_token=meta.progress_token,
            log_level=meta.log_level,
            exchange=exchange,
            caller=peer.caller,
        )
        return Frame(peer.assigns or NOTHING, context)

    def _method(self, request: Request, frame: Frame) -> Method:
        revision = self._revisions[frame.context.protocol_version]
        return revision.methods.get(request.method, UNKNOWN)

    async def _retry(self, request: Request, frame: Frame) -> Served:
        """Serve a request that goes on with a round.

        What is missing is asked for again, without the callback: it finds all its answers.
        """
        round_ = self._rounds.resume(request, frame)
        if round_ is None:
            # What it answers has yet to be asked.
            outcome = await self._outcome(request, frame)
            served = self._answer(request, frame, outcome, retry=True)
            if not isinstance(outcome, InputRequired):
                return served
            round_ = self._rounds.answered(request, outcome)
            if not round_.answers:
                return served
        context = attrs.evolve(
            frame.context, input_responses=round_.values(), request_state=round_.state
        )
        frame = attrs.evolve(frame, context=context)
        if round_.open:
            await self._admitted(frame)
            return self._answer(request, frame, Reply(self._rounds.ask(request, frame, round_)))
        return self._answer(request, frame, await self._outcome(request, frame), retry=True)

    async def _outcome(self, request: Request, frame: Frame) -> Settled:
        server = self._server
        revision = self._revisions[frame.context.protocol_version]
        method = revision.methods.get(request.method)
        if method is None and "handle_request" not in server.overrides:
            raise method_not_found(request.method)
        frame = await self._admitted(frame)
        return await dispatch(server, request, frame, rounds=method is not None and method.rounds)

    async def _admitted(self, frame: Frame) -> Frame:
        """The frame as `init` leaves it. Raises McpError where it rejects the client."""
        server = self._server
        if "init" not in server.overrides:
            return frame
        info = frame.context.client_info
        admitted = await admit(server.init, info, label="init", frame=frame, timeout=server.timeout)
        return admitted.frame

    def _answer(
        self, request: Request, frame: Frame, outcome: Settled, *, retry: bool = False
    ) -> Served:
        """The outcome as a message; `frame` is the one that the request came with."""
        match outcome:
            case Reply(result):
                self._stamp(request.method, result, retry)
                return Served(200, encode_result(request.id, result))
            case InputRequired():
                result = self._rounds.begin(request, frame, outcome)
                self._stamp(request.method, result, retry)
                return Served(200, encode_result(request.id, result))
            case NoReply():
                return ACCEPTED
            case Failure(error):
                return refuse(request.id, error)

    def _stamp(self, method: str, result: dict[str, Any], retry: bool) -> None:
        """What every result carries: its type, who answered, and for how long it holds."""
        result.setdefault("resultType", "complete")
        own = result.get("_meta")
        result["_meta"] = self._encoded_meta if own is None else {**self._meta, **own}
        if result["resultType"] == "complete":
            self._cache.stamp(method, result, retry)
