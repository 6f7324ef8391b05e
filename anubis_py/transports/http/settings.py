"""How the HTTP endpoint behaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs

from ...settings import from_keywords
from .security import HostPolicy


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
    max_body: int = 4 * 1024 * 1024
    """Bytes. 4 MiB is what the other SDKs of MCP take by default."""

    @property
    def hosts(self) -> HostPolicy:
        return HostPolicy(self.allowed_hosts, self.allowed_origins)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From keyword arguments; an unknown one raises ConfigurationError."""
        return from_keywords(cls, given)
