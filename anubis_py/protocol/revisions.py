"""The revisions of the protocol that are served, and what each knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, Literal

import attrs

from .dialect import AS_IS, Dialect


@attrs.frozen(repr=False)
class Method:
    """What a revision says of one request method."""

    capability: str | None = None
    """The server capability without which the method does not exist; None: it always does."""
    flag: str | None = None
    """The flag of the capability that the method needs as well."""
    cacheable: bool = False
    """Whether complete results carry `ttlMs` and `cacheScope`."""
    reads: bool = False
    """Whether it only shows what there is: no callback of the author's hands a frame on."""
    rounds: bool = False
    """Whether the client may be asked for input first: by the answer, or on the way to it."""


@attrs.frozen(eq=False, repr=False)
class Revision:
    version: str
    era: Literal["stateless", "legacy"]
    methods: Mapping[str, Method]
    batches: bool = False
    """Whether several messages may come as one array."""
    primes: bool = False
    """Whether a stream of events begins with an empty one, for its id."""

    @cached_property
    def dialect(self) -> Dialect:
        """How its messages are written."""
        if self.era == "stateless":
            return AS_IS
        # Imported when the first client comes with a handshake.
        from .legacy_dialect import LegacyDialect
        from .vocabulary import Vocabulary

        return LegacyDialect(Vocabulary(self.version))


_2026_07_28: Final = Revision(
    "2026-07-28",
    "stateless",
    {
        "server/discover": Method(cacheable=True),
        "tools/list": Method("tools", cacheable=True, reads=True),
        "tools/call": Method("tools", rounds=True),
        "prompts/list": Method("prompts", cacheable=True, reads=True),
        "prompts/get": Method("prompts", rounds=True),
        "resources/list": Method("resources", cacheable=True, reads=True),
        "resources/templates/list": Method("resources", cacheable=True, reads=True),
        "resources/read": Method("resources", cacheable=True, rounds=True),
        "completion/complete": Method("completions"),
        "subscriptions/listen": Method(),
    },
)

# The same in all three; tasks, which 2025-11-25 tries out, are not served.
_HANDSHAKE: Final[Mapping[str, Method]] = {
    "initialize": Method(),
    "ping": Method(),
    "logging/setLevel": Method("logging"),
    "tools/list": Method("tools", reads=True),
    "tools/call": Method("tools", rounds=True),
    "prompts/list": Method("prompts", reads=True),
    "prompts/get": Method("prompts", rounds=True),
    "resources/list": Method("resources", reads=True),
    "resources/templates/list": Method("resources", reads=True),
    "resources/read": Method("resources", rounds=True),
    "resources/subscribe": Method("resources", "subscribe"),
    "resources/unsubscribe": Method("resources", "subscribe"),
    "completion/complete": Method("completions"),
}


REVISIONS: Final[Mapping[str, Revision]] = {
    revision.version: revision
    for revision in (
        _2026_07_28,
        Revision("2025-11-25", "legacy", _HANDSHAKE, primes=True),
        Revision("2025-06-18", "legacy", _HANDSHAKE),
        Revision("2025-03-26", "legacy", _HANDSHAKE, batches=True),
    )
}
"""By version, the newest first."""

READS: Final = frozenset(
    name
    for revision in REVISIONS.values()
    for name, method in revision.methods.items()
    if method.reads
)
"""The methods that only show what there is, in any revision."""


def negotiate(requested: str, offered: Iterable[str]) -> str | None:
    """The revision of a handshake: the one requested if it is offered, else the newest offered.

    None: no revision with a handshake is offered (basic/lifecycle, "Version Negotiation").
    """
    served = [version for version in offered if REVISIONS[version].era == "legacy"]
    return requested if requested in served else max(served, default=None)


CAPABILITIES: Final[Mapping[str, frozenset[str]]] = {
    "tools": frozenset({"listChanged"}),
    "prompts": frozenset({"listChanged"}),
    "resources": frozenset({"listChanged", "subscribe"}),
    "completions": frozenset(),
    "logging": frozenset(),
}
"""The capabilities of a server, each with its flags."""
