"""Whatever is sent: a well-formed answer, no traceback, and a server that lives."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.client import META, PREFIX, Answer, Http, modern, modern_headers
from support.log import server_log_of

from anubis_py import (
    Frame,
    NoReply,
    Ok,
    PromptComponent,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    embeds_many,
    enum,
    field,
)

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

fuzz = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


class Order(ToolComponent):
    schema = (
        field("what", enum("tea", "coffee"), required=True),
        field("count", int, default=1, min=1, max=9),
        field("notes", list[str]),
        embeds_many("extras", (field("name", str, required=True), field("price", float))),
    )
    output_schema = (field("count", int, required=True),)

    async def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().structured({"count": args["count"]})


class Anything(ToolComponent):
    def input_schema(self) -> Any:
        return {"type": "object"}

    async def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().json(args)


class Greet(PromptComponent):
    schema = (field("who", str, required=True), field("times", int, default=1))

    async def get_messages(self, args: Any, frame: Frame) -> Any:
        return f"{args['who']} {args['times']}"

    async def complete(self, argument: Any, frame: Frame) -> Any:
        return [argument.value, *argument.context.values()]


class Note(ResourceComponent):
    uri_template = "note:///{name}"

    async def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().text(params["name"])


class Path(ResourceComponent):
    uri_template = "path:///{+path}{?q}"

    async def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().json(dict(params))


class Fuzzed(ServerBehaviour):
    name = "fuzzed"
    version = "1"
    components = (Order, Anything, Greet, Note, Path)

    async def init(self, client_info: Any, frame: Frame) -> Any:
        return Ok(frame.assign(client=client_info.get("name")).put_pagination_limit(1))

    async def handle_notification(self, notification: Any, frame: Frame) -> Any:
        return NoReply()


HTTP = Http(Fuzzed)
STATUSES = {200, 202, 400, 403, 404, 405, 406, 413, 415}

GOOD: list[dict[str, Any]] = [
    modern("server/discover"),
    modern("tools/list", {"cursor": "x"}),
    modern(
        "tools/call",
        {
            "name": "order",
            "arguments": {
                "what": "tea",
                "count": 2,
                "notes": ["hot"],
                "extras": [{"name": "milk", "price": 0.5}],
            },
        },
    ),
    modern("tools/call", {"name": "anything", "arguments": {"a": [{"b": None}]}}),
    modern("prompts/list"),
    modern("prompts/get", {"name": "greet", "arguments": {"who": "Eve", "times": "2"}}),
    modern("resources/list"),
    modern("resources/templates/list"),
    modern("resources/read", {"uri": "note:///a%20b"}),
    modern("resources/read", {"uri": "path:///a/b?q=c"}),
    modern(
        "completion/complete",
        {
            "ref": {"type": "ref/prompt", "name": "greet"},
            "argument": {"name": "who", "value": "E"},
            "context": {"arguments": {"times": "2"}},
        },
    ),
    modern(
        "tools/list",
        meta={
            **META,
            PREFIX + "clientInfo": {"name": "c", "version": "1"},
            PREFIX + "logLevel": "info",
            "progressToken": 1,
        },
    ),
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
]

odd_text = st.sampled_from(
    [
        "",
        "",
        "\x00",
        "\n",
        " ",
        "é",
        "☃",
        "\u2028",
        "../..",
        "%2e%2e",
        "__proto__",
        "2.0",
        "tools/call",
        "order",
        "greet",
        "note:///",
        "note:///%",
        "path:///..",
        "=?base64?AA==?=",
    ]
) | st.just("x" * 3000)
odd_number = st.sampled_from([0, -1, 1.5, -0.0, 1e308, 2**53 + 1, 2**63, 2**64, -(2**70), 10**40])
scalars = st.none() | st.booleans() | odd_number | st.integers() | odd_text | st.text(max_size=20)
values: st.SearchStrategy[Any] = st.recursive(
    scalars | st.floats(allow_nan=False, allow_infinity=False),
    lambda inside: (
        st.lists(inside, max_size=4)
        | st.dictionaries(odd_text | st.text(max_size=8), inside, max_size=4)
    ),
    max_leaves=12,
)


async def sent(content: bytes | str, headers: Mapping[str, str | bytes]) -> Answer:
    """Send it, and hold the answer and the log against what must be true of all of them."""
    with server_log_of() as log:
        answer = await HTTP.send(content, headers)
        await HTTP.alive()
    log.check_quiet()
    assert answer.status in STATUSES
    # Nothing that these handlers do can fail.
    assert answer.message is None or answer.message.get("error", {}).get("code") != -32603
    return answer


@given(values)
@fuzz
async def test_any_json_is_answered(body: Any) -> None:
    answer = await sent(json.dumps(body), modern_headers(body))
    assert answer.status >= 400


@given(st.binary(max_size=200), st.sampled_from(GOOD))
@fuzz
async def test_any_bytes_are_answered(content: bytes, good: dict[str, Any]) -> None:
    await sent(content, modern_headers(good))


@given(st.sampled_from(GOOD), st.data())
@fuzz
async def test_a_good_request_cut_short_or_with_changed_bytes(
    good: dict[str, Any], data: st.DataObject
) -> None:
    content = json.dumps(good).encode()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(start + 4, len(content))) | st.just(len(content)))
    changed = content[:start] + data.draw(st.binary(max_size=4)) + content[end:]
    await sent(changed, modern_headers(good))


@given(st.sampled_from("[{"), st.integers(0, 3000), st.sampled_from(["", "1", '"a"', "}", "]"]))
@fuzz
async def test_nesting_of_any_depth(bracket: str, depth: int, inside: str) -> None:
    opening = "[" if bracket == "[" else '{"a":'
    closing = "]" if bracket == "[" else "}"
    nested = opening * depth + inside + closing * depth
    params = f'{{"a":{nested},"_meta":{json.dumps(META)}}}'
    body = f'{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{params}}}'
    await sent(body, modern_headers(GOOD[1]))


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every member and item at every depth."""
    pairs: Any = node.items() if isinstance(node, dict) else ()
    for key, child in enumerate(node) if isinstance(node, list) else pairs:
        yield (*path, key)
        yield from places(child, (*path, key))


