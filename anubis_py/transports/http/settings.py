"""How the HTTP endpoint behaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import attrs

from ...settings import from_keywords
from .security import HostPolicy

if TYPE_CHECKING:
    from ...sessions.store import Store


def _path(value: str) -> str:
    return "/" + value.strip("/")


@attrs.frozen(kw_only=True)
class HttpSettings:
    path: str = attrs.field(default="/mcp", converter=_path)
    """Of the MCP endpoint, below whatever the app is mounted under."""
    health_path: str = attrs.field(default="/health", converter=_path)
    allowed_hosts: tuple[str, ...] | None = None
    """Host headers to admit, such as `api.example.com`. None: on a loopback address only
    loopback names, elsewhere any."""
    allowed_origins: tuple[str, ...] | None = None
    """Origin headers to admit, such as `https://app.example.com`. None: loopback origins on a
    loopback address."""
    keep_alive: float | None = 15.0
    """Seconds of silence on a stream before a comment is sent; None: never. Common proxies
    give up after 60 s of silence, some after 30 s."""
    send_timeout: float | None = 60.0
    """Seconds that a client may take to read what is sent on a stream, before it is closed."""
    store: Store | str | None = None
    """What keeps the sessions of the handshake revisions, and connects the processes that share
    it: a Store, or `sqlite:PATH`, for processes of one machine, or `redis://HOST`, for those of
    several. None: every process has its own, in memory."""
    retry: int = 1000
    """Milliseconds that a client of the handshake revisions is told to wait before it comes back
    for the rest of a stream."""
    session_idle: float = 1800.0
    """Seconds without a request after which a session of the handshake revisions is over. 30 min
    is what Anubis waits."""
    max_sessions: int = 10_000
    """Sessions in the memory of one process. The one that was used longest ago makes room; where
    the store has it, too, it goes on there."""
    max_body: int = 4 * 1024 * 1024
    """Bytes. 4 MiB is what the other SDKs of MCP take by default."""

    @property
    def hosts(self) -> HostPolicy:
        return HostPolicy(self.allowed_hosts, self.allowed_origins)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From keyword arguments; an unknown one raises ConfigurationError."""
        return from_keywords(cls, given)
