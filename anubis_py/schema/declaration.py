"""Declarations of an object: fields, a voluptuous mapping, or an attrs class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import attrs
import voluptuous as vol

from anubis_py.errors import ConfigurationError
from anubis_py.schema.attrs_class import read_class
from anubis_py.schema.declared_types import shape_of
from anubis_py.schema.member import Field
from anubis_py.schema.objects import ObjectShape
from anubis_py.schema.scalars import ANY
from anubis_py.schema.shape import Shape

Declaration: TypeAlias = Sequence[Field] | Mapping[Any, Any] | vol.Schema | type | None


def object_shape(declaration: Any, *, extra: bool = False) -> Shape:
    """The shape of the declared object. Raises ConfigurationError.

    `extra` lets members pass that the declaration does not name. An attrs class has no
    place for them: they pass and are dropped.
    """
    if isinstance(declaration, type) and attrs.has(declaration):
        reference = read_class(declaration, {}, shape_of)
        shape = reference.definition.shape
        if not extra:
            return reference
    elif isinstance(declaration, Mapping | vol.Schema):
        # Imported by those who declare so: most declare fields.
        from anubis_py.schema.voluptuous_mapping import read_mapping

        shape = read_mapping(declaration)
    else:
        shape = _of_fields(declaration)
    assert isinstance(shape, ObjectShape)
    return attrs.evolve(shape, extra=ANY) if extra else shape


def _of_fields(declaration: Any) -> ObjectShape:
    if declaration is None:
        return ObjectShape()
    if not isinstance(declaration, list | tuple):
        kind = "class " + declaration.__name__ if isinstance(declaration, type) else ""
        raise ConfigurationError(
            f"{kind or type(declaration).__name__} declares nothing. Use a list of field(…), a"
            " voluptuous mapping, or an attrs class"
        )
    for position, each in enumerate(declaration):
        if not isinstance(each, Field):
            raise ConfigurationError(
                f"item {position} of the list is {type(each).__name__} and must be a field(…),"
                " embeds_one(…) or embeds_many(…)"
            )
    _check_distinct([each.name for each in declaration])
    return ObjectShape(tuple(declaration))


def _check_distinct(names: list[str]) -> None:
    for position, name in enumerate(names):
        if name in names[:position]:
            raise ConfigurationError(f"field {name!r} is declared twice. Remove or rename one")
