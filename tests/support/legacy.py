"""A client of the handshake revisions over HTTP: it keeps the session and looks at everything."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from math import inf
from typing import Any, Final, Self

import anyio
import attrs
import httpx

from anubis_py import App, ServerBehaviour

from .asgi_stream import PATIENCE, AsgiStream, reaching
from .client import EVENT_STREAM
from .legacy_events import LegacyReader
from .legacy_schema import LEGACY, check_legacy

CLIENT: Final[Mapping[str, Any]] = {"name": "tests", "version": "1"}

BOTH: Final = "application/json, text/event-stream"

__all__ = ["BOTH", "LEGACY", "LegacyAnswer", "LegacyHttp", "app_of", "calls", "initializing"]


def initializing(version: Any = "2025-11-25", *, id: Any = 0, **params: Any) -> dict[str, Any]:  # noqa: A002
    """The body of an `initialize`."""
    given = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT, **params}
    return {"jsonrpc": "2.0", "id": id, "method": "initialize", "params": given}


def asks(method: str, params: Mapping[str, Any] | None = None, *, id: Any = 1) -> dict[str, Any]:  # noqa: A002
    """The body of a request."""
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
    return body if params is None else {**body, "params": dict(params)}


def calls(
    tool: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    id: Any = 1,  # noqa: A002
    token: str | int | None = None,
) -> dict[str, Any]:
    """The body of a `tools/call`, with a progress token if it is given."""
    params: dict[str, Any] = {"name": tool, "arguments": dict(arguments or {})}
    if token is not None:
        params["_meta"] = {"progressToken": token}
    return asks("tools/call", params, id=id)


def notes(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The body of a notification."""
    body: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    return body if params is None else {**body, "params": dict(params)}


def cancels(id_: Any) -> dict[str, Any]:
    return notes("notifications/cancelled", {"requestId": id_, "reason": "enough"})


def app_of(server: Any, **settings: Any) -> App:
    if isinstance(server, type) and issubclass(server, ServerBehaviour):
        return server.asgi(**settings)
    return server if isinstance(server, App) else App(server)


@attrs.frozen
class LegacyAnswer:
    """What came back in one piece, or was waited for up to its end; checked already."""

    status: int
    headers: httpx.Headers
    message: Any
    """The answer; None: no body, or a stream that ends without one. A list: those of a batch."""
    reader: LegacyReader | None = None
    """Of a stream."""
    said: tuple[dict[str, Any], ...] = ()
    """What came before the answer on a stream."""

    @property
    def is_stream(self) -> bool:
        return self.reader is not None

    @property
    def result(self) -> dict[str, Any]:
        assert self.message is not None, f"{self.status} without a message"
        assert "result" in self.message, self.message
        result: dict[str, Any] = self.message["result"]
        return result

    @property
    def code(self) -> int:
        assert self.message is not None, f"{self.status} without a message"
        assert "error" in self.message, self.message
        code: int = self.message["error"]["code"]
        return code

    @property
    def refusal(self) -> tuple[int, int]:
        return self.status, self.code

    @property
    def id(self) -> Any:
        return self.message.get("id")

    @property
    def text(self) -> str:
        return "\n".join(block.get("text", "") for block in self.result["content"])

    @property
    def accepted(self) -> bool:
        """Whether it is 202 without a body."""
        return (self.status, self.message) == (202, None)


