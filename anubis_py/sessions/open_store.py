"""A store by its name, for the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..errors import ConfigurationError, near_miss
from .store import Store

_FORMS: Final = "memory, sqlite:PATH, redis://HOST:PORT/DB or rediss://HOST:PORT/DB"


def open_store(text: str) -> Store:
    """The store that `text` names. Raises ConfigurationError. Nothing is connected or read."""
    kind, colon, rest = text.partition(":")
    match kind, bool(colon):
        case "memory", False:
            from .memory import MemoryStore

            return MemoryStore()
        case "sqlite", True:
            return _in_file(rest)
        case (("redis" | "rediss"), True) if rest.startswith("//"):
            from .redis import RedisStore

            return RedisStore(text)
    hint = near_miss(kind, ("memory", "sqlite", "redis", "rediss"))
    # The name may hold a password.
    raise ConfigurationError(f"There is no store {kind!r} of this form.{hint} Write {_FORMS}")


def _in_file(path: str) -> Store:
    from .sqlite import SqliteStore

    if not path or path.startswith("//"):
        raise ConfigurationError("Name a file: sqlite:sessions.db, or sqlite:/var/lib/sessions.db")
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise ConfigurationError(f"There is no folder {str(folder)!r} for {path!r}: make it first")
    return SqliteStore(path)
