"""What the fields of an HTTP request mean, by RFC 9110, and the mirrored ones, by MCP.

Revision 2026-07-28 has its clients repeat parts of the body in headers, so that proxies can
route without parsing it. "Servers that process the request body MUST reject requests where the
values specified in the headers do not match the corresponding values in the request body." The
functions from `require_version` on take the fields as `collect` returns them, and answer with
the error of that rule, HeaderMismatch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NoReturn

from ...errors import McpError, header_mismatch, invalid_request
from ...protocol.mirror import decode_mirrored, shown

JSON: Final = "application/json"
EVENT_STREAM: Final = "text/event-stream"

# "Required for: tools/call, resources/read, prompts/get requests", and from which parameter.
NAME_SOURCE: Final[Mapping[str, str]] = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
}


def collect(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Header fields by lower-case name, as ASGI hands them over.

    RFC 9110, section 5.3: fields of one name are one list, "in order, separated by a comma".
    Section 5.5: "a field value does not include that leading or trailing whitespace". Bytes
    above 0x7F stay apart, one character each, since nothing says what they would encode.
    """
    fields: dict[str, str] = {}
    for name, value in raw:
        key = _key(name)
        text = value.decode("latin-1").strip(" \t")
        fields[key] = f"{fields[key]}, {text}" if key in fields else text
    return fields


# The names that clients send are few. The HTTP server bounds their length; we, the number.
@lru_cache(maxsize=256)
def _key(name: bytes) -> str:
    return name.decode("latin-1").lower()


# Media types

# Neither a comma nor a semicolon in a quoted string separates anything. A quote that is not
# closed takes the rest.
_QUOTED: Final = r'"(?>(?:[^"\\]|\\.)*)"?'
_MEMBER: Final = re.compile(rf'(?:[^,"]|{_QUOTED})+', re.DOTALL)
_PARAMETER: Final = re.compile(rf'(?:[^;"]|{_QUOTED})+', re.DOTALL)

# RFC 9110, section 12.4.2, but for the leading zero: there are clients that send `q=.2`.
_WEIGHT: Final = re.compile(r"[01](?:\.\d{0,3})?|\.\d{1,3}", re.ASCII)


def takes_streams(fields: Mapping[str, str]) -> bool:
    return accepts(fields.get("accept"), EVENT_STREAM)


def not_acceptable() -> McpError:
    return invalid_request(
        f"Not acceptable: Accept must admit {JSON} and {EVENT_STREAM}", http_status=406
    )


# A client sends the same field all the time. The HTTP server bounds its length; we, the number.
@lru_cache(maxsize=128)
def accepts(accept: str | None, media_type: str) -> bool:
    """Whether a client that sent this Accept field takes `media_type`, which is in lower case.

    The most specific range decides, a range of weight 0 excludes, and members that make no
    sense are skipped. A field that is absent or blank accepts everything.
    """
    if not accept:
        return True
    ranges = {media_type: 3, media_type.partition("/")[0] + "/*": 2, "*/*": 1, "*": 1}
    best, weight = 0, 0.0
    for member in _MEMBER.findall(accept):
        media_range, parameters = _parse(member)
        precedence, q = ranges.get(media_range, 0), _weight(parameters.get("q", "1"))
        if precedence and q is not None and (precedence, q) > (best, weight):
            best, weight = precedence, q
    return weight > 0


def _weight(text: str) -> float | None:
    return min(float(text), 1.0) if _WEIGHT.fullmatch(text) else None


@lru_cache(maxsize=128)
def is_json(content_type: str | None) -> bool:
    """Whether a body of this Content-Type is JSON, in UTF-8 as all of MCP.

    An absent field is taken for JSON: parsing tells soon enough (RFC 9110, section 8.3: "the
    recipient MAY ... examine the data to determine its type").
    """
    if not content_type:
        return True
    media_type, parameters = _parse(content_type)
    return media_type == JSON and parameters.get("charset", "utf-8") in _CHARSETS


_CHARSETS: Final = ("utf-8", "utf8", "us-ascii")


def _parse(member: str) -> tuple[str, dict[str, str]]:
    """A media type or range and its parameters, all in lower case, quotes resolved."""
    media_type, *rest = (part.strip(" \t").lower() for part in _PARAMETER.findall(member) or [""])
    pairs = (part.partition("=") for part in rest)
    return media_type, {name: _unquote(value) for name, _, value in pairs}


def _unquote(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value[:1] == value[-1:] == '"' else value


# Mirrored fields


def require_version(fields: Mapping[str, str]) -> str:
    """The revision that the request names in its header."""
    return fields.get("mcp-protocol-version") or _missing("MCP-Protocol-Version")


def match_version(fields: Mapping[str, str], version: str) -> None:
    """`version` is `io.modelcontextprotocol/protocolVersion` in the `_meta` of the body."""
    found = require_version(fields)
    if found != version:
        _mismatch("MCP-Protocol-Version", found, version)


def match_method(fields: Mapping[str, str], method: str) -> None:
    """`method` is the method in the body. "Header values are case-sensitive." """
    found = fields.get("mcp-method") or _missing("Mcp-Method")
    if found != method:
        _mismatch("Mcp-Method", found, method)


def match_name(fields: Mapping[str, str], name: str) -> None:
    """`name` is the parameter of the body that `NAME_SOURCE` gives for its method."""
    found = decode_mirrored("Mcp-Name", fields.get("mcp-name") or _missing("Mcp-Name"))
    if found != name:
        _mismatch("Mcp-Name", found, name)


_REQUIRED_OF: Final[Mapping[str, str]] = {
    "MCP-Protocol-Version": "every POST names its revision there",
    "Mcp-Method": "every request repeats its method there",
    "Mcp-Name": f"{', '.join(NAME_SOURCE)} repeat their name or URI there",
}


def _missing(header: str) -> NoReturn:
    raise header_mismatch(f"{header} header is missing: {_REQUIRED_OF[header]}")


def _mismatch(header: str, found: str, expected: str) -> NoReturn:
    raise header_mismatch(
        f"{header} header value {shown(found)} does not match body value {shown(expected)}"
    )
