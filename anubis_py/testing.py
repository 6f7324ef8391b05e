"""A client for tests: in process, without a port, against the same code that serves the wire.

async with Client(Reviewer) as client:
    result = await client.get_prompt("code_review", {"language": "python", "code": "x = 1"})
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from .context import NOTHING
from .encoding import dumps, loads
from .engine.exchange import Peer
from .engine.stateless import Stateless
from .errors import McpError
from .protocol.jsonrpc import Notification, Request, decode
from .server.behaviour import Behaviour

_PREFIX = "io.modelcontextprotocol/"


class Client:
    """Speaks to a server as a client of the stateless era does.

    Works under trio and asyncio alike. Every message goes through its bytes, so that what a
    test sees is what a client would see. An error of the server's is raised as McpError, with
    its code and data; a tool's failure is a result with `isError`, as on the wire.

    `auth` are the claims of a token, as if it had been verified; `headers` and `assigns` are
    what a transport would bring along.
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
    ) -> None:
        self.server = server() if isinstance(server, type) else server
        self._engine = Stateless(self.server)
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
        self._last_id += 1
        params = {**params, "_meta": {**self._meta, **meta}}
        message = decode(
            dumps({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        )
        assert isinstance(message, Request)
        served = await self._engine.answer(message, self._peer)
        return {} if served.body is None else self._result(served.body)

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

    async def call_tool(self, name: str, arguments: Mapping[str, Any] = NOTHING) -> dict[str, Any]:
        return await self.request("tools/call", {"name": name, "arguments": dict(arguments)})

    async def list_prompts(self, cursor: str | None = None) -> dict[str, Any]:
        return await self.request("prompts/list", _page(cursor))

    async def get_prompt(self, name: str, arguments: Mapping[str, str] = NOTHING) -> dict[str, Any]:
        return await self.request("prompts/get", {"name": name, "arguments": dict(arguments)})

    async def list_resources(self, cursor: str | None = None) -> dict[str, Any]:
        return await self.request("resources/list", _page(cursor))

    async def list_resource_templates(self, cursor: str | None = None) -> dict[str, Any]:
        return await self.request("resources/templates/list", _page(cursor))

    async def read_resource(self, uri: str) -> dict[str, Any]:
        return await self.request("resources/read", {"uri": uri})

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


def _page(cursor: str | None) -> dict[str, Any]:
    return {} if cursor is None else {"cursor": cursor}
