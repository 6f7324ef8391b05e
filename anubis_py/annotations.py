"""What may be said about anything that is shown: hints for the client, and icons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

import attrs

from .errors import near_miss

Role: TypeAlias = Literal["user", "assistant"]
ROLES: Final = ("user", "assistant")


def compact(**members: Any) -> dict[str, Any]:
    """The members that are set: an unset optional field is left out of the wire, never null."""
    return {name: value for name, value in members.items() if value is not None}


def text_only(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    if not isinstance(value, str):
        raise TypeError(
            f"{type(instance).__name__}.{attribute.name} must be a str, got {type(value).__name__}"
        )


def _priority(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"priority must be a number from 0 to 1, got {value!r}")


def _audience(instance: Any, attribute: attrs.Attribute[Any], value: Iterable[str]) -> None:
    for role in value:
        if role not in ROLES:
            raise ValueError(f"audience may hold 'user' and 'assistant', got {role!r}")


def _timestamp(value: datetime | str | None) -> str | None:
    return value.isoformat() if isinstance(value, datetime) else value


def _texts(value: str | Iterable[str] | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    return (value,) if isinstance(value, str) else tuple(value)


_optional = attrs.validators.optional


@attrs.frozen
class Annotations:
    """Hints for the client: whom the content is for, how much it matters, how old it is."""

    audience: tuple[str, ...] | None = attrs.field(
        default=None, converter=_texts, validator=_optional(_audience)
    )
    priority: float | None = attrs.field(default=None, validator=_optional(_priority))
    """From 0, entirely optional, to 1, effectively required."""
    last_modified: str | None = attrs.field(
        default=None, converter=_timestamp, validator=_optional(text_only)
    )
    """ISO 8601; a datetime is converted."""

    def to_wire(self) -> dict[str, Any]:
        return compact(
            audience=list(self.audience) if self.audience is not None else None,
            priority=self.priority,
            lastModified=self.last_modified,
        )


AnnotationsLike: TypeAlias = Annotations | Mapping[str, Any] | None


def as_annotations(value: AnnotationsLike) -> Annotations | None:
    """From a mapping too, with the names of Python or of the wire."""
    if value is None or isinstance(value, Annotations):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(f"annotations must be Annotations or a mapping, got {value!r}")
    members = dict(value)
    if "lastModified" in members:
        members["last_modified"] = members.pop("lastModified")
    known = [attribute.name for attribute in attrs.fields(Annotations)]
    for name in members:
        if name not in known:
            raise TypeError(f"there is no annotation {name!r}.{near_miss(str(name), known)}")
    return Annotations(**members)


@attrs.frozen
class Icon:
    src: str = attrs.field(validator=text_only)
    """An https: or data: URI; clients refuse other schemes."""
    mime_type: str | None = None
    sizes: tuple[str, ...] | None = attrs.field(default=None, converter=_texts)
    """Such as "48x48", or "any" for a scalable image."""
    theme: Literal["light", "dark"] | None = None

    def to_wire(self) -> dict[str, Any]:
        return compact(
            src=self.src,
            mimeType=self.mime_type,
            sizes=list(self.sizes) if self.sizes is not None else None,
            theme=self.theme,
        )


def icons_to_wire(icons: Iterable[Icon] | None) -> list[dict[str, Any]] | None:
    return [icon.to_wire() for icon in icons] if icons else None
