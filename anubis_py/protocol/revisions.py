"""The revisions of the protocol that are served, and what each knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import attrs


@attrs.frozen
class Method:
    """What a revision says of one request method."""

    capability: str | None = None
    """The server capability without which the method does not exist; None: it always does."""
    cacheable: bool = False
    """Whether complete results carry `ttlMs` and `cacheScope`."""
    rounds: bool = False
    """Whether the answer may be that input is required first (basic/patterns/mrtr)."""


@attrs.frozen
class Revision:
    version: str
    era: Literal["stateless", "legacy"]
    methods: Mapping[str, Method]


_2026_07_28 = Revision(
    "2026-07-28",
    "stateless",
    {
        "server/discover": Method(cacheable=True),
        "tools/list": Method("tools", cacheable=True),
        "tools/call": Method("tools", rounds=True),
        "prompts/list": Method("prompts", cacheable=True),
        "prompts/get": Method("prompts", rounds=True),
        "resources/list": Method("resources", cacheable=True),
        "resources/templates/list": Method("resources", cacheable=True),
        "resources/read": Method("resources", cacheable=True, rounds=True),
        "completion/complete": Method("completions"),
        "subscriptions/listen": Method(),
    },
)

REVISIONS: Final[Mapping[str, Revision]] = {
    revision.version: revision for revision in (_2026_07_28,)
}
"""By version, the newest first."""

CAPABILITIES: Final[Mapping[str, frozenset[str]]] = {
    "tools": frozenset({"listChanged"}),
    "prompts": frozenset({"listChanged"}),
    "resources": frozenset({"listChanged", "subscribe"}),
    "completions": frozenset(),
    "logging": frozenset(),
}
"""The capabilities of a server, each with its flags."""
