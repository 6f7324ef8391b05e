"""How a server behaves on stdio."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs

from ...settings import from_keywords


@attrs.frozen(kw_only=True)
class StdioSettings:
    max_line: int = 4 * 1024 * 1024
    """Bytes. A longer line is refused and skipped. 4 MiB is what the HTTP endpoint takes."""
    max_in_flight: int = 100
    """Messages that are worked on at once; with so many, reading pauses until one is done."""
    grace: float = 1.0
    """Seconds for requests in flight when the server stops. "Servers SHOULD exit promptly when
    their standard input is closed", and common clients send SIGTERM after two seconds."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From keyword arguments; an unknown one raises ConfigurationError."""
        return from_keywords(cls, given)
