"""The compiled form of anything that a server offers: what lists show and calls look up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Final

import attrs

from ..annotations import Icon, compact, icons_to_wire
from ..encoding import dumps
from ..errors import ConfigurationError
from ..protocol.dialect import AS_IS, Dialect
from .component import check_timeout, scope_set, snake_case

NO_ARGUMENTS: Final[Any] = ()
"""The default of a field that a converter turns into a schema."""


def _name(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    if not isinstance(value, str) or not value:
        kind = snake_case(type(instance).__name__).replace("_", " ")
        raise ConfigurationError(f"A {kind} needs a {attribute.name}, got {value!r}.")


def optional_text(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    if value is not None and not isinstance(value, str):
        raise ConfigurationError(
            f"{instance.label}: {attribute.name} must be text, got {type(value).__name__}."
        )


def _meta(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    if not isinstance(value, Mapping | None):
        raise ConfigurationError(
            f"{instance.label}: meta must be a mapping, got {type(value).__name__}."
        )


def _timeout(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    check_timeout(instance.label, value)


def _icons(value: Any) -> tuple[Icon, ...]:
    icons = tuple(value)
    for icon in icons:
        if not isinstance(icon, Icon):
            raise ConfigurationError(f"icons must be a list of Icon, got {type(icon).__name__}.")
    return icons


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Definition:
    name: str = attrs.field(validator=_name, kw_only=False)
    description: str | None = attrs.field(default=None, validator=optional_text, kw_only=False)
    title: str | None = attrs.field(default=None, validator=optional_text)
    icons: tuple[Icon, ...] = attrs.field(default=(), converter=_icons)
    meta: Mapping[str, Any] | None = attrs.field(default=None, validator=_meta)
    scopes: frozenset[str] = attrs.field(default=frozenset(), converter=scope_set)
    timeout: float | None = attrs.field(default=None, validator=_timeout)
    """Seconds that one call may take; None: the server's."""
    handler: Callable[..., Any] | None = attrs.field(default=None)
    """Called with the arguments and the frame; None: the server's own callback is."""
    completer: Callable[..., Any] | None = attrs.field(default=None)

    wire_type: ClassVar[str]
    """What the schema of the protocol calls the entry."""

    @property
    def key(self) -> str:
        """What a client names it by; unique within its kind."""
        return self.name

    @cached_property
    def label(self) -> str:
        """For messages and the log."""
        return f"{type(self).__name__.lower()} {self.key!r}"

    def __repr__(self) -> str:
        return f"<{self.label}>"

    def to_wire(self) -> dict[str, Any]:
        """The entry in its list."""
        return compact(
            name=self.name,
            title=self.title,
            description=self.description,
            icons=icons_to_wire(self.icons),
            _meta=dict(self.meta) if self.meta is not None else None,
        )

    @cached_property
    def encoded(self) -> bytes:
        return dumps(self.to_wire())

    def encoded_in(self, dialect: Dialect) -> bytes:
        if dialect is AS_IS:
            return self.encoded
        if dialect not in self._encoded_in:
            self._encoded_in[dialect] = dumps(dialect.entry(self.wire_type, self.to_wire()))
        return self._encoded_in[dialect]

    @cached_property
    def _encoded_in(self) -> dict[Dialect, bytes]:
        return {}