PLACES = [(n, path) for n, good in enumerate(GOOD) for path in places(good)]


@given(st.sampled_from(PLACES), values | st.just(...))
@settings(fuzz, max_examples=150)
async def test_any_value_in_any_place_of_a_good_request(
    place: tuple[int, tuple[Any, ...]], value: Any
) -> None:
    index, (*way, last) = place
    body: Any = copy.deepcopy(GOOD[index])
    node = body
    for key in way:
        node = node[key]
    if value is ...:
        del node[last]
    else:
        node[last] = value
    await sent(json.dumps(body), modern_headers(body))


names = st.from_regex(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}", fullmatch=True) | st.sampled_from(
    [
        "Accept",
        "Content-Type",
        "Host",
        "Origin",
        "MCP-Protocol-Version",
        "Mcp-Method",
        "Mcp-Name",
        "Mcp-Session-Id",
        "Last-Event-ID",
        "Authorization",
        "Transfer-Encoding",
        "Content-Encoding",
        "Content-Length",
        "Mcp-Param-X",
        "X-Forwarded-Host",
        "Cookie",
    ]
)
odd_values = st.sampled_from(
    b"||*/*|application/json|text/plain|=?base64?|=?base64??=|localhost|127.0.0.1:8000|[::1]:99999|"
    b"http://localhost|null|2026-07-28|2025-11-25|-1".split(b"|")
) | st.sampled_from(
    [b"\xff" * 9, b"a" * 9000, b"9" * 5000, b'"' * 500, b";q=" * 200, b"q=0;,;=" * 50]
)
raw_values = odd_values | st.binary(max_size=40).map(lambda raw: raw.translate(None, b"\r\n\0"))


@given(st.sampled_from(GOOD), st.dictionaries(names, raw_values, max_size=5))
@fuzz
async def test_any_headers_beside_a_good_request(
    good: dict[str, Any], extra: dict[str, bytes]
) -> None:
    lower = {name.lower() for name in extra}
    kept = {name: v for name, v in modern_headers(good).items() if name.lower() not in lower}
    await sent(json.dumps(good), {**kept, **extra})


@given(st.sampled_from(GOOD), st.text(max_size=30) | odd_text)
@fuzz
async def test_any_name_in_body_and_header_alike(good: dict[str, Any], name: str) -> None:
    params = {**good.get("params", {}), "name": name, "uri": name}
    body = {**good, "params": params}
    await sent(json.dumps(body), modern_headers(body))


@given(st.text(max_size=40) | st.from_regex(r"(note|path):///[ -~é%]{0,30}", fullmatch=True))
@fuzz
async def test_any_uri_is_read_or_not_found(uri: str) -> None:
    body = modern("resources/read", {"uri": uri})
    answer = await sent(json.dumps(body), modern_headers(body))
    if answer.message is not None and "result" in answer.message:
        assert answer.result["contents"][0]["uri"] == uri


@given(st.lists(st.sampled_from(GOOD) | values, max_size=3))
@fuzz
async def test_a_batch_is_refused_whole(batch: list[Any]) -> None:
    answer = await sent(json.dumps(batch), modern_headers(None))
    assert answer.refusal == (400, -32600)


@pytest.mark.parametrize("index", range(len(GOOD)))
async def test_the_good_requests_are_good(index: int) -> None:
    body = copy.deepcopy(GOOD[index])
    body["params"].pop("cursor", None)
    answer = await sent(json.dumps(body), modern_headers(body))
    assert answer.status in (200, 202)
    assert answer.message is None or not answer.result.get("isError", False)
