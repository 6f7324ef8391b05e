"""Bytes <-> JSON values, exactly: integers of any size survive both ways."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import attrs
import orjson

Fragment = orjson.Fragment
"""JSON that is encoded already, to be placed in a message as it is."""

# orjson reads an integer above 64 bits as a float, without a word. Every such integer has
# at least this many digits in a row.
_LONG: Final = b"0" * 19
_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")


def loads(data: bytes) -> Any:
    """Parse one JSON text, strictly (no NaN, no lone surrogates, UTF-8).

    Raises ValueError for anything else; the message never quotes the text.
    """
    value = orjson.loads(data)
    if _LONG in data.translate(_DIGITS):
        return json.loads(data)
    return value


def dumps(value: Any) -> bytes:
    """Encode a value on one line. Raises TypeError when JSON has no form for it."""
    try:
        return orjson.dumps(value, default=plain)
    except TypeError as error:
        if "64-bit" not in str(error):
            raise
        text = json.dumps(value, default=_plain, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8")


def plain(value: Any) -> Any:
    """The JSON-like form of the other values that people put in results."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "to_json"):
        return value.to_json()
    if attrs.has(type(value)):
        return {a.name: getattr(value, a.name) for a in attrs.fields(type(value))}
    if isinstance(value, set | frozenset):
        return list(value)
    raise TypeError(f"a value of type {type(value).__name__} has no JSON form")


def _plain(value: Any) -> Any:
    return json.loads(orjson.dumps(value)) if isinstance(value, Fragment) else plain(value)
