"""Shapes of numbers."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, Literal

import attrs
import voluptuous as vol

from anubis_py.errors import ConfigurationError
from anubis_py.schema.faults import json_type, mismatch
from anubis_py.schema.shape import Check, Definitions, Document, Shape, at_most_one

Number = int | float

# keyword of JSON Schema, the options that give it, the sign in sentences, the comparison
_BOUNDS: Final[tuple[tuple[str, tuple[str, ...], str, Callable[[Any, Any], bool]], ...]] = (
    ("minimum", ("min", "gte"), ">=", operator.ge),
    ("exclusiveMinimum", ("gt",), ">", operator.gt),
    ("maximum", ("max", "lte"), "<=", operator.le),
    ("exclusiveMaximum", ("lt",), "<", operator.lt),
)
_TEXT: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


@attrs.frozen(eq=False, repr=False)
class NumberShape(Shape):
    """`kind` is what the callback gets: an int, a float, or either as it was sent.

    In JSON Schema 3.0 is an integer: it has no second number type, and JavaScript cannot
    even write the two apart. So an int field takes 3.0 and gives 3.
    """

    takes: ClassVar[frozenset[str]] = frozenset(
        {"min", "max", "gt", "gte", "lt", "lte", "multiple_of", "format"}
    )

    kind: Literal["int", "float", "number"]
    # A mapping from the keywords above; a tuple of pairs, to be hashable.
    bounds: tuple[tuple[str, Number], ...] = ()
    multiple_of: Number | None = None
    format: str | None = None

    @property
    def expects(self) -> str:
        signs = {keyword: sign for keyword, _, sign, _ in _BOUNDS}
        limits = [f"{signs[keyword]} {bound}" for keyword, bound in self.bounds]
        if self.multiple_of is not None:
            limits.append(f"a multiple of {self.multiple_of}")
        return " ".join(filter(None, [self._json_type, " and ".join(limits)]))

    @property
    def json_types(self) -> frozenset[str]:
        return frozenset({"integer", "number"})

    @property
    def _json_type(self) -> str:
        return "integer" if self.kind == "int" else "number"

    def json_schema(self, definitions: Definitions) -> Document:
        document: Document = {"type": self._json_type, **dict(self.bounds)}
        if self.multiple_of is not None:
            document["multipleOf"] = self.multiple_of
        if self.format is not None:
            document["format"] = self.format
        return document

    def __voluptuous_compile__(self, schema: vol.Schema) -> Check:
        expects, holds, convert = self.expects, self._constraints(), _CONVERT[self.kind]

        def check(path: list[Any], value: Any) -> Number:
            number = convert(value)
            if number is not None:
                # The constraints see what was sent: converting first could move a big
                # integer across a bound.
                for hold in holds:
                    if not hold(value):
                        break
                else:
                    return number
            raise mismatch(path, expects, json_type(value))

        return check

    def _constraints(self) -> tuple[Callable[[Number], bool], ...]:
        compare = {keyword: comparison for keyword, _, _, comparison in _BOUNDS}
        holds = [_bound(compare[keyword], bound) for keyword, bound in self.bounds]
        if self.multiple_of is not None:
            holds.append(_multiple(self.multiple_of))
        return tuple(holds)

    def from_text(self, text: str) -> Any:
        text = text.strip()
        match = _TEXT.fullmatch(text)
        if not match:
            raise ValueError
        return float(text) if match[1] or match[2] else int(text)

    def constrained(self, options: Mapping[str, Any]) -> Shape:
        bounds = []
        for keyword, names, _, _ in _BOUNDS:
            if name := at_most_one(options, *names):
                bounds.append((keyword, _number(name, options[name])))
        _check_not_empty(dict(bounds))
        multiple_of = options.get("multiple_of")
        if multiple_of is not None and _number("multiple_of", multiple_of) <= 0:
            raise ConfigurationError("multiple_of must be above 0")
        return attrs.evolve(
            self, bounds=tuple(bounds), multiple_of=multiple_of, format=options.get("format")
        )


def _to_int(value: Any) -> Number | None:
    if type(value) is int:  # the quick way; a bool's type is bool
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return _whole(value)


def _to_float(value: Any) -> Number | None:
    if not isinstance(value, float) and _whole(value) is None:
        return None
    try:
        number = float(value)
    except OverflowError:
        return _whole(
            value
        )  # JSON has such numbers and the schema takes them: better exact than lost
    return number if math.isfinite(number) else None


def _as_sent(value: Any) -> Number | None:
    if isinstance(value, float):  # NaN and infinity are floats, but no JSON
        return value if math.isfinite(value) else None
    return _whole(value)


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


_CONVERT: Final[dict[str, Callable[[Any], Number | None]]] = {
    "int": _to_int,
    "float": _to_float,
    "number": _as_sent,
}


def _bound(compare: Callable[[Any, Any], bool], bound: Number) -> Callable[[Number], bool]:
    return lambda value: compare(value, bound)


def _multiple(factor: Number) -> Callable[[Number], bool]:
    """As the stock validator decides it, so that both say the same of 0.3 and 0.1."""
    if isinstance(factor, int):
        return lambda value: not value % factor

    def holds(value: Number) -> bool:
        try:
            quotient = value / factor
            return int(quotient) == quotient
        except OverflowError:
            # Imported by the first number that is so large.
            from fractions import Fraction

            return (Fraction(value) / Fraction(factor)).denominator == 1

    return holds


def _number(name: str, value: object) -> Number:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return value
    raise ConfigurationError(f"{name} must be a number, not {value!r}")


def _check_not_empty(bounds: dict[str, Number]) -> None:
    least = max((bounds[k] for k in ("minimum", "exclusiveMinimum") if k in bounds), default=None)
    most = min((bounds[k] for k in ("maximum", "exclusiveMaximum") if k in bounds), default=None)
    if least is not None and most is not None and least > most:
        raise ConfigurationError(
            f"no number is above {least} and below {most}. Exchange the bounds"
        )
