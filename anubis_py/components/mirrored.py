"""Arguments of a tool that clients repeat in `Mcp-Param-…` headers, so that proxies can route on
them (basic/transports/streamable-http, "Custom Headers from Tool Parameters")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from ..errors import ConfigurationError, header_mismatch
from ..protocol.mirror import decode_mirrored, shown

ANNOTATION: Final = "x-mcp-header"

_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# Python's float() takes "4_2" and " 42\n" too, which no proxy would.
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_TYPES: Final = ("integer", "string", "boolean")

# What these hold are values, in which the annotation's name means nothing.
_VALUES: Final = ("const", "default", "enum", "examples")


@attrs.frozen(eq=False, repr=False)
class MirroredParam:
    """One annotated property."""

    header: str
    """The name of the header, as in the specification."""
    path: tuple[str, ...]
    """The property names that lead to it from the root of the arguments."""

    def check(self, headers: Mapping[str, str], arguments: Mapping[str, Any]) -> None:
        """Raises McpError (-32020) unless the header repeats the argument.

        An argument that is absent or null has no header.
        """
        sent = headers.get(self.header.lower())
        value = self._value(arguments)
        if value is None:
            if sent is not None:
                raise header_mismatch(f"{self.header} header repeats no argument of the body")
            return
        if sent is None:
            raise header_mismatch(f"{self.header} header is missing: it repeats an argument")
        text = decode_mirrored(self.header, sent)
        if not _same(text, value):
            raise header_mismatch(f"{self.header} header value {shown(text)} is not the body's")

    def _value(self, arguments: Any) -> Any:
        for name in self.path:
            if not isinstance(arguments, Mapping):
                return None
            arguments = arguments.get(name)
        return arguments


def _same(text: str, value: Any) -> bool:
    if isinstance(value, bool):
        return text == ("true" if value else "false")
    if isinstance(value, int | float):
        # "Servers SHOULD compare the header value and the body value numerically."
        return text == str(value) or (_NUMBER.fullmatch(text) is not None and float(text) == value)
    return isinstance(value, str) and text == value


def mirrored_params(schema: Mapping[str, Any], owner: str) -> tuple[MirroredParam, ...]:
    """The annotated properties of an input schema. Raises ConfigurationError for an annotation
    that would make clients drop the tool."""
    found = tuple(_reachable(schema, (), owner))
    if len(found) != sum(1 for _ in _annotated(schema)):
        raise ConfigurationError(
            f"{owner}: {ANNOTATION} may only stand at properties that are reached from the root "
            f"through `properties` alone, not through items, $ref or combinations."
        )
    seen: set[str] = set()
    for param in found:
        if param.header.lower() in seen:
            raise ConfigurationError(
                f"{owner}: two properties have {param.header} as their header."
            )
        seen.add(param.header.lower())
    return found


def _reachable(
    schema: Mapping[str, Any], path: tuple[str, ...], owner: str
) -> Iterator[MirroredParam]:
    properties = schema.get("properties")
    for name, member in properties.items() if isinstance(properties, Mapping) else ():
        if not isinstance(member, Mapping):
            continue
        if ANNOTATION in member:
            yield _param(member, (*path, name), owner)
        yield from _reachable(member, (*path, name), owner)


def _param(member: Mapping[str, Any], path: tuple[str, ...], owner: str) -> MirroredParam:
    name, kind, where = member[ANNOTATION], member.get("type"), ".".join(path)
    if not isinstance(name, str) or not _TOKEN.fullmatch(name):
        raise ConfigurationError(
            f"{owner}: {where} has the header {name!r}; a header's name is of letters, digits "
            f"and '-'."
        )
    if kind not in _TYPES:
        raise ConfigurationError(
            f"{owner}: {where} has a header and the type {kind!r}; only {', '.join(_TYPES)} can "
            f"be repeated in one."
        )
    return MirroredParam(f"Mcp-Param-{name}", path)


def _annotated(schema: Any) -> Iterator[None]:
    """Every annotation in a schema, wherever it stands."""
    if isinstance(schema, Mapping):
        if ANNOTATION in schema:
            yield None
        for keyword, value in schema.items():
            if keyword in ("properties", "patternProperties", "$defs", "definitions"):
                members = value.values() if isinstance(value, Mapping) else ()
                for member in members:
                    yield from _annotated(member)
            elif keyword not in _VALUES:
                yield from _annotated(value)
    elif isinstance(schema, Sequence) and not isinstance(schema, str):
        for member in schema:
            yield from _annotated(member)
