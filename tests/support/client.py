"""Clients that look at every message: in process, and over HTTP without a port."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

import attrs
import httpx

from anubis_py import App, ServerBehaviour
from anubis_py.context import NOTHING
from anubis_py.testing import Answers, Client

from .events import EventReader
from .schema import REVISION, check_message, check_result

Fields: TypeAlias = Iterable[tuple[str, str | bytes]]

PREFIX: Final = "io.modelcontextprotocol/"
META: Final[Mapping[str, Any]] = {
    PREFIX + "protocolVersion": REVISION,
    PREFIX + "clientCapabilities": {},
}
"""What every request of the stateless era says: `$M` of the field cases."""

EVENT_STREAM: Final = "text/event-stream"
NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class CheckedClient(Client):
    """`anubis_py.testing.Client`, with every answer held against the schema."""

    def receive(self, body: bytes) -> dict[str, Any]:
        message = super().receive(body)
        check_message(message, None)
        return message

    async def request(
        self,
        method: str,
        params: Mapping[str, Any] = NOTHING,
        *,
        meta: Mapping[str, Any] = NOTHING,
        answers: Answers | None = None,
    ) -> dict[str, Any]:
        result = await super().request(method, params, meta=meta, answers=answers)
        if result:  # no body, no result
            check_result(method, result)
        return result


def modern(
    method: str,
    params: Mapping[str, Any] | None = None,
    *,
    id: Any = 1,  # noqa: A002
    meta: Mapping[str, Any] = META,
) -> dict[str, Any]:
    """The body of a request of the stateless era."""
    params = {**(params or {}), "_meta": dict(meta)}
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


LOG_LEVEL: Final = PREFIX + "logLevel"
SUBSCRIPTION_ID: Final = PREFIX + "subscriptionId"


def listening(
    *uris: str,
    id: Any = 1,  # noqa: A002
    **lists: bool,
) -> dict[str, Any]:
    """A `subscriptions/listen` for these URIs, and with `toolsListChanged=True` and its like."""
    wanted = {**({"resourceSubscriptions": list(uris)} if uris else {}), **lists}
    return modern("subscriptions/listen", {"notifications": wanted}, id=id)


def calling(
    tool: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    id: Any = 1,  # noqa: A002
    token: str | int | None = None,
    level: str | None = None,
    **meta: Any,
) -> dict[str, Any]:
    """A `tools/call` with a progress token and a log level, if they are given."""
    if token is not None:
        meta["progressToken"] = token
    if level is not None:
        meta[LOG_LEVEL] = level
    params = {"name": tool, "arguments": dict(arguments or {})}
    return modern("tools/call", params, id=id, meta={**META, **meta})


def modern_headers(body: Any) -> dict[str, str | bytes]:
    """The headers that a good client sends with this body, however odd the body is."""
    headers: dict[str, str | bytes] = {
        "Host": "127.0.0.1:8000",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": REVISION,
    }
    method = body.get("method") if isinstance(body, dict) else None
    if not isinstance(method, str):
        return headers
    headers["Mcp-Method"] = mirrored(method)
    params = body.get("params")
    source = NAMED.get(method)
    name = params.get(source) if source and isinstance(params, dict) else None
    if isinstance(name, str):
        headers["Mcp-Name"] = mirrored(name)
    return headers


def mirrored(value: str) -> str:
    """The value as a header may carry it (streamable-http, "Value Encoding")."""
    marked = value.startswith("=?base64?") and value.endswith("?=")
    if value.isascii() and value.isprintable() and value == value.strip() and not marked:
        return value
    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'surrogatepass')).decode()}?="


@attrs.frozen
class Answer:
    """What came back, checked already."""

    status: int
    headers: httpx.Headers
    message: dict[str, Any] | None
    """The JSON-RPC message, as a JSON body or as the last event of a stream."""
    notifications: tuple[dict[str, Any], ...] = ()
    """What came before it on a stream."""

    @property
    def is_stream(self) -> bool:
        return _media_type(self.headers) == EVENT_STREAM

    @property
    def result(self) -> dict[str, Any]:
        assert self.message is not None, f"{self.status} without a body"
        assert "result" in self.message, self.message
        result: dict[str, Any] = self.message["result"]
        return result

    @property
    def error(self) -> dict[str, Any]:
        assert self.message is not None, f"{self.status} without a body"
        assert "error" in self.message, self.message
        error: dict[str, Any] = self.message["error"]
        return error

    @property
    def code(self) -> int:
        code: int = self.error["code"]
        return code

    @property
    def refusal(self) -> tuple[int, int]:
        """The HTTP status and the JSON-RPC code."""
        return self.status, self.code

    @property
    def id(self) -> Any:
        """The id on the answer; None stands for null and for none alike."""
        assert self.message is not None
        return self.message.get("id")

    @property
    def text(self) -> str:
        """All texts of a tool's result."""
        return "\n".join(block.get("text", "") for block in self.result["content"])

    @property
    def is_error(self) -> bool:
        """Whether it is the result of a tool that failed."""
        return self.result.get("isError", False) is True


