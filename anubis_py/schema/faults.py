"""What is wrong with a value, in words that a model may read.

No sentence contains the value itself, nor a library's own words: arguments may be secrets,
and what a peer sent must not come back to another reader by way of a log or an answer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Final

import attrs
import voluptuous as vol

from anubis_py.errors import near_miss

# Names and positions; a name that is no str cannot come from JSON, but can from a callback.
Path = tuple[Hashable, ...]

# A body may hold a million faults. Nobody reads more than these; all are in `Invalid.faults`.
_SHOWN: Final = 100
# Member names come from the peer: a long one is cut where it is shown.
_LONGEST_NAME: Final = 64
# Looking for a near miss costs some 50 microseconds a name, so an object full of unknown
# names gets suggestions for its first few only.
_SUGGESTIONS: Final = 8


@attrs.frozen
class Fault:
    """One thing that is wrong: where (`()` is the value itself), and a sentence."""

    path: Path
    message: str

    def __str__(self) -> str:
        return f"{show_path(self.path)}: {self.message}" if self.path else self.message


class Invalid(Exception):
    """A value does not meet a schema. `faults` holds every fault, at every depth."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(self.faults)

    def __str__(self) -> str:
        text = "; ".join(map(str, self.faults[:_SHOWN]))
        hidden = len(self.faults) - _SHOWN
        return f"{text}; and {hidden} more" if hidden > 0 else text


class Missing(vol.RequiredFieldInvalid):  # type: ignore[misc, unused-ignore]
    """A required member is absent."""


class Unexpected(vol.Invalid):  # type: ignore[misc, unused-ignore]
    """A member that nothing declares."""


def mismatch(path: list[Any], expected: str, got: str) -> vol.Invalid:
    return vol.Invalid(f"expected {expected}, got {got}", path)


def missing(path: list[Any], name: str) -> Missing:
    return Missing("required, missing", [*path, name])


def unexpected(path: list[Any], names: list[Any], known: Iterable[str]) -> list[Unexpected]:
    """A fault for each of `names`, with the known name that was probably meant."""
    known = tuple(known)
    return [
        Unexpected(
            "not expected." + hint if (hint := _suggest(n, name, known)) else "not expected",
            [*path, name],
        )
        for n, name in enumerate(names)
    ]


def _suggest(position: int, name: object, known: tuple[str, ...]) -> str:
    if position >= _SUGGESTIONS or not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return ""
    return near_miss(name, known)


def faults_of(error: vol.Invalid) -> list[Fault]:
    errors = error.errors if isinstance(error, vol.MultipleInvalid) else [error]
    return [Fault(tuple(each.path), each.msg) for each in errors]


def json_type(value: object) -> str:
    """The JSON word for a value's type; Python's word for what JSON does not have."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case float():
            return "number" if math.isfinite(value) else "non-finite number"
        case list():
            return "array"
        case Mapping():
            return "object"
    return type(value).__name__


def show_path(path: Path) -> str:
    """`tree.children[0].kind`; a name that would not read well is quoted in brackets."""
    text = ""
    for step in path:
        if not isinstance(step, str):
            text += f"[{step}]"
        elif _reads_well(step):
            text += f".{step}" if text else step
        else:
            text += f"[{_quoted(step)}]"
    return text


def _reads_well(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and name.replace("-", "_").isidentifier()


def _quoted(name: str) -> str:
    return json.dumps(name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "…")
