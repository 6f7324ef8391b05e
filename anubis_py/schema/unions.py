"""Shapes of a value that may be one of several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Any

import attrs
import voluptuous as vol

from anubis_py.schema.faults import json_type, mismatch
from anubis_py.schema.scalars import EVERY_TYPE
from anubis_py.schema.shape import Check, Definitions, Document, Shape, compile_shape


@attrs.frozen(eq=False, repr=False)
class UnionShape(Shape):
    """The first member that accepts a value decides what the callback gets for it.

    Members that a tag tells apart, such as Literal["circle"] and Literal["square"], get the
    best sentences and cost the least.
    """

    members: tuple[Shape, ...]

    @classmethod
    def of(cls, members: Iterable[Shape]) -> UnionShape:
        """A union of unions is one union: it reads better, and is checked in one step."""
        parts = [m.members if isinstance(m, UnionShape) else (m,) for m in members]
        return cls(tuple(chain.from_iterable(parts)))

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset().union(*(member.takes for member in self.members))

    @property
    def expects(self) -> str:
        return " or ".join(dict.fromkeys(member.expects for member in self.members))

    @property
    def json_types(self) -> frozenset[str]:
        return frozenset().union(*(member.json_types for member in self.members))

    def json_schema(self, definitions: Definitions) -> Document:
        return {"anyOf": [member.json_schema(definitions) for member in self.members]}

    def __voluptuous_compile__(self, schema: vol.Schema) -> Check:
        members = [
            (member.json_types, member.glance, compile_shape(member, schema))
            for member in self.members
        ]

        def check(path: list[Any], value: Any) -> Any:
            kind = json_type(value)
            faults: list[vol.Invalid] = []
            doubtful: list[tuple[int, Check]] = []
            for types, glance, accept in members:
                if kind not in types and types != EVERY_TYPE:
                    continue
                # Looking inside only where it can help: where members contain the union
                # again, trying them all at every level takes 2 ** depth steps.
                if problems := glance(value):
                    doubtful.append((problems, accept))
                    continue
                try:
                    return accept(path, value)
                except vol.Invalid as fault:
                    faults.append(fault)
            if doubtful and not faults:
                return min(doubtful, key=itemgetter(0))[1](path, value)
            raise self._nearest(path, kind, faults)

        return check

    def _nearest(self, path: list[Any], kind: str, faults: list[vol.Invalid]) -> vol.Invalid:
        """What to say: the faults of the member that was meant, if one can be told.

        That is the one with the fewest faults inside the value. Faults of the value itself
        are better told by naming all members.
        """
        inside = [each for each in faults if all(len(one.path) > len(path) for one in _flat(each))]
        if inside:
            return min(inside, key=lambda each: len(_flat(each)))
        if len(faults) == 1:
            return faults[0]
        return mismatch(path, self.expects, kind)

    def from_text(self, text: str) -> Any:
        """The reading that the first member to accept its own reading has for the text."""
        readings = []
        for member, accepts in self._compiled:
            try:
                readings.append(reading := member.from_text(text))
                accepts(reading)
            except (ValueError, vol.Invalid):
                continue
            return reading
        if not readings:
            raise ValueError
        return readings[0]

    @cached_property
    def _compiled(self) -> tuple[tuple[Shape, vol.Schema], ...]:
        # Not before the first text: a class that refers to itself is still being read.
        return tuple((member, vol.Schema(member)) for member in self.members)

    def constrained(self, options: Mapping[str, Any]) -> Shape:
        members = [
            member.constrained({name: options[name] for name in options if name in member.takes})
            for member in self.members
        ]
        return attrs.evolve(self, members=tuple(members))


def _flat(error: vol.Invalid) -> list[vol.Invalid]:
    return error.errors if isinstance(error, vol.MultipleInvalid) else [error]
