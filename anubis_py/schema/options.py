"""The options of `field()`, however they were written down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import voluptuous as vol

from anubis_py.errors import ConfigurationError, near_miss
from anubis_py.schema.faults import faults_of
from anubis_py.schema.member import UNSET, Field
from anubis_py.schema.shape import Shape
from anubis_py.schema.values import plain

# What must hold of a value, which the type has a say in; and what is only said about it.
CONSTRAINTS: Final = (
    "format",
    "min",
    "max",
    "min_length",
    "max_length",
    "regex",
    "gt",
    "gte",
    "lt",
    "lte",
    "multiple_of",
    "unique",
)
NOTES: Final = ("title", "description", "examples", "deprecated", "header")


@contextmanager
def naming(thing: str) -> Iterator[None]:
    """Put the thing that is being declared in front of the errors of its parts."""
    try:
        yield
    except ConfigurationError as error:
        raise ConfigurationError(f"{thing}: {error}") from None


def make_field(
    name: object,
    shape: Shape,
    options: Mapping[str, Any],
    *,
    required: bool = False,
    default: Any = UNSET,
) -> Field:
    """A field out of a shape and options. Raises ConfigurationError, without naming the field.

    Options that are None count as not given.
    """
    if not isinstance(name, str) or not name:
        raise ConfigurationError(f"a field's name must be a str that is not empty, not {name!r}")
    given = {key: value for key, value in options.items() if value is not None}
    _check_known(given)
    shape = constrain(shape, {key: given[key] for key in CONSTRAINTS if key in given})
    if required and default is not UNSET:
        raise ConfigurationError(
            "a required field is always sent, so its default would never be used."
            " Remove required=True or the default"
        )
    return Field(
        name,
        shape,
        required=bool(required),
        default=UNSET if default is UNSET else accepted_default(shape, default),
        **_notes(given),
    )


def constrain(shape: Shape, given: Mapping[str, Any]) -> Shape:
    """The shape under the given constraints. Raises ConfigurationError."""
    if misplaced := [name for name in given if name not in shape.takes]:
        can = ", ".join(sorted(shape.takes))
        raise ConfigurationError(
            f"{misplaced[0]} says nothing about {shape.expects}."
            + (f" Options that do: {can}" if can else " Remove it")
        )
    if not isinstance(given.get("format", ""), str):
        raise ConfigurationError(f"format must be a str, not {type(given['format']).__name__}")
    return shape.constrained(given) if given else shape


def accepted_default(shape: Shape, default: Any) -> Any:
    """The default as JSON, if the shape accepts it; else ConfigurationError."""
    try:
        value = plain(default)
        vol.Schema(shape)(value)
    except TypeError as error:
        raise ConfigurationError(f"the default cannot be advertised: {error}") from None
    except vol.Invalid as error:
        faults = "; ".join(map(str, faults_of(error)))
        hint = " Declare the type as … | None, or leave the default out" if default is None else ""
        raise ConfigurationError(
            f"its own type refuses the default {default!r}: {faults}.{hint}".rstrip(".")
        ) from None
    return value


def _check_known(given: Mapping[str, Any]) -> None:
    known = (*CONSTRAINTS, *NOTES)
    for name in given:
        if name not in known:
            raise ConfigurationError(
                f"unknown option {name!r}.{near_miss(name, known)} Known: {', '.join(known)}"
            )


def _notes(given: Mapping[str, Any]) -> dict[str, Any]:
    for name in ("title", "description", "header"):
        if not isinstance(given.get(name, ""), str):
            raise ConfigurationError(f"{name} must be a str, not {type(given[name]).__name__}")
    notes = {name: given[name] for name in NOTES if name in given}
    if "examples" in notes:
        notes["examples"] = _examples(notes["examples"])
    return notes


def _examples(examples: Any) -> tuple[Any, ...]:
    if not isinstance(examples, list | tuple):
        raise ConfigurationError(f"examples must be a list, not {type(examples).__name__}")
    try:
        return tuple(map(plain, examples))
    except TypeError as error:
        raise ConfigurationError(f"an example cannot be advertised: {error}") from None
