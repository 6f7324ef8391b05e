"""Python types as declarations: which shape a type stands for."""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any, Final

import attrs

from anubis_py.errors import ConfigurationError, near_miss
from anubis_py.schema.attrs_class import Known, read_class
from anubis_py.schema.choices import ChoiceShape, Either
from anubis_py.schema.dates import DATES
from anubis_py.schema.lists import ListShape
from anubis_py.schema.numeric import NumberShape
from anubis_py.schema.objects import ObjectShape
from anubis_py.schema.scalars import ANY, BooleanShape, NullShape, StringShape
from anubis_py.schema.shape import Shape
from anubis_py.schema.unions import UnionShape

_NAMED: Final[dict[Any, Shape]] = {
    str: StringShape(),
    int: NumberShape("int"),
    float: NumberShape("float"),
    "number": NumberShape("number"),
    bool: BooleanShape(),
    None: NullShape(),
    type(None): NullShape(),
    Any: ANY,
    "any": ANY,
    object: ANY,
    list: ListShape(ANY),
    tuple: ListShape(ANY, into=tuple),
    dict: ObjectShape(extra=ANY),
    **DATES,
}
_LISTS: Final = frozenset({list, Sequence, MutableSequence})
_MAPPINGS: Final = frozenset({dict, Mapping, MutableMapping})
_CAN = (
    'str, int, float, "number", bool, None, Any, an Enum, enum(…), literal(…), Literal[…],'
    " list[…], tuple[T, ...], dict[str, …], X | Y, date, time, datetime, an attrs class"
)


def shape_of(declared: Any, known: Known | None = None) -> Shape:
    """The shape that a declared type stands for. Raises ConfigurationError.

    `known` holds the classes that are being read, for those that refer to themselves.
    """
    if isinstance(declared, Shape):
        return declared
    if isinstance(declared, str) and declared not in _NAMED:
        raise ConfigurationError(
            f"unknown type {declared!r}.{_meant(declared)} What can be declared: {_CAN}"
        )
    try:
        return _NAMED[declared]
    except (KeyError, TypeError):  # TypeError: it cannot be hashed
        return _composed(declared, {} if known is None else known)


def _composed(declared: Any, known: Known) -> Shape:
    origin, arguments = typing.get_origin(declared), typing.get_args(declared)
    if origin is typing.Literal:
        return ChoiceShape.of(arguments)
    if origin is typing.Annotated:
        return shape_of(arguments[0], known)
    if origin in (types.UnionType, typing.Union):
        return UnionShape.of(shape_of(member, known) for member in arguments)
    if isinstance(declared, Either):
        return UnionShape.of(shape_of(member, known) for member in declared.members)
    if origin in _LISTS:
        return ListShape(shape_of(arguments[0], known))
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return ListShape(shape_of(arguments[0], known), into=tuple)
    if origin in _MAPPINGS and arguments[0] is str:
        return ObjectShape(extra=shape_of(arguments[1], known))
    if isinstance(declared, typing.ForwardRef):  # Optional["number"]
        return shape_of(declared.__forward_arg__, known)
    if isinstance(declared, typing.NewType):
        return shape_of(declared.__supertype__, known)
    if isinstance(declared, type):
        return _class(declared, known)
    raise ConfigurationError(f"{_spelt(declared)} cannot be declared. What can: {_CAN}")


def _class(declared: type, known: Known) -> Shape:
    if issubclass(declared, enum.Enum):
        members = list(declared)
        return ChoiceShape.of([member.value for member in members], members)
    if attrs.has(declared):
        return read_class(declared, known, shape_of)
    raise ConfigurationError(f"{_spelt(declared)} cannot be declared. What can: {_CAN}")


def _meant(name: str) -> str:
    """The type that a name out of JSON Schema, or a near miss, stands for."""
    words = {
        "string": "str",
        "integer": "int",
        "boolean": "bool",
        "array": "list",
        "object": "dict",
        "null": "None",
    }
    if name in words:
        return f" Use {words[name]}."
    return near_miss(name, ["number", "any"])


def _spelt(declared: Any) -> str:
    return declared.__qualname__ if isinstance(declared, type) else repr(declared)
