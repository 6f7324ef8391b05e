"""The body of a request, read within its limit."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import McpError, invalid_request
from .asgi_types import Receive


class Disconnected(Exception):
    """The client has gone before its request was complete."""


async def read_body(receive: Receive, headers: Mapping[str, str], limit: int) -> bytes:
    """Raises McpError (413) as soon as the limit is passed: nothing more is read or kept."""
    length = headers.get("content-length", "")
    if length.isdecimal() and (len(length) > 18 or int(length) > limit):
        raise _too_large(limit)
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        chunk: bytes = message.get("body", b"")
        size += len(chunk)
        if size > limit:
            raise _too_large(limit)
        chunks.append(chunk)
        if not message.get("more_body", False):
            return chunk if len(chunks) == 1 else b"".join(chunks)


def _too_large(limit: int) -> McpError:
    return invalid_request(f"The body is larger than {limit} bytes", http_status=413)
