"""A request to an app in process, whose answer is read while it comes, on the loop of the test."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from math import inf
from typing import Any, Final

import anyio
import anyio.lowlevel
import attrs
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from anubis_py import App

from .client import EVENT_STREAM, modern_headers
from .events import EventReader

PATIENCE: Final = 300.0
"""Seconds, of a clock that may jump: what does not come at all fails the test."""


@attrs.define(eq=False)
class AsgiStream:
    """The client's end of one request."""

    reader: EventReader
    _from_server: MemoryObjectReceiveStream[dict[str, Any]]
    scope: anyio.CancelScope = attrs.field(factory=anyio.CancelScope)
    """The one that the server runs in."""
    status: int = 0
    headers: dict[str, str] = attrs.field(factory=dict)
    late: list[dict[str, Any]] = attrs.field(factory=list)
    """What the server still sends to a client that has gone."""
    gone: anyio.Event = attrs.field(factory=anyio.Event)
    ended: anyio.Event = attrs.field(factory=anyio.Event)
    """The app has returned."""
    complete: bool = False
    """The end of the body has been read."""
    _messages: list[dict[str, Any]] = attrs.field(factory=list)

    @property
    def is_stream(self) -> bool:
        return self.headers["content-type"] == EVENT_STREAM

    def leave(self) -> None:
        """The client closes the connection."""
        self.gone.set()
        self._from_server.close()

    async def head(self) -> None:
        """Wait for the status and the headers."""
        with anyio.fail_after(PATIENCE):
            start = await self._from_server.receive()
        assert start["type"] == "http.response.start"
        self.status = start["status"]
        self.headers = {name.decode(): value.decode() for name, value in start["headers"]}

    async def chunk(self) -> bytes:
        """The next piece of the body. Raises anyio.EndOfStream."""
        if self.complete:
            raise anyio.EndOfStream
        with anyio.fail_after(PATIENCE):
            part = await self._from_server.receive()
        self.complete = not part.get("more_body", False)
        body: bytes = part.get("body", b"")
        return body

    async def message(self) -> dict[str, Any]:
        """The next message of the stream. Raises anyio.EndOfStream."""
        while not self._messages:
            self._messages = self.reader.feed(await self.chunk())
        return self._messages.pop(0)

    async def rest(self) -> list[dict[str, Any]]:
        """All messages up to the end of the body, which has to come."""
        found = []
        while True:
            try:
                found.append(await self.message())
            except anyio.EndOfStream:
                assert self.complete, "the body is cut off"
                self.reader.end()
                return found

    async def body(self) -> dict[str, Any]:
        """The answer of a request that is not streamed."""
        assert self.headers["content-type"] == "application/json"
        pieces = []
        while not self.complete:
            pieces.append(await self.chunk())
        message: dict[str, Any] = json.loads(b"".join(pieces))
        return message


@asynccontextmanager
async def asking(
    app: App,
    body: Mapping[str, Any],
    *,
    headers: Mapping[str, str | None] | None = None,
    room: float = inf,
) -> AsyncIterator[AsgiStream]:
    """Send a request, and give its answer once the head of it is there.

    The client goes away with the block. `room`: how many pieces the connection takes unread.
    """
    async with starting(app, body, headers=headers, room=room) as stream:
        await stream.head()
        yield stream


@asynccontextmanager
async def starting(
    app: App,
    body: Mapping[str, Any],
    *,
    headers: Mapping[str, str | None] | None = None,
    room: float = inf,
) -> AsyncIterator[AsgiStream]:
    """`asking`, for those who do not wait for an answer; the head is not read."""
    changed = {**modern_headers(body), **(headers or {})}
    reader = EventReader(body.get("method"))
    async with reaching(app, json.dumps(body), changed, reader, room=room) as stream:
        yield stream


@asynccontextmanager
async def reaching(
    app: App,
    body: str,
    headers: Mapping[str, str | bytes | None],
    reader: EventReader,
    *,
    verb: str = "POST",
    room: float = inf,
) -> AsyncIterator[AsgiStream]:
    """`starting`, with exactly this body and these headers, for a reader of one's own."""
    to_client, from_server = anyio.create_memory_object_stream[dict[str, Any]](room)
    stream = AsgiStream(reader, from_server)
    with from_server:
        async with anyio.create_task_group() as group:
            group.start_soon(_serve, app, scope_of(headers, verb), body, stream, to_client)
            try:
                yield stream
            finally:
                stream.leave()


async def _serve(
    app: App,
    scope: dict[str, Any],
    body: str,
    stream: AsgiStream,
    to_client: MemoryObjectSendStream[dict[str, Any]],
) -> None:
    given = [{"type": "http.request", "body": body.encode(), "more_body": False}]

    async def receive() -> dict[str, Any]:
        if given:
            return given.pop()
        await stream.gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if stream.gone.is_set():
            stream.late.append(dict(message))
            await anyio.lowlevel.checkpoint()
            return
        # A server gives up waiting for a client that has gone.
        with suppress(anyio.BrokenResourceError):
            await to_client.send(dict(message))

    with to_client, stream.scope:
        await app(scope, receive, send)
    stream.ended.set()


def scope_of(headers: Mapping[str, str | bytes | None], verb: str = "POST") -> dict[str, Any]:
    fields = [
        (name.lower().encode(), value if isinstance(value, bytes) else value.encode())
        for name, value in headers.items()
        if value is not None
    ]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": verb,
        "scheme": "http",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "query_string": b"",
        "root_path": "",
        "headers": fields,
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 50000),
    }
