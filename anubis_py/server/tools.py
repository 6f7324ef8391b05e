"""tools/list and tools/call."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ..components.page import order
from ..components.tool import Tool
from ..encoding import dumps, loads
from ..errors import insufficient_scope, internal_error, invalid_params, near_miss
from ..frame import Frame
from ..outcome import Reply
from ..protocol.jsonrpc import Request
from ..protocol.params import CallToolParams
from ..protocol.revisions import REVISIONS
from ..protocol.wire import read
from ..response import UNSET, ToolResponse
from ..schema.faults import Invalid
from .invoke import Call, Contract, Settled, to_wire
from .listing import list_page

if TYPE_CHECKING:
    from .behaviour import Behaviour

logger = logging.getLogger("anubis_py.server")


def _respond(value: Any) -> ToolResponse:
    if isinstance(value, ToolResponse):
        return value
    raise TypeError("not a response of a tool")


def _explain(text: str) -> ToolResponse:
    return ToolResponse().error(text)


# Only a transport with headers of this revision has arguments repeated in them.
MIRRORS: Final = "mcp-method"

EXECUTE: Final = Contract(
    "tools/call",
    "Reply, NoReply, InputRequired, Failure or a bare Response.tool()…",
    _respond,
    _explain,
    nothing=ToolResponse(),
    asks=True,
)


async def list_tools(server: Behaviour, request: Request, frame: Frame) -> Settled:
    return list_page("tools", server.catalog.tools, offered(server, frame), request, frame)


async def call_tool(server: Behaviour, request: Request, frame: Frame) -> Settled:
    """Bad arguments and the tool's own failures are results that a model can read and act on;
    what it cannot mend is a protocol error (server/tools, "Error Handling"). Where a revision
    counts bad arguments among the latter, they are."""
    params = read(request.params, CallToolParams)
    tool = find(server, params.name, frame)
    if MIRRORS in frame.context.headers:
        for param in tool.mirrored:
            param.check(frame.context.headers, params.arguments or {})
    try:
        arguments = tool.input_schema.validate(params.arguments or {})
    except Invalid as fault:
        text = f"Invalid arguments: {fault}"
        if not REVISIONS[frame.context.protocol_version].dialect.bad_arguments_are_results:
            raise invalid_params(text) from None
        return Reply(_explain(text).to_wire(), frame)
    form = to_wire if tool.output_schema is None else partial(_checked, tool)
    call = Call(EXECUTE, tool.label, tool.timeout or server.timeout, form)
    if tool.handler is not None:
        return await call(tool.handler, arguments, frame=frame)
    return await call(server.handle_tool_call, tool.name, arguments, frame=frame)


def offered(server: Behaviour, frame: Frame) -> Sequence[Tool]:
    """The tools of this caller: for the list and for the call, so that none withheld is called."""
    items = server.catalog.tools.items(frame.tools)
    if "server_tools" not in server.overrides:
        return items
    given: Any = server.server_tools(list(items), frame)
    tools = list(given) if isinstance(given, Iterable) else [given]
    for tool in tools:
        if not isinstance(tool, Tool):
            logger.error(
                "server_tools returned a %s; it may return an iterable of Tool",
                type(tool).__name__,
            )
            raise internal_error()
    return sorted(tools, key=order)


def find(server: Behaviour, name: str, frame: Frame) -> Tool:
    if "server_tools" in server.overrides:
        tool = next((t for t in offered(server, frame) if t.name == name), None)
    else:
        tool = server.catalog.tools.find(name, frame.tools)
    if tool is None:
        granted = (t.name for t in offered(server, frame) if frame.has_all_scopes(t.scopes))
        raise invalid_params(f"Unknown tool: {name}.{near_miss(name, granted)}")
    if tool.scopes and not frame.has_all_scopes(tool.scopes):
        raise insufficient_scope(tool.scopes)
    return tool


def _checked(tool: Tool, response: ToolResponse) -> dict[str, Any]:
    """The result in wire form. Whether it failed is asked before what it has to look like."""
    if not response.is_error and (fault := _output_fault(tool, response)) is not None:
        logger.error("the %s broke its output schema: %s", tool.label, fault)
        response = _explain(f"The {tool.label} gave a result that breaks its output schema.")
    return response.to_wire()


def _output_fault(tool: Tool, response: ToolResponse) -> str | None:
    assert tool.output_schema is not None
    if response.structured_content is UNSET:
        return "no structured content"
    try:
        # What is checked is what is sent: dates, enums and attrs instances in their JSON form.
        tool.output_schema.validate(loads(dumps(response.structured_content)))
    except Invalid as fault:
        return str(fault)
    return None
