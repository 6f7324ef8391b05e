"""resources/subscribe and resources/unsubscribe, and which methods there are at all."""

from __future__ import annotations

from typing import Any, Final

import attrs
import pytest

from anubis_py import Frame, McpError, ServerBehaviour
from anubis_py.outcome import Reply
from anubis_py.protocol.jsonrpc import Request
from anubis_py.server.resources import MAX_SUBSCRIPTIONS
from anubis_py.server.router import route

from .closed_schema import LEGACY, VERSIONS
from .everything import Everything, Note, Notes, frame_in

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

URI: Final = "notes:///today"


class Guarded(Note):
    uri = "secret:///a"
    scopes = ("read",)


class GuardedFamily(Notes):
    uri_template = "family:///{x}"
    scopes = ("read",)


class Subscribed(ServerBehaviour):
    name = "subscribed"
    version = "1"
    capabilities: Any = {"resources": {"subscribe": True}}  # noqa: RUF012
    components = (Note, Guarded, GuardedFamily)


SERVER: Final = Subscribed()


async def call(server: Any, method: str, frame: Frame, **params: Any) -> Frame:
    outcome = await route(server, Request(1, f"resources/{method}", params), frame)
    assert isinstance(outcome, Reply)
    assert outcome.response == {}
    assert outcome.frame is not None
    return outcome.frame


async def refused(server: Any, method: str, frame: Frame, **params: Any) -> McpError:
    with pytest.raises(McpError) as refusal:
        await route(server, Request(1, method, params), frame)
    return refusal.value


@pytest.mark.parametrize("version", LEGACY)
async def test_there_and_back_as_often_as_one_likes(version: str) -> None:
    frame = frame_in(version).assign(kept=1)
    for _ in range(2):
        frame = await call(SERVER, "subscribe", frame, uri=URI)
        assert frame.resource_subscriptions == {URI}
    for _ in range(2):
        frame = await call(SERVER, "unsubscribe", frame, uri=URI)
        assert not frame.resource_subscriptions
    assert frame.assigns == {"kept": 1}


async def test_the_resource_need_not_be_there_yet() -> None:
    frame = await call(SERVER, "subscribe", frame_in("2025-11-25"), uri="later:///x")
    assert frame.resource_subscribed("later:///x")


@pytest.mark.parametrize("uri", ["secret:///a", "family:///b"])
async def test_scopes(uri: str) -> None:
    frame = frame_in("2025-11-25", auth={"sub": "a", "scope": ""})
    error = await refused(SERVER, "resources/subscribe", frame, uri=uri)
    assert (error.code, error.data) == (403, {"required": ["read"]})
    assert not frame.resource_subscriptions
    granted = frame_in("2025-11-25", auth={"sub": "a", "scope": "read"})
    frame = await call(SERVER, "subscribe", granted, uri=uri)
    assert frame.resource_subscribed(uri)
    # Whoever has lost the scope may still go.
    lost = attrs.evolve(frame, context=frame_in("2025-11-25").context)
    assert not (await call(SERVER, "unsubscribe", lost, uri=uri)).resource_subscriptions


async def test_there_is_a_bound() -> None:
    uris = frozenset(f"x:{n}" for n in range(MAX_SUBSCRIPTIONS - 1))
    frame = attrs.evolve(frame_in("2025-11-25"), resource_subscriptions=uris)
    frame = await call(SERVER, "subscribe", frame, uri="x:last")
    error = await refused(SERVER, "resources/subscribe", frame, uri="x:more")
    assert (error.code, error.message) == (
        -32602,
        "Invalid params: more than 1000 subscriptions",
    )
    assert await call(SERVER, "subscribe", frame, uri="x:last") == frame
    frame = await call(SERVER, "unsubscribe", frame, uri="x:last")
    await call(SERVER, "subscribe", frame, uri="x:more")


@pytest.mark.parametrize("method", ["resources/subscribe", "resources/unsubscribe"])
@pytest.mark.parametrize("params", [{}, {"uri": None}, {"uri": 1}, {"uri": ["a"]}])
async def test_bad_params_are_named(method: str, params: dict[str, Any]) -> None:
    error = await refused(SERVER, method, frame_in("2025-06-18"), **params)
    assert error.code == -32602
    assert error.message.startswith("Invalid params: params.uri: ")


class Undeclared(Subscribed):
    capabilities: Any = {"resources": {"subscribe": False, "list_changed": True}}  # noqa: RUF012


class Bare(ServerBehaviour):
    name = "bare"
    version = "1"


@pytest.mark.parametrize("method", ["resources/subscribe", "resources/unsubscribe"])
async def test_without_the_flag_there_is_no_such_method(method: str) -> None:
    for server in (Undeclared(), Bare()):
        for version in LEGACY:
            assert (await refused(server, method, frame_in(version), uri=URI)).code == -32601
    assert (await refused(SERVER, method, frame_in("2026-07-28"), uri=URI)).code == -32601
    # A resource of the frame's brings the capability, but not its flag.
    frame = frame_in("2025-11-25").register_resource("notes:///mine")
    assert (await refused(Bare(), method, frame, uri=URI)).code == -32601


OTHERS: Final = ("server/discover", "subscriptions/listen", "tasks/get", "unknown")


@pytest.mark.parametrize("version", LEGACY)
@pytest.mark.parametrize("method", OTHERS)
async def test_methods_of_other_revisions_are_unknown(version: str, method: str) -> None:
    assert (await refused(Everything(), method, frame_in(version))).code == -32601


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel"])
async def test_what_the_engine_answers_is_nothing_for_the_router(version: str, method: str) -> None:
    assert (await refused(Everything(), method, frame_in(version))).code == -32601
