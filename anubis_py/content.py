"""Content blocks: the closed set of shapes that messages and results are made of.

Each value is checked when it is built and turns itself into its wire form, without the
members that were not set.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

import attrs

from .annotations import Annotations, Icon, as_annotations, compact, icons_to_wire, text_only


def _only(kinds: Any, words: str) -> Callable[[Any, attrs.Attribute[Any], Any], None]:
    def check(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
        if not isinstance(value, kinds) or isinstance(value, bool):
            where, got = f"{type(instance).__name__}.{attribute.name}", type(value).__name__
            raise TypeError(f"{where} must be {words}, got {got}")

    return check


optional_text: Final = attrs.validators.optional(text_only)
_mapping_only: Final = _only(Mapping, "a mapping")
_bytes_only: Final = _only(bytes | bytearray | memoryview, "bytes")
_optional_size: Final = attrs.validators.optional(_only(int, "an int"))


def optional_mapping(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    if value is not None:
        _mapping_only(instance, attribute, value)


def encode_binary(data: bytes | bytearray | memoryview) -> str:
    """RFC 4648, section 4: the standard alphabet, padded, on one line. The only encoder."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"binary data must be bytes, got {type(data).__name__}")
    return base64.b64encode(data).decode("ascii")


def decode_binary(text: str) -> bytes:
    """The inverse of `encode_binary`; any other alphabet, padding or white space is refused."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise ValueError("binary data in wire form must be standard, padded base64") from None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class _Block:
    annotations: Annotations | None = attrs.field(default=None, converter=as_annotations)
    meta: Mapping[str, Any] | None = attrs.field(default=None, validator=optional_mapping)

    def _common(self, wire: dict[str, Any]) -> dict[str, Any]:
        if self.annotations is not None:
            wire["annotations"] = self.annotations.to_wire()
        if self.meta is not None:
            wire["_meta"] = dict(self.meta)
        return wire


@attrs.frozen
class TextContent(_Block):
    text: str = attrs.field(validator=text_only)

    def to_wire(self) -> dict[str, Any]:
        return self._common({"type": "text", "text": self.text})


@attrs.frozen
class ImageContent(_Block):
    data: bytes = attrs.field(validator=_bytes_only)
    mime_type: str = attrs.field(validator=text_only)

    def to_wire(self) -> dict[str, Any]:
        return self._common(
            {"type": "image", "data": encode_binary(self.data), "mimeType": self.mime_type}
        )


@attrs.frozen
class AudioContent(_Block):
    data: bytes = attrs.field(validator=_bytes_only)
    mime_type: str = attrs.field(validator=text_only)

    def to_wire(self) -> dict[str, Any]:
        return self._common(
            {"type": "audio", "data": encode_binary(self.data), "mimeType": self.mime_type}
        )


def _icons(icons: Iterable[Any] | None) -> tuple[Icon, ...]:
    """From values, or from mappings in wire form."""
    return tuple(i if isinstance(i, Icon) else Icon(**_members(i)) for i in icons or ())


@attrs.frozen
class ResourceLink(_Block):
    """A resource that the client may read; it need not be listed."""

    uri: str = attrs.field(validator=text_only)
    name: str = attrs.field(validator=text_only)
    title: str | None = attrs.field(default=None, validator=optional_text)
    description: str | None = attrs.field(default=None, validator=optional_text)
    mime_type: str | None = attrs.field(default=None, validator=optional_text)
    size: int | None = attrs.field(default=None, validator=_optional_size)
    icons: tuple[Icon, ...] = attrs.field(default=(), converter=_icons)

    def to_wire(self) -> dict[str, Any]:
        return self._common(
            compact(
                type="resource_link",
                uri=self.uri,
                name=self.name,
                title=self.title,
                description=self.description,
                mimeType=self.mime_type,
                size=self.size,
                icons=icons_to_wire(self.icons),
            )
        )


@attrs.frozen
class TextResourceContents:
    uri: str = attrs.field(validator=text_only)
    text: str = attrs.field(validator=text_only)
    mime_type: str | None = attrs.field(default=None, validator=optional_text)
    meta: Mapping[str, Any] | None = attrs.field(default=None, validator=optional_mapping)

    def to_wire(self) -> dict[str, Any]:
        return compact(
            uri=self.uri,
            mimeType=self.mime_type,
            text=self.text,
            _meta=dict(self.meta) if self.meta is not None else None,
        )


@attrs.frozen
class BlobResourceContents:
    uri: str = attrs.field(validator=text_only)
    blob: bytes = attrs.field(validator=_bytes_only)
    mime_type: str | None = attrs.field(default=None, validator=optional_text)
    meta: Mapping[str, Any] | None = attrs.field(default=None, validator=optional_mapping)

    def to_wire(self) -> dict[str, Any]:
        return compact(
            uri=self.uri,
            mimeType=self.mime_type,
            blob=encode_binary(self.blob),
            _meta=dict(self.meta) if self.meta is not None else None,
        )


ResourceContents: TypeAlias = TextResourceContents | BlobResourceContents


@attrs.frozen
class EmbeddedResource(_Block):
    resource: ResourceContents

    def to_wire(self) -> dict[str, Any]:
        return self._common({"type": "resource", "resource": self.resource.to_wire()})


ContentBlock: TypeAlias = (
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
)


_SHAPES: Final[dict[str, type[ContentBlock]]] = {
    "text": TextContent,
    "image": ImageContent,
    "audio": AudioContent,
    "resource_link": ResourceLink,
    "resource": EmbeddedResource,
}
_PYTHON_NAMES: Final = {"mimeType": "mime_type", "_meta": "meta"}


def as_block(value: Any) -> ContentBlock:
    """The content block for a text, a block, or a mapping in wire form.

    Raises TypeError or ValueError for any other value: this is the step that keeps the set of
    shapes on the wire closed.
    """
    if isinstance(value, str):
        return TextContent(value)
    if isinstance(value, ContentBlock):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(
            f"content is text, a content block or a mapping, got {type(value).__name__}"
        )
    kind = value.get("type")
    if kind not in _SHAPES:
        raise ValueError(f"content has a 'type' of {', '.join(_SHAPES)}, got {kind!r}")
    members = _members(value)
    if isinstance(members.get("data"), str):
        members["data"] = decode_binary(members["data"])
    if kind == "resource":
        members["resource"] = as_contents(members.get("resource"))
    return _SHAPES[kind](**members)


def as_contents(value: Any) -> ResourceContents:
    """The contents of a resource, from a value or from a mapping in wire form."""
    if isinstance(value, ResourceContents):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(f"resource contents are a value or a mapping, got {type(value).__name__}")
    members = _members(value)
    if "blob" in members:
        if isinstance(members["blob"], str):
            members["blob"] = decode_binary(members["blob"])
        return BlobResourceContents(**members)
    return TextResourceContents(**members)


def _members(wire: Mapping[str, Any]) -> dict[str, Any]:
    return {_PYTHON_NAMES.get(key, key): value for key, value in wire.items() if key != "type"}
