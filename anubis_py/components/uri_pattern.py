"""How the expressions of a template are found in a URI: one regular expression, and a reading of
what it captured."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias
from urllib.parse import quote, unquote_to_bytes

import attrs

from ..errors import ConfigurationError
from .uri_syntax import ESCAPE, FOREIGN, Expression, Operator, Part


@attrs.frozen(eq=False, repr=False)
class Value:
    """A variable in its place: where it ends, and what it may decode to."""

    name: str
    stops: str
    kind: Literal["segment", "path", "text"]
    # `file://{+path}`: the slash after an empty authority begins the value itself.
    rooted: bool = False

    def read(self, raw: str) -> dict[str, str] | None:
        value = _decode(raw)
        return None if value is None or not self._admits(value, raw) else {self.name: value}

    def _admits(self, value: str, raw: str) -> bool:
        if "\0" in value:
            return False
        if self.kind == "segment":
            return value not in (".", "..") and "/" not in value and "\\" not in value
        if self.kind == "path":
            relative = (self.rooted and raw[0] == "/") or not _ABSOLUTE.match(value)
            return relative and ".." not in value.replace("\\", "/").split("/")
        return True


# A drive counts on every platform: whether it leads anywhere is not for a URI to find out.
_ABSOLUTE: Final = re.compile(r"[/\\]|[A-Za-z]:")


@attrs.frozen(eq=False, repr=False)
class Parameters:
    """All the named parameters that stand in one place."""

    operator: Operator
    values: Mapping[str, Value]
    stops: str

    def read(self, raw: str) -> dict[str, str] | None:
        found: dict[str, str] = {}
        for piece in raw[1:].split(self.operator.separator) if raw else ():
            name, _, text = piece.partition("=")
            value = self.values[name].read(text) if name in self.values else None
            if value is None or name in found:
                return None
            found |= value
        return found


Capture: TypeAlias = Value | Parameters
Element: TypeAlias = str | Capture


def _decode(raw: str) -> str | None:
    if "%" not in raw:
        return raw
    try:
        return unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        return None


def elements_of(parts: Sequence[Part]) -> list[Element]:
    """The literals and captures of the template, in the order in which they match."""
    shape = [part if isinstance(part, str) else part.operator.first for part in parts]
    elements: list[Element] = []
    for index, part in enumerate(parts):
        before, after = "".join(shape[:index]), "".join(shape[index + 1 :])
        if isinstance(part, str):
            elements.append(part)
        elif part.operator.named:
            _add_parameters(elements, part)
        else:
            elements += _positional(part, before, after)
    return elements


def _positional(part: Expression, before: str, after: str) -> Iterator[Element]:
    operator = part.operator
    text = not {"?", "#"}.isdisjoint(before + operator.first)
    stops = "#" if operator.reserved else "&#" if text else "/?#"
    # A run of parameters begins at the first of its characters, not at one inside a value.
    stops += "".join(mark for mark in "?;&" if mark in after)
    if len(part.names) > 1:
        stops += operator.separator
    kind: Literal["segment", "path", "text"]
    kind = "text" if text else "path" if operator.reserved else "segment"
    for index, name in enumerate(part.names):
        if lead := operator.separator if index else operator.first:
            yield lead
        yield Value(name, stops, kind, rooted=index == 0 and before.endswith("://"))


def _add_parameters(elements: list[Element], part: Expression) -> None:
    in_path = part.operator.first == ";"
    stops = "/?#" if in_path else "#"
    values = {name: Value(name, stops, "segment" if in_path else "text") for name in part.names}
    last = elements[-1] if elements else ""
    if isinstance(last, Parameters) and last.operator.separator == part.operator.first:
        elements[-1] = attrs.evolve(last, values={**last.values, **values})
    else:
        elements.append(Parameters(part.operator, values, stops))


def compile_pattern(elements: Sequence[Element]) -> re.Pattern[str]:
    """One expression that takes linear time, since no part of a URI can be read twice.

    A value whose characters exclude what follows it ends in one place only, so it is atomic.
    Behind one that has a choice, each value excludes the literal that it begins after: so it
    can begin in one place only for each place where it can end.
    """
    pattern, choice = "", False
    for index, element in enumerate(elements):
        if isinstance(element, str):
            pattern += _literal_pattern(element)
        elif isinstance(element, Parameters):
            _check_end(element, elements[index + 1 :])
            opening = re.escape(element.operator.first)
            pattern += f"((?>(?:{opening}{_characters(element.stops, '++')}*)?))"
        else:
            follower = _follower(element, elements[index + 1 :])
            before = elements[index - 1] if choice else ""
            assert isinstance(before, str)
            certain = follower == "" or follower in element.stops
            pattern += _value_pattern(element, before, certain)
            choice = choice or not certain
    return re.compile(pattern)


def _value_pattern(value: Value, before: str, certain: bool) -> str:
    count = "*" if value.kind == "text" else "+"
    if certain and not before:
        return f"((?>{_characters(value.stops, '++')}{count}))"
    guard = f"(?!{_literal_pattern(before)})" if before else ""
    run = f"(?:{guard}{_characters(value.stops)}){count}"
    return f"((?>{run}))" if certain else f"({run})"


def _characters(stops: str, count: str = "") -> str:
    return f"(?:[^{FOREIGN}{re.escape(stops)}]{count}|{ESCAPE})"


def _literal_pattern(text: str) -> str:
    def either(unit: re.Match[str]) -> str:
        encoded = quote(unit.group(), safe="%")
        return f"(?:{re.escape(unit.group())}|(?i:{encoded}))"

    return re.sub(rf"{ESCAPE}|[^\0-\x7f]", either, re.escape(text))


def _follower(value: Value, rest: Sequence[Element]) -> str:
    """The character that comes next for certain, if any: parameters may be absent."""
    following = next((element for element in rest if not isinstance(element, Parameters)), "")
    if isinstance(following, Value):
        raise ConfigurationError(
            f"nothing tells where {value.name!r} ends and {following.name!r} begins: "
            "put a literal between them"
        )
    return following[:1]


def _check_end(parameters: Parameters, rest: Sequence[Element]) -> None:
    following = rest[0] if rest else ""
    if isinstance(following, Parameters):
        following = following.operator.first
    if following and (isinstance(following, Value) or following[0] not in parameters.stops):
        names = ",".join(parameters.values)
        raise ConfigurationError(
            f"what follows {{{parameters.operator.first}{names}}} would be part of its values: "
            f"only one of {' '.join(parameters.stops)} can end it"
        )
