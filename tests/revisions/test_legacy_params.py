"""What clients of the handshake revisions send, and what is said of what they send wrongly."""

from __future__ import annotations

from typing import Any, Final

import pytest

from anubis_py import McpError
from anubis_py.errors import LOG_LEVELS
from anubis_py.protocol.params import (
    InitializeParams,
    SetLevelParams,
    SubscribeParams,
)
from anubis_py.protocol.wire import read

INFO: Final[dict[str, Any]] = {"name": "c", "version": "1", "title": "C", "more": 1}
GOOD: Final = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": INFO}


def fault(value: Any, shape: type[Any], path: str = "params") -> str:
    with pytest.raises(McpError) as refusal:
        read(value, shape, path)
    assert refusal.value.code == -32602
    return refusal.value.message.removeprefix("Invalid params: ")


def test_a_handshake() -> None:
    capabilities = {"roots": {"listChanged": True}, "odd": True, "sampling": None}
    params = read({**GOOD, "capabilities": capabilities, "_meta": {}, "x": 1}, InitializeParams)
    assert params.protocol_version == "2025-06-18"
    assert params.capabilities == capabilities
    assert params.client_info == INFO


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"clientInfo": None}, "params.clientInfo: expected an object, got null"),
        ({"clientInfo": {"name": "c"}}, "params.clientInfo: expected 'version' to be a string"),
        ({"capabilities": []}, "params.capabilities: expected an object, got array"),
        ({"protocolVersion": 1}, "params.protocolVersion: expected a string, got integer"),
    ],
)
def test_a_handshake_that_is_wrong(changed: dict[str, Any], said: str) -> None:
    assert fault({**GOOD, **changed}, InitializeParams).startswith(said)


@pytest.mark.parametrize("member", GOOD)
def test_a_handshake_that_lacks_something(member: str) -> None:
    rest = {name: value for name, value in GOOD.items() if name != member}
    assert fault(rest, InitializeParams) == f"params.{member}: required, missing"


def test_levels() -> None:
    for level in LOG_LEVELS:
        assert read({"level": level}, SetLevelParams).level == level
    choices = ", ".join(LOG_LEVELS)
    wrong: tuple[Any, ...] = ("loud", "INFO", "", None, 1, [])
    for odd in wrong:
        assert fault({"level": odd}, SetLevelParams) == f"params.level: expected one of {choices}"
    assert fault({}, SetLevelParams) == "params.level: required, missing"


def test_a_uri() -> None:
    assert read({"uri": "a:b"}, SubscribeParams).uri == "a:b"
