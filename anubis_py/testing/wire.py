"""What the client for tests does differently in each era."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

from ..encoding import dumps
from ..engine.exchange import Peer, Served
from ..errors import McpError
from ..protocol.jsonrpc import Notification, Request, decode
from .answers import Answers
from .subscription import Subscription

if TYPE_CHECKING:
    from .client import Client


class Wire(ABC):
    """Its methods raise McpError where the server refuses."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @abstractmethod
    async def begin(self) -> None:
        """What a client does first."""

    @abstractmethod
    async def end(self) -> None:
        """What a client does last."""

    async def initialize(self) -> None:
        raise AssertionError("there is no handshake in the stateless era")

    async def end_session(self) -> None:
        raise AssertionError("there are no sessions in the stateless era")

    @abstractmethod
    async def request(
        self,
        method: str,
        params: Mapping[str, Any],
        meta: Mapping[str, Any],
        answers: Answers | None,
    ) -> dict[str, Any]: ...

    @abstractmethod
    async def notify(self, notification: Notification, peer: Peer) -> None: ...

    @abstractmethod
    async def respond(self, request: Mapping[str, Any], answer: Any) -> None: ...

    @abstractmethod
    async def set_log_level(self, level: str) -> None: ...

    @abstractmethod
    def carried(self, responses: Mapping[str, Any] | None, state: str | None) -> dict[str, Any]:
        """What a request takes along from the round before."""

    @abstractmethod
    def listen(
        self, lists: Mapping[str, bool], uris: list[str]
    ) -> AbstractAsyncContextManager[Subscription]: ...

    def _message(self, method: str, params: Mapping[str, Any]) -> Request:
        client = self._client
        client.last_id += 1
        message = decode(
            dumps({"jsonrpc": "2.0", "id": client.last_id, "method": method, "params": params})
        )
        assert isinstance(message, Request)
        return message

    def _result(self, served: Served) -> dict[str, Any]:
        """Empty: there is no answer."""
        if served.body is None:
            return {}
        answer = self._client.receive(served.body)
        if "error" in answer:
            error = answer["error"]
            raise McpError(
                error["code"], error["message"], error.get("data"), http_status=served.status
            )
        result: dict[str, Any] = answer["result"]
        return result
