"""The faults that jsonschema-rs finds, in our words: its own repeat the value."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from typing import Any, Final, Protocol

from anubis_py.schema.faults import Fault, faults_of, json_type, unexpected


class Kind(Protocol):
    @property
    def name(self) -> str: ...
    def as_dict(self) -> dict[str, Any]: ...


class Error(Protocol):
    @property
    def kind(self) -> Kind: ...
    @property
    def instance_path(self) -> list[str | int]: ...
    @property
    def schema_path(self) -> list[str | int]: ...


class Validator(Protocol):
    """What is used of a validator of jsonschema-rs."""

    def is_valid(self, instance: Any) -> bool: ...
    def iter_errors(self, instance: Any) -> Iterable[Error]: ...


# keyword -> what was expected, out of the members of the error's kind
_EXPECTED: Final[Mapping[str, Callable[[dict[str, Any]], str]]] = {
    "type": lambda kind: " or ".join(kind["types"]),
    "enum": lambda kind: f"one of {', '.join(map(_json, kind['options']))}",
    "const": lambda kind: _json(kind["expected_value"]),
    "minimum": lambda kind: f"a value >= {kind['limit']}",
    "maximum": lambda kind: f"a value <= {kind['limit']}",
    "exclusiveMinimum": lambda kind: f"a value > {kind['limit']}",
    "exclusiveMaximum": lambda kind: f"a value < {kind['limit']}",
    "multipleOf": lambda kind: f"a multiple of {kind['multiple_of']}",
    "minLength": lambda kind: f"at least {kind['limit']} characters",
    "maxLength": lambda kind: f"at most {kind['limit']} characters",
    "minItems": lambda kind: f"at least {kind['limit']} items",
    "maxItems": lambda kind: f"at most {kind['limit']} items",
    "minProperties": lambda kind: f"at least {kind['limit']} members",
    "maxProperties": lambda kind: f"at most {kind['limit']} members",
    "uniqueItems": lambda kind: "items without duplicates",
    "pattern": lambda kind: f"a match for {kind['pattern']}",
}


def faults_in(validator: Validator, schema: Any, value: Any) -> list[Fault]:
    """All faults of a value that the validator refuses."""
    return list(dict.fromkeys(_faults(validator.iter_errors(value), schema, value)))


def _faults(errors: Iterable[Error], schema: Any, value: Any) -> Iterator[Fault]:
    for error in errors:
        yield from _one(error, schema, value)


def _one(error: Error, schema: Any, value: Any) -> Iterable[Fault]:
    path, kind = list(error.instance_path), error.kind.as_dict()
    match error.kind.name:
        case "required":
            return [Fault((*path, kind["property"]), "required, missing")]
        case "additionalProperties" | "unevaluatedProperties":
            return _unexpected(path, kind["unexpected"], error, schema)
        case "falseSchema":
            return [Fault(tuple(path), "not expected")]
        case "anyOf" | "oneOf" if kind.get("context"):
            return _alternatives(error, kind["context"], schema, value)
    return [Fault(tuple(path), f"expected {_expected(error)}, got {_got(path, value)}")]


def _unexpected(path: list[str | int], names: list[Any], error: Error, schema: Any) -> list[Fault]:
    keyword_at = list(error.schema_path)
    known = _at([*keyword_at[:-1], "properties"], schema)
    found = unexpected(path, names, known if isinstance(known, dict) else ())
    return [fault for each in found for fault in faults_of(each)]


def _alternatives(
    error: Error, context: list[list[Error]], schema: Any, value: Any
) -> Iterable[Fault]:
    """The faults of the alternative that was meant: the only one of the value's own type."""
    path = list(error.instance_path)
    meant = [errors for errors in context if not any(_is_type(each, path) for each in errors)]
    if len(meant) == 1 and meant[0]:
        return list(_faults(meant[0], schema, value))
    roots = [each for errors in context for each in errors if _is_type(each, path)]
    if not meant and roots:
        expected = " or ".join(dict.fromkeys(map(_expected, roots)))
    elif any(not errors for errors in context):
        expected = f"exactly one of {len(context)} alternatives to match"
    else:
        expected = f"one of the {len(context)} alternatives that the schema has here"
    return [Fault(tuple(path), f"expected {expected}, got {_got(path, value)}")]


def _is_type(error: Error, path: list[str | int]) -> bool:
    return error.kind.name == "type" and list(error.instance_path) == path


def _expected(error: Error) -> str:
    sentence = _EXPECTED.get(error.kind.name)
    return (
        f"a value that meets {error.kind.name!r}"
        if sentence is None
        else sentence(error.kind.as_dict())
    )


def _got(path: list[str | int], value: Any) -> str:
    return json_type(_at(path, value))


def _at(path: list[str | int], value: Any) -> Any:
    try:
        return reduce(lambda part, step: part[step], path, value)
    except (LookupError, TypeError):
        return None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
