"""Whether a server is being imported, to be run by whoever imports it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_loading: Final[ContextVar[str | None]] = ContextVar("loading", default=None)


def being_loaded() -> str | None:
    """The source of the target that is being imported by whoever calls."""
    return _loading.get()


@contextmanager
def loading(source: str) -> Iterator[None]:
    """Within, the target of this source is being imported."""
    token = _loading.set(source)
    try:
        yield
    finally:
        _loading.reset(token)
