from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anubis_py.transports.stdio.framing import Line, Lines

from .memory import exchange
from .messages import call, encode, request, text
from .servers import Miniature

LIMIT = 20


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({min(place, len(data)) for place in places} | {len(data)})
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def lines(pieces: list[bytes], limit: int = LIMIT) -> list[Line]:
    cutter = Lines(limit)
    return [line for piece in pieces for line in cutter.feed(piece)] + cutter.finish()


# Line feeds, what others take for line breaks, and enough else to go over the limit.
DATA = st.lists(
    st.sampled_from([b"\n", b"\r\n", b"\r", b" ", b"a", b"\x0b\x0c\x1c\x85", b"\xe2\x80\xa8"])
    | st.integers(1, 2 * LIMIT).map(lambda n: b"x" * n)
).map(b"".join)
PLACES = st.lists(st.integers(0, 200))


@given(DATA, PLACES)
def test_lines_do_not_depend_on_how_the_bytes_arrive(data: bytes, places: list[int]) -> None:
    assert lines(cut(data, places)) == lines([data])


@given(DATA)
def test_lines_end_at_line_feeds_only(data: bytes) -> None:
    expected = [
        None if len(line) > LIMIT else line
        for line in data.split(b"\n")
        if line.strip(b" \t\r") or len(line) > LIMIT
    ]
    assert lines([data]) == expected


def test_a_line_over_the_limit_is_told_of_before_it_ends_and_not_kept() -> None:
    cutter = Lines(LIMIT)
    assert cutter.feed(b"x" * LIMIT) == []
    assert cutter.feed(b"x") == [None]
    assert cutter.feed(b"x" * 1000) == []
    assert not cutter._kept
    assert cutter.feed(b"x\nshort\n") == [b"short"]


ODD = [
    b"this is not json\n",
    b"\n",
    b"   \t\n",
    b"\xff\xfe\n",
    encode(call("crlf", "echo", {"t": "a"}))[:-1] + b"\r\n",
    encode(call("breaks", "echo", {"t": "\u2028 \u2029 \x85 \r\n \x1c \x0b"})),
    b'{"jsonrpc":"2.0","id":"long","method":"' + b"x" * 600 + b'"}\n',
    b'{"jsonrpc":"2.0","id":1,"result":{}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}\n',
    b"[]\n",
    b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}\n',
    b'{"jsonrpc":"1.0","id":"old","method":"tools/list"}\n',
    encode(call("umlauts", "echo", {"t": "äöü"})),
    encode(request("last", "server/discover"))[:-1],
]


def outcomes(messages: list[dict[str, Any]]) -> list[str]:
    """What came back, by id, in no order: requests are served at the same time."""
    return sorted(
        f"{message.get('id')}: {message['error']['code'] if 'error' in message else 'result'}"
        for message in messages
    )


EXPECTED = sorted(
    [
        "None: -32700",
        "None: -32700",
        "crlf: result",
        "breaks: result",
        "None: -32600",  # over the limit
        "None: -32600",  # a batch
        "None: -32600",  # an id of null
        "old: -32600",
        "umlauts: result",
        "last: result",
    ]
)


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(["asyncio", "trio"]),
    st.lists(st.integers(0, len(b"".join(ODD))), max_size=60),
)
def test_answers_do_not_depend_on_how_the_bytes_arrive(backend: str, places: list[int]) -> None:
    async def main() -> list[dict[str, Any]]:
        return await exchange(Miniature, *cut(b"".join(ODD), places), max_line=500)

    messages = anyio.run(main, backend=backend)
    assert outcomes(messages) == EXPECTED
    by_id = {message.get("id"): message for message in messages}
    assert text(by_id["breaks"]) == "\u2028 \u2029 \x85 \r\n \x1c \x0b"
    assert text(by_id["umlauts"]) == "äöü"


@pytest.mark.anyio
async def test_every_byte_by_itself() -> None:
    data = b"".join(ODD)
    messages = await exchange(Miniature, *cut(data, list(range(len(data)))), max_line=500)
    assert outcomes(messages) == EXPECTED


@pytest.mark.anyio
async def test_bad_lines_are_noted_without_their_text(caplog: pytest.LogCaptureFixture) -> None:
    await exchange(Miniature, b"secret\n" + b"secret" * 100, max_line=500)
    assert [record.name for record in caplog.records] == ["anubis_py.stdio"] * 2
    assert "Parse error" in caplog.text
    assert "longer than 500 bytes" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.anyio
async def test_a_long_line_is_answered_before_it_ends() -> None:
    [error] = await exchange(Miniature, b"x" * 501, max_line=500)
    assert error["error"]["code"] == -32600
    assert "id" not in error


@pytest.mark.anyio
async def test_messages_of_megabytes() -> None:
    long = "ü" * 1024 * 1024
    [answer] = await exchange(Miniature, encode(call(1, "echo", {"t": long})))
    assert text(answer) == long


def test_one_message_is_one_line() -> None:
    assert json.loads(encode(call(1, "echo", {"t": "\n"})))
    assert encode(call(1, "echo", {"t": "\n\u2028"})).count(b"\n") == 1
