"""Suggestions for an argument."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Self

import attrs

from ..annotations import compact

# "Maximum 100 items per response" (server/utilities/completion, "Completion Results").
MAX_COMPLETIONS: Final = 100


@attrs.frozen
class CompletionResponse:
    """Suggestions, the best first. More than 100 are cut, and the answer says so."""

    suggestions: tuple[str, ...] = ()
    total: int | None = None
    has_more: bool | None = None

    def value(self, value: str) -> Self:
        return self.values((value,))

    def values(self, values: Iterable[str]) -> Self:
        added = tuple(values)
        for value in added:
            if not isinstance(value, str):
                raise TypeError(f"a suggestion is a str, got {type(value).__name__}")
        return attrs.evolve(self, suggestions=(*self.suggestions, *added))

    def with_pagination(self, total: int, has_more: bool) -> Self:
        """How many suggestions there are in all, and whether there are more than these."""
        return attrs.evolve(self, total=total, has_more=has_more)

    @classmethod
    def of(cls, values: Iterable[str]) -> CompletionResponse:
        """From the shorthand: an iterable of suggestions."""
        return cls().values(values)

    def to_wire(self) -> dict[str, Any]:
        cut = len(self.suggestions) > MAX_COMPLETIONS
        total = len(self.suggestions) if cut and self.total is None else self.total
        completion = compact(
            values=list(self.suggestions[:MAX_COMPLETIONS]),
            total=total,
            hasMore=True if cut else self.has_more,
        )
        return {"completion": completion}