class Http:
    """Speaks HTTP to an app in process, on the loop of the test."""

    def __init__(self, server: Any, *, url: str = "http://127.0.0.1:8000/mcp") -> None:
        if isinstance(server, type) and issubclass(server, ServerBehaviour):
            server = server.asgi()
        elif isinstance(server, ServerBehaviour):
            server = App(server)
        self.url = url
        self._transport = httpx.ASGITransport(server, client=("127.0.0.1", 50000))

    async def send(
        self,
        content: bytes | str,
        headers: Mapping[str, str | bytes] | Fields = (),
        *,
        verb: str = "POST",
        url: str | None = None,
    ) -> Answer:
        """Send exactly these bytes and header fields, and check what comes back."""
        raw = content.encode() if isinstance(content, str) else content
        fields = headers.items() if isinstance(headers, Mapping) else headers
        pairs = [(name.encode(), _bytes(value)) for name, value in fields]
        request = httpx.Request(verb, url or self.url, headers=pairs, content=raw)
        response = await self._transport.handle_async_request(request)
        body = await response.aread()
        return _checked(raw, response, body)

    async def post(
        self,
        body: Any,
        *,
        headers: Mapping[str, str | bytes | None] | None = None,
    ) -> Answer:
        """Send a body as a good client would; `headers` change its headers, None removes one."""
        changed: dict[str, str | bytes | None] = {**modern_headers(body)}
        for name, value in (headers or {}).items():
            changed = {n: v for n, v in changed.items() if n.lower() != name.lower()}
            changed[name] = value
        kept = {name: value for name, value in changed.items() if value is not None}
        return await self.send(json.dumps(body), kept)

    async def call(
        self, method: str, params: Mapping[str, Any] | None = None, **options: Any
    ) -> Answer:
        """Send a good request of the stateless era."""
        return await self.post(modern(method, params, **options))

    async def tool(self, name: str, arguments: Any = None, **options: Any) -> Answer:
        return await self.call(
            "tools/call", {"name": name, "arguments": arguments or {}}, **options
        )

    async def alive(self) -> None:
        """One good request, and a normal answer: nothing that came before has hurt the server."""
        answer = await self.call("server/discover", id="alive")
        assert answer.status == 200
        assert answer.id == "alive"
        assert answer.result["supportedVersions"]

    async def probe(self, body: Any, **options: Any) -> Answer:
        """`post` something bad, and see that the server lives."""
        answer = await self.post(body, **options)
        await self.alive()
        return answer

    async def probe_raw(
        self, content: bytes | str, headers: Mapping[str, str | bytes] | None = None
    ) -> Answer:
        """`send` bytes that are no message, with the headers of one, and see that it lives."""
        answer = await self.send(content, {**modern_headers(None), **(headers or {})})
        await self.alive()
        return answer


def _bytes(value: str | bytes) -> bytes:
    return value.encode("latin-1") if isinstance(value, str) else value


_EMPTY: Final = (202, 404, 405)
_UNREAD: Final = (403, 406, 413, 415)
"""Refusals that come before the body is read, so that no id can be echoed."""


def _checked(request: bytes, response: httpx.Response, body: bytes) -> Answer:
    if not body:
        assert response.status_code in _EMPTY, f"{response.status_code} without a body"
        return Answer(response.status_code, response.headers, None)
    method, id_ = _sent(request)
    *notifications, message = _messages(response, body, method)
    _check_status(response.status_code, message)
    _check_id(response.status_code, message, id_)
    assert all("method" in each for each in notifications), "something follows the answer"
    return Answer(response.status_code, response.headers, message, tuple(notifications))


def _messages(response: httpx.Response, body: bytes, method: str | None) -> list[dict[str, Any]]:
    """Every message of the body, held against the schema."""
    if _media_type(response.headers) == EVENT_STREAM:
        return EventReader(method).whole(body)
    assert _media_type(response.headers) == "application/json"
    assert response.headers["content-length"] == str(len(body))
    message = json.loads(body)
    assert isinstance(message, dict)
    check_message(message, method)
    return [message]


def _media_type(headers: httpx.Headers) -> str:
    return headers["content-type"].partition(";")[0] if "content-type" in headers else ""


def _check_status(status: int, message: Mapping[str, Any]) -> None:
    code = message["error"]["code"] if "error" in message else None
    assert status < 500 or code == -32603, f"{status} for {code}"
    assert code is not None or status == 200, f"{status} for a result"


def _check_id(status: int, message: Mapping[str, Any], sent: Any) -> None:
    """ "Error responses MUST include the same ID as the request they correspond to (except in
    error cases where the ID could not be read due a malformed request)." """
    unparsed = "error" in message and message["error"]["code"] == -32700
    readable = type(sent) in (str, int) and status not in _UNREAD and not unparsed
    if not readable:
        assert message.get("id") is None or message["id"] == sent
        return
    assert "id" in message, f"the id {sent!r} is lost"
    assert (type(message["id"]), message["id"]) == (type(sent), sent)


def _sent(request: bytes) -> tuple[str | None, Any]:
    try:
        message = json.loads(request.decode())
    except (ValueError, RecursionError):
        return None, None
    if not isinstance(message, dict) or "result" in message or "error" in message:
        return None, None  # the id of a response is that of a request of the server's
    method = message.get("method")
    return (method if isinstance(method, str) else None), message.get("id")
