"""A shelf holds what a server offers of one kind, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import attrs

from ..protocol.dialect import AS_IS, Dialect
from .definition import Definition
from .page import Cursors, Entries, Page, order, page

D = TypeVar("D", bound=Definition)


@attrs.frozen(eq=False, repr=False)
class Shelf(Generic[D]):
    fixed: Sequence[D]
    """What was declared with the class, in order."""
    varying: Mapping[str, Callable[[], D]]
    """By key, those of the fixed that describe themselves anew for every list."""
    provided: Callable[[], Iterable[D]] | None
    cursors: Cursors
    _by_key: Mapping[str, D] = attrs.field(init=False)
    _all: Page[D] = attrs.field(init=False)
    _all_in: dict[Dialect, Page[D]] = attrs.field(factory=dict, init=False)
    scoped: bool = attrs.field(init=False)

    @_by_key.default
    def _index(self) -> Mapping[str, D]:
        return {definition.key: definition for definition in self.fixed}

    @_all.default
    def _whole(self) -> Page[D]:
        return Page(Entries(self.fixed), None)

    @scoped.default
    def _any_scope(self) -> bool:
        return any(definition.scopes for definition in self.fixed)

    @property
    def stocked(self) -> bool:
        """Whether there is anything to offer, or may be later."""
        return bool(self.fixed) or self.provided is not None

    def find(self, key: str, runtime: Mapping[str, D]) -> D | None:
        """A runtime definition shadows a fixed one of its key."""
        found = runtime.get(key) or self._by_key.get(key)
        if found is None and self.provided is not None:
            found = next((d for d in self.provided() if d.key == key), None)
        return found

    def items(self, runtime: Mapping[str, D]) -> Sequence[D]:
        """Everything on offer, in order, described as of now."""
        if not (runtime or self.varying or self.provided):
            return self.fixed
        items: dict[str, D] = {d.key: d for d in self.provided()} if self.provided else {}
        items.update(self._by_key)
        items.update({key: describe() for key, describe in self.varying.items()})
        items.update(runtime)
        return sorted(items.values(), key=order)

    def page(
        self,
        items: Sequence[D],
        cursor: str | None,
        limit: int | None,
        granted: Callable[[Iterable[str]], bool],
        dialect: Dialect = AS_IS,
    ) -> Page[D]:
        """A page of `items`, without those whose scopes are not granted."""
        if items is self.fixed:
            if cursor is None and limit is None and not self.scoped:
                return self._all if dialect is AS_IS else self._whole_in(dialect)
            scoped = self.scoped
        else:
            scoped = any(definition.scopes for definition in items)

        def visible(definition: Any) -> bool:
            return granted(definition.scopes)

        return page(items, self.cursors, cursor, limit, visible if scoped else None, dialect)

    def _whole_in(self, dialect: Dialect) -> Page[D]:
        if dialect not in self._all_in:
            self._all_in[dialect] = Page(Entries(self.fixed, dialect), None)
        return self._all_in[dialect]
