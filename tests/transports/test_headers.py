from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anubis_py.errors import HEADER_MISMATCH, McpError
from anubis_py.protocol import mirror
from anubis_py.transports.http import headers

JSON = "application/json"
STREAM = "text/event-stream"

token = st.from_regex(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", fullmatch=True)
plain = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E)).map(str.strip)


def collected(*fields: tuple[str, str]) -> dict[str, str]:
    return headers.collect((name.encode("latin-1"), value.encode()) for name, value in fields)


def sentinel(content: bytes) -> str:
    return f"=?base64?{b64encode(content).decode()}?="


# collect


def test_names_are_lower_case_and_values_lose_their_padding() -> None:
    raw = [(b"MCP-Method", b" \ttools/list \t"), (b"host", b"a")]
    assert headers.collect(raw) == {"mcp-method": "tools/list", "host": "a"}


def test_repeated_fields_are_one_list_in_order() -> None:
    assert collected(("Accept", "a/b"), ("accept", "c/d"))["accept"] == "a/b, c/d"


def test_bytes_above_ascii_stay_apart() -> None:
    assert headers.collect([(b"x", b"\xc5\x82\xff")]) == {"x": "\xc5\x82\xff"}


@given(st.lists(st.tuples(st.binary(), st.binary())))
def test_collect_takes_any_bytes(raw: list[tuple[bytes, bytes]]) -> None:
    assert set(headers.collect(raw)) == {name.decode("latin-1").lower() for name, _ in raw}


# accepts


@pytest.mark.parametrize(
    ("accept", "json", "stream"),
    [
        # Case B12 of the field report, row by row.
        ("*/*", True, True),
        (None, True, True),
        ("application/*, text/*", True, True),
        ("application/json;q=0.9,text/event-stream;q=0.1", True, True),
        ("Application/JSON, Text/Event-Stream", True, True),
        ("text/html", False, False),
        ("application/json;q=0, text/html", False, False),
        # Either order, either one alone.
        ("text/event-stream, application/json", True, True),
        (JSON, True, False),
        (STREAM, False, True),
        # The most specific range decides, wherever it stands.
        ("*/*, application/json;q=0", False, True),
        ("application/json;q=0, */*", False, True),
        ("application/*;q=0, application/json;q=0.1", True, False),
        ("text/*;q=0, */*", True, False),
        ("*/*;q=0", False, False),
        ("application/json;q=0, application/json", True, False),
        # Weights: case, spaces, digits, and what is not one.
        ("application/json ; Q=0.000", False, False),
        ("application/json; q=1.000", True, False),
        ("application/json;q=high", False, False),
        ("application/json;q=0.0001", False, False),
        ("application/json;q=-1, */*", True, True),
        # Parameters of a range narrow nothing here; quoted separators separate nothing.
        ("application/json;charset=utf-8", True, False),
        ('text/html;note="application/json, x;q=1"', False, False),
        ('text/html;note="\\", x", application/json', True, False),
        ('text/html;note="never closed, application/json', False, False),
        # What the Java runtime sends unless it is told otherwise.
        ("text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", True, True),
        # Blank says nothing; an empty member neither.
        ("", True, True),
        (",, application/json ,", True, False),
        ("nonsense", False, False),
        ("application/jsonp, xapplication/json", False, False),
    ],
)
def test_accepts(accept: str | None, json: bool, stream: bool) -> None:
    assert headers.accepts(accept, JSON) is json
    assert headers.accepts(accept, STREAM) is stream


def test_accept_on_two_lines_is_one_list() -> None:
    accept = collected(("accept", JSON), ("Accept", STREAM))["accept"]
    assert headers.accepts(accept, JSON)
    assert headers.accepts(accept, STREAM)


@given(
    st.lists(
        st.tuples(st.sampled_from([JSON, STREAM, "text/html"]), st.integers(0, 1000)),
        min_size=1,
        unique_by=lambda member: member[0],
    ),
    st.sampled_from([",", ", ", " ,\t"]),
)
def test_a_listed_type_is_accepted_unless_its_weight_is_zero(
    members: list[tuple[str, int]], comma: str
) -> None:
    accept = comma.join(f"{kind};q={q / 1000:.3f}" for kind, q in members)
    for kind in (JSON, STREAM):
        assert headers.accepts(accept, kind) is (dict(members).get(kind, 0) > 0)


@given(st.lists(st.tuples(token, token, st.text())))
def test_unknown_members_change_nothing(members: list[tuple[str, str, str]]) -> None:
    noise = [f"x{a}/{b};{a}={b}" for a, b, _ in members]
    assert headers.accepts(", ".join([*noise, JSON]), JSON)
    assert not headers.accepts(", ".join([*noise, STREAM]), JSON)


