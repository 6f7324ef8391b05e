"""The contents of a resource."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs

from ..content import (
    BlobResourceContents,
    ResourceContents,
    TextResourceContents,
    as_contents,
    optional_mapping,
)
from ..encoding import dumps


@attrs.frozen
class ResourceResponse:
    """The contents of a resource: one or several, each text or bytes.

    A content without an own `uri` takes the one that the client asked for, as it sent it; one
    without an own `mime_type` takes the component's.
    """

    contents: tuple[ResourceContents, ...] = ()
    meta: Mapping[str, Any] | None = attrs.field(default=None, validator=optional_mapping)

    def text(self, text: str, *, mime_type: str | None = None, uri: str = "") -> Self:
        return self.add(TextResourceContents(uri, text, mime_type))

    def json(self, data: Any, *, mime_type: str = "application/json", uri: str = "") -> Self:
        return self.text(dumps(data).decode(), mime_type=mime_type, uri=uri)

    def blob(self, blob: bytes, *, mime_type: str | None = None, uri: str = "") -> Self:
        """Append binary contents; `blob` is the raw bytes."""
        return self.add(BlobResourceContents(uri, blob, mime_type))

    def add(self, *contents: ResourceContents | Mapping[str, Any]) -> Self:
        """Append contents, as values or mappings in wire form."""
        return attrs.evolve(self, contents=(*self.contents, *map(as_contents, contents)))

    def with_meta(self, meta: Mapping[str, Any]) -> Self:
        return attrs.evolve(self, meta=meta)

    def to_wire(self, uri: str = "", mime_type: str | None = None) -> dict[str, Any]:
        """`uri` and `mime_type` fill what a content does not say of itself."""
        wire: dict[str, Any] = {"contents": [_filled(c, uri, mime_type) for c in self.contents]}
        if self.meta is not None:
            wire["_meta"] = dict(self.meta)
        return wire


def _filled(contents: ResourceContents, uri: str, mime_type: str | None) -> dict[str, Any]:
    text = isinstance(contents, TextResourceContents)
    fallback = mime_type or ("text/plain" if text else "application/octet-stream")
    mime_type = contents.mime_type or fallback
    return attrs.evolve(contents, uri=contents.uri or uri, mime_type=mime_type).to_wire()
