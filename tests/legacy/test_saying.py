"""What a session's callbacks say beside the answer: logs, progress, changes."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from support.either_era import LEGACY, VERSIONS, EitherEra
from support.log import ServerLog

from anubis_py import (
    Frame,
    McpError,
    NoReply,
    Reply,
    Response,
    field,
    send_log_message,
    send_progress,
    send_prompts_list_changed,
    send_resource_updated,
    send_resources_list_changed,
    send_tools_list_changed,
)
from anubis_py.errors import LOG_LEVELS

from .parts import counter, heard, tool

pytestmark = pytest.mark.anyio

LOGGING: dict[str, Any] = {"logging": {}}


def every_level(args: Any, frame: Frame) -> Any:
    for level in LOG_LEVELS:
        send_log_message(frame, level, {"at": level}, logger="tests")
    return Response.tool()


def levels(client: EitherEra) -> list[str]:
    heard = [note["params"] for note in client.notifications]
    client.notifications.clear()
    assert all(params["data"] == {"at": params["level"]} for params in heard)
    return [params["level"] for params in heard]


@pytest.mark.parametrize("version", LEGACY)
async def test_set_level_filters_logs_from_then_on(version: str) -> None:
    server = counter(tools=(tool("log", every_level),), capabilities=LOGGING)
    async with EitherEra(server, protocol_version=version) as client:
        await client.call_tool("log")
        assert levels(client) == list(LOG_LEVELS[1:])
        for level in ("error", "debug", "emergency"):
            await client.set_log_level(level)
            await client.call_tool("log")
            assert levels(client) == list(LOG_LEVELS[LOG_LEVELS.index(level) :])


async def test_the_level_is_the_sessions_own() -> None:
    server = counter(tools=(tool("log", every_level),), capabilities=LOGGING)()
    async with EitherEra(server) as one, EitherEra(server) as other:
        await one.set_log_level("emergency")
        await other.call_tool("log")
        assert len(levels(other)) == 7


@pytest.mark.parametrize("version", VERSIONS)
async def test_the_level_is_set_in_either_era_alike(version: str) -> None:
    server = counter(tools=(tool("log", every_level),), capabilities=LOGGING)
    async with EitherEra(server, protocol_version=version) as client:
        await client.set_log_level("alert")
        await client.call_tool("log")
        assert levels(client) == ["alert", "emergency"]


@pytest.mark.parametrize("params", [{}, {"level": "loud"}, {"level": 5}])
async def test_a_level_that_is_none(params: dict[str, Any]) -> None:
    async with EitherEra(counter(capabilities=LOGGING)) as client:
        with pytest.raises(McpError, match="level") as refusal:
            await client.request("logging/setLevel", params)
        assert refusal.value.code == -32602


async def test_without_the_capability_there_are_no_logs(server_log: ServerLog) -> None:
    def log(args: Any, frame: Frame) -> Any:
        send_log_message(frame, "error", "x")
        return Response.tool()

    async with EitherEra(counter(tools=(tool("log", log),))) as client:
        with pytest.raises(McpError) as refusal:
            await client.set_log_level("debug")
        assert (refusal.value.code, refusal.value.http_status) == (-32601, 200)
        await client.call_tool("log")
        assert client.notifications == []
        server_log.take("declare capabilities")


@pytest.mark.parametrize("version", VERSIONS)
async def test_progress_increases_and_needs_a_token(version: str) -> None:
    def step(args: Any, frame: Frame) -> Any:
        for progress in (1, 2, 2, 1, float("nan"), 3.5):
            send_progress(frame, progress, total=4, message="…")
        return Response.tool()

    async with EitherEra(counter(tools=(tool("step", step),)), protocol_version=version) as client:
        await client.call_tool("step")
        assert client.notifications == []
        await client.call_tool("step", meta={"progressToken": "t"})
        told = [note["params"] for note in client.notifications]
        assert [params["progress"] for params in told] == [1, 2, 3.5]
        assert {(params["progressToken"], params["total"]) for params in told} == {("t", 4)}
        assert told[0]["message"] == "…"


SAYERS = {
    "resource": lambda frame: send_resource_updated(frame, "memo:///a"),
    "tools": send_tools_list_changed,
    "prompts": send_prompts_list_changed,
    "resources": send_resources_list_changed,
}


def say(args: Any, frame: Frame) -> Any:
    SAYERS[args["what"]](frame)
    return Response.tool()


SAY = tool("say", say, schema=(field("what", str, required=True),))
EVERYTHING: dict[str, Any] = {
    "tools": {"list_changed": True},
    "prompts": {"list_changed": True},
    "resources": {"list_changed": True, "subscribe": True},
}


@pytest.mark.parametrize("version", VERSIONS)
async def test_changes_reach_whoever_listens(version: str) -> None:
    server = counter(tools=(SAY,), capabilities=EVERYTHING)
    async with (
        EitherEra(server, protocol_version=version) as client,
        client.listen(tools=True, prompts=True, resources=True, uris=["memo:///a"]) as stream,
    ):
        assert stream.honoured == {
            "toolsListChanged": True,
            "promptsListChanged": True,
            "resourcesListChanged": True,
            "resourceSubscriptions": ["memo:///a"],
        }
        for what, method in (
            ("tools", "notifications/tools/list_changed"),
            ("prompts", "notifications/prompts/list_changed"),
            ("resources", "notifications/resources/list_changed"),
            ("resource", "notifications/resources/updated"),
        ):
            await client.call_tool("say", {"what": what})
            note = await heard(stream)
            assert note["method"] == method
        assert note["params"]["uri"] == "memo:///a"


async def test_what_is_not_advertised_is_not_told() -> None:
    async with EitherEra(counter(tools=(SAY,))) as client, client.listen(tools=True) as stream:
        assert stream.honoured == {}
        for what in SAYERS:
            await client.call_tool("say", {"what": what})
        assert client.notifications == []
        await client.end_session()
        with pytest.raises(anyio.EndOfStream):
            await heard(stream)


async def test_subscriptions_begin_and_end_while_the_stream_is_open() -> None:
    server = counter(tools=(SAY,), capabilities=EVERYTHING)
    async with EitherEra(server) as client, client.listen() as stream:
        await client.call_tool("say", {"what": "resource"})
        await client.subscribe("memo:///a")
        await client.subscribe("memo:///a")
        await client.call_tool("say", {"what": "resource"})
        await client.call_tool("say", {"what": "resource"})
        assert (await heard(stream))["params"] == {"uri": "memo:///a"}
        await client.unsubscribe("memo:///a")
        await client.unsubscribe("memo:///a")
        await client.call_tool("say", {"what": "resource"})
        await client.call_tool("say", {"what": "tools"})
        assert (await heard(stream))["method"] == "notifications/tools/list_changed"


async def test_a_callback_may_subscribe_the_client_itself() -> None:
    def watch(args: Any, frame: Frame) -> Any:
        return Reply(Response.tool(), frame.subscribe_resource("memo:///a"))

    def handle_notification(self: Any, notification: Any, frame: Frame) -> Any:
        return NoReply(frame.unsubscribe_resource("memo:///a"))

    server = counter(
        tools=(SAY, tool("watch", watch)),
        capabilities=EVERYTHING,
        handle_notification=handle_notification,
    )
    async with EitherEra(server) as client, client.listen() as stream:
        await client.call_tool("watch")
        await client.call_tool("say", {"what": "resource"})
        assert (await heard(stream))["method"] == "notifications/resources/updated"
        await client.notify("notifications/enough")
        await client.call_tool("say", {"what": "resource"})
        await client.call_tool("say", {"what": "tools"})
        assert (await heard(stream))["method"] == "notifications/tools/list_changed"


async def test_without_the_flag_there_are_no_subscriptions() -> None:
    async with EitherEra(counter(capabilities=["resources"])) as client:
        for method in ("resources/subscribe", "resources/unsubscribe"):
            with pytest.raises(McpError) as refusal:
                await client.request(method, {"uri": "memo:///a"})
            assert (refusal.value.code, refusal.value.http_status) == (-32601, 200)


async def test_what_is_said_out_of_an_event_comes_on_the_stream() -> None:
    def handle_info(self: Any, event: Any, frame: Frame) -> Any:
        send_log_message(frame, "warning", event)
        send_progress(frame, 1)
        return NoReply()

    server = counter(handle_info=handle_info, capabilities=LOGGING)
    async with EitherEra(server) as client, client.listen() as stream:
        await client.publish_event("rain")
        note = await heard(stream)
        assert note["params"] == {"level": "warning", "data": "rain"}
