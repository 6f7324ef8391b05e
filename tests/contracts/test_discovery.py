"""server/discover: who answers, what it can do for this caller, and how to use it."""

from __future__ import annotations

from typing import Any

import pytest
from support.client import CheckedClient, Http
from support.log import ServerLog

from anubis_py import (
    Frame,
    Icon,
    McpError,
    Ok,
    PromptComponent,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
)
from anubis_py.protocol.revisions import REVISIONS

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]


class Now(ToolComponent):
    def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool()


class Ask(PromptComponent):
    def get_messages(self, args: Any, frame: Frame) -> Any:
        return "ask"


class Note(ResourceComponent):
    uri_template = "note:///{n}"

    def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().text("")


class Bare(ServerBehaviour):
    name = "bare"
    version = "1"


async def capabilities(server: Any, **options: Any) -> Any:
    return (await CheckedClient(server, **options).discover())["capabilities"]


async def test_a_bare_server_says_who_it_is_and_no_more() -> None:
    assert await CheckedClient(Bare).discover() == {
        "resultType": "complete",
        "supportedVersions": list(REVISIONS),
        "capabilities": {},
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "bare", "version": "1"}},
    }


async def test_the_servers_identity_is_on_every_result() -> None:
    class Named(Bare):
        title = "Named"
        description = "A server with a name"
        website_url = "https://named.example"
        icons = (Icon("https://named.example/i.png", "image/png", ("48x48",)),)
        components = (Now,)

    client = CheckedClient(Named)
    for result in (
        await client.discover(),
        await client.list_tools(),
        await client.call_tool("now"),
    ):
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"] == {
            "name": "bare",
            "version": "1",
            "title": "Named",
            "description": "A server with a name",
            "websiteUrl": "https://named.example",
            "icons": [
                {
                    "src": "https://named.example/i.png",
                    "mimeType": "image/png",
                    "sizes": ["48x48"],
                }
            ],
        }


async def test_capabilities_come_from_the_components() -> None:
    class Full(Bare):
        components = (Now, Ask, Note)

    assert await capabilities(Full) == {"tools": {}, "prompts": {}, "resources": {}}


async def test_declared_capabilities_are_added_in_wire_form() -> None:
    class Declared(Bare):
        components = (Ask,)
        capabilities = {  # noqa: RUF012
            "prompts": {"list_changed": True},
            "resources": {"subscribe": True, "list_changed": False},
            "logging": {},
            "experimental": {"x": {"y": 1}},
            "extensions": {"com.example/e": {}},
        }

    assert await capabilities(Declared) == {
        "prompts": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": False},
        "logging": {},
        "experimental": {"x": {"y": 1}},
        "extensions": {"com.example/e": {}},
    }


async def test_a_list_of_names_declares_capabilities_without_flags() -> None:
    class Declared(Bare):
        capabilities = ("tools", "prompts")

    client = CheckedClient(Declared)
    assert await capabilities(Declared) == {"tools": {}, "prompts": {}}
    assert (await client.list_tools())["tools"] == []
    assert (await client.list_prompts())["prompts"] == []


async def test_runtime_components_bring_capabilities_too() -> None:
    class Runtime(Bare):
        def init(self, client_info: Any, frame: Frame) -> Any:
            return Ok(frame.register_prompt("p")) if client_info else Ok(frame)

    assert await capabilities(Runtime) == {}
    assert await capabilities(Runtime, client_info={"name": "c", "version": "1"}) == {"prompts": {}}


@pytest.mark.parametrize(
    ("callback", "capability"),
    [
        ("handle_tool_call", "tools"),
        ("handle_prompt_get", "prompts"),
        ("handle_resource_read", "resources"),
        ("handle_completion", "completions"),
    ],
)
async def test_a_callback_for_runtime_components_brings_its_capability(
    callback: str, capability: str
) -> None:
    functions: dict[str, Any] = {
        "handle_tool_call": lambda self, name, args, frame: None,
        "handle_prompt_get": lambda self, name, args, frame: None,
        "handle_resource_read": lambda self, uri, frame: None,
        "handle_completion": lambda self, ref, argument, frame: None,
    }
    server = type("Server", (Bare,), {callback: functions[callback]})
    assert await capabilities(server) == {capability: {}}


async def test_instructions_are_the_attribute_by_default() -> None:
    class Instructed(Bare):
        instructions = "Ask before you export."

    assert (await CheckedClient(Instructed).discover())["instructions"] == "Ask before you export."


async def test_instructions_may_depend_on_who_is_asking() -> None:
    class Varying(Bare):
        instructions = "Not these"

        def init(self, client_info: Any, frame: Frame) -> Any:
            return Ok(frame.assign(suffix="!"))

        def server_instructions(self, frame: Frame) -> str | None:
            if frame.assigns.get("plan") == "enterprise":
                return "You may call bulk_export" + str(frame.assigns["suffix"])
            return None

    result = await CheckedClient(Varying, assigns={"plan": "enterprise"}).discover()
    assert result["instructions"] == "You may call bulk_export!"
    assert "instructions" not in await CheckedClient(Varying).discover()


@pytest.mark.parametrize("junk", [5, ["a"], {"text": "a"}, b"text"], ids=repr)
async def test_instructions_that_are_no_text_are_an_internal_error(
    junk: Any, server_log: ServerLog
) -> None:
    class Junk(Bare):
        def server_instructions(self, frame: Frame) -> Any:
            return junk

    answer = await Http(Junk).call("server/discover")
    assert answer.error == {"code": -32603, "message": "Internal error"}
    server_log.take("server_instructions")


async def test_a_crash_is_an_internal_error(server_log: ServerLog) -> None:
    class Crashing(Bare):
        def server_instructions(self, frame: Frame) -> str | None:
            raise LookupError("hunter2")

    answer = await Http(Crashing).call("server/discover", id="q")
    assert answer.error == {"code": -32603, "message": "Internal error"}
    server_log.take("server/discover", "'q'", traceback=True)


async def test_protocol_versions_may_be_restricted() -> None:
    class Restricted(Bare):
        protocol_versions = ("2026-07-28",)

    class ByCallback(Bare):
        def supported_protocol_versions(self) -> Any:
            return ["2026-07-28"]

    for server in (Restricted, ByCallback):
        assert (await CheckedClient(server).discover())["supportedVersions"] == ["2026-07-28"]
        client = CheckedClient(server, protocol_version="2025-11-25")
        with pytest.raises(McpError) as refusal:
            await client.discover()
        assert refusal.value.code == -32022
        assert refusal.value.data == {"supported": ["2026-07-28"], "requested": "2025-11-25"}
