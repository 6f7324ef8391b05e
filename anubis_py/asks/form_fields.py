"""Fields of the schema DSL as the properties of a form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..encoding import dumps, loads
from ..errors import ConfigurationError
from ..schema.choices import ChoiceShape
from ..schema.dates import DateShape
from ..schema.declaration import object_shape
from ..schema.lists import ListShape
from ..schema.member import Field
from ..schema.objects import ObjectShape
from ..schema.options import naming
from ..schema.shape import Definitions, Document, Shape
from .json_values import json_fault


def requested_schema(fields: Any) -> Document:
    """The schema that goes out, not yet held against what a form can say. Raises
    ConfigurationError for what declares nothing."""
    with naming("ask_form"):
        if isinstance(fields, Mapping):
            return _copy(fields)
        if not isinstance(fields, list | tuple):
            raise ConfigurationError(
                "it takes a list of field(…), or a JSON Schema as a mapping, not "
                + (fields.__name__ if isinstance(fields, type) else type(fields).__name__)
            )
        shape = object_shape(fields)
    assert isinstance(shape, ObjectShape)
    document: Document = {
        "type": "object",
        "properties": {member.name: _property(member) for member in shape.members},
    }
    if required := [member.name for member in shape.members if member.required]:
        document["required"] = required
    return document


def _copy(document: Mapping[str, Any]) -> Document:
    """Its own, so that what is asked does not change while the answer is on its way."""
    if fault := json_fault(document, "the schema"):
        raise ConfigurationError(fault)
    copy: Document = loads(dumps(document))
    return copy


def _property(member: Field) -> Document:
    document = member.json_schema(Definitions())
    return {key: value for key, value in document.items() if key not in _own(member.shape)} | (
        _as_form(member.shape)
    )


def _own(shape: Shape) -> set[str]:
    """What stands in the JSON Schema of a shape, and is said differently in a form, or not."""
    match shape:
        case DateShape():
            return {"pattern"}
        case ChoiceShape():
            return {"const"}
    return set()


def _as_form(shape: Shape) -> Document:
    match shape:
        case ChoiceShape(titles=()):
            return {"enum": list(shape.options)}
        case ListShape(item=ChoiceShape(titles=()) as item):
            return {"items": {"type": "string", "enum": list(item.options)}}
        case ListShape(item=ChoiceShape() as item):
            return {"items": {"anyOf": item.titled_options()}}
    return {}
