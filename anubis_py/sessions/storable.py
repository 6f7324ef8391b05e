"""Whether a value comes back from a store as it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Scalars of JSON. Subclasses, such as an enum of str, would come back as what they extend.
_SCALARS = frozenset({str, int, bool, type(None)})


def unstorable(value: Any, path: str) -> str | None:
    """What of a value would not come back: where it is, what it is, and what would do. None: all
    of it does.

    JSON has a form for some more, such as a tuple, and gives back another thing.
    """
    kind = type(value)
    if kind in _SCALARS or (kind is float and value - value == 0):
        return None
    if kind is list:
        parts = ((item, f"{path}[{index}]") for index, item in enumerate(value))
    elif isinstance(value, Mapping):
        for key in value:
            if type(key) is not str:
                return f"{path} has a key of type {type(key).__name__}, which has to be a str"
        parts = ((item, f"{path}[{key!r}]") for key, item in value.items())
    else:
        return f"{path} is a {kind.__name__}{_INSTEAD.get(kind, '')}"
    return next((fault for part in parts if (fault := unstorable(*part))), None)


_INSTEAD: Mapping[type, str] = {
    tuple: ", which would come back as a list",
    set: ", which would come back as a list",
    frozenset: ", which would come back as a list",
    bytes: ", which JSON has no form for",
    float: " that is no number",
}
