"""Which era a message belongs to follows from the version that it names."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import httpx
import pytest
from support.client import META, PREFIX
from support.legacy import BOTH, LEGACY, LegacyHttp, asks, initializing, notes
from support.talking import Talking

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

MODERN = "2026-07-28"
OLDEST = "2024-11-05"
UNKNOWN = "1900-01-01"
HEADERS = (None, "", MODERN, *LEGACY, OLDEST, UNKNOWN)
HANDSHAKES = (*LEGACY, OLDEST)

BODIES: dict[str, Any] = {
    "a request": asks("tools/list", {}),
    "initialize": initializing("2025-11-25", id=1),
    "ping": asks("ping"),
    "a notification": notes("notifications/initialized"),
    "a response": {"jsonrpc": "2.0", "id": 1, "result": {}},
    "a batch": [asks("tools/list"), asks("ping", id=2)],
}


def spoken_era(kind: str, header: str | None, modern_meta: bool, session: bool) -> str:
    """The rule, as the trap of the conformance suite words it."""
    if modern_meta and kind not in ("a response", "a batch"):
        return "modern"
    if header:
        return "legacy" if header in HANDSHAKES else "modern"
    return "legacy" if session or kind == "initialize" else "modern"


async def reach(http: LegacyHttp, body: Any, header: str | None, session: bool) -> httpx.Response:
    """What a message is answered with, whatever the era that it is taken for."""
    headers = {"Host": "127.0.0.1:8000", "Content-Type": "application/json", "Accept": BOTH}
    # A legacy client may send it as well: it decides nothing.
    if isinstance(body, dict) and "method" in body:
        headers["Mcp-Method"] = body["method"]
    if header is not None:
        headers["MCP-Protocol-Version"] = header
    if session:
        headers["Mcp-Session-Id"] = http.session_id or ""
    transport = httpx.ASGITransport(http.app, client=("127.0.0.1", 50000))
    request = httpx.Request("POST", http.url, headers=headers, content=json.dumps(body))
    response = await transport.handle_async_request(request)
    await response.aread()
    return response


def code_of(response: httpx.Response) -> int | None:
    if not response.content:
        return None
    message = response.json()
    code: int | None = message.get("error", {}).get("code") if isinstance(message, dict) else None
    return code


def as_legacy(kind: str, header: str | None, session: bool) -> tuple[int, int | None]:
    """The status and the code that the legacy era answers with."""
    if kind == "initialize":
        return 200, None
    # The oldest revision may open a handshake, but no session speaks it, nor one without a name.
    if header in ("", OLDEST) or not session:
        return 400, -32600
    if kind in ("a notification", "a response"):
        return 202, None
    # The session speaks 2025-11-25, which has no batches.
    return (400, -32600) if kind == "a batch" else (200, None)


def as_modern(kind: str, header: str | None, modern_meta: bool) -> tuple[int, int | None]:
    if kind in ("a response", "a batch"):
        return 400, -32600
    if kind == "a notification":
        return (202, None) if header in (None, "", MODERN) else (400, -32022)
    if not modern_meta:
        if header == MODERN:
            return 400, -32602
        return 400, -32022 if header or kind == "initialize" else -32020
    if header != MODERN:
        return 400, -32020
    return (200, None) if kind == "a request" else (404, -32601)


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("modern_meta", [False, True], ids=["plain", "modern _meta"])
async def test_every_combination(kind: str, modern_meta: bool) -> None:
    http = await LegacyHttp.begun(Talking)
    body = json.loads(json.dumps(BODIES[kind]))
    if modern_meta and isinstance(body, dict) and "method" in body:
        body["params"] = {**body.get("params", {}), "_meta": dict(META)}
    faults = []
    for header, session in product(HEADERS, (False, True)):
        response = await reach(http, body, header, session)
        if spoken_era(kind, header, modern_meta, session) == "legacy":
            expected = as_legacy(kind, header, session)
        else:
            expected = as_modern(kind, header, modern_meta)
        found = response.status_code, code_of(response)
        if found != expected:
            faults.append(f"{header=} {session=}: {found}, not {expected}")
        minted = "mcp-session-id" in response.headers
        assert minted == (kind == "initialize" and found == (200, None))
    assert faults == []


@pytest.mark.parametrize("version", HANDSHAKES)
async def test_metadata_that_only_looks_modern_decides_nothing(version: str) -> None:
    """Only the key that names the version does."""
    http = await LegacyHttp.begun(Talking)
    meta = {PREFIX + "clientCapabilities": {}, "progressToken": 1}
    body = initializing("2025-11-25", id=1, _meta=meta)
    response = await reach(http, body, version, session=False)
    assert response.json()["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("meta", [None, [], "x", 5, {}])
async def test_metadata_of_any_shape_is_no_version(meta: Any) -> None:
    http = await LegacyHttp.begun(Talking)
    response = await reach(http, asks("ping", {"_meta": meta}), "2025-11-25", session=True)
    assert response.status_code == 200


@pytest.mark.parametrize(
    "value", ["2025-11-25, 2025-11-25", "2025-11-25 x", "2025-11", "latest", "2025-11-25;q=1"]
)
async def test_a_header_that_is_nearly_a_version_is_an_unknown_one(value: str) -> None:
    http = await LegacyHttp.begun(Talking)
    for body in (asks("ping"), notes("notifications/x"), BODIES["a response"]):
        response = await reach(http, body, value, session=True)
        assert response.status_code == 400


async def test_space_around_the_header_is_none_of_its_value() -> None:
    http = await LegacyHttp.begun(Talking)
    response = await reach(http, asks("ping"), " 2025-11-25\t", session=True)
    assert response.status_code == 200


async def test_modern_requests_ignore_sessions_and_get_none() -> None:
    http = await LegacyHttp.begun(Talking)
    body = asks("tools/list", {"_meta": dict(META)})
    for session_id in (http.session_id, "no-such"):
        other = LegacyHttp(http.app, session_id=session_id)
        response = await reach(other, body, MODERN, session=True)
        assert response.json()["result"]["resultType"] == "complete"
        assert "mcp-session-id" not in response.headers
    await http.alive()
