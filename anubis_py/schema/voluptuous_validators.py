"""voluptuous' validators of values, as options of a shape."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import voluptuous as vol

from anubis_py.errors import ConfigurationError
from anubis_py.schema.choices import ChoiceShape
from anubis_py.schema.numeric import NumberShape
from anubis_py.schema.options import constrain
from anubis_py.schema.patterns import portable
from anubis_py.schema.scalars import StringShape
from anubis_py.schema.shape import Shape


def _range(validator: vol.Range) -> dict[str, Any]:
    least = "gte" if validator.min_included else "gt"
    most = "lte" if validator.max_included else "lt"
    return {least: validator.min, most: validator.max}


def _length(validator: vol.Length) -> dict[str, Any]:
    return {"min": validator.min, "max": validator.max}


def _match(validator: vol.Match) -> dict[str, Any]:
    # vol.Match begins at the start of the string; a pattern of JSON Schema is searched for.
    return {"regex": f"^(?:{portable(validator.pattern)})"}


def _unique(validator: vol.Unique) -> dict[str, Any]:
    return {"unique": True}


_OPTIONS: Final[dict[type, Callable[[Any], dict[str, Any]]]] = {
    vol.Range: _range,
    vol.Length: _length,
    vol.Match: _match,
    vol.Unique: _unique,
}
# What a validator means where no type is named beside it.
_IMPLIED: Final[dict[type, Shape]] = {vol.Range: NumberShape("number"), vol.Match: StringShape()}
_INSTEAD: Final = {
    vol.Coerce: "Name the type itself: int, float, an Enum (a prompt's strings are converted)",
    vol.Date: "Use datetime.date",
    vol.Datetime: "Use datetime.datetime",
    vol.Boolean: "Use bool",
    vol.Email: "Use vol.Match",
    vol.Url: "Use vol.Match",
    vol.ExactSequence: "Use a list or a mapping",
}
_CAN: Final = (
    "What can be said: types, literals, mappings, lists, vol.All, vol.Any, vol.Maybe, vol.Range,"
    " vol.Length, vol.In, vol.Match, vol.Unique. Check the rest in the callback"
)


def is_constraint(validator: object) -> bool:
    return type(validator) in _OPTIONS or isinstance(validator, vol.In)


def constrained(shape: Shape | None, validators: Iterable[Any]) -> Shape:
    """The shape under vol.Range and the like. Raises ConfigurationError."""
    options: dict[str, Any] = {}
    for validator in validators:
        if isinstance(validator, vol.In):
            shape = _choice(shape, validator.container)
            continue
        if shape is None:
            shape = _implied(validator)
        said = _OPTIONS[type(validator)](validator)
        given = {key: value for key, value in said.items() if value is not None}
        if twice := given.keys() & options.keys():
            raise ConfigurationError(f"{min(twice)} is given twice. Keep one of them")
        options |= given
    assert shape is not None
    return constrain(shape, options)


def _implied(validator: object) -> Shape:
    try:
        return _IMPLIED[type(validator)]
    except KeyError:
        name = type(validator).__name__
        raise ConfigurationError(
            f"vol.{name} alone does not say the type. Write vol.All(str, vol.{name}(…)), or list"
        ) from None


def _choice(base: Shape | None, container: Any) -> Shape:
    if isinstance(container, type) and issubclass(container, enum.Enum):
        return ChoiceShape.of([each.value for each in container], container)
    if not isinstance(container, Iterable):
        raise ConfigurationError(f"vol.In({container!r}) cannot be listed. Give it a list")
    options = list(container)
    if not isinstance(container, list | tuple | str | Mapping):
        options.sort(key=repr)  # a set has another order in every process
    for option in options:
        _check_accepted(base, option)
    return ChoiceShape.of(options)


def _check_accepted(base: Shape | None, option: object) -> None:
    if base is None:
        return
    try:
        vol.Schema(base)(option)
    except vol.Invalid:
        raise ConfigurationError(
            f"vol.In offers {option!r}, which is no {base.expects}. Remove it"
        ) from None


def refusal(validator: Any) -> str:
    """Why a validator cannot be used, and what can."""
    kind = type(validator)
    if kind.__module__.partition(".")[0] == "voluptuous":
        name = f"vol.{kind.__name__}"
        instead = _INSTEAD.get(kind, "")
    else:
        name = getattr(validator, "__qualname__", kind.__qualname__)
        instead = next((text for known, text in _INSTEAD.items() if validator is known), "")
    return f"{name} cannot be said in JSON Schema. {instead or _CAN}"
