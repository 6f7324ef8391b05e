"""voluptuous mappings as declarations.

They are read, not run: what JSON Schema cannot say is refused here, because a model could
never learn of it, and what a type means follows JSON (true is no int, 3.0 is one).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import voluptuous as vol

from anubis_py.errors import ConfigurationError
from anubis_py.schema.choices import ChoiceShape
from anubis_py.schema.declared_types import shape_of
from anubis_py.schema.lengths import Lengths
from anubis_py.schema.lists import ListShape
from anubis_py.schema.member import UNSET, Field
from anubis_py.schema.objects import ObjectShape
from anubis_py.schema.options import make_field, naming
from anubis_py.schema.scalars import ANY
from anubis_py.schema.shape import Shape
from anubis_py.schema.unions import UnionShape
from anubis_py.schema.values import is_scalar
from anubis_py.schema.voluptuous_validators import constrained, is_constraint, refusal


@attrs.frozen(eq=False, repr=False)
class _Rules:
    """What the enclosing vol.Schema says of every mapping inside it."""

    required: bool = False
    extra: bool = False


def read_mapping(declaration: Mapping[Any, Any] | vol.Schema) -> ObjectShape:
    """The shape of a mapping of keys to validators. Raises ConfigurationError."""
    rules = _Rules()
    if isinstance(declaration, vol.Schema):
        rules, declaration = _rules(declaration), declaration.schema
    if not isinstance(declaration, Mapping):
        raise ConfigurationError(
            f"vol.Schema({declaration!r}) is no object. Give it a mapping of names to validators"
        )
    if "properties" in declaration and declaration.get("type") == "object":
        raise ConfigurationError(
            "this is raw JSON Schema and would be read as a voluptuous mapping. For a tool,"
            " return it from input_schema(); elsewhere use Schema.from_json_schema(…)"
        )
    return _object(declaration, rules)


def _rules(schema: vol.Schema) -> _Rules:
    if schema.extra == vol.REMOVE_EXTRA:
        raise ConfigurationError(
            "extra=vol.REMOVE_EXTRA takes members and drops them silently. Use vol.ALLOW_EXTRA"
            " or vol.PREVENT_EXTRA"
        )
    return _Rules(bool(schema.required), schema.extra == vol.ALLOW_EXTRA)


def _object(mapping: Mapping[Any, Any], rules: _Rules) -> ObjectShape:
    members: list[Field] = []
    extra: Shape | None = ANY if rules.extra else None
    for key, value in mapping.items():
        name = key.schema if isinstance(key, vol.Marker) else key
        with naming(f"key {name!r}" if isinstance(name, str) else f"key {key!r}"):
            if key is vol.Extra or name is str:
                extra = _shape(value, rules)
            else:
                members.append(_member(key, name, value, rules))
    return ObjectShape(tuple(members), extra=extra)


def _member(key: Any, name: Any, value: Any, rules: _Rules) -> Field:
    if not isinstance(name, str):
        raise ConfigurationError("a key must be a str, vol.Required(str) or vol.Optional(str)")
    if isinstance(key, vol.Marker) and type(key) not in (vol.Required, vol.Optional):
        raise ConfigurationError(
            f"vol.{type(key).__name__} cannot be advertised. Use vol.Required or vol.Optional"
        )
    default = getattr(key, "default", vol.UNDEFINED)
    default = UNSET if isinstance(default, vol.Undefined) else default()
    # In voluptuous a default makes up for a required key that is missing.
    required = isinstance(key, vol.Required) or (rules.required and not isinstance(key, vol.Marker))
    return make_field(
        name,
        _shape(value, rules),
        {"description": getattr(key, "description", None)},
        required=required and default is UNSET,
        default=default,
    )


def _shape(value: Any, rules: _Rules) -> Shape:
    if isinstance(value, vol.Schema):
        return _shape(value.schema, _rules(value))
    if isinstance(value, Mapping):
        return _object(value, rules)
    if isinstance(value, list):
        return _list(value, rules)
    if isinstance(value, vol.All):
        return _all(value)
    if type(value) is vol.Any:
        return _any(value)
    if is_constraint(value):
        return constrained(None, [value])
    if is_scalar(value):
        return ChoiceShape.of([value])
    if callable(value) and not isinstance(value, type | Shape):
        raise ConfigurationError(refusal(value))
    return shape_of(value)


def _list(items: list[Any], rules: _Rules) -> Shape:
    if not items:
        return ListShape(ANY, Lengths(most=0))  # what [] means to voluptuous
    return ListShape(_one_of([_shape(item, rules) for item in items]))


def _all(value: vol.All) -> Shape:
    rules = _Rules(bool(value.required))
    constraints = [each for each in value.validators if is_constraint(each)]
    shapes = [_shape(each, rules) for each in value.validators if not is_constraint(each)]
    if len(shapes) > 1:
        raise ConfigurationError(
            "vol.All has more than one type. Keep one, and put vol.Range, vol.Length, vol.Match,"
            " vol.In or vol.Unique beside it"
        )
    return constrained(shapes[0] if shapes else None, constraints)


def _any(value: vol.Any) -> Shape:
    rules = _Rules(bool(value.required))
    return _one_of([_shape(each, rules) for each in value.validators])


def _one_of(shapes: list[Shape]) -> Shape:
    if not shapes:
        raise ConfigurationError("vol.Any is empty and accepts nothing. Name what it accepts")
    choices = [shape for shape in shapes if isinstance(shape, ChoiceShape)]
    if len(shapes) == len(choices) and not any(choice.titles for choice in choices):
        return ChoiceShape.of(
            [option for choice in choices for option in choice.options],
            [result for choice in choices for result in choice.results],
        )
    return shapes[0] if len(shapes) == 1 else UnionShape.of(shapes)
