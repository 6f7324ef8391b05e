"""Rounds over HTTP: the status of every refusal, and plain JSON for a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from multi_round.asking import ADA, ALL, Server
from multi_round.revision_schema import check

PREFIX = "io.modelcontextprotocol/"
ANSWERS = {key: answer.to_wire() for key, answer in ADA.items()}


async def post(
    params: Mapping[str, Any],
    *,
    capabilities: Mapping[str, Any] = ALL,
    method: str = "tools/call",
    token: str | None = None,
) -> httpx.Response:
    meta = {PREFIX + "protocolVersion": "2026-07-28", PREFIX + "clientCapabilities": capabilities}
    if token is not None:
        meta["progressToken"] = token
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
        "Mcp-Name": params.get("name") or params.get("uri") or "",
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    transport = httpx.ASGITransport(app=APP)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        return await http.post("/mcp", json=body, headers=headers)


APP = Server.asgi()
GREET = {"name": "greet", "arguments": {}}


async def good() -> None:
    asked = await post(GREET)
    assert asked.status_code == 200
    assert asked.headers["content-type"] == "application/json"
    state = asked.json()["result"]["requestState"]
    answered = await post({**GREET, "inputResponses": ANSWERS, "requestState": state})
    assert answered.json()["result"]["content"] == [{"type": "text", "text": "Hello, Ada"}]


@pytest.mark.anyio
async def test_a_round() -> None:
    await good()
    asked = (await post(GREET)).json()
    check("JSONRPCResultResponse", asked)
    check("InputRequiredResult", asked["result"])


@pytest.mark.anyio
async def test_a_round_of_a_client_that_takes_streams() -> None:
    asked = await post(GREET, token="p")
    assert asked.headers["content-type"] == "application/json"
    assert asked.json()["result"]["resultType"] == "input_required"


@pytest.mark.anyio
@pytest.mark.parametrize("token", [None, "p"])
async def test_a_missing_capability_is_status_400(token: str | None) -> None:
    refused = await post(GREET, capabilities={"sampling": {}}, token=token)
    assert refused.status_code == 400
    check("MissingRequiredClientCapabilityError", refused.json())
    error = refused.json()["error"]
    assert error["code"] == -32021
    assert error["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}}}
    await good()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("carried", "status"),
    [
        ({"inputResponses": None}, 400),
        ({"requestState": 3}, 400),
        ({"requestState": "AAAA"}, 200),
        ({"requestState": None, "inputResponses": {}}, 400),
    ],
)
async def test_what_carries_no_round(carried: Any, status: int) -> None:
    refused = await post({**GREET, **carried})
    assert refused.status_code == status
    assert refused.json()["error"]["code"] == -32602
    await good()


@pytest.mark.anyio
async def test_a_malformed_answer_is_status_400() -> None:
    state = (await post(GREET)).json()["result"]["requestState"]
    refused = await post({**GREET, "inputResponses": {"who": 12345}, "requestState": state})
    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == -32602
    assert "params.inputResponses.who" in refused.json()["error"]["message"]
    await good()
