"""Settings by keyword."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import attrs

from .errors import ConfigurationError, near_miss

T = TypeVar("T")


def from_keywords(cls: type[T], given: Mapping[str, Any]) -> T:
    """An instance of an attrs class. An unknown keyword raises ConfigurationError."""
    known = [attribute.name for attribute in attrs.fields(cls)]  # type: ignore[arg-type]
    for name in given:
        if name not in known:
            raise ConfigurationError(f"There is no setting {name!r}.{near_miss(name, known)}")
    return cls(**given)
