"""Shapes of objects: named members, and what may stand beside them."""

from __future__ import annotations

import copy
import datetime
import enum
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, ClassVar, Final

import attrs
import voluptuous as vol

from anubis_py.schema.choices import ChoiceShape
from anubis_py.schema.faults import json_type, mismatch, missing, unexpected
from anubis_py.schema.member import UNSET, Field
from anubis_py.schema.shape import Check, Definitions, Document, Shape, compile_shape
from anubis_py.schema.values import from_json_text, is_scalar

_UNCHANGING: Final = (enum.Enum, datetime.date, datetime.time)

Build = Callable[[dict[str, Any]], Any]


@attrs.frozen(eq=False, repr=False)
class ObjectShape(Shape):
    """`extra` is the shape of members that are not named; None refuses them.

    `build` makes what the callback gets out of the valid members, and then fills in the
    defaults itself; it raises vol.Invalid with a path below the object. Without it the
    callback gets a dict.
    """

    expects: ClassVar[str] = "object"
    json_types: ClassVar[frozenset[str]] = frozenset({"object"})

    members: tuple[Field, ...] = ()
    extra: Shape | None = None
    build: Build | None = None

    def json_schema(self, definitions: Definitions) -> Document:
        document: Document = {"type": "object"}
        if self.members:
            document["properties"] = {m.name: m.json_schema(definitions) for m in self.members}
        if self._required:
            document["required"] = list(self._required)
        if self.extra is None:
            document["additionalProperties"] = False
        elif extra := self.extra.json_schema(definitions):
            document["additionalProperties"] = extra
        return document

    def __voluptuous_compile__(self, schema: vol.Schema) -> Check:
        # Not voluptuous' own mapping validator: it takes twice the whole budget for a call,
        # and its order of the missing members changes from one process to the next.
        checks = {member.name: compile_shape(member.shape, schema) for member in self.members}
        check_extra = None if self.extra is None else compile_shape(self.extra, schema)
        required = self._required
        defaults = () if self.build else self._defaults(checks)
        build, order = self.build, tuple(checks)

        def check(path: list[Any], value: Any) -> Any:
            if not isinstance(value, dict):
                raise mismatch(path, "object", json_type(value))
            out: dict[str, Any] = {}
            faults: list[vol.Invalid] = []
            unknown: list[Any] = []
            for name, item in value.items():
                check_item = checks.get(name, check_extra)
                if check_item is None:
                    unknown.append(name)
                    continue
                try:
                    out[name] = check_item([*path, name], item)
                except vol.MultipleInvalid as error:
                    faults.extend(error.errors)
                except vol.Invalid as error:
                    faults.append(error)
            for name in required:
                if name not in value:
                    faults.append(missing(path, name))
            if unknown or faults:
                faults += unexpected(path, unknown, order)
                raise vol.MultipleInvalid(_in_order(faults, order, len(path)))
            for name, make in defaults:
                if name not in out:
                    out[name] = make()
            return out if build is None else _built(build, path, out)

        return check

    def _defaults(self, checks: dict[str, Check]) -> tuple[tuple[str, Callable[[], Any]], ...]:
        return tuple(
            (member.name, _maker(checks[member.name]([], copy.deepcopy(member.default))))
            for member in self.members
            if member.default is not UNSET
        )

    def glance(self, value: Any) -> int:
        names = self._names
        absent = sum(name not in value for name in self._required)
        unknown = 0 if self.extra is not None else sum(name not in names for name in value)
        wrong = sum(
            name in value and not choice.accepts(value[name]) for name, choice in self._tags
        )
        return absent + unknown + wrong

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(member.name for member in self.members)

    @cached_property
    def _required(self) -> tuple[str, ...]:
        return tuple(member.name for member in self.members if member.required)

    @cached_property
    def _tags(self) -> tuple[tuple[str, ChoiceShape], ...]:
        return tuple(
            (member.name, member.shape)
            for member in self.members
            if isinstance(member.shape, ChoiceShape)
        )

    def from_text(self, text: str) -> Any:
        value = from_json_text(text)
        if not isinstance(value, dict):
            raise ValueError
        return value


def _maker(default: Any) -> Callable[[], Any]:
    """A callback may change what it is given, and must not change the next one's default."""
    if is_scalar(default) or isinstance(default, _UNCHANGING):
        return lambda: default
    return lambda: copy.deepcopy(default)


def _in_order(
    faults: Iterable[vol.Invalid], names: tuple[str, ...], depth: int
) -> list[vol.Invalid]:
    """As declared, unknown members last: an answer that does not change is one to cache."""
    place: dict[Any, int] = {name: position for position, name in enumerate(names)}
    return sorted(faults, key=lambda fault: place.get(fault.path[depth], len(place)))


def _built(build: Build, path: list[Any], members: dict[str, Any]) -> Any:
    try:
        return build(members)
    except vol.Invalid as error:
        error.prepend(path)
        raise
