"""Whatever reaches a session, it is answered within the protocol, and the next request is too."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.legacy import LEGACY, LegacyHttp, asks, calls, cancels, initializing, notes
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
    field,
)

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

fuzz = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


class Echo(ToolComponent):
    schema = (field("t", str), field("n", int))

    async def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().text(str(args.get("t")))


class Hello(PromptComponent):
    schema = (field("who", str),)

    async def get_messages(self, args: Any, frame: Frame) -> Any:
        return "hello"


class Note(ResourceComponent):
    uri_template = "note:///{name}"

    async def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().text(params["name"])


class Robust(ServerBehaviour):
    name = "robust"
    version = "1"
    components = (Echo, Hello, Note)
    capabilities = {"resources": {"subscribe": True}, "logging": {}}  # noqa: RUF012

    async def init(self, client_info: Any, frame: Frame) -> Any:
        return Ok(frame.assign(came=frame.context.init_meta.get("x")))

    async def handle_completion(self, ref: Any, argument: Any, frame: Frame) -> Any:
        return ["a"]

    async def handle_notification(self, notification: Any, frame: Frame) -> Any:
        frame.context.meta.get("x")
        return NoReply(frame.assign(last=notification.method))


def ref(kind: str) -> dict[str, Any]:
    return {"type": f"ref/{kind}", "name": "hello", "uri": "note:///{name}"}


GOOD: list[dict[str, Any]] = [
    initializing(id=1, _meta={"x": 1}),
    asks("ping", {"_meta": {"progressToken": 1}}),
    asks("tools/list", {"cursor": "x"}),
    calls("echo", {"t": "x", "n": 1}, token="t"),
    asks("prompts/get", {"name": "hello", "arguments": {"who": "me"}}),
    asks("resources/read", {"uri": "note:///a"}),
    asks("resources/subscribe", {"uri": "note:///a"}),
    asks("resources/unsubscribe", {"uri": "note:///a"}),
    asks("logging/setLevel", {"level": "info"}),
    asks("completion/complete", {"ref": ref("prompt"), "argument": {"name": "who", "value": "x"}}),
    notes("notifications/initialized", {"_meta": {"x": 1}}),
    notes("notifications/roots/list_changed", {"_meta": {"x": 1}}),
    cancels(1),
    {"jsonrpc": "2.0", "id": "unattended.x", "result": {"roots": []}},
    {"jsonrpc": "2.0", "id": "a.b", "error": {"code": 1, "message": "no"}},
]

odd_text = st.sampled_from(["", "\0", "é☃", "\ud800", "x" * 2000, "a.b", "../..", "%00", "💥"])
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | odd_text
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
versions = st.sampled_from(LEGACY)

STATUSES = {200, 202, 204, 400, 403, 404, 405, 406, 413, 415}


async def sent(
    version: str, content: bytes | str, changes: Any = None, verb: str = "POST"
) -> httpx.Response:
    """The answer of a fresh session to it; the session lives, and so does the server."""
    with server_log_of() as log:
        http = await LegacyHttp.begun(Robust, version)
        fields = {**http.changed({}), **(changes or {})}
        raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        pairs = [(n.encode(), v if isinstance(v, bytes) else v.encode()) for n, v in fields.items()]
        transport = httpx.ASGITransport(http.app, client=("127.0.0.1", 50000))
        request = httpx.Request(verb, http.url, headers=pairs, content=raw)
        response = await transport.handle_async_request(request)
        await response.aread()
        await http.alive()
        tools = (await http.ask("tools/list")).result["tools"]
        assert [tool["name"] for tool in tools] == ["echo"]
    log.check_quiet()
    assert response.status_code in STATUSES
    if response.headers.get("content-type") == "application/json":
        found = json.loads(response.content)
        for message in found if isinstance(found, list) else [found]:
            assert message.get("error", {}).get("code") != -32603, message
    return response


@given(versions, values)
@fuzz
async def test_any_json_is_answered(version: str, body: Any) -> None:
    response = await sent(version, json.dumps(body))
    assert response.status_code >= 400 or isinstance(body, list)


@given(versions, st.binary(max_size=200))
@fuzz
async def test_any_bytes_are_answered(version: str, content: bytes) -> None:
    await sent(version, content)


@given(versions, st.sampled_from(GOOD), st.data())
@fuzz
async def test_a_good_message_cut_short_or_with_changed_bytes(
    version: str, good: dict[str, Any], data: st.DataObject
) -> None:
    content = json.dumps(good).encode()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(start + 4, len(content))) | st.just(len(content)))
    await sent(version, content[:start] + data.draw(st.binary(max_size=4)) + content[end:])


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every member and item at every depth."""
    pairs: Any = node.items() if isinstance(node, dict) else ()
    for key, child in enumerate(node) if isinstance(node, list) else pairs:
        yield (*path, key)
        yield from places(child, (*path, key))


PLACES = [(n, path) for n, good in enumerate(GOOD) for path in places(good)]


@given(versions, st.sampled_from(PLACES), values | st.just(...))
@settings(fuzz, max_examples=200)
async def test_any_value_in_any_place_of_a_good_message(
    version: str, place: tuple[int, tuple[Any, ...]], value: Any
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
    await sent(version, json.dumps(body))


@given(versions, st.lists(st.sampled_from(GOOD) | values, max_size=4))
@fuzz
async def test_any_batch(version: str, batch: list[Any]) -> None:
    response = await sent(version, json.dumps(batch))
    if version != "2025-03-26" or not batch:
        assert response.status_code == 400


names = st.sampled_from(
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
        "Content-Encoding",
        "X-Anything",
    ]
)
odd_values = st.sampled_from(
    b"||*/*|application/json|text/event-stream|text/plain|localhost|null|2026-07-28|2025-11-25|"
    b"2024-11-05|standing:1|:|-1|x:1".split(b"|")
) | st.sampled_from([b"\xff" * 9, b"a" * 9000, b"9" * 5000, b'"' * 500, b"q=0;,;=" * 50])
raw_values = odd_values | st.binary(max_size=40).map(lambda raw: raw.translate(None, b"\r\n\0"))


@given(versions, st.sampled_from(GOOD), st.dictionaries(names, raw_values, max_size=4))
@fuzz
async def test_any_headers_beside_a_good_message(
    version: str, good: dict[str, Any], extra: dict[str, bytes]
) -> None:
    await sent(version, json.dumps(good), extra)


@given(
    versions,
    st.sampled_from(["DELETE", "PUT", "HEAD"]),
    st.dictionaries(names, raw_values, max_size=4),
)
@fuzz
async def test_any_headers_beside_no_message(
    version: str, verb: str, extra: dict[str, bytes]
) -> None:
    # It must not end the session, which has to live.
    changes: dict[str, bytes] = {"Mcp-Session-Id": b"x", **extra}
    await sent(version, b"", changes, verb)


@pytest.mark.parametrize("version", LEGACY)
@pytest.mark.parametrize("index", range(len(GOOD)))
async def test_the_good_messages_are_good(version: str, index: int) -> None:
    body = copy.deepcopy(GOOD[index])
    body.get("params", {}).pop("cursor", None)
    response = await sent(version, json.dumps(body))
    assert response.status_code in (200, 202)
    assert b'"error"' not in response.content