@attrs.define(eq=False)
class LegacyHttp:
    """One session, or none yet, with an app in process."""

    app: App
    version: str = "2025-11-25"
    session_id: str | None = None
    url: str = "http://127.0.0.1:8000/mcp"

    @classmethod
    async def begun(
        cls, server: Any, version: str = "2025-11-25", *, capabilities: Any = None, **settings: Any
    ) -> Self:
        """A session behind its whole handshake."""
        http = cls(app_of(server, **settings), version)
        result = (await http.initialize(capabilities=capabilities or {})).result
        assert result["protocolVersion"] == version
        await http.initialized()
        return http

    async def initialize(self, **params: Any) -> LegacyAnswer:
        body = initializing(params.pop("version", self.version), **params)
        answer = await self.send(json.dumps(body), self.headers(opening=True))
        self.session_id = answer.headers.get("mcp-session-id")
        return answer

    async def initialized(self) -> None:
        assert (await self.post(notes("notifications/initialized"))).accepted

    def headers(self, *, opening: bool = False) -> dict[str, str | bytes | None]:
        """What a good client of the revision sends with every message."""
        headers: dict[str, str | bytes | None] = {
            "Host": "127.0.0.1:8000",
            "Content-Type": "application/json",
            "Accept": BOTH,
        }
        if opening:
            return headers
        if self.version > "2025-03-26":
            headers["MCP-Protocol-Version"] = self.version
        if self.session_id is not None:
            headers["Mcp-Session-Id"] = self.session_id
        return headers

    def changed(self, changes: Mapping[str, str | bytes | None] | None) -> dict[str, str | bytes]:
        headers = self.headers()
        for name, value in (changes or {}).items():
            headers = {n: v for n, v in headers.items() if n.lower() != name.lower()}
            headers[name] = value
        return {name: value for name, value in headers.items() if value is not None}

    # One message and its answer

    async def send(
        self, content: bytes | str, headers: Mapping[str, Any], *, verb: str = "POST"
    ) -> LegacyAnswer:
        """Send exactly these bytes and header fields, and check what comes back."""
        raw = content.encode() if isinstance(content, str) else content
        pairs = [
            (name.encode(), value if isinstance(value, bytes) else str(value).encode("latin-1"))
            for name, value in headers.items()
            if value is not None
        ]
        transport = httpx.ASGITransport(self.app, client=("127.0.0.1", 50000))
        request = httpx.Request(verb, self.url, headers=pairs, content=raw)
        with anyio.fail_after(PATIENCE):
            response = await transport.handle_async_request(request)
            return self._checked(raw, response, await response.aread())

    async def post(
        self, body: Any, *, headers: Mapping[str, str | bytes | None] | None = None
    ) -> LegacyAnswer:
        """Send a message as a good client would; `headers` change its headers, None removes."""
        return await self.send(json.dumps(body), self.changed(headers))

    async def ask(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        id: Any = 1,  # noqa: A002
        headers: Mapping[str, str | bytes | None] | None = None,
    ) -> LegacyAnswer:
        return await self.post(asks(method, params, id=id), headers=headers)

    async def call(self, tool: str, arguments: Any = None, **options: Any) -> LegacyAnswer:
        return await self.post(calls(tool, arguments, **options))

    async def cancel(self, id_: Any) -> LegacyAnswer:
        return await self.post(cancels(id_))

    async def delete(self, headers: Mapping[str, str | bytes | None] | None = None) -> LegacyAnswer:
        return await self.send(b"", self.changed(headers), verb="DELETE")

    async def alive(self) -> None:
        """One good request, and a normal answer: nothing that came before has hurt the session."""
        answer = await self.ask("ping", id="alive")
        assert (answer.status, answer.id, answer.result) == (200, "alive", {})

    # Streams

    @asynccontextmanager
    async def starting(
        self,
        body: Any = None,
        *,
        verb: str = "POST",
        headers: Mapping[str, str | bytes | None] | None = None,
        room: float = inf,
    ) -> AsyncIterator[LegacyStream]:
        """Send a message, and read the answer as it comes; the head is not read."""
        reader = self._reader(body)
        content = "" if body is None else json.dumps(body)
        changed = self.changed(headers)
        async with reaching(self.app, content, changed, reader, verb=verb, room=room) as stream:
            yield LegacyStream(stream, reader)

    @asynccontextmanager
    async def asking(self, body: Any, **options: Any) -> AsyncIterator[LegacyStream]:
        """`starting`, once there is a head."""
        async with self.starting(body, **options) as stream:
            await stream.head()
            yield stream

    @asynccontextmanager
    async def listening(
        self, last: str | None = None, *, answers: str | None = None, **options: Any
    ) -> AsyncIterator[LegacyStream]:
        """A GET, once its head is there. `last`: behind an event; `answers`: the method that the
        stream answers which is read on."""
        headers = {**options.pop("headers", {}), "Content-Type": None, "Last-Event-ID": last}
        async with self.starting(verb="GET", headers=headers, **options) as stream:
            stream.reader.method = answers
            await stream.head()
            yield stream

    def _reader(self, body: Any) -> LegacyReader:
        parts = body if isinstance(body, list) else [body]
        found = [part for part in parts if isinstance(part, dict)]
        methods = {_key(part.get("id")): str(part.get("method")) for part in found if "id" in part}
        method = body.get("method") if isinstance(body, dict) else None
        return LegacyReader(method, version=self.version, methods=methods)

    # Checks

    def _checked(self, sent: bytes, response: httpx.Response, body: bytes) -> LegacyAnswer:
        status, headers = response.status_code, response.headers
        assert status < 500 or b"-32603" in body, f"{status}: {body!r}"
        request = _loaded(sent)
        if not body:
            assert "content-type" not in headers
            assert status in (202, 204, 404, 405), f"{status} without a body"
            return LegacyAnswer(status, headers, None)
        reader = self._reader(request)
        if headers["content-type"] == EVENT_STREAM:
            assert status == 200
            assert headers["cache-control"] == "no-cache"
            said = reader.feed(body)
            reader.end()
            answered = bool(said) and "method" not in said[-1]
            answer = reader.events[-1].message if answered else None
            before = tuple(each for each in said if "method" in each)
            return LegacyAnswer(status, headers, answer, reader, before)
        assert headers["content-type"] == "application/json"
        assert headers["content-length"] == str(len(body))
        message = json.loads(body)
        for each in message if isinstance(message, list) else [message]:
            check_legacy(self.version, each, reader.methods.get(_key(each.get("id"))))
            assert status < 400 or "error" in each
        if not isinstance(message, list):
            _check_id(status, message, request)
        return LegacyAnswer(status, headers, message)


@attrs.define(eq=False)
class LegacyStream:
    """An answer that is read while it comes."""

    wire: AsgiStream
    reader: LegacyReader

    async def head(self) -> None:
        await self.wire.head()

    @property
    def status(self) -> int:
        return self.wire.status

    async def message(self) -> dict[str, Any]:
        return await self.wire.message()

    async def rest(self) -> list[dict[str, Any]]:
        return await self.wire.rest()

    def leave(self) -> None:
        self.wire.leave()

    @property
    def last(self) -> str:
        """The id to come back with."""
        return self.reader.ids[-1]


_UNREAD: Final = (403, 406, 413, 415)
"""Refusals that come before the body is read, so that no id can be echoed."""


def _check_id(status: int, message: Mapping[str, Any], sent: Any) -> None:
    id_ = sent.get("id") if isinstance(sent, dict) and "method" in sent else None
    unparsed = "error" in message and message["error"]["code"] == -32700
    if type(id_) not in (str, int) or status in _UNREAD or unparsed:
        # Of what is no request the id may be told, if it could be one.
        assert message.get("id", None) in (None, sent.get("id") if isinstance(sent, dict) else None)
        return
    assert "id" in message, f"the id {id_!r} is lost"
    assert (type(message["id"]), message["id"]) == (type(id_), id_)


def _key(id_: Any) -> Any:
    return id_ if type(id_) in (str, int) else None


def _loaded(content: bytes) -> Any:
    try:
        return json.loads(content.decode())
    except (ValueError, RecursionError):
        return None
