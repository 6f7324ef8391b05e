"""Pages of a list, and the opaque cursors between them."""

from __future__ import annotations

import base64
import binascii
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Generic, TypeVar, overload

import attrs

from ..encoding import Fragment, dumps, loads
from ..errors import invalid_params
from ..protocol.dialect import AS_IS, Dialect
from .definition import Definition

D = TypeVar("D", bound=Definition)


def order(definition: Definition) -> tuple[str, str]:
    """By name; the key tells resources of one name apart."""
    return definition.name, definition.key


@attrs.frozen(repr=False)
class Entries(Sequence[dict[str, Any]], Generic[D]):
    """The entries of a list result: read as wire mappings, encoded from what is encoded already.

    Built once per list where nothing varies, it stands for its JSON in every answer.
    """

    definitions: Sequence[D]
    dialect: Dialect = AS_IS
    _encoded: list[bytes] = attrs.field(factory=list, init=False, eq=False, repr=False)

    def __len__(self) -> int:
        return len(self.definitions)

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(index, slice):
            return [self._entry(definition) for definition in self.definitions[index]]
        return self._entry(self.definitions[index])

    def _entry(self, definition: D) -> dict[str, Any]:
        return self.dialect.entry(definition.wire_type, definition.to_wire())

    def to_json(self) -> Fragment:
        if not self._encoded:
            if self.dialect is AS_IS:
                entries = [definition.encoded for definition in self.definitions]
            else:
                entries = [d.encoded_in(self.dialect) for d in self.definitions]
            self._encoded.append(b"[%b]" % b",".join(entries))
        return Fragment(self._encoded[0])


@attrs.frozen(eq=False, repr=False)
class Cursors:
    """Makes the cursors of one list, and reads them back.

    A cursor names the last entry that was shown, so that it stays good while the list changes.
    A digest binds it to this list of this server: any other text is refused. It is no secret,
    and every worker makes the same.
    """

    server: str
    kind: str

    def _digest(self, body: bytes) -> bytes:
        # Imported by the first list that has pages.
        from hashlib import blake2b

        key = blake2b(f"{self.server}\0{self.kind}".encode()).digest()
        return blake2b(body, digest_size=8, key=key).digest()

    def write(self, last: Definition) -> str:
        body = dumps(order(last))
        return base64.urlsafe_b64encode(self._digest(body) + body).decode().rstrip("=")

    def read(self, cursor: str) -> tuple[str, str]:
        try:
            padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
            raw = base64.b64decode(padded, altchars=b"-_", validate=True)
            digest, body = raw[:8], raw[8:]
            canonical = base64.urlsafe_b64encode(raw).decode().rstrip("=")
            if digest != self._digest(body) or canonical != cursor:
                raise ValueError
            name, key = loads(body)
        except (ValueError, binascii.Error):
            raise invalid_params("Invalid params: params.cursor is not one of this list") from None
        return name, key


@attrs.frozen(eq=False, repr=False)
class Page(Generic[D]):
    entries: Entries[D]
    next_cursor: str | None


def page(
    items: Sequence[D],
    cursors: Cursors,
    cursor: str | None,
    limit: int | None,
    visible: Callable[[D], bool] | None,
    dialect: Dialect = AS_IS,
) -> Page[D]:
    """The entries after `cursor`, at most `limit` of those that are visible.

    `items` are in order. The cost is that of the page, whatever the length of the list.
    """
    start = 0 if cursor is None else bisect_right(items, cursors.read(cursor), key=order)
    rest: Iterator[D] = map(items.__getitem__, range(start, len(items)))
    if visible is not None:
        rest = filter(visible, rest)
    if limit is None:
        return Page(Entries(tuple(rest), dialect), None)
    # One more than is shown tells whether there is a next page.
    shown = tuple(islice(rest, limit + 1))
    if len(shown) <= limit:
        return Page(Entries(shown, dialect), None)
    shown = shown[:limit]
    return Page(Entries(shown, dialect), cursors.write(shown[-1]))
