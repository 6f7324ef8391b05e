"""Regular expressions that mean the same in JSON Schema as in Python.

JSON Schema's are ECMA-262. What Python alone understands is refused at declaration. Two
differences remain and are harmless: `\\d`, `\\w` and `\\s` know more of Unicode in Python, and
Python's `$` also matches before a final line feed. In both, validation here does as the
stock Python validator does (`re.search`).
"""

from __future__ import annotations

import re
from typing import Final

from anubis_py.errors import ConfigurationError

# Scanned from left to right, so that an escaped or bracketed character is not taken for
# syntax. `python` is what ECMA-262 lacks or reads in another way.
_SCAN: Final = r"""
    (?P<python> \\[AZ]            # anchors
              | \(\?P[<=>]        # named groups
              | \(\?[aiLmsux-]+[:)] | \(\?\#   # flags, comments
              | \(\?> | \(\?\(    # atomic and conditional groups
              | [*+?}]\+          # possessive quantifiers
              | \{,[0-9]*\}       # {,3}: a literal text in ECMA-262
              | \[\^?\]           # []abc]: an empty class in ECMA-262
    )
    | \\. | \[ (?: \\. | [^\]\\] )* \]
    """
_INSTEAD: Final = {
    r"\A": "^",
    r"\Z": "$",
    "(?P<": "plain (…)",
    "(?P=": r"\1",
    "(?#": "a comment in the code",
}


def portable(regex: object) -> str:
    """The source of a pattern that JSON Schema can say. Raises ConfigurationError."""
    if isinstance(regex, re.Pattern):
        if regex.flags & ~re.UNICODE:
            raise ConfigurationError(
                "regex has flags, which JSON Schema cannot say. Write them out in the pattern,"
                " such as [aA] for an ignored case"
            )
        regex = regex.pattern
    if not isinstance(regex, str):
        raise ConfigurationError(f"regex must be a str, not {type(regex).__name__}")
    _compile(regex)
    for found in re.finditer(_SCAN, regex, re.VERBOSE | re.DOTALL):
        if construct := found["python"]:
            raise ConfigurationError(_not_portable(construct))
    return regex


def _compile(regex: str) -> None:
    try:
        re.compile(regex)
    except (re.error, RecursionError, OverflowError) as error:
        raise ConfigurationError(f"regex {regex!r} does not compile: {error}") from None


def _not_portable(construct: str) -> str:
    hint = f". Instead: {_INSTEAD[construct]}" if construct in _INSTEAD else ""
    return (
        f"regex uses {construct!r}, which Python alone reads so and JSON Schema (ECMA-262)"
        f" does not{hint}"
    )
