"""What the processes of one server tell each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

import attrs

from ..change import Change


def _tuple(uris: Iterable[str]) -> tuple[str, ...]:
    return tuple(uris)


@attrs.frozen
class Told:
    """A message for the standing stream of a session, wherever that is."""

    session_id: str
    message: str


@attrs.frozen
class Answered:
    """A client's response to a request of the server's, for whoever waits for it."""

    session_id: str
    request_id: str
    response: Mapping[str, Any]
    """With the member `result` or `error`."""


@attrs.frozen
class Cancelled:
    """A client does not want the answer to a request any more, wherever that is served."""

    session_id: str
    request_id: str | int


@attrs.frozen
class Ended:
    """A session is over."""

    session_id: str


@attrs.frozen
class Watched:
    """Which resources a session hears of from now on."""

    session_id: str
    uris: tuple[str, ...] = attrs.field(converter=_tuple)


@attrs.frozen
class Opened:
    """A session has a new standing stream, and whatever older one there is has to end."""

    session_id: str
    opener: str
    """Which process has it."""


News: TypeAlias = Change | Told | Answered | Cancelled | Ended | Watched | Opened

_KINDS: Final[Mapping[str, type[Any]]] = {
    kind.__name__: kind for kind in (Change, Told, Answered, Cancelled, Ended, Watched, Opened)
}


def to_plain(news: News) -> dict[str, Any]:
    return {"kind": type(news).__name__, **attrs.asdict(news, recurse=False)}


def from_plain(plain: Mapping[str, Any]) -> News | None:
    """The inverse of `to_plain`; None for what another version of this package may say."""
    members = dict(plain)
    kind = _KINDS.get(members.pop("kind", ""))
    try:
        return None if kind is None else kind(**members)
    except TypeError:
        return None
