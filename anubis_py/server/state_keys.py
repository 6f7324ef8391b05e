"""The keys that seal what a client carries from one round to the next."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable
from typing import Any, Final

from ..errors import ConfigurationError

VARIABLE: Final = "ANUBIS_PY_STATE_KEYS"
"""The environment variable for keys, separated by commas."""

KEY_BYTES: Final = 32
MAKE_ONE: Final = 'python -c "import secrets; print(secrets.token_urlsafe(32))"'


def check_rounds(server: type[Any]) -> None:
    """Find the mistakes of a class while it is created; what a property gives is seen later.
    Raises ConfigurationError."""
    keys = server.state_keys
    if keys is not None and not hasattr(keys, "__get__"):
        state_keys(server.__name__, keys)
    seconds = server.round_timeout
    if hasattr(seconds, "__get__"):
        return
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise ConfigurationError(
            f"{server.__name__}.round_timeout must be a number of seconds above 0, got {seconds!r}."
        )


def state_keys(server: str, given: Any) -> tuple[bytes, ...] | None:
    """The keys that a class names, else those of the environment; None: there are none.

    The first one seals, and all of them open. Raises ConfigurationError, which shows no key.
    """
    if given is not None:
        return _keys(f"{server}.state_keys", given)
    text = os.environ.get(VARIABLE, "")
    return _keys(VARIABLE, text.split(",")) if text.strip() else None


def _keys(source: str, given: Any) -> tuple[bytes, ...]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ConfigurationError(
            f"{source} must be a list of keys, not {type(given).__name__}: the first one seals, "
            "and all of them open, so that a new key can be put in front of the old one."
        )
    keys = tuple(_key(f"{source}[{index}]", key) for index, key in enumerate(given))
    if not keys:
        raise ConfigurationError(f"{source} is empty. Leave it None, or make a key: {MAKE_ONE}")
    return keys


def _key(place: str, key: object) -> bytes:
    raw = _decoded(key) if isinstance(key, str) else key if isinstance(key, bytes) else None
    if raw is not None and len(raw) == KEY_BYTES:
        return raw
    got = (
        f"{type(key).__name__} of {len(key)}"
        if isinstance(key, str | bytes)
        else type(key).__name__
    )
    raise ConfigurationError(
        f"{place} must be {KEY_BYTES} bytes, or their base64url or hex text, got {got}. "
        f"Make one: {MAKE_ONE}"
    )


def _decoded(text: str) -> bytes | None:
    text = text.strip()
    try:
        if len(text) == 2 * KEY_BYTES:
            return bytes.fromhex(text)
        padded = text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True)
    except ValueError:
        return None
