"""A client for tests: in process, without a port, against the same code that serves the wire.

async with Client(Reviewer) as client:
    result = await client.get_prompt("code_review", {"language": "python", "code": "x = 1"})
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

from .context import NOTHING
from .encoding import dumps, loads
from .engine.exchange import Peer, Served
from .engine.listener import Listener
from .engine.outbox import Outbox
from .engine.stateless import LISTEN, Stateless, refuse
from .engine.subscriptions import LocalBus, Subscriptions
from .errors import McpError
from .protocol.jsonrpc import Notification, Request, decode
from .server.behaviour import Behaviour

_PREFIX = "io.modelcontextprotocol/"

Answers: TypeAlias = Mapping[str, Any] | Callable[[str, dict[str, Any]], Any]

# A server that has asked so often will not stop asking.
MAX_ROUNDS: Final = 20


class Client:
    """Speaks to a server as a client of the stateless era does.

    Works under trio and asyncio alike. Every message goes through its bytes, so that what a
    test sees is what a client would see. An error of the server's is raised as McpError, with
    its code and data; a tool's failure is a result with `isError`, as on the wire.

    `auth` are the claims of a token, as if it had been verified; `headers` and `assigns` are
    what a transport would bring along. `clock` gives the time by which rounds expire.

    A server may have to ask the client first. `call_tool`, `get_prompt` and `read_resource` take
    `answers` to what it asks, by key or from a function of the key and the request, and go on
    until the result is there::

        client = Client(Reviewer, capabilities={"elicitation": {}})
        await client.call_tool("review", answers={"who": Accepted({"name": "Ada"})})

    An answer is `Accepted`, `Declined`, `Cancelled`, `Sampled`, a tuple of `Root`, or anything in
    wire form; None leaves it out. Without `answers` the result is the server's question, and
    `input_responses` and `request_state` go on from it, one round at a time.
    """

    def __init__(
        self,
        server: Behaviour | type[Behaviour],
        *,
        protocol_version: str | None = None,
        client_info: Mapping[str, Any] | None = None,
        capabilities: Mapping[str, Any] = NOTHING,
        auth: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] = NOTHING,
        assigns: Mapping[str, Any] = NOTHING,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.server = server() if isinstance(server, type) else server
        self.subscriptions = Subscriptions(LocalBus())
        self._engine = Stateless(self.server, self.subscriptions, clock)
        self.notifications: list[dict[str, Any]] = []
        """What the server said beside its answers, in order: progress and log messages."""
        self._peer = Peer({k.lower(): v for k, v in headers.items()}, None, auth, assigns)
        self._meta: dict[str, Any] = {
            _PREFIX + "protocolVersion": protocol_version or self.server.versions[0],
            _PREFIX + "clientCapabilities": dict(capabilities),
        }
        if client_info is not None:
            self._meta[_PREFIX + "clientInfo"] = dict(client_info)
        self._last_id = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        return None

    async def request(
        self, method: str, params: Mapping[str, Any] = NOTHING, *, meta: Mapping[str, Any] = NOTHING
    ) -> dict[str, Any]:
        """Send any request and give its result. `meta` is added to what every request says."""
        request = self._message(method, params, meta)
        outbox = Outbox()
        served = await self._answer(request, outbox)
        outbox.close()
        self.notifications.extend(map(self.receive, await outbox.take()))
        return {} if served.body is None else self._result(served.body)

    def _message(
        self, method: str, params: Mapping[str, Any], meta: Mapping[str, Any] = NOTHING
    ) -> Request:
        self._last_id += 1
        params = {**params, "_meta": {**self._meta, **meta}}
        message = decode(
            dumps({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        )
        assert isinstance(message, Request)
        return message

    async def _answer(self, request: Request, outbox: Outbox) -> Served:
        try:
            meta = self._engine.read_meta(request)
            self._engine.require_version(meta.protocol_version)
        except McpError as error:
            return refuse(request.id, error)
        return await self._engine.serve(request, meta, self._peer, outbox)

    @asynccontextmanager
    async def listen(
        self,
        *,
        tools: bool = False,
        prompts: bool = False,
        resources: bool = False,
        uris: Iterable[str] = (),
    ) -> AsyncIterator[Subscription]:
        """Listen to changes of the lists, and of resources by their URIs.

        async with client.listen(uris=["notes:///today"]) as subscription:
            note = await subscription.receive()
        """
        asked = {
            "toolsListChanged": tools,
            "promptsListChanged": prompts,
            "resourcesListChanged": resources,
            "resourceSubscriptions": list(uris),
        }
        request = self._message(LISTEN, {"notifications": asked})
        meta = self._engine.read_meta(request)
        listener = await self._engine.listen(request, meta, self._peer)
        if isinstance(listener, Served):
            assert listener.body is not None
            self._result(listener.body)
            raise AssertionError("a refusal is an error")
        with self.subscriptions.listening(listener):
            yield Subscription(self, listener)

    def _result(self, body: bytes) -> dict[str, Any]:
        answer = self.receive(body)
        if "error" in answer:
            error = answer["error"]
            raise McpError(error["code"], error["message"], error.get("data"))
        result: dict[str, Any] = answer["result"]
        return result

    def receive(self, body: bytes) -> dict[str, Any]:
        """A message of the server's. Override it to look at every one."""
        message: dict[str, Any] = loads(body)
        return message

    async def notify(self, method: str, params: Mapping[str, Any] = NOTHING) -> None:
        await self._engine.notify(Notification(method, dict(params)), self._peer)

    async def discover(self) -> dict[str, Any]:
        return await self.request("server/discover")

    async def list_tools(self, cursor: str | None = None) -> dict[str, Any]:
        return await self.request("tools/list", _page(cursor))

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] = NOTHING,
        *,
        answers: Answers | None = None,
        input_responses: Mapping[str, Any] | None = None,
        request_state: str | None = None,
    ) -> dict[str, Any]:
        params = {"name": name, "arguments": dict(arguments)}
        carried = _carried(input_responses, request_state)
        return await self._rounds("tools/call", params, carried, answers)

    async def list_prompts(self, cursor: str | None = None) -> dict[str, Any]:
        return await self.request("prompts/list", _page(cursor))

    async def get_prompt(
        self,
        name: str,
        arguments: Mapping[str, str] = NOTHING,
        *,
        answers: Answers | None = None,
        input_responses: Mapping[str, Any] | None = None,
        request_state: str | None = None,
    ) -> dict[str, Any]:
        params = {"name": name, "arguments": dict(arguments)}
        carried = _carried(input_responses, request_state)
        return await self._rounds("prompts/get", params, carried, answers)

    async def list_resources(self, cursor: str | None = None) -> dict[str, Any]:
        return await self.request("resources/list", _page(cursor))

    async def list_resource_templates(self, cursor: str | None = None) -> dict[str, Any]:
        return await self.request("resources/templates/list", _page(cursor))

    async def read_resource(
        self,
        uri: str,
        *,
        answers: Answers | None = None,
        input_responses: Mapping[str, Any] | None = None,
        request_state: str | None = None,
    ) -> dict[str, Any]:
        carried = _carried(input_responses, request_state)
        return await self._rounds("resources/read", {"uri": uri}, carried, answers)

    async def _rounds(
        self,
        method: str,
        params: dict[str, Any],
        carried: dict[str, Any],
        answers: Answers | None,
    ) -> dict[str, Any]:
        for _ in range(MAX_ROUNDS):
            result = await self.request(method, params | carried)
            if answers is None or result.get("resultType") != "input_required":
                return result
            asked = result.get("inputRequests", {})
            given = {key: _answer(answers, key, request) for key, request in asked.items()}
            carried = _carried(given, result.get("requestState"))
        raise AssertionError(f"{method}: the server still asks after {MAX_ROUNDS} rounds")

    async def complete(
        self,
        ref: Mapping[str, Any],
        name: str,
        value: str = "",
        context: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Suggestions for an argument. `ref` is `{"type": "ref/prompt", "name": …}` or
        `{"type": "ref/resource", "uri": …}`."""
        params: dict[str, Any] = {"ref": dict(ref), "argument": {"name": name, "value": value}}
        if context is not None:
            params["context"] = {"arguments": dict(context)}
        return await self.request("completion/complete", params)


class Subscription:
    """An open subscription of a `Client`."""

    def __init__(self, client: Client, listener: Listener) -> None:
        self._client = client
        self._listener = listener
        self._read: list[dict[str, Any]] = [client.receive(listener.acknowledgement())]
        self.honoured: dict[str, Any] = self._read.pop()["params"]["notifications"]
        """What the server agreed to deliver."""

    async def receive(self) -> dict[str, Any]:
        """Wait for the next notification."""
        while not self._read:
            self._read = list(map(self._client.receive, await self._listener.take()))
        return self._read.pop(0)


def _answer(answers: Answers, key: str, request: dict[str, Any]) -> Any:
    if callable(answers):
        return answers(key, request)
    assert key in answers, f"the server asks for {key!r}, which answers does not have: {request}"
    return answers[key]


def _carried(responses: Mapping[str, Any] | None, state: str | None) -> dict[str, Any]:
    """What a request carries from the round before."""
    carried: dict[str, Any] = {}
    if responses is not None:
        given = {key: answer for key, answer in responses.items() if answer is not None}
        carried["inputResponses"] = {key: _to_wire(answer) for key, answer in given.items()}
    if state is not None:
        carried["requestState"] = state
    return carried


def _to_wire(answer: Any) -> Any:
    if isinstance(answer, tuple):
        return {"roots": [root.to_wire() for root in answer]}
    return answer.to_wire() if hasattr(answer, "to_wire") else answer


def _page(cursor: str | None) -> dict[str, Any]:
    return {} if cursor is None else {"cursor": cursor}
