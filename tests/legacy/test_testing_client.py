"""The client for tests speaks either era, so that one test serves both."""

from __future__ import annotations

from typing import Any

import pytest
from multi_round.asking import ADA, Server
from support.either_era import ALL, LEGACY, NEWEST, VERSIONS, EitherEra, text_of

from anubis_py import (
    Accepted,
    Frame,
    McpError,
    MemoryStore,
    NoReply,
    PromptComponent,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    field,
    send_log_message,
    send_progress,
)
from anubis_py.testing import Client

from .parts import Counter, said

pytestmark = pytest.mark.anyio

ASKABLE = [version for version in VERSIONS if version != "2025-03-26"]


class Talk(ToolComponent):
    def execute(self, args: Any, frame: Frame) -> Any:
        send_progress(frame, 1)
        send_log_message(frame, "warning", "hm")
        return Response.tool().text("done")


class Letter(PromptComponent):
    """Write a letter."""

    schema = (field("tone", str),)

    def get_messages(self, args: Any, frame: Frame) -> Any:
        return "Dear reader"

    def complete(self, argument: Any, frame: Frame) -> Any:
        return ["a", "b"]


class Diary(ResourceComponent):
    uri = "diary:///today"

    def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().text("rain")


class Page(ResourceComponent):
    uri_template = "diary:///{day}/page"

    def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().text(params["day"])


class Journal(ServerBehaviour):
    name = "journal"
    version = "1"
    instructions = "Read it."
    components = (Talk, Letter, Diary, Page)
    capabilities = ("logging",)

    def handle_notification(self, notification: Any, frame: Frame) -> Any:
        HEARD.append(notification.method)
        return NoReply()


HEARD: list[str] = []


@pytest.mark.parametrize("version", VERSIONS)
async def test_the_same_test_for_either_era(version: str) -> None:
    HEARD.clear()
    async with EitherEra(Journal, protocol_version=version) as client:
        assert client.protocol_version == version
        assert [t["name"] for t in (await client.list_tools())["tools"]] == ["talk"]
        assert [p["name"] for p in (await client.list_prompts())["prompts"]] == ["letter"]
        assert len((await client.list_resources())["resources"]) == 1
        assert len((await client.list_resource_templates())["resourceTemplates"]) == 1
        letter = await client.get_prompt("letter")
        assert letter["messages"][0]["content"]["text"] == "Dear reader"
        for uri, text in (("diary:///today", "rain"), ("diary:///monday/page", "monday")):
            assert (await client.read_resource(uri))["contents"][0]["text"] == text
        ref = {"type": "ref/prompt", "name": "letter"}
        assert (await client.complete(ref, "tone"))["completion"]["values"] == ["a", "b"]
        await client.set_log_level("info")
        result = await client.call_tool("talk", meta={"progressToken": 1})
        assert text_of(result) == "done"
        told = [note["method"] for note in client.notifications]
        assert told == ["notifications/progress", "notifications/message"]
        await client.notify("notifications/roots/list_changed")
        assert HEARD == ["notifications/roots/list_changed"]
        with pytest.raises(McpError) as refusal:
            await client.get_prompt("nope")
        assert refusal.value.code == -32602


@pytest.mark.parametrize("version", ASKABLE)
async def test_the_same_answers_for_either_era(version: str, autojump_clock: Any) -> None:
    answers = {**ADA, "sure": Accepted()}
    async with EitherEra(Server, protocol_version=version, capabilities=ALL) as client:
        assert text_of(await client.call_tool("greet", answers=ADA)) == "Hello, Ada"
        assert text_of(await client.call_tool("steps", answers=answers)) == "done, Ada"
        assert "Ada" in str(await client.read_resource("diary:///monday", answers=ADA))


@pytest.mark.parametrize("version", ASKABLE)
async def test_a_function_sees_the_same_question_in_either_era(version: str) -> None:
    asked: list[Any] = []

    def answer(key: str, request: dict[str, Any]) -> Any:
        asked.append((key, request["method"], request["params"]["message"]))
        return ADA[key]

    async with EitherEra(Server, protocol_version=version, capabilities=ALL) as client:
        await client.call_tool("greet", answers=answer)
    assert asked == [("who", "elicitation/create", "Who are you?")]


