"""The session of a client that has opened with a handshake: a connection has one at a time."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import attrs
from anyio.abc import TaskGroup, TaskStatus

from ...engine.exchange import Peer, Served
from ...engine.legacy.legacy import Legacy
from ...errors import McpError
from ...protocol.jsonrpc import Request
from ...sessions.store_down import StoreDown
from .channel import Channel

if TYPE_CHECKING:
    from ...engine.legacy.standing import Standing

logger = logging.getLogger("anubis_py.stdio")


@attrs.define(eq=False, repr=False)
class Session:
    """Which it is, and what it has to say beside the answers."""

    _engine: Legacy
    _channel: Channel
    id: str | None = attrs.field(default=None, init=False)
    """None: there is none, or none any more."""
    _standing: Standing | None = attrs.field(default=None, init=False)

    async def begin(self, request: Request, group: TaskGroup) -> Served:
        """Answer a handshake. The session that it begins takes the place of an earlier one, and
        its changes are passed on from now on, by a task of this group."""
        served, session_id = await self._engine.handshake.initialize(request, Peer())
        if session_id is not None:
            before, self.id = self.id, session_id
            await group.start(self._pass_on, session_id)
            await self._end(before)
        return served

    async def end(self) -> None:
        """End it, if there is one: `terminate` runs."""
        before, self.id = self.id, None
        await self._end(before)

    async def _end(self, session_id: str | None) -> None:
        if session_id is None:
            return
        try:
            await self._engine.sessions.end(session_id, Peer(), "closed")
        except (McpError, StoreDown) as error:
            logger.warning("the session was not ended: %s", error)

    def close(self) -> None:
        """Nothing more will change: what waits is still sent."""
        if self._standing is not None:
            self._standing.close()

    async def _pass_on(self, session_id: str, *, task_status: TaskStatus[None]) -> None:
        """Send what the session has to say that belongs to no request, until it is over."""
        try:
            stream = await self._engine.streams.open(session_id, Peer(), None)
        except (McpError, StoreDown) as error:
            logger.error("the client will not hear of changes: %s", error)
            task_status.started()
            return
        # While somebody reads, the session does not expire.
        with self._engine.streams.reading(stream):
            self._standing = standing = stream.standing
            assert standing is not None
            task_status.started()
            # Nothing is written down as it is over HTTP: to this connection nobody comes back.
            while messages := await standing.take():
                for message in messages:
                    await self._channel.send(message)
