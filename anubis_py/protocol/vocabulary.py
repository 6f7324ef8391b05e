"""What a revision has words for: which member, of which shape, exists since when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

import attrs

M = TypeVar("M", bound=Mapping[str, Any])

_RESOURCE: Final = {"title": "2025-06-18", "_meta": "2025-06-18", "icons": "2025-11-25"}

SINCE: Final[Mapping[str, Mapping[str, str]]] = {
    "Implementation": {
        "title": "2025-06-18",
        "description": "2025-11-25",
        "websiteUrl": "2025-11-25",
        "icons": "2025-11-25",
    },
    "ServerCapabilities": {"extensions": "2026-07-28"},
    "Tool": {
        "title": "2025-06-18",
        "_meta": "2025-06-18",
        "outputSchema": "2025-06-18",
        "icons": "2025-11-25",
    },
    "Prompt": {"title": "2025-06-18", "_meta": "2025-06-18", "icons": "2025-11-25"},
    "PromptArgument": {"title": "2025-06-18"},
    "Resource": _RESOURCE,
    "ResourceTemplate": _RESOURCE,
    "Annotations": {"lastModified": "2025-06-18"},
    "ContentBlock": {"_meta": "2025-06-18"},
    "ResourceLink": {"icons": "2025-11-25"},
    "ResourceContents": {"_meta": "2025-06-18"},
    "Result": {
        "structuredContent": "2025-06-18",
        "resultType": "2026-07-28",
        "ttlMs": "2026-07-28",
        "cacheScope": "2026-07-28",
    },
    "requestedSchema": {"$schema": "2025-11-25"},
}
"""By the shapes of the schema, the members that the first of our revisions did not have."""

THINGS: Final[Mapping[str, str]] = {
    "resource_link": "2025-06-18",
    "elicitation": "2025-06-18",
    "modes of elicitation": "2025-11-25",
    "defaults of every field": "2025-11-25",
    "titled options": "2025-11-25",
    "multiple choice": "2025-11-25",
    "tools in sampling": "2025-11-25",
    "several blocks in a message": "2025-11-25",
    "flags of client capabilities": "2025-11-25",
}
"""What is more than a member."""


@attrs.frozen(eq=False, repr=False)
class Vocabulary:
    version: str
    _later: Mapping[str, frozenset[str]] = attrs.field(init=False)
    _short: frozenset[str] = attrs.field(init=False)
    """Shapes that lack a member."""
    _things: frozenset[str] = attrs.field(init=False)

    @_later.default
    def _unknown_members(self) -> Mapping[str, frozenset[str]]:
        # Versions are dates, and sort as texts.
        return {
            shape: frozenset(member for member, since in members.items() if since > self.version)
            for shape, members in SINCE.items()
        }

    @_short.default
    def _short_shapes(self) -> frozenset[str]:
        return frozenset(shape for shape, later in self._later.items() if later)

    @_things.default
    def _known_things(self) -> frozenset[str]:
        return frozenset(thing for thing, since in THINGS.items() if since <= self.version)

    def has(self, thing: str) -> bool:
        """Whether it has one of `THINGS`."""
        return thing in self._things

    def complete(self, *shapes: str) -> bool:
        """Whether these shapes have every member already."""
        return self._short.isdisjoint(shapes)

    def known(self, shape: str, wire: M) -> M | dict[str, Any]:
        """A copy without the members that came later; `wire` itself if it has none of them."""
        later = self._later[shape]
        if later.isdisjoint(wire):
            return wire
        return {member: value for member, value in wire.items() if member not in later}
