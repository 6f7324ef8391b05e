"""Shapes of lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import attrs
import voluptuous as vol

from anubis_py.schema.faults import json_type, mismatch
from anubis_py.schema.lengths import FREE, Lengths
from anubis_py.schema.shape import Check, Definitions, Document, Shape, compile_shape
from anubis_py.schema.values import from_json_text, identity


@attrs.frozen(eq=False, repr=False)
class ListShape(Shape):
    """An array; `into` makes what the callback gets, a list or a tuple."""

    takes: ClassVar[frozenset[str]] = frozenset({"min", "max", "unique"})
    json_types: ClassVar[frozenset[str]] = frozenset({"array"})

    item: Shape
    lengths: Lengths = FREE
    unique: bool = False
    into: Callable[[list[Any]], Any] | None = None

    @property
    def expects(self) -> str:
        kind = "array without duplicates" if self.unique else "array"
        return kind + self.lengths.phrase("item")

    def json_schema(self, definitions: Definitions) -> Document:
        document: Document = {"type": "array"}
        if items := self.item.json_schema(definitions):
            document["items"] = items
        document |= self.lengths.json_schema("minItems", "maxItems")
        return document | {"uniqueItems": True} if self.unique else document

    def __voluptuous_compile__(self, schema: vol.Schema) -> Check:
        # Not voluptuous' own list validator: it stops at the first item with a fault inside.
        check_item, into = compile_shape(self.item, schema), self.into
        bounded, faults_of_whole = self.unique or bool(self.lengths), self._faults

        def check(path: list[Any], value: Any) -> Any:
            if not isinstance(value, list):
                raise mismatch(path, self.expects, json_type(value))
            items: list[Any] = []
            faults = faults_of_whole(path, value) if bounded else []
            for index, item in enumerate(value):
                try:
                    items.append(check_item([*path, index], item))
                except vol.MultipleInvalid as error:
                    faults.extend(error.errors)
                except vol.Invalid as error:
                    faults.append(error)
            if faults:
                raise vol.MultipleInvalid(faults)
            return items if into is None else into(items)

        return check

    def _faults(self, path: list[Any], value: list[Any]) -> list[vol.Invalid]:
        """What is wrong with the list as a whole."""
        repeated = self.unique and len(set(map(identity, value))) < len(value)
        if self.lengths.fit(len(value)) and not repeated:
            return []
        got = self.lengths.found("array", len(value), "item")
        got += " with duplicates" if repeated else ""
        return [vol.Invalid(f"expected {self.expects}, got {got}", path)]

    def from_text(self, text: str) -> Any:
        value = from_json_text(text)
        if not isinstance(value, list):
            raise ValueError
        return value

    def constrained(self, options: Mapping[str, Any]) -> Shape:
        lengths = Lengths.of(options, ("min",), ("max",))
        return attrs.evolve(self, lengths=lengths, unique=bool(options.get("unique", False)))