@given(st.text())
def test_any_text_is_an_answer(text: str) -> None:
    assert headers.accepts(text, JSON) in (True, False)
    assert headers.is_json(text) in (True, False)


# is_json


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("application/json", True),
        ("application/json; charset=utf-8", True),
        ("Application/JSON", True),
        ('application/json;charset="UTF-8"', True),
        ("application/json ;charset=us-ascii ; profile=x", True),
        ("application/json;", True),
        ('application/json; note="a;charset=latin-1"', True),
        (None, True),
        ("", True),
        ("text/plain", False),
        ("application/json; charset=iso-8859-1", False),
        ('application/json; charset="utf\\-8"', True),
        ("application/json, application/json", False),
        ("application/jsonl", False),
        ("application/problem+json", False),
        ("application/x-www-form-urlencoded", False),
        (";charset=utf-8", False),
    ],
)
def test_is_json(content_type: str | None, expected: bool) -> None:
    assert headers.is_json(content_type) is expected


# Mirrored fields


def refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(McpError) as caught:
        call()
    assert caught.value.code == HEADER_MISMATCH
    assert caught.value.http_status == 400
    assert caught.value.message.isascii()
    assert re.fullmatch("Header mismatch: " + message, caught.value.message)


def test_the_version_is_required() -> None:
    assert headers.require_version(collected(("MCP-Protocol-Version", "1"))) == "1"
    refused(lambda: headers.require_version({}), "MCP-Protocol-Version header is missing: .*")
    blank = {"mcp-protocol-version": ""}
    refused(lambda: headers.require_version(blank), "MCP-Protocol-Version header is missing: .*")


def test_the_version_is_the_one_of_the_body() -> None:
    fields = {"mcp-protocol-version": "2026-07-28"}
    headers.match_version(fields, "2026-07-28")
    refused(
        lambda: headers.match_version(fields, "2025-11-25"),
        "MCP-Protocol-Version header value '2026-07-28' does not match body value '2025-11-25'",
    )
    refused(lambda: headers.match_version({}, "2026-07-28"), "MCP-Protocol-Version .* missing: .*")


def test_a_version_given_twice_is_no_version() -> None:
    fields = collected(("mcp-protocol-version", "1"), ("mcp-protocol-version", "1"))
    refused(lambda: headers.match_version(fields, "1"), ".* value '1, 1' does not .*")


@pytest.mark.parametrize("name", ["Mcp-Method", "mcp-method", "MCP-METHOD"])
def test_the_method_is_the_one_of_the_body(name: str) -> None:
    headers.match_method(collected((name, "tools/list")), "tools/list")


@pytest.mark.parametrize("value", ["prompts/list", "TOOLS/LIST", "tools/list, tools/list"])
def test_another_method_is_refused(value: str) -> None:
    refused(
        lambda: headers.match_method({"mcp-method": value}, "tools/list"),
        f"Mcp-Method header value '{value}' does not match body value 'tools/list'",
    )


def test_the_method_is_required() -> None:
    refused(lambda: headers.match_method({}, "tools/list"), "Mcp-Method header is missing: .*")


MEMO = "memo:///Załącznik"


@pytest.mark.parametrize(
    ("name", "value", "body"),
    [
        ("Mcp-Name", "=?base64?bWVtbzovLy9aYcWCxIVjem5paw==?=", MEMO),
        ("Mcp-Name", "=?base64?ZmFzdA==?=", "fast"),
        ("mcp-name", "fast", "fast"),
        ("MCP-NAME", "  fast  ", "fast"),
        ("Mcp-Name", "a b\tc", "a b\tc"),
    ],
)
def test_the_name_is_the_one_of_the_body(name: str, value: str, body: str) -> None:
    headers.match_name(collected((name, value)), body)


@pytest.mark.parametrize(
    ("value", "body", "message"),
    [
        ("=?base64?bWVtbzovLy9pbm55?=", MEMO, r".* 'memo:///inny' does not match .*'memo:.*"),
        ("=?base64?!!!?=", MEMO, "Mcp-Name header is marked as Base64, and is not .*"),
        ("=?base64?/w==?=", MEMO, "Mcp-Name header is marked as Base64, and is not .*"),
        ("=?BASE64?bWVtbzovLy9aYcWCxIVjem5paw==?=", MEMO, ".* does not match body value .*"),
        (MEMO, MEMO, "Mcp-Name header has characters that only Base64 may carry"),
        ("FAST", "fast", "Mcp-Name header value 'FAST' does not match body value 'fast'"),
        ("", "fast", "Mcp-Name header is missing: tools/call, prompts/get, resources/read .*"),
        ("fast, fast", "fast", ".* does not match body value 'fast'"),
        # "Clients MUST also Base64-encode any plain-ASCII value that matches the sentinel".
        ("=?base64?literal?=", "=?base64?literal?=", "Mcp-Name header is marked as Base64.*"),
    ],
)
def test_another_name_is_refused(value: str, body: str, message: str) -> None:
    refused(lambda: headers.match_name(collected(("Mcp-Name", value)), body), message)


