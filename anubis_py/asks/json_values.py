"""Which Python values are JSON, and come back from the wire as they were."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def json_fault(value: Any, path: str) -> str | None:
    """The part of a value that JSON has no form for, in a sentence; None: there is none."""
    try:
        return _fault(value, path)
    except RecursionError:
        return f"{path} is nested too deeply"


def _fault(value: Any, path: str) -> str | None:
    if value is None or isinstance(value, str | int):
        return None
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{path} is {value}, which is not JSON"
    if isinstance(value, list | tuple):
        parts = [(f"{path}[{index}]", item) for index, item in enumerate(value)]
    elif isinstance(value, Mapping):
        if odd := [key for key in value if not isinstance(key, str)]:
            return f"{path} has the key {odd[0]!r}; the keys of a JSON object are strings"
        parts = [(f"{path}[{key!r}]", item) for key, item in value.items()]
    else:
        return f"{path} is a {type(value).__name__}, which is not JSON"
    return next((fault for where, item in parts if (fault := _fault(item, where))), None)
