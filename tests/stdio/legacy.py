"""Messages of a client of the handshake revisions, and what its server may say to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import attrs
from revisions.closed_schema import LEGACY, check
from support.schema import RESULTS, check_message

from anubis_py.server.behaviour import Behaviour

from .memory import Peer, connected
from .messages import META

NEWEST: Final = LEGACY[0]


def request(id_: Any, method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}}


def call(id_: Any, name: str, arguments: Any = None, **meta: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments or {}}
    return request(id_, "tools/call", params | ({"_meta": meta} if meta else {}))


def initialize(id_: Any, version: str = NEWEST, **capabilities: Any) -> dict[str, Any]:
    info = {"name": "tests", "version": "1"}
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": info}
    return request(id_, "initialize", params)


INITIALIZED: Final = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def answer(asked: dict[str, Any], **result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked["id"], "result": result}


@attrs.define
class Rules:
    """Holds every message of the server's against the schema of the revision it belongs to."""

    version: str = NEWEST
    _methods: dict[Any, tuple[str, bool]] = attrs.field(factory=dict)
    """By the id of a request: its method, and whether it is of the stateless era."""

    def sent(self, message: Any) -> None:
        for each in message if isinstance(message, list) else [message]:
            if isinstance(each, dict) and {"id", "method", "params"} <= each.keys():
                meta = each["params"].get("_meta")
                modern = isinstance(meta, dict) and meta.keys() >= META.keys()
                self._methods.setdefault(each["id"], (each["method"], modern))

    def check(self, message: dict[str, Any]) -> None:
        if "method" in message:
            name = "ServerRequest" if "id" in message else "ServerNotification"
            check(self.version, name, message if self.version == NEWEST else _inside(message))
            return
        method, modern = self._methods.get(message.get("id"), ("", False))
        if modern:
            check_message(message, method)
        elif "error" in message:
            # The older two have no form for an answer to what cannot be read.
            version = self.version if "id" in message else NEWEST
            newest = version == NEWEST
            check(version, "JSONRPCErrorResponse" if newest else "JSONRPCError", message)
        else:
            assert message.keys() == {"jsonrpc", "id", "result"}
            check(self.version, _RESULTS.get(method, "EmptyResult"), message["result"])


_RESULTS: Final = {**RESULTS, "initialize": "InitializeResult"}


def _inside(message: dict[str, Any]) -> dict[str, Any]:
    """All that the older two describe of a request or a notification."""
    return {name: message[name] for name in ("method", "params") if name in message}


@attrs.define(eq=False)
class Client:
    """One that has opened with a handshake, or is about to."""

    peer: Peer
    rules: Rules

    def send(self, *messages: Any) -> None:
        """All in one piece."""
        for message in messages:
            self.rules.sent(message)
        self.peer.send(*messages)

    async def receive(self) -> dict[str, Any]:
        message = await self.peer.receive()
        self.rules.check(message)
        return message

    async def receive_batch(self) -> list[dict[str, Any]]:
        messages = await self.peer.receive_line()
        assert isinstance(messages, list)
        for message in messages:
            self.rules.check(message)
        return messages

    async def rest(self) -> list[dict[str, Any]]:
        messages = await self.peer.rest()
        for message in messages:
            self.rules.check(message)
        return messages

    async def ask(self, message: Any) -> dict[str, Any]:
        """Send a request and give the next message."""
        self.send(message)
        return await self.receive()

    async def greet(self, version: str = NEWEST, **capabilities: Any) -> dict[str, Any]:
        self.rules.version = version
        opened = await self.ask(initialize("hello", version, **capabilities))
        self.send(INITIALIZED)
        result: dict[str, Any] = opened["result"]
        return result


@asynccontextmanager
async def client_of(server: type[Behaviour], **settings: Any) -> AsyncIterator[Client]:
    async with connected(server, **settings) as peer:
        yield Client(peer, Rules())


@asynccontextmanager
async def greeted(
    server: type[Behaviour], version: str = NEWEST, capabilities: Any = None, **settings: Any
) -> AsyncIterator[Client]:
    async with client_of(server, **settings) as client:
        await client.greet(version, **(capabilities or {}))
        yield client
