"""How long a string or a list may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs

from anubis_py.errors import ConfigurationError
from anubis_py.schema.shape import at_most_one


@attrs.frozen(eq=False, repr=False)
class Lengths:
    """Inclusive bounds; false if there is no bound."""

    least: int | None = None
    most: int | None = None

    @classmethod
    def of(
        cls, options: Mapping[str, Any], least: tuple[str, ...], most: tuple[str, ...]
    ) -> Lengths:
        """The bounds that options of these names give. Raises ConfigurationError."""
        lengths = cls(_length(options, least), _length(options, most))
        if lengths.least is not None and lengths.most is not None and lengths.least > lengths.most:
            raise ConfigurationError(
                f"nothing is at least {lengths.least} and at most {lengths.most} long."
                " Exchange the bounds"
            )
        return lengths

    def __bool__(self) -> bool:
        return self.least is not None or self.most is not None

    def fit(self, length: int) -> bool:
        return (self.least is None or length >= self.least) and (
            self.most is None or length <= self.most
        )

    def json_schema(self, least: str, most: str) -> dict[str, Any]:
        bounds = {least: self.least, most: self.most}
        return {keyword: bound for keyword, bound in bounds.items() if bound is not None}

    def phrase(self, unit: str) -> str:
        """ " of 1 to 3 items", or nothing."""
        if self.least is not None and self.most is not None:
            if self.least == self.most:
                return f" of exactly {_count(self.least, unit)}"
            return f" of {self.least} to {_count(self.most, unit)}"
        if self.least is not None:
            return f" of at least {_count(self.least, unit)}"
        return f" of at most {_count(self.most, unit)}" if self.most is not None else ""

    def found(self, what: str, length: int, unit: str) -> str:
        """What was found; how long it is, only if that is what was wrong."""
        return what if self.fit(length) else f"{what} of {_count(length, unit)}"


FREE: Final = Lengths()


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def _length(options: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    name = at_most_one(options, *names)
    if name is None:
        return None
    value = options[name]
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ConfigurationError(
            f"{name} counts here, so it must be an int of 0 or more, not {value!r}"
        )
    return value