@pytest.mark.parametrize("version", ASKABLE)
async def test_a_question_that_the_test_does_not_expect(version: str) -> None:
    async with EitherEra(Server, protocol_version=version, capabilities=ALL) as client:
        with pytest.raises(AssertionError, match="the server asks for 'who'"):
            await client.call_tool("greet", answers={"name": Accepted()})
        assert text_of(await client.call_tool("greet", answers=ADA)) == "Hello, Ada"


async def test_in_a_session_a_question_needs_answers() -> None:
    async with EitherEra(Server, capabilities=ALL) as client:
        with pytest.raises(AssertionError, match="asks for 'who', and there are no answers"):
            await client.call_tool("greet")
        with pytest.raises(AssertionError, match="give answers"):
            await client.call_tool("greet", input_responses=ADA)
        with pytest.raises(AssertionError, match="give answers"):
            await client.call_tool("greet", request_state="x")


@pytest.mark.parametrize("version", LEGACY)
async def test_what_the_handshake_says(version: str) -> None:
    async with Client(Journal, protocol_version=version) as client:
        assert client.era == "legacy"
        assert client.session_id is not None
        assert client.server_info == {"name": "journal", "version": "1"}
        assert client.server_capabilities.keys() == {
            "tools",
            "prompts",
            "resources",
            "completions",
            "logging",
        }
        assert client.instructions == "Read it."


async def test_what_discover_says() -> None:
    async with Client(Journal) as client:
        assert (client.era, client.session_id) == ("stateless", None)
        assert (client.server_info, client.instructions) == ({}, None)
        await client.discover()
        assert client.server_info == {"name": "journal", "version": "1"}
        assert client.instructions == "Read it."
        assert "tools" in client.server_capabilities


async def test_the_newest_revision_is_spoken_unless_another_is_named() -> None:
    class Old(Counter):
        protocol_versions = ("2025-03-26", "2025-06-18")

    assert Client(Counter).protocol_version == "2026-07-28"
    async with Client(Old) as client:
        assert client.protocol_version == "2025-06-18"
        assert text_of(await client.call_tool("increment")) == "1"


async def test_a_server_without_a_handshake_says_so() -> None:
    class New(Counter):
        protocol_versions = ("2026-07-28",)

    async with Client(New, protocol_version=NEWEST) as client:
        with pytest.raises(McpError) as refusal:
            await client.list_tools()
        assert (refusal.value.code, refusal.value.http_status) == (-32022, 400)


async def test_two_nodes() -> None:
    store = MemoryStore()
    async with EitherEra(Counter, store=store) as client:
        assert await said(client, "increment") == "1"
        async with Client(Counter, store=store, session_id=client.session_id) as elsewhere:
            assert elsewhere.protocol_version == NEWEST
            assert text_of(await elsewhere.call_tool("increment")) == "2"
        # Who has not begun it does not end it.
        assert await said(client, "increment") == "3"
    assert await store.list_active() == []


async def test_what_only_one_of_the_eras_has() -> None:
    async with Client(Journal) as client:
        for attempt in (client.ping(), client.subscribe("x:///"), client.unsubscribe("x:///")):
            with pytest.raises(McpError, match="Method not found"):
                await attempt
        for attempt in (client.initialize(), client.end_session(), client.answer({"id": 1}, {})):
            with pytest.raises(AssertionError, match="stateless era"):
                await attempt
    async with Client(Journal, protocol_version=NEWEST) as client:
        with pytest.raises(McpError, match="Method not found"):
            await client.discover()


async def test_a_session_has_to_be_begun() -> None:
    client = Client(Counter, protocol_version=NEWEST)
    for attempt in (client.list_tools(), client.notify("notifications/x"), client.end_session()):
        with pytest.raises(AssertionError, match="use `async with`"):
            await attempt


async def test_a_session_that_is_refused_is_raised_by_entering() -> None:
    class Closed(Counter):
        def init(self, client_info: Any, frame: Frame) -> Any:
            raise McpError(4711, "Not you")

    with pytest.raises(McpError, match="Not you"):
        async with Client(Closed, protocol_version=NEWEST):
            raise AssertionError("it was let in")


async def test_an_error_of_the_test_is_not_hidden_by_the_end_of_the_session() -> None:
    async def fail() -> None:
        async with Client(Counter, protocol_version=NEWEST) as client:
            await client.end_session()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
