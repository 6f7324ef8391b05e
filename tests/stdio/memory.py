"""A server behind two memory streams, on the loop of the test."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import inf
from typing import Any, Final

import anyio
import attrs
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from anubis_py.engine.engines import Engines
from anubis_py.server.behaviour import Behaviour
from anubis_py.transports.stdio.serve import serve_stdio
from anubis_py.transports.stdio.settings import StdioSettings

from .messages import encode

PATIENCE: Final = 15.0
"""Seconds: what does not come at all fails the test, and keeps nobody waiting for ever."""


@attrs.define(eq=False)
class Peer:
    """The client's end."""

    stdin: MemoryObjectSendStream[bytes]
    stdout: MemoryObjectReceiveStream[bytes]
    stop: anyio.Event
    """Its setting is the shutdown trigger."""
    ended: anyio.Event = attrs.field(factory=anyio.Event)
    scope: anyio.CancelScope = attrs.field(factory=anyio.CancelScope)
    """The one that the server runs in."""
    _kept: bytes = b""

    def write(self, data: bytes) -> None:
        self.stdin.send_nowait(data)

    def send(self, *messages: Any) -> None:
        """All in one piece."""
        self.write(b"".join(map(encode, messages)))

    def end(self) -> None:
        """Close the server's stdin."""
        self.stdin.close()

    async def receive(self) -> dict[str, Any]:
        """The next message. Raises anyio.EndOfStream."""
        message: dict[str, Any] = await self.receive_line()
        assert message["jsonrpc"] == "2.0"
        return message

    async def receive_line(self) -> Any:
        """The next message or batch. Raises anyio.EndOfStream."""
        with anyio.fail_after(PATIENCE):
            while b"\n" not in self._kept:
                self._kept += await self.stdout.receive()
        line, _, self._kept = self._kept.partition(b"\n")
        return json.loads(line)

    async def rest(self) -> list[dict[str, Any]]:
        """All messages until the server has ended."""
        messages = []
        while True:
            try:
                messages.append(await self.receive())
            except anyio.EndOfStream:
                assert not self._kept
                return messages


@asynccontextmanager
async def connected(
    server: type[Behaviour],
    *,
    room: float = inf,
    engines: Engines | None = None,
    **settings: Any,
) -> AsyncIterator[Peer]:
    """A client whose server ends with the block. `room`: writes that stdout takes unread."""
    to_server, stdin = anyio.create_memory_object_stream[bytes](inf)
    stdout, from_server = anyio.create_memory_object_stream[bytes](room)
    peer = Peer(to_server, from_server, anyio.Event())

    async def serve() -> None:
        with stdin, stdout, peer.scope:
            await serve_stdio(
                server(),
                stdin=stdin,
                stdout=stdout,
                settings=StdioSettings(**settings),
                engines=engines,
                shutdown_trigger=peer.stop.wait,
            )
        peer.ended.set()

    with anyio.fail_after(PATIENCE), to_server, from_server:
        async with anyio.create_task_group() as group:
            group.start_soon(serve)
            yield peer
            peer.scope.cancel()


async def exchange(server: type[Behaviour], *data: bytes, **settings: Any) -> list[dict[str, Any]]:
    """Write these pieces, close stdin, and give everything that came back."""
    async with connected(server, **settings) as peer:
        for piece in data:
            peer.write(piece)
        peer.end()
        return await peer.rest()
