"""The way in: from bytes to messages, and from a message to whoever serves it.

The era follows from how a client opens. What carries the `_meta` of a modern revision is of the
stateless era; "an `initialize` request selects legacy semantics, scoped to the stdio process",
for everything that carries none.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio
import attrs
from anyio.abc import AnyByteReceiveStream, TaskGroup

from ...caller import Scope
from ...engine.exchange import Peer
from ...engine.refusal import refuse
from ...engine.stateless import LISTEN, Stateless, is_modern
from ...errors import McpError, invalid_request, store_down
from ...protocol import jsonrpc
from ...sessions.store_down import StoreDown
from .batch import Batches, answer_to, is_batch
from .channel import Channel
from .crew import Crew
from .framing import Line, Lines
from .in_flight import InFlight, OpenRequests
from .stateless import StatelessRequests

if TYPE_CHECKING:
    from .legacy import LegacyMessages

logger = logging.getLogger("anubis_py.stdio")


@attrs.define(eq=False, repr=False)
class Connection:
    """Reads, and never waits for a handler: only for room, where a client sends faster than it
    is served, or does not read what it is sent."""

    _engine: Stateless
    _stateless: StatelessRequests
    _open_legacy: Callable[[], LegacyMessages] | None
    """None: no revision with a handshake is served."""
    _in_flight: OpenRequests
    _channel: Channel
    _crew: Crew
    _group: TaskGroup
    """For subscriptions, which would keep the crew from its work."""
    _stdin: AnyByteReceiveStream
    _cutter: Lines
    _lines: deque[Line] = attrs.field(factory=deque, init=False)
    """What has come and was not looked at."""
    _ended: bool = attrs.field(default=False, init=False)
    legacy: LegacyMessages | None = attrs.field(default=None, init=False)
    """Made when the first request comes that names no modern revision."""

    async def read(self) -> bool:
        """Look at all that has come: what the client cancels in the same breath has not begun
        then. False: the client has closed its end, and all is read."""
        if not self._lines:
            try:
                self._lines.extend(self._cutter.feed(await self._stdin.receive()))
            except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                self._ended = True
                self._lines.extend(self._cutter.finish())
        while self._lines and self._crew.has_room:
            await self._line(self._lines.popleft())
        return not self._ended or bool(self._lines)

    async def _line(self, line: Line) -> None:
        try:
            if line is None:
                limit = self._cutter.limit
                raise jsonrpc.Undecodable(
                    invalid_request(f"Invalid request: the line is longer than {limit} bytes")
                )
            if self.legacy is not None and self.legacy.opened and is_batch(line):
                await self._batch(Batches(self.legacy, self._in_flight, self._channel), line)
                return
            message = jsonrpc.decode(line)
        except jsonrpc.Undecodable as fault:
            logger.warning("a line was no message: %s", fault.error)
            answer = answer_to(fault)
            if answer is not None:
                await self._channel.send(answer)
            return
        if isinstance(message, jsonrpc.Request):
            await self._request(message)
        else:
            await self._take(message)

    async def _take(self, message: jsonrpc.Notification | jsonrpc.Answer) -> None:
        legacy = self.legacy
        match message:
            case jsonrpc.Notification(method="notifications/cancelled"):
                self._in_flight.cancel(message.params)
            case jsonrpc.Notification():
                if legacy is not None and legacy.opened and not is_modern(message.params):
                    await legacy.notify(message)
                else:
                    self._crew.add(self._notify, message)
            case jsonrpc.Answer():
                if legacy is not None:
                    await legacy.take(message)
                else:
                    # "The client MUST NOT write JSON-RPC responses", and nobody waits for one.
                    logger.warning("a response was ignored")

    async def _request(self, request: jsonrpc.Request) -> None:
        try:
            if self._open_legacy is not None and not is_modern(request.params):
                self.legacy = self.legacy or self._open_legacy()
                await self.legacy.request(request)
                return
            entry = self._stateless.open(request)
        except McpError as error:
            await self._refuse(request.id, error)
            return
        if request.method == LISTEN:
            self._group.start_soon(self._listen, entry)
        else:
            self._crew.add(self._stateless.serve, entry)

    async def _listen(self, entry: InFlight) -> None:
        with anyio.CancelScope() as scope:
            await self._stateless.serve(scope, entry)

    async def _batch(self, batches: Batches, line: bytes) -> None:
        """Raises Undecodable."""
        try:
            await batches.read(line)
        except McpError as error:
            raise jsonrpc.Undecodable(error) from None
        except StoreDown as error:
            await self._refuse(None, store_down(error))

    async def _notify(self, _: Scope, notification: jsonrpc.Notification) -> None:
        await self._engine.notify(notification, Peer())

    async def _refuse(self, id_: jsonrpc.RequestId | None, error: McpError) -> None:
        body = refuse(id_, error).body
        assert body is not None
        await self._channel.send(body)