def test_the_name_is_required() -> None:
    refused(lambda: headers.match_name({}, "fast"), "Mcp-Name header is missing: .*")


def test_an_error_shows_the_beginning_of_a_value_only() -> None:
    fields = {"mcp-name": "x" * 9000}
    refused(lambda: headers.match_name(fields, "y\n\x1b[2J" * 99), r"Mcp-Name .{0,250}")


@pytest.mark.parametrize("method", ["tools/call", "prompts/get", "resources/read"])
def test_the_source_of_the_name(method: str) -> None:
    assert headers.NAME_SOURCE[method] == ("uri" if method == "resources/read" else "name")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        # The specification's own examples.
        ("us-west1", "us-west1"),
        ("=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界"),
        ("=?base64?IHBhZGRlZCA=?=", " padded "),
        ("=?base64?bGluZTEKbGluZTI=?=", "line1\nline2"),
        ("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?="),
        # The rows of the official http-custom-header-server-validation that are accepted.
        ("=?base64?SGVsbG8=?=", "Hello"),
        ("SGVsbG8=", "SGVsbG8="),
        ("=?base64?SGVsbG8=", "=?base64?SGVsbG8="),
        # One marker, or both in fewer characters than they have, is a literal.
        ("SGVsbG8=?=", "SGVsbG8=?="),
        ("=?base64?=", "=?base64?="),
        ("=?Base64?SGVsbG8=?=", "=?Base64?SGVsbG8=?="),
        ("=?base64??=", ""),
        ("", ""),
    ],
)
def test_decode_mirrored(value: str, text: str) -> None:
    assert mirror.decode_mirrored("Mcp-Param-X", value) == text


@pytest.mark.parametrize(
    "payload",
    [
        "SGVsbG8",  # padding missing
        "SGVsbG8==",  # too much of it
        "SGVs!!!bG8=",  # not in the alphabet
        "SGVsbG9=",  # bits set behind the last byte
        "SGVs bG8=",
        "SGVs=bG8=",
        "SGVsbG8=SGVsbG8=",
        "_w==",  # the alphabet of URLs
        "=",
        "/w==",  # not UTF-8
        "7aCA",  # a surrogate
        "wIA=",  # an overlong NUL
    ],
)
def test_what_is_not_base64_of_utf8_is_refused(payload: str) -> None:
    refused(
        lambda: mirror.decode_mirrored("Mcp-Param-X", f"=?base64?{payload}?="),
        "Mcp-Param-X header is marked as Base64, and is not Base64 of UTF-8 text",
    )


@pytest.mark.parametrize("value", ["\x7f", "a\x00b", "a\nb", "caf\xe9", "\x80", "a\x0bb"])
def test_other_characters_are_refused(value: str) -> None:
    refused(
        lambda: mirror.decode_mirrored("Mcp-Name", value),
        "Mcp-Name header has characters that only Base64 may carry",
    )


@given(st.text())
def test_base64_carries_every_text(text: str) -> None:
    fields = collected(("Mcp-Name", sentinel(text.encode())))
    assert mirror.decode_mirrored("Mcp-Name", fields["mcp-name"]) == text
    headers.match_name(fields, text)


@given(plain)
def test_plain_text_carries_itself(text: str) -> None:
    assert mirror.decode_mirrored("Mcp-Name", text) == text


@given(st.binary(max_size=12), st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef0189+/="))
def test_one_text_has_one_encoding(content: bytes, other: str) -> None:
    payload = b64encode(content).decode()
    for index in range(len(payload)):
        changed = f"=?base64?{payload[:index]}{other}{payload[index + 1 :]}?="
        with suppress(McpError):
            text = mirror.decode_mirrored("Mcp-Name", changed)
            assert sentinel(text.encode()) == changed


@given(st.dictionaries(token.map(str.lower), st.text()), st.text(), st.text())
def test_garbage_is_the_clients_fault(fields: dict[str, str], value: str, body: str) -> None:
    garbage = fields | {"mcp-name": value, "mcp-method": value, "mcp-protocol-version": value}
    for match in (headers.match_name, headers.match_method, headers.match_version):
        with suppress(McpError):
            match(garbage, body)
            assert body in (value, mirror.decode_mirrored("Mcp-Name", value))
