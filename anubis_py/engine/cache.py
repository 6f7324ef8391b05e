"""Cache hints on the results that a client may keep (server/utilities/caching)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from ..protocol.revisions import REVISIONS
from ..server.behaviour import Behaviour

logger = logging.getLogger("anubis_py.engine")

STALE: Final = {"ttlMs": 0, "cacheScope": "private"}

CACHEABLE: Final = frozenset(
    name
    for revision in REVISIONS.values()
    for name, method in revision.methods.items()
    if method.cacheable
)


class CacheHints:
    """Asks the server's `cache_hints`; a bad hint is logged and counts as none."""

    def __init__(self, server: Behaviour) -> None:
        self._server = server
        self._asks = "cache_hints" in server.overrides
        if self._asks:
            for method in sorted(CACHEABLE):
                self._hints(method)

    def stamp(self, method: str, result: dict[str, Any], retry: bool) -> None:
        """Add the hints to a complete result; members of its own win.

        What came of a user's answers is nothing to keep, whatever anybody says.
        """
        if retry:
            kept = method in CACHEABLE
            result.update({m: value for m, value in STALE.items() if kept or m in result})
            return
        if method not in CACHEABLE:
            return
        hints = self._hints(method) if self._asks else STALE
        for member, value in hints.items():
            result.setdefault(member, value)

    def _hints(self, method: str) -> Mapping[str, Any]:
        try:
            given = self._server.cache_hints(method)
            hints = {"ttlMs": given.get("ttl_ms", 0), "cacheScope": given.get("scope", "private")}
        except Exception:
            logger.exception("cache_hints(%r) failed", method)
            return STALE
        ttl, scope = hints.values()
        unknown = set(given) - {"ttl_ms", "scope"}
        if type(ttl) is int and ttl >= 0 and scope in ("public", "private") and not unknown:
            return hints
        logger.error(
            "cache_hints(%r) returned %r: ttl_ms is an integer of milliseconds, 0 or more, and "
            'scope is "public" or "private"',
            method,
            given,
        )
        return STALE
