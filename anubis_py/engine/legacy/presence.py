"""What a process has of a session beside its state: requests in flight, and open streams."""

from __future__ import annotations

import anyio
import attrs

from ...caller import Caller
from ...protocol.jsonrpc import RequestId
from .standing import Standing


@attrs.define(eq=False, repr=False)
class Presence:
    requests: dict[RequestId, Caller] = attrs.field(factory=dict, init=False)
    standing: Standing | None = attrs.field(default=None, init=False)
    readers: int = attrs.field(default=0, init=False)
    """Connections that wait for what is no answer to them."""
    over: bool = attrs.field(default=False, init=False)
    """Whether there will be nothing to read any more."""
    _news: anyio.Event | None = attrs.field(default=None, init=False)

    @property
    def busy(self) -> bool:
        """Whether somebody is served: the session is in use then, however long that takes."""
        return bool(self.requests) or self.readers > 0

    @property
    def empty(self) -> bool:
        return not self.requests and self.readers == 0 and self.standing is None

    def recorded(self) -> None:
        """A stream of the session has been written to."""
        if self._news is not None:
            self._news.set()
            self._news = None

    async def until_recorded(self) -> None:
        if self._news is None:
            self._news = anyio.Event()
        await self._news.wait()

    def end(self) -> None:
        """The session is over: nobody is answered any more, and its streams end."""
        for caller in list(self.requests.values()):
            caller.leave()
        self.close_streams()

    def close_streams(self) -> None:
        """End the connections that wait for what is no answer to them."""
        self.over = True
        if self.standing is not None:
            self.standing.close()
        self.recorded()
