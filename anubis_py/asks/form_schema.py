"""What a form can say: the restricted JSON Schema of elicitation, read back into shapes.

Whatever is asked goes through here, whether it was declared with fields or as JSON Schema, and
again when its answer comes: the shape that checks the answer is made from what was sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..errors import ConfigurationError, near_miss
from ..schema.member import UNSET, Field
from ..schema.objects import ObjectShape
from ..schema.options import accepted_default, naming
from .form_shapes import property_shape

_ROOT: Final = ("$schema", "type", "properties", "required")


def form_shape(document: Mapping[str, Any]) -> ObjectShape:
    """The shape of the content that fits a form. Raises ConfigurationError."""
    with naming("ask_form"):
        properties = _properties(document)
        required = _required(document, properties)
        return ObjectShape(
            tuple(_member(name, each, name in required) for name, each in properties.items())
        )


def _properties(document: Mapping[str, Any]) -> Mapping[str, Any]:
    if document.get("type") != "object" or not isinstance(document.get("properties"), Mapping):
        raise ConfigurationError(
            'the schema of a form is {"type": "object", "properties": {…}}, with one property a '
            "field"
        )
    for keyword in document:
        if keyword not in _ROOT:
            raise ConfigurationError(
                f"the schema of a form has no {keyword!r}.{near_miss(str(keyword), _ROOT)} "
                f"It has {', '.join(_ROOT)}"
            )
    if not isinstance(document.get("$schema", ""), str):
        raise ConfigurationError("$schema must be a str")
    properties: Mapping[str, Any] = document["properties"]
    return properties


def _required(document: Mapping[str, Any], properties: Mapping[str, Any]) -> list[str]:
    required = document.get("required", [])
    if not isinstance(required, list):
        raise ConfigurationError(f"required must be a list, not {type(required).__name__}")
    for name in required:
        if not isinstance(name, str) or name not in properties:
            raise ConfigurationError(
                f"required names {name!r}, which is no property."
                + near_miss(str(name), map(str, properties))
            )
    return required


def _member(name: Any, document: Any, required: bool) -> Field:
    with naming(f"field {name!r}"):
        if not isinstance(name, str) or not name:
            raise ConfigurationError("a field's name must be a str that is not empty")
        if not isinstance(document, Mapping):
            raise ConfigurationError(f"a field is a mapping, not {type(document).__name__}")
        shape = property_shape(document)
        default = document.get("default", UNSET)
        if default is not UNSET:
            default = accepted_default(shape, default)
        # The default of a field that must be filled in is what its input shows at first.
        return Field(name, shape, required=required, default=default)
