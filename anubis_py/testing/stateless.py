"""The client for tests as a client of the stateless era."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from ..engine.exchange import Peer, Served
from ..engine.outbox import Outbox
from ..engine.refusal import refuse
from ..engine.stateless import LISTEN, SERVER_INFO
from ..errors import McpError
from ..protocol.jsonrpc import Notification, Request
from .answers import MAX_ROUNDS, Answers, answer_to, carried
from .subscription import Subscription
from .wire import Wire

_PREFIX: Final = "io.modelcontextprotocol/"
_LISTS: Final = {
    "tools": "toolsListChanged",
    "prompts": "promptsListChanged",
    "resources": "resourcesListChanged",
}


class StatelessWire(Wire):
    _log_level: str | None = None

    async def begin(self) -> None:
        """There is no handshake."""

    async def end(self) -> None:
        """Nothing is left behind."""

    async def request(
        self,
        method: str,
        params: Mapping[str, Any],
        meta: Mapping[str, Any],
        answers: Answers | None,
    ) -> dict[str, Any]:
        if answers is not None:
            return await self._rounds(method, params, meta, answers)
        client, outbox = self._client, Outbox()
        request = self._stamped(method, params, meta)
        served = await self._serve(request, client.peer(), outbox)
        outbox.close()
        client.notifications.extend(map(client.receive, await outbox.take()))
        result = self._result(served)
        if method == "server/discover" and "supportedVersions" in result:
            client.keep(result.get("_meta", {}).get(SERVER_INFO, {}), result)
        return result

    async def _rounds(
        self, method: str, params: Mapping[str, Any], meta: Mapping[str, Any], answers: Answers
    ) -> dict[str, Any]:
        for _ in range(MAX_ROUNDS):
            result = await self._client.request(method, params, meta=meta)
            if result.get("resultType") != "input_required":
                return result
            asked = result.get("inputRequests", {})
            given = {key: answer_to(answers, key, request) for key, request in asked.items()}
            before = {
                k: v for k, v in params.items() if k not in ("inputResponses", "requestState")
            }
            params = before | carried(given, result.get("requestState"))
        raise AssertionError(f"{method}: the server still asks after {MAX_ROUNDS} rounds")

    def _stamped(
        self, method: str, params: Mapping[str, Any], meta: Mapping[str, Any] | None = None
    ) -> Request:
        client = self._client
        own: dict[str, Any] = {
            _PREFIX + "protocolVersion": client.protocol_version,
            _PREFIX + "clientCapabilities": dict(client.capabilities),
        }
        if client.client_info is not None:
            own[_PREFIX + "clientInfo"] = dict(client.client_info)
        if self._log_level is not None:
            own[_PREFIX + "logLevel"] = self._log_level
        return self._message(method, {**params, "_meta": {**own, **(meta or {})}})

    async def _serve(self, request: Request, peer: Peer, outbox: Outbox) -> Served:
        engine = self._client.engines.stateless
        try:
            meta = engine.read_meta(request)
            engine.require_version(meta.protocol_version)
        except McpError as error:
            return refuse(request.id, error)
        return await engine.serve(request, meta, peer, outbox)

    async def notify(self, notification: Notification, peer: Peer) -> None:
        await self._client.engines.stateless.notify(notification, peer)

    async def respond(self, request: Mapping[str, Any], answer: Any) -> None:
        raise AssertionError("in the stateless era a server sends no requests: give `answers`")

    async def set_log_level(self, level: str) -> None:
        self._log_level = level

    def carried(self, responses: Mapping[str, Any] | None, state: str | None) -> dict[str, Any]:
        return carried(responses, state)

    @asynccontextmanager
    async def listen(
        self, lists: Mapping[str, bool], uris: list[str]
    ) -> AsyncIterator[Subscription]:
        client, engine = self._client, self._client.engines.stateless
        wanted = {_LISTS[kind]: want for kind, want in lists.items()}
        asked = {"notifications": {**wanted, "resourceSubscriptions": uris}}
        request = self._stamped(LISTEN, asked)
        listener = await engine.listen(request, engine.read_meta(request), client.peer())
        if isinstance(listener, Served):
            self._result(listener)
            raise AssertionError("a refusal is an error")

        async def take() -> list[dict[str, Any]]:
            return [client.receive(message) for message in await listener.take()]

        with client.subscriptions.listening(listener):
            acknowledged = client.receive(listener.acknowledgement())
            yield Subscription(acknowledged["params"]["notifications"], take)
