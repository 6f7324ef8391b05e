"""How long sessions last, and how many there are."""

from __future__ import annotations

from typing import Any

import attrs

from ...errors import ConfigurationError


def _positive(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise ConfigurationError(f"{attribute.name} is {value!r}: expected a number above 0.")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionLimits:
    idle: float = attrs.field(default=1800.0, validator=_positive)
    """Seconds without a request after which a session is over."""
    count: int = attrs.field(default=10_000, validator=_positive)
    """Sessions in the memory of one process."""
