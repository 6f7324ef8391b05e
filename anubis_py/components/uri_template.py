"""URI templates, read in both directions: from values to a URI, and from a URI to values.

RFC 6570 defines the first direction. It leaves the second to others (section 1.4), so these
are the rules here. A URI is matched in its encoded form and as a whole; then each value is
percent-decoded, once. Literals are compared as they are written, case included; only the hex
digits of an escape may differ in case, and a letter outside ASCII is the same as its escape.

- `{name}` takes one or more characters, up to `/`, `?` or `#`; what it decodes to is one
  segment. `{.name}` and `{/name}` are the same after a dot or a slash.
- `{+path}` crosses `/`, up to `#`; and up to `?` if the template goes on with a query.
- After a `?` or `#` of the template, as in `?q={q}` and in `{#name}`, a value is free text up
  to `#` (and `&`, if it is not `{+q}` or `{#q}`), and may be empty.
- `{?a,b}`, `{&a,b}` and `{;a,b}` may come in any order or be absent. A parameter that the
  template does not name, or one that comes twice, is no match.
- Where two readings are possible, the earlier variable takes all that it can, and later ones
  do not contain the literal written before them: `archive.tar.gz` is (`archive.tar`, `gz`)
  for `{name}.{format}`.

Whatever leads out of a directory is no match, however it is encoded: `/`, `\\`, `.` and `..`
for a segment (`a%2Fb` too, since it decodes to `a/b`), a `..` segment or an absolute path for
`{+path}`, and NUL anywhere. Free text is not a path: a handler that makes one of it, checks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias
from urllib.parse import quote, unquote_to_bytes

import attrs

from ..errors import ConfigurationError

# RFC 9110, section 4.1: "It is RECOMMENDED that all senders and recipients support, at a
# minimum, URIs with lengths of 8000 octets". Nothing longer is looked at.
_LONGEST_URI: Final = 8192

_ESCAPE: Final = "%[0-9A-Fa-f]{2}"
_RESERVED: Final = ":/?#[]@!$&'()*+,;="

# What RFC 3986 has no place for in a URI, but for the space and for letters outside ASCII:
# there are clients that send these as they are.
_FOREIGN: Final = r'\x00-\x1f\x7f"<>\\^`{|}%\ud800-\udfff'

_PART: Final = re.compile(r"\{(?P<expression>[^{}]*)\}|(?P<literal>[^{}]+)|(?P<brace>[{}])")
_NOT_LITERAL: Final = re.compile(f"(?!{_ESCAPE})[{_FOREIGN} ]")

# RFC 6570, section 2.3: "varname = varchar *( ["."] varchar )".
_NAME: Final = re.compile(rf"(?:\w|{_ESCAPE})(?:\.?(?:\w|{_ESCAPE}))*", re.ASCII)


@attrs.frozen
class _Operator:
    """A row of the table in RFC 6570, appendix A."""

    first: str
    separator: str
    named: bool = False
    reserved: bool = False
    if_empty: str = ""


_OPERATORS: Final[Mapping[str, _Operator]] = {
    "": _Operator("", ","),
    "+": _Operator("", ",", reserved=True),
    "#": _Operator("#", ",", reserved=True),
    ".": _Operator(".", "."),
    "/": _Operator("/", "/"),
    ";": _Operator(";", ";", named=True),
    "?": _Operator("?", "&", named=True, if_empty="="),
    "&": _Operator("&", "&", named=True, if_empty="="),
}


@attrs.frozen
class _Expression:
    operator: _Operator
    names: tuple[str, ...]

    def expand(self, values: Mapping[str, str]) -> str:
        pieces = [self._piece(name, values[name]) for name in self.names if name in values]
        return self.operator.first + self.operator.separator.join(pieces) if pieces else ""

    def _piece(self, name: str, value: str) -> str:
        encoded = _encode(value) if self.operator.reserved else quote(value, safe="")
        if not self.operator.named:
            return encoded
        return f"{name}={encoded}" if encoded else name + self.operator.if_empty


@attrs.frozen
class _Value:
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


@attrs.frozen
class _Parameters:
    """All the named parameters that stand in one place."""

    operator: _Operator
    values: Mapping[str, _Value]
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


_Part: TypeAlias = str | _Expression
_Capture: TypeAlias = _Value | _Parameters
_Element: TypeAlias = str | _Capture


@attrs.frozen
class UriTemplate:
    """An RFC 6570 template up to level 3, compiled once by `parse`."""

    template: str
    variables: tuple[str, ...]
    _parts: tuple[_Part, ...] = attrs.field(repr=False, eq=False)
    _captures: tuple[_Capture, ...] = attrs.field(repr=False, eq=False)
    _pattern: re.Pattern[str] = attrs.field(repr=False, eq=False)

    @classmethod
    def parse(cls, text: str, *, owner: str) -> UriTemplate:
        """Raises ConfigurationError, which names `owner`, what was found, and the fix."""
        try:
            parts = tuple(_parse(text))
            variables = _variables(parts)
            elements = _elements(parts)
            pattern = _compile(elements)
        except ConfigurationError as bad:
            raise ConfigurationError(f"{owner}: URI template {text!r}: {bad}") from None
        captures = tuple(element for element in elements if not isinstance(element, str))
        return cls(text, variables, parts, captures, pattern)

    def match(self, uri: str) -> dict[str, str] | None:
        """The decoded value of each variable, or None if `uri` is none of this template's.

        A malformed escape, one that is not UTF-8, and a value that leads out of its directory
        are no match either: to the client, such a resource does not exist. Parameters that are
        absent from the URI are absent from the result. The time it takes is in proportion to
        the length of the URI, whatever that contains.
        """
        found = self._pattern.fullmatch(uri) if len(uri) <= _LONGEST_URI else None
        if found is None:
            return None
        result: dict[str, str] = {}
        for capture, raw in zip(self._captures, found.groups(), strict=True):
            values = capture.read(raw)
            if values is None:
                return None
            result |= values
        return result

    def expand(self, values: Mapping[str, str]) -> str:
        """The URI for these values, encoded as RFC 6570 says: what has no value is left out."""
        return "".join(
            _encode(part) if isinstance(part, str) else part.expand(values) for part in self._parts
        )


# Encoding


def _encode(text: str) -> str:
    """RFC 6570, section 3.2.1: reserved characters and escapes stay as they are."""
    return quote(re.sub(rf"%(?!{_ESCAPE[1:]})", "%25", text), safe=_RESERVED + "%")


def _decode(raw: str) -> str | None:
    if "%" not in raw:
        return raw
    try:
        return unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        return None


# Parsing


def _parse(text: str) -> Iterator[_Part]:
    for part in _PART.finditer(text):
        if part["brace"]:
            raise ConfigurationError(
                f"{part['brace']!r} at position {part.start()} has no counterpart: "
                "every expression is one pair of braces, and a brace itself is %7B or %7D"
            )
        literal = part["literal"]
        yield _literal(literal) if literal else _expression(part["expression"])


def _literal(text: str) -> str:
    if bad := _NOT_LITERAL.search(text):
        raise ConfigurationError(
            f"{bad.group()!r} may not stand in a URI: write {quote(bad.group(), errors='replace')}"
        )
    return text


def _expression(body: str) -> _Expression:
    if body[:1] in tuple("=,!@|"):
        raise ConfigurationError(
            f"{{{body}}} begins with {body[0]!r}, which RFC 6570 keeps for later: "
            "the operators are + # . / ; ? &"
        )
    operator = body[:1] if body[:1] in _OPERATORS else ""
    names = body[len(operator) :].split(",")
    return _Expression(_OPERATORS[operator], tuple(_name(name, body) for name in names))


def _name(name: str, body: str) -> str:
    if name.endswith("*"):
        raise ConfigurationError(
            f"{{{body}}} explodes {name[:-1]!r}, and only single values are served (level 3 of "
            f"RFC 6570): write {{+{name[:-1]}}} for a value that contains slashes"
        )
    if ":" in name:
        name = name.partition(":")[0]
        raise ConfigurationError(
            f"{{{body}}} takes a prefix of {name!r}, and only whole values are served (level 3 "
            f"of RFC 6570): write {{{name}}} and cut the value when it is read"
        )
    if not _NAME.fullmatch(name):
        raise ConfigurationError(
            f"{{{body}}} has {name!r} for a variable's name: use letters, digits and underscores"
        )
    return name


def _variables(parts: Sequence[_Part]) -> tuple[str, ...]:
    names = tuple(name for part in parts if not isinstance(part, str) for name in part.names)
    for name in names:
        if names.count(name) > 1:
            raise ConfigurationError(f"{name!r} is there twice: each variable has its own name")
    return names


# Matching


def _elements(parts: Sequence[_Part]) -> list[_Element]:
    """The literals and captures of the template, in the order in which they match."""
    shape = [part if isinstance(part, str) else part.operator.first for part in parts]
    elements: list[_Element] = []
    for index, part in enumerate(parts):
        before, after = "".join(shape[:index]), "".join(shape[index + 1 :])
        if isinstance(part, str):
            elements.append(part)
        elif part.operator.named:
            _add_parameters(elements, part)
        else:
            elements += _positional(part, before, after)
    return elements


def _positional(part: _Expression, before: str, after: str) -> Iterator[_Element]:
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
        yield _Value(name, stops, kind, rooted=index == 0 and before.endswith("://"))


def _add_parameters(elements: list[_Element], part: _Expression) -> None:
    in_path = part.operator.first == ";"
    stops = "/?#" if in_path else "#"
    values = {name: _Value(name, stops, "segment" if in_path else "text") for name in part.names}
    last = elements[-1] if elements else ""
    if isinstance(last, _Parameters) and last.operator.separator == part.operator.first:
        elements[-1] = attrs.evolve(last, values={**last.values, **values})
    else:
        elements.append(_Parameters(part.operator, values, stops))


def _compile(elements: Sequence[_Element]) -> re.Pattern[str]:
    """One expression that takes linear time, since no part of a URI can be read twice.

    A value whose characters exclude what follows it ends in one place only, so it is atomic.
    Behind one that has a choice, each value excludes the literal that it begins after: so it
    can begin in one place only for each place where it can end.
    """
    pattern, choice = "", False
    for index, element in enumerate(elements):
        if isinstance(element, str):
            pattern += _literal_pattern(element)
        elif isinstance(element, _Parameters):
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


def _value_pattern(value: _Value, before: str, certain: bool) -> str:
    count = "*" if value.kind == "text" else "+"
    if certain and not before:
        return f"((?>{_characters(value.stops, '++')}{count}))"
    guard = f"(?!{_literal_pattern(before)})" if before else ""
    run = f"(?:{guard}{_characters(value.stops)}){count}"
    return f"((?>{run}))" if certain else f"({run})"


def _characters(stops: str, count: str = "") -> str:
    return f"(?:[^{_FOREIGN}{re.escape(stops)}]{count}|{_ESCAPE})"


def _literal_pattern(text: str) -> str:
    def either(unit: re.Match[str]) -> str:
        encoded = quote(unit.group(), safe="%")
        return f"(?:{re.escape(unit.group())}|(?i:{encoded}))"

    return re.sub(rf"{_ESCAPE}|[^\0-\x7f]", either, re.escape(text))


def _follower(value: _Value, rest: Sequence[_Element]) -> str:
    """The character that comes next for certain, if any: parameters may be absent."""
    following = next((element for element in rest if not isinstance(element, _Parameters)), "")
    if isinstance(following, _Value):
        raise ConfigurationError(
            f"nothing tells where {value.name!r} ends and {following.name!r} begins: "
            "put a literal between them"
        )
    return following[:1]


def _check_end(parameters: _Parameters, rest: Sequence[_Element]) -> None:
    following = rest[0] if rest else ""
    if isinstance(following, _Parameters):
        following = following.operator.first
    if following and (isinstance(following, _Value) or following[0] not in parameters.stops):
        names = ",".join(parameters.values)
        raise ConfigurationError(
            f"what follows {{{parameters.operator.first}{names}}} would be part of its values: "
            f"only one of {' '.join(parameters.stops)} can end it"
        )
