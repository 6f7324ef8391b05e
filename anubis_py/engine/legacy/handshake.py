"""The opening of a session (basic/lifecycle, "Initialization")."""

from __future__ import annotations

import logging
from typing import Any

import attrs

from ...annotations import compact
from ...errors import McpError, internal_error, store_down
from ...frame import Frame
from ...protocol.jsonrpc import Request, encode_result
from ...protocol.params import InitializeParams
from ...protocol.revisions import REVISIONS, negotiate
from ...protocol.wire import read
from ...server.behaviour import Behaviour
from ...server.discovery import instructions_for
from ...server.invoke import admit
from ...sessions.record import Record
from ...sessions.store import StoreDown
from ..exchange import Exchange, Peer, Served
from ..refusal import refuse
from .assigns import stripped
from .contexts import context_of, meta_in, subject_of
from .sessions import Sessions
from .streams import Streams

logger = logging.getLogger("anubis_py.engine")


@attrs.frozen(eq=False, repr=False)
class Handshake:
    _server: Behaviour
    _sessions: Sessions
    _streams: Streams
    _versions: list[str]
    """The revisions that may be agreed on, the newest first."""

    async def initialize(self, request: Request, peer: Peer) -> tuple[Served, str | None]:
        """Answer a handshake, and give the id of the session that it has begun."""
        try:
            result, session_id = await self._initialize(request, peer)
        except McpError as error:
            return refuse(request.id, error), None
        except StoreDown as error:
            return refuse(request.id, store_down(error)), None
        except Exception:
            logger.exception("initialize %r failed", request.id)
            return refuse(request.id, internal_error()), None
        return Served(200, encode_result(request.id, result)), session_id

    async def _initialize(self, request: Request, peer: Peer) -> tuple[dict[str, Any], str]:
        params = read(request.params, InitializeParams, http_status=200)
        version = negotiate(params.protocol_version, self._versions)
        assert version is not None
        record = Record(
            version,
            params.client_info,
            REVISIONS[version].dialect.client_capabilities(params.capabilities),
            meta_in(request.params),
            subject=subject_of(peer),
        )
        session_id = self._sessions.new_id()
        context = attrs.evolve(
            context_of(session_id, record, peer),
            request_id=request.id,
            exchange=Exchange(self._sessions.subscriptions.publish, None),
        )
        frame = Frame(peer.assigns, context)
        if "init" in self._server.overrides:
            admitted = await admit(
                self._server.init,
                params.client_info,
                label="init",
                frame=frame,
                timeout=self._server.timeout,
            )
            frame = admitted.frame
        result = self._handshake(version, frame)
        kept = stripped(frame, Frame(), peer.assigns)
        await self._sessions.begin(session_id, record, kept)
        self._streams.expect(session_id)
        return result, session_id

    def _handshake(self, version: str, frame: Frame) -> dict[str, Any]:
        dialect = REVISIONS[version].dialect
        return compact(
            protocolVersion=version,
            capabilities=dialect.capabilities(self._server.capabilities_for(frame)),
            serverInfo=dialect.implementation(self._server.server_info()),
            instructions=instructions_for(self._server, frame),
        )
