"""The kinds of fields that a form has, one function a kind: from JSON Schema to a shape.

client/elicitation, "Requested Schema". A keyword that is none of its kind's is refused, with
what to do instead: a client would ignore it, and the user would be told of the rule too late.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..errors import ConfigurationError, near_miss
from ..schema.choices import ChoiceShape
from ..schema.lists import ListShape
from ..schema.numeric import NumberShape
from ..schema.options import constrain
from ..schema.scalars import BooleanShape, StringShape
from ..schema.shape import Shape
from .dated_text import DATED

_NOTES: Final = ("type", "title", "description", "default")
_FORMATS: Final = ("email", "uri", "date", "date-time")
_CHECK: Final = "Leave it out, and check the answer in the callback"
_SAY: Final = "Say it in the description"
_TEXTS: Final = 'The options of a form are texts: enum("1", "2")'
_INSTEAD: Final = {
    "pattern": f"(regex) {_CHECK}",
    "exclusiveMinimum": "(gt) Use min",
    "exclusiveMaximum": "(lt) Use max",
    "multipleOf": f"(multiple_of) {_CHECK}",
    "uniqueItems": "(unique) Leave it out: an option can be chosen once",
    "const": _TEXTS,
    "enum": _TEXTS,
    "oneOf": _TEXTS,
    "examples": _SAY,
    "deprecated": "Leave the field out",
}
_HAS: Final = (
    "a form has str, date, datetime, int, float, bool, enum of str, and lists of such an enum, "
    "side by side: no objects, no unions, no None. Ask for the parts one by one, and leave "
    "required out for what may be empty"
)


def property_shape(document: Mapping[str, Any]) -> Shape:
    """The shape of the values that fit a field. Raises ConfigurationError."""
    kind = document.get("type")
    make = _KINDS.get(kind) if isinstance(kind, str) else None
    if make is None:
        found = "more than one type" if kind is None else f"the type {kind!r}"
        raise ConfigurationError(f"a form has no field of {found}: {_HAS}")
    for note in ("title", "description"):
        if not isinstance(document.get(note, ""), str):
            raise ConfigurationError(f"{note} must be a str")
    return make(document)


def _known(document: Mapping[str, Any], *keywords: str) -> None:
    known = (*_NOTES, *keywords)
    for keyword in document:
        if keyword not in known:
            fix = _INSTEAD.get(keyword) or f"{near_miss(str(keyword), known)} {_CHECK}".strip()
            raise ConfigurationError(f"a form cannot say {keyword!r} here. {fix}")


def _given(document: Mapping[str, Any], **options: str) -> dict[str, Any]:
    """The options of `field()` that the keywords stand for."""
    return {o: document[keyword] for o, keyword in options.items() if keyword in document}


def _string(document: Mapping[str, Any]) -> Shape:
    if "oneOf" in document:
        _known(document, "oneOf")
        return _titled("oneOf", document["oneOf"])
    if "enum" in document:
        _known(document, "enum", "enumNames")
        return _named(document)
    _known(document, "minLength", "maxLength", "format")
    text_format = document.get("format")
    if text_format is not None and text_format not in _FORMATS:
        raise ConfigurationError(
            f"a form knows the formats {', '.join(_FORMATS)}, not {text_format!r}. {_SAY}"
        )
    lengths = _given(document, min_length="minLength", max_length="maxLength")
    shape = DATED[text_format] if text_format in DATED else StringShape()
    return constrain(shape, lengths)


def _number(document: Mapping[str, Any]) -> Shape:
    _known(document, "minimum", "maximum")
    shape = NumberShape("int" if document["type"] == "integer" else "number")
    return constrain(shape, _given(document, min="minimum", max="maximum"))


def _boolean(document: Mapping[str, Any]) -> Shape:
    _known(document)
    return BooleanShape()


def _list(document: Mapping[str, Any]) -> Shape:
    _known(document, "minItems", "maxItems", "items")
    bounds = _given(document, min="minItems", max="maxItems")
    return constrain(ListShape(_items(document.get("items"))), bounds)


def _items(items: Any) -> Shape:
    if isinstance(items, Mapping) and set(items) == {"anyOf"}:
        return _titled("items.anyOf", items["anyOf"])
    if isinstance(items, Mapping) and set(items) == {"type", "enum"} and items["type"] == "string":
        return _choice("items.enum", items["enum"])
    raise ConfigurationError(f"a form has only lists of choices, list[enum(…)]: {_HAS}")


def _choice(keyword: str, options: Any) -> ChoiceShape:
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise ConfigurationError(f"{keyword} must be a list of str. {_TEXTS}")
    return ChoiceShape.of(options)


def _named(document: Mapping[str, Any]) -> ChoiceShape:
    shape, names = _choice("enum", document["enum"]), document.get("enumNames")
    if names is None:
        return shape
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ConfigurationError("enumNames must be a list of str")
    if len(names) != len(shape.options):
        raise ConfigurationError(
            f"enumNames has {len(names)} names for {len(shape.options)} options. Name each once"
        )
    return shape


def _titled(keyword: str, options: Any) -> ChoiceShape:
    fine = isinstance(options, list) and all(
        isinstance(option, Mapping) and set(option) == {"const", "title"} for option in options
    )
    if not fine:
        raise ConfigurationError(f"{keyword} must be a list of {{'const': …, 'title': …}}")
    if not all(isinstance(option["title"], str) for option in options):
        raise ConfigurationError(f"{keyword}: every title must be a str")
    return _choice(keyword, [option["const"] for option in options])


_KINDS: Final[Mapping[str, Callable[[Mapping[str, Any]], Shape]]] = {
    "string": _string,
    "number": _number,
    "integer": _number,
    "boolean": _boolean,
    "array": _list,
}
