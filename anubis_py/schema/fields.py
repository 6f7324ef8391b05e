"""The words in which schemas are declared: field, embeds_one, embeds_many, enum, literal."""

# The options have the names that JSON Schema's readers know, builtins or not.
# ruff: noqa: A002
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anubis_py.schema.choices import ChoiceShape
from anubis_py.schema.declaration import Declaration, object_shape
from anubis_py.schema.declared_types import shape_of
from anubis_py.schema.lists import ListShape
from anubis_py.schema.member import UNSET, Field
from anubis_py.schema.options import make_field, naming

__all__ = ["Field", "embeds_many", "embeds_one", "enum", "field", "literal"]


def field(
    name: str,
    type: Any,
    *,
    required: bool = False,
    default: Any = UNSET,
    description: str | None = None,
    title: str | None = None,
    examples: Sequence[Any] | None = None,
    deprecated: bool | None = None,
    format: str | None = None,
    min: float | None = None,
    max: float | None = None,
    min_length: int | None = None,
    max_length: int | None = None,
    regex: str | None = None,
    gt: float | None = None,
    gte: float | None = None,
    lt: float | None = None,
    lte: float | None = None,
    multiple_of: float | None = None,
    unique: bool | None = None,
    header: str | None = None,
) -> Field:
    """Declare a member of an object: an argument of a tool or prompt, a part of an output.

    `type` is str, int, float, "number" (int or float, as sent), bool, Any, an Enum class,
    enum(…), literal(…), Literal[…], list, list[T], dict, dict[str, T], X | Y, date, time,
    datetime, or an attrs class. `min` and `max` are inclusive bounds of a number, of the
    length of a string, or of the count of a list. A default is filled in by validation and
    advertised. `format` is advertised and not checked. With `header="Region"`, clients over
    HTTP repeat the argument of a tool in the header `Mcp-Param-Region`, for proxies to see.

    Raises ConfigurationError if options contradict each other or the type.
    """
    options = {
        "description": description,
        "title": title,
        "examples": examples,
        "deprecated": deprecated,
        "format": format,
        "min": min,
        "max": max,
        "min_length": min_length,
        "max_length": max_length,
        "regex": regex,
        "gt": gt,
        "gte": gte,
        "lt": lt,
        "lte": lte,
        "multiple_of": multiple_of,
        "unique": unique,
        "header": header,
    }
    with naming(f"field {name!r}"):
        return make_field(name, shape_of(type), options, required=required, default=default)


def embeds_one(
    name: str,
    fields: Declaration,
    *,
    required: bool = False,
    default: Any = UNSET,
    description: str | None = None,
    title: str | None = None,
    examples: Sequence[Any] | None = None,
    deprecated: bool | None = None,
    extra: bool = False,
) -> Field:
    """Declare a member that is an object. `fields` is whatever can be a `schema`.

    `extra=True` lets members pass that `fields` does not name.
    """
    options = {
        "description": description,
        "title": title,
        "examples": examples,
        "deprecated": deprecated,
    }
    with naming(f"field {name!r}"):
        shape = object_shape(fields, extra=extra)
        return make_field(name, shape, options, required=required, default=default)


def embeds_many(
    name: str,
    fields: Declaration,
    *,
    required: bool = False,
    default: Any = UNSET,
    description: str | None = None,
    title: str | None = None,
    examples: Sequence[Any] | None = None,
    deprecated: bool | None = None,
    min: int | None = None,
    max: int | None = None,
    unique: bool | None = None,
    extra: bool = False,
) -> Field:
    """Declare a member that is a list of objects, `min` to `max` of them."""
    options = {
        "description": description,
        "title": title,
        "examples": examples,
        "deprecated": deprecated,
        "min": min,
        "max": max,
        "unique": unique,
    }
    with naming(f"field {name!r}"):
        shape = ListShape(object_shape(fields, extra=extra))
        return make_field(name, shape, options, required=required, default=default)


def enum(*values: str | float | bool | Mapping[Any, str] | None) -> ChoiceShape:
    """A type: one of these values; or of the keys of one mapping, whose values are the titles
    that people are shown: `enum({"de": "German", "tr": "Turkish"})`."""
    match values:
        case [Mapping() as titles]:
            return ChoiceShape.titled(titles)
    return ChoiceShape.of(values)


def literal(value: str | float | bool | None) -> ChoiceShape:
    """A type: this value and no other."""
    return ChoiceShape.of([value])
