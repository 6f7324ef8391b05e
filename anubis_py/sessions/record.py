"""What of a session outlives the process that serves it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Self

import attrs

from ..encoding import dumps, loads

FORMAT: Final = 1
"""Of the stored form. A record of another format is none that this version can read."""

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class BadRecord(Exception):
    """What a store holds for a session is no record of this version's."""


@attrs.frozen
class Record:
    """Plain data. A store that keeps it outside of the process keeps `encode()`."""

    protocol_version: str
    client_info: Mapping[str, Any] = _NOTHING
    client_capabilities: Mapping[str, Any] = _NOTHING
    init_meta: Mapping[str, Any] = _NOTHING
    initialized: bool = False
    """Whether the client has acknowledged the handshake."""
    log_level: str | None = None
    subject: str | None = None
    """Whom the session belongs to, where its handshake was authorized."""
    frame: Mapping[str, Any] = _NOTHING
    """As `Frame.to_saved` gives it, with the assigns that `serialize_assigns` keeps."""
    asked: Mapping[str, Mapping[str, Any]] = _NOTHING
    """The requests that the client has been sent and that nobody waits for, by their ids."""

    def encode(self) -> bytes:
        """Raises TypeError for an assign that JSON has no form for."""
        return dumps({"format": FORMAT, **attrs.asdict(self, recurse=False)})

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The inverse of `encode`. Raises BadRecord."""
        try:
            members = loads(data)
            found = members.pop("format")
            if found != FORMAT:
                raise BadRecord(f"its format is {found!r}, not {FORMAT}")
            record = cls(**members)
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise BadRecord(f"it cannot be read: {type(error).__name__}") from None
        for name, kind in _KINDS.items():
            if not isinstance(getattr(record, name), kind):
                raise BadRecord(f"its {name} is a {type(getattr(record, name)).__name__}")
        return record


_KINDS: Final[Mapping[str, Any]] = {
    "protocol_version": str,
    "client_info": dict,
    "client_capabilities": dict,
    "init_meta": dict,
    "initialized": bool,
    "log_level": str | None,
    "subject": str | None,
    "frame": dict,
    "asked": dict,
}
