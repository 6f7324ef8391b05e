"""JSON values as Python holds them: equality by JSON's rules, and Python values made JSON."""

from __future__ import annotations

import datetime
import enum
import json
from collections.abc import Hashable, Mapping
from typing import Any, Final, NoReturn, TypeGuard

import attrs

Scalar = str | int | float | bool | None


# A constant: `str | int` would be built anew for every value.
_SCALARS: Final = (str, int, float, type(None))


def is_scalar(value: object) -> TypeGuard[Scalar]:
    return isinstance(value, _SCALARS)


def identity(value: Any) -> Hashable:
    """A key that two values share if and only if JSON Schema calls them equal.

    1 and 1.0 are equal, 1 and true are not (Python holds the opposite of the second), and
    the order of an object's members does not count.
    """
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, list):
        return (list, *map(identity, value))
    if isinstance(value, dict):
        return (dict, frozenset((key, identity(item)) for key, item in value.items()))
    return value  # type: ignore[no-any-return]


def plain(value: Any) -> Any:
    """The JSON value that stands for a Python value in a schema: a default, an example.

    Raises TypeError for a value that no declaration of ours can stand for.
    """
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if is_scalar(value):
        return value
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if attrs.has(type(value)):
        return {
            each.alias: plain(getattr(value, each.name))
            for each in attrs.fields(type(value))
            if each.init
        }
    raise TypeError(f"{type(value).__name__} is no JSON value")


def from_json_text(text: str) -> Any:
    """Read JSON text exactly: integers of any size, no NaN. Raises ValueError."""
    # Not orjson, which reads an integer beyond 64 bits as a float.
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
