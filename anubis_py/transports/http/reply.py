"""A reply in one piece."""

from __future__ import annotations

from typing import Final

from ...engine.exchange import Served
from .asgi_types import Send

_JSON: Final = (b"content-type", b"application/json")


async def send_reply(send: Send, served: Served, *extra: tuple[bytes, bytes]) -> None:
    body = served.body or b""
    headers = [(b"content-length", b"%d" % len(body)), *extra]
    if served.body is not None:
        headers.append(_JSON)
    await send({"type": "http.response.start", "status": served.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
