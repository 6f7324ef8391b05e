"""`server_tools`: what this caller may list and call, decided for every list and every call."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from support.client import CheckedClient, Http
from support.log import ServerLog

from anubis_py import Frame, McpError, Ok, Response, ServerBehaviour, Tool, ToolComponent, field

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

RAN: list[str] = []


class _Export(ToolComponent, abstract=True):
    schema = (field("range", str, default="all"),)

    def execute(self, args: Any, frame: Frame) -> Any:
        RAN.append(self.name)
        return Response.tool().text(f"{self.name} {args['range']}")


class BulkExport(_Export):
    """Exports everything."""


class Export(_Export):
    """Exports one."""


class Base(ServerBehaviour, abstract=True):
    name = "exports"
    version = "1"
    components: Any = (BulkExport, Export)

    def init(self, client_info: Any, frame: Frame) -> Any:
        return Ok(frame.register_tool("zz_runtime", description="From init"))

    def handle_tool_call(self, name: str, args: Any, frame: Frame) -> Any:
        RAN.append(name)
        return Response.tool().text(name)


class Enterprise(Base):
    def server_tools(self, tools: list[Tool], frame: Frame) -> Any:
        if frame.assigns.get("plan") == "enterprise":
            return tools
        return [tool for tool in tools if tool.name != "bulk_export"]


@pytest.fixture(autouse=True)
def _none_ran() -> None:
    RAN.clear()


async def names(client: CheckedClient) -> list[str]:
    return [tool["name"] for tool in (await client.list_tools())["tools"]]


async def test_it_gets_the_declared_and_the_runtime_tools() -> None:
    client = CheckedClient(Enterprise, assigns={"plan": "enterprise"})
    assert await names(client) == ["bulk_export", "export", "zz_runtime"]


async def test_a_withheld_tool_is_neither_listed_nor_callable() -> None:
    client = CheckedClient(Enterprise)
    assert await names(client) == ["export", "zz_runtime"]
    with pytest.raises(McpError, match=r"^Unknown tool: bulk_export\.") as refusal:
        await client.call_tool("bulk_export")
    assert refusal.value.code == -32602
    assert RAN == []


async def test_a_withheld_tool_is_never_suggested() -> None:
    with pytest.raises(McpError) as refusal:
        await CheckedClient(Enterprise).call_tool("bulk_exprt")
    assert "bulk_export" not in refusal.value.message


async def test_who_may_call_it_calls_it() -> None:
    client = CheckedClient(Enterprise, assigns={"plan": "enterprise"})
    assert (await client.call_tool("bulk_export"))["content"][0]["text"] == "bulk_export all"
    assert (await client.call_tool("zz_runtime"))["content"][0]["text"] == "zz_runtime"


async def test_a_rewritten_tool_is_what_is_listed_and_enforced() -> None:
    class Rewriting(Base):
        def server_tools(self, tools: list[Tool], frame: Frame) -> Any:
            schema = (field("range", str, required=True), field("limit", int, default=9))
            return [
                attrs.evolve(tool, description="For you", input_schema=schema)
                for tool in tools
                if tool.name == "export"
            ]

    client = CheckedClient(Rewriting)
    (tool,) = (await client.list_tools())["tools"]
    assert tool["description"] == "For you"
    assert tool["inputSchema"]["required"] == ["range"]
    assert set(tool["inputSchema"]["properties"]) == {"range", "limit"}
    assert (await client.call_tool("export"))["isError"]
    assert (await client.call_tool("export", {"range": "a", "more": 1}))["isError"]
    assert RAN == []
    result = await client.call_tool("export", {"range": "a", "limit": 1})
    assert result["content"][0]["text"] == "export a"


async def test_a_schema_may_be_rewritten_as_json_schema() -> None:
    class Rewriting(Base):
        def server_tools(self, tools: list[Tool], frame: Frame) -> Any:
            schema = {"type": "object", "properties": {"range": {"enum": ["mine"]}}}
            return [attrs.evolve(tools[0], input_schema=schema)]

    client = CheckedClient(Rewriting)
    (tool,) = (await client.list_tools())["tools"]
    assert tool["inputSchema"] == {"type": "object", "properties": {"range": {"enum": ["mine"]}}}
    assert (await client.call_tool("bulk_export", {"range": "all"}))["isError"]
    assert RAN == []


async def test_a_renamed_tool_goes_by_its_new_name_only() -> None:
    class Renaming(Base):
        def server_tools(self, tools: list[Tool], frame: Frame) -> Any:
            return [attrs.evolve(tool, name=f"x_{tool.name}") for tool in tools]

    client = CheckedClient(Renaming)
    assert await names(client) == ["x_bulk_export", "x_export", "x_zz_runtime"]
    assert (await client.call_tool("x_export"))["content"][0]["text"] == "export all"
    with pytest.raises(McpError, match=r"^Unknown tool: export\."):
        await client.call_tool("export")


async def test_the_order_is_by_name_whatever_it_returns() -> None:
    class Reversing(Base):
        def server_tools(self, tools: list[Tool], frame: Frame) -> Any:
            return reversed(tools)

    assert await names(CheckedClient(Reversing)) == ["bulk_export", "export", "zz_runtime"]


async def test_it_may_add_a_tool_of_this_callers() -> None:
    class Adding(Base):
        def server_tools(self, tools: list[Tool], frame: Frame) -> Any:
            tools.append(Tool("added"))
            return tools

    client = CheckedClient(Adding)
    assert await names(client) == ["added", "bulk_export", "export", "zz_runtime"]
    assert (await client.call_tool("added"))["content"][0]["text"] == "added"
    # What it does to the list that it gets, it does to that list only.
    assert await names(client) == ["added", "bulk_export", "export", "zz_runtime"]


async def test_a_withheld_tools_scopes_do_not_show() -> None:
    class Scoped(_Export):
        scopes = ("admin",)

    class Hiding(Base):
        components = (Scoped,)

        def server_tools(self, tools: list[Tool], frame: Frame) -> Any:
            return []

    with pytest.raises(McpError) as refusal:
        await CheckedClient(Hiding).call_tool("scoped")
    assert refusal.value.code == -32602


async def test_without_it_everybody_gets_every_tool() -> None:
    class Open(Base):
        pass

    assert await names(CheckedClient(Open)) == ["bulk_export", "export", "zz_runtime"]


async def test_a_runtime_tool_shadows_a_declared_one_of_its_name() -> None:
    class Shadowing(Base):
        def init(self, client_info: Any, frame: Frame) -> Any:
            return Ok(frame.register_tool("export", description="Another"))

    client = CheckedClient(Shadowing)
    tools = {tool["name"]: tool for tool in (await client.list_tools())["tools"]}
    assert set(tools) == {"bulk_export", "export"}
    assert tools["export"]["description"] == "Another"
    assert (await client.call_tool("export"))["content"][0]["text"] == "export"
    assert RAN == ["export"]


@pytest.mark.parametrize(
    "junk", [None, 5, ["export"], [None], {"export": 1}, [BulkExport]], ids=repr
)
@pytest.mark.parametrize("method", ["tools/list", "tools/call"])
async def test_anything_else_is_an_internal_error_told_in_the_log(
    junk: Any, method: str, server_log: ServerLog
) -> None:
    class Junk(Base):
        def server_tools(self, tools: list[Tool], frame: Frame) -> Any:
            return junk

    answer = await Http(Junk).call(method, {"name": "export"})
    assert answer.error == {"code": -32603, "message": "Internal error"}
    server_log.take("server_tools")


@pytest.mark.parametrize("method", ["tools/list", "tools/call"])
async def test_a_crash_is_an_internal_error(method: str, server_log: ServerLog) -> None:
    class Crashing(Base):
        def server_tools(self, tools: list[Tool], frame: Frame) -> Any:
            raise LookupError("hunter2")

    answer = await Http(Crashing).call(method, {"name": "export"}, id="q")
    assert answer.error == {"code": -32603, "message": "Internal error"}
    server_log.take(method, "'q'", traceback=True)


async def test_an_mcp_error_reaches_the_client() -> None:
    class Refusing(Base):
        def server_tools(self, tools: list[Tool], frame: Frame) -> Any:
            raise McpError(4711, "No tools for you")

    assert (await Http(Refusing).call("tools/list")).code == 4711
