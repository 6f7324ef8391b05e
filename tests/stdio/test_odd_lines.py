"""B20, with a process and its pipes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from . import legacy, messages
from .messages import encode, text
from .process import Server, started

ODD = "\u2028 \u2029 \x85 \r\n \x1c \x0b \x0c é"
LONG = "ü" * 1024 * 1024


def greet(server: Server) -> None:
    server.send(legacy.initialize("hello"), legacy.INITIALIZED)
    assert server.receive()["id"] == "hello"


@pytest.mark.parametrize(
    ("open_", "call", "request_"),
    [
        (lambda server: None, messages.call, messages.request),
        (greet, legacy.call, legacy.request),
    ],
    ids=["stateless", "legacy"],
)
def test_odd_lines(
    open_: Callable[[Server], None],
    call: Callable[..., Any],
    request_: Callable[..., Any],
) -> None:
    halves = encode(call("split", "echo", {"t": "aé"}))
    middle = halves.index("é".encode()) + 1
    with started("miniature") as server:
        open_(server)
        server.write(b"this is not json\n")
        assert server.receive()["error"]["code"] == -32700
        server.write(b"\n   \n")
        server.write(b"\xff\xfe\n")
        assert server.receive()["error"]["code"] == -32700
        server.write(encode(call("crlf", "echo", {"t": "a"}))[:-1] + b"\r\n")
        assert text(server.receive()) == "a"
        server.send(call("odd", "echo", {"t": ODD}))
        assert text(server.receive()) == ODD
        server.send(call("long", "echo", {"t": LONG}))
        assert text(server.receive()) == LONG
        server.write(b'{"jsonrpc":"2.0","id":"over","method":"' + b"x" * 5 * 1024 * 1024 + b'"}\n')
        refusal = server.receive()
        assert ("id" in refusal, refusal["error"]["code"]) == (False, -32600)
        server.write(b'{"jsonrpc":"2.0","id":1,"result":{}}\n')
        for piece in (halves[:20], halves[20:middle]):
            server.write(piece)
            assert server.hears_nothing(0.02)
        server.write(halves[middle:])
        assert text(server.receive()) == "aé"
        server.send(request_("one", "tools/list"), request_("two", "tools/list"))
        assert {server.receive()["id"], server.receive()["id"]} == {"one", "two"}
        server.write(encode(request_("last", "tools/list"))[:-1])
        assert server.hears_nothing(0.02)
        server.end()
        assert [message["id"] for message in server.rest()] == ["last"]
        assert server.code() == 0
        assert server.log().count("Parse error") == 2
