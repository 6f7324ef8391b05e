"""The way in: from bytes to messages, and from a message to whoever serves it."""

from __future__ import annotations

import logging

import anyio
import attrs
from anyio.abc import AnyByteReceiveStream, TaskGroup

from ...engine.exchange import Peer
from ...engine.stateless import LISTEN, Stateless, refuse
from ...errors import INVALID_PARAMS, McpError, invalid_request
from ...protocol import jsonrpc
from .channel import Channel
from .crew import Crew
from .framing import Line, Lines
from .requests import InFlight, Requests

logger = logging.getLogger("anubis_py.stdio")


@attrs.define(eq=False)
class Connection:
    """Reads, and never waits for a handler: only for room, where a client sends faster than it
    is served, or does not read what it is sent."""

    _engine: Stateless
    _requests: Requests
    _channel: Channel
    _crew: Crew
    _group: TaskGroup
    """For subscriptions, which would keep the crew from its work."""

    async def read(self, stdin: AnyByteReceiveStream, max_line: int) -> None:
        """Take messages until the client closes its end."""
        lines = Lines(max_line)
        try:
            while True:
                for line in lines.feed(await stdin.receive()):
                    await self._line(line, max_line)
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        for line in lines.finish():
            await self._line(line, max_line)

    async def _line(self, line: Line, max_line: int) -> None:
        try:
            if line is None:
                raise jsonrpc.Undecodable(
                    invalid_request(f"Invalid request: the line is longer than {max_line} bytes")
                )
            message = jsonrpc.decode(line)
        except jsonrpc.Undecodable as fault:
            logger.warning("a line was no message: %s", fault.error)
            # Only a notification has params that are looked at, and no id. Nobody answers those.
            if fault.id is not None or fault.error.code != INVALID_PARAMS:
                await self._refuse(fault.id, fault.error)
            return
        match message:
            case jsonrpc.Request():
                await self._request(message)
            case jsonrpc.Notification(method="notifications/cancelled"):
                self._requests.cancel(message.params)
            case jsonrpc.Notification():
                await self._crew.do(self._notify, message)
            case jsonrpc.Answer():
                # "The client MUST NOT write JSON-RPC responses", and nobody waits for one.
                logger.warning("a response was ignored")

    async def _request(self, request: jsonrpc.Request) -> None:
        try:
            entry = self._requests.open(request)
        except McpError as error:
            await self._refuse(request.id, error)
            return
        if request.method == LISTEN:
            self._group.start_soon(self._listen, entry)
        else:
            await self._crew.do(self._requests.serve, entry)

    async def _listen(self, entry: InFlight) -> None:
        with anyio.CancelScope() as scope:
            await self._requests.serve(scope, entry)

    async def _notify(self, _: anyio.CancelScope, notification: jsonrpc.Notification) -> None:
        await self._engine.notify(notification, Peer())

    async def _refuse(self, id_: jsonrpc.RequestId | None, error: McpError) -> None:
        body = refuse(id_, error).body
        assert body is not None
        await self._channel.send(body)
