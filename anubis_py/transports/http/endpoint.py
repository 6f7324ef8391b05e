"""The MCP endpoint: what both eras share, from bytes to a message.

The order of the checks is the specification's: who may speak at all, then the envelope, and then
what the era has of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from ...caller import Caller, Gone
from ...engine.engines import Engines
from ...engine.exchange import Peer, Served
from ...engine.listener import Listener
from ...engine.refusal import refuse
from ...errors import INTERNAL_ERROR, McpError, invalid_request, store_down
from ...protocol import jsonrpc
from ...sessions.store_down import StoreDown
from . import headers as fields
from .asgi_types import Receive, Scope, Send
from .body import Disconnected, read_body
from .era import is_legacy
from .legacy import LegacyEndpoint
from .reply import send_reply
from .settings import HttpSettings
from .stateless import StatelessEndpoint

logger = logging.getLogger("anubis_py.http")


class Endpoint:
    def __init__(self, engines: Engines, settings: HttpSettings) -> None:
        self._settings = settings
        self._hosts = settings.hosts
        self._stateless = StatelessEndpoint(engines.stateless, settings, engines.subscriptions)
        served = bool(engines.legacy.versions)
        self._legacy = LegacyEndpoint(engines.legacy, settings) if served else None

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = Caller()
        try:
            if scope["method"] == "POST":
                served = await self._post(scope, receive, send, caller)
            elif self._legacy is not None and scope["method"] in ("GET", "DELETE"):
                served = await self._session(self._legacy, scope, receive, send, caller)
            else:
                allowed = b"POST" if self._legacy is None else b"GET, POST, DELETE"
                await send_reply(send, Served(405, None), (b"allow", allowed))
                return
            if isinstance(served, Listener):
                # Here, where nothing else is held: it may be open for days.
                await self._stateless.listen(served, receive, send)
            elif served is not None:
                await send_reply(send, served)
        except (Disconnected, Gone):
            return

    async def _post(
        self, scope: Scope, receive: Receive, send: Send, caller: Caller
    ) -> Served | Listener | None:
        """None: it has been answered. Raises Disconnected or Gone when the client goes away."""
        found = fields.collect(scope["headers"])
        message: jsonrpc.Message | list[jsonrpc.Message | jsonrpc.Undecodable]
        try:
            self._admit(scope, found)
            self._admit_types(found)
            message = self._decode(await read_body(receive, found, self._settings.max_body), found)
        except jsonrpc.Undecodable as fault:
            return refuse(fault.id, fault.error)
        except McpError as error:
            return refuse(None, error)
        peer = _peer(scope, found, caller)
        if self._legacy is None or not (isinstance(message, list) or is_legacy(message, found)):
            assert not isinstance(message, list)
            return await self._stateless.post(message, peer, receive, send)
        try:
            if isinstance(message, list):
                await self._legacy.batch(message, peer, send)
            else:
                await self._legacy.post(message, peer, send)
        except McpError as error:
            return _not_taken(error)
        except StoreDown as error:
            return refuse(None, store_down(error))
        return None

    async def _session(
        self, legacy: LegacyEndpoint, scope: Scope, receive: Receive, send: Send, caller: Caller
    ) -> Served | None:
        found = fields.collect(scope["headers"])
        peer = _peer(scope, found, caller)
        try:
            self._admit(scope, found)
            if scope["method"] == "GET":
                await legacy.get(peer, receive, send)
            else:
                await legacy.delete(peer, send)
        except McpError as error:
            return refuse(None, error)
        except StoreDown as error:
            return refuse(None, store_down(error))
        return None

    def _admit(self, scope: Scope, found: Mapping[str, str]) -> None:
        """Who may speak. Raises McpError."""
        server = scope.get("server") or (None,)
        refusal = self._hosts.refusal(server[0], found.get("host"), found.get("origin"))
        if refusal is not None:
            logger.warning("%s", refusal)
            raise invalid_request("Forbidden: this Host or Origin is not admitted", http_status=403)

    def _admit_types(self, found: Mapping[str, str]) -> None:
        """In what form. Raises McpError."""
        if not fields.accepts(found.get("accept"), fields.JSON):
            raise fields.not_acceptable()
        if not fields.is_json(found.get("content-type")):
            raise invalid_request(
                f"Unsupported media type: Content-Type must be {fields.JSON}", http_status=415
            )

    def _decode(
        self, body: bytes, found: Mapping[str, str]
    ) -> jsonrpc.Message | list[jsonrpc.Message | jsonrpc.Undecodable]:
        if self._legacy is not None and body.lstrip()[:1] == b"[" and is_legacy(None, found):
            return jsonrpc.decode_batch(body)
        return jsonrpc.decode(body)


def _not_taken(error: McpError) -> Served:
    """What is no request has no answer that could be an error: "If the server cannot accept the
    input, it MUST return an HTTP error status code"."""
    served = refuse(None, error)
    if served.status >= 400:
        return served
    return Served(500 if error.code == INTERNAL_ERROR else 400, served.body)


def _peer(scope: Scope, found: Mapping[str, str], caller: Caller) -> Peer:
    client = scope.get("client")
    return Peer(found, client[0] if client else None, None, scope.get("state") or {}, caller)
