"""The syntax of RFC 6570 up to level 3: a template as literals and expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias
from urllib.parse import quote

import attrs

from ..errors import ConfigurationError

ESCAPE: Final = "%[0-9A-Fa-f]{2}"
_RESERVED: Final = ":/?#[]@!$&'()*+,;="

# What RFC 3986 has no place for in a URI, but for the space and for letters outside ASCII:
# there are clients that send these as they are.
FOREIGN: Final = r'\x00-\x1f\x7f"<>\\^`{|}%\ud800-\udfff'

_PART: Final = re.compile(r"\{(?P<expression>[^{}]*)\}|(?P<literal>[^{}]+)|(?P<brace>[{}])")
_NOT_LITERAL: Final = re.compile(f"(?!{ESCAPE})[{FOREIGN} ]")

# RFC 6570, section 2.3: "varname = varchar *( ["."] varchar )".
_NAME: Final = re.compile(rf"(?:\w|{ESCAPE})(?:\.?(?:\w|{ESCAPE}))*", re.ASCII)


@attrs.frozen(eq=False, repr=False)
class Operator:
    """A row of the table in RFC 6570, appendix A."""

    first: str
    separator: str
    named: bool = False
    reserved: bool = False
    if_empty: str = ""


_OPERATORS: Final[Mapping[str, Operator]] = {
    "": Operator("", ","),
    "+": Operator("", ",", reserved=True),
    "#": Operator("#", ",", reserved=True),
    ".": Operator(".", "."),
    "/": Operator("/", "/"),
    ";": Operator(";", ";", named=True),
    "?": Operator("?", "&", named=True, if_empty="="),
    "&": Operator("&", "&", named=True, if_empty="="),
}


@attrs.frozen(eq=False, repr=False)
class Expression:
    operator: Operator
    names: tuple[str, ...]

    def expand(self, values: Mapping[str, str]) -> str:
        pieces = [self._piece(name, values[name]) for name in self.names if name in values]
        return self.operator.first + self.operator.separator.join(pieces) if pieces else ""

    def _piece(self, name: str, value: str) -> str:
        encoded = encode(value) if self.operator.reserved else quote(value, safe="")
        if not self.operator.named:
            return encoded
        return f"{name}={encoded}" if encoded else name + self.operator.if_empty


Part: TypeAlias = str | Expression


def encode(text: str) -> str:
    """RFC 6570, section 3.2.1: reserved characters and escapes stay as they are."""
    return quote(re.sub(rf"%(?!{ESCAPE[1:]})", "%25", text), safe=_RESERVED + "%")


def parse_parts(text: str) -> Iterator[Part]:
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


def _expression(body: str) -> Expression:
    if body[:1] in tuple("=,!@|"):
        raise ConfigurationError(
            f"{{{body}}} begins with {body[0]!r}, which RFC 6570 keeps for later: "
            "the operators are + # . / ; ? &"
        )
    operator = body[:1] if body[:1] in _OPERATORS else ""
    names = body[len(operator) :].split(",")
    return Expression(_OPERATORS[operator], tuple(_name(name, body) for name in names))


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


def variables_of(parts: Sequence[Part]) -> tuple[str, ...]:
    names = tuple(name for part in parts if not isinstance(part, str) for name in part.names)
    for name in names:
        if names.count(name) > 1:
            raise ConfigurationError(f"{name!r} is there twice: each variable has its own name")
    return names
