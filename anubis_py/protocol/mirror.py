"""Values of the body that a client repeats in headers, read back from there."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Final

from ..errors import header_mismatch

# The specification: "These markers are case-sensitive and MUST appear exactly as shown".
_PREFIX: Final = "=?base64?"
_SUFFIX: Final = "?="


def decode_mirrored(header: str, value: str) -> str:
    """What the client mirrored in `value`: the text itself, or the text that its Base64 holds.

    `header` is the name to put into the error, for a value that is neither.
    """
    # "HTTP header field values must consist of visible ASCII characters (0x21-0x7E), space
    # (0x20), and horizontal tab (0x09)."
    if not (value.isascii() and value.replace("\t", " ").isprintable()):
        raise header_mismatch(f"{header} header has characters that only Base64 may carry")
    if not (value.startswith(_PREFIX) and value.endswith(_SUFFIX)):
        return value
    # A value too short to hold both markers is itself: `=?base64?=`.
    payload = value[len(_PREFIX) : -len(_SUFFIX)]
    return _decode(header, payload) if len(value) >= len(_PREFIX + _SUFFIX) else value


def _decode(header: str, payload: str) -> str:
    try:
        content = b64decode(payload, validate=True)
        # One text has one encoding: no excess padding, no stray bits in the last character.
        if b64encode(content).decode() == payload:
            return content.decode()
    except ValueError:
        pass
    raise header_mismatch(f"{header} header is marked as Base64, and is not Base64 of UTF-8 text")


def shown(value: str) -> str:
    """At most the beginning of what a peer sent, and nothing that a terminal would obey."""
    return ascii(value if len(value) <= 64 else value[:61] + "...")
