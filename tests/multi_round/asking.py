"""A server with a round of every kind, for the tests that need one and not a special one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from anubis_py import (
    Accepted,
    Frame,
    InputRequired,
    Ok,
    Prompt,
    PromptComponent,
    PromptProvider,
    Reply,
    Resource,
    ResourceComponent,
    ResourceProvider,
    Response,
    ServerBehaviour,
    Tool,
    ToolComponent,
    ToolProvider,
    ask_form,
    ask_roots,
    ask_sampling,
    field,
)
from anubis_py.response import ToolResponse
from anubis_py.testing import Client
from multi_round.revision_schema import check

ALL: Final[Mapping[str, Any]] = {
    "elicitation": {"form": {}, "url": {}},
    "sampling": {"tools": {}, "context": {}},
    "roots": {},
}
WHO: Final = ask_form("Who are you?", [field("name", str, required=True)])
ADA: Final = {"who": Accepted({"name": "Ada"})}


def name_of(frame: Frame) -> str | None:
    match frame.context.input_responses.get("who"):
        case Accepted({"name": str(name)}):
            return name
    return None


class Greet(ToolComponent):
    schema = (field("word", str, default="Hello"),)

    async def execute(self, args: Any, frame: Frame) -> Any:
        if not frame.context.input_responses:
            return InputRequired({"who": WHO}, state={"word": args["word"]})
        state = frame.context.request_state
        return Response.tool().text(f"{state['word']}, {name_of(frame)}")


class Wave(Greet):
    """The same, for those who present the state of another tool."""


class Everything(ToolComponent):
    async def execute(self, args: Any, frame: Frame) -> Any:
        responses = frame.context.input_responses
        if not responses:
            asks = {"who": WHO, "model": ask_sampling("Go on", max_tokens=5), "at": ask_roots()}
            return InputRequired(asks)
        return Response.tool().text(" ".join(sorted(responses)))


class Steps(ToolComponent):
    """Two questions, the second of which depends on the first; then a pause without one."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        match frame.context.request_state:
            case None:
                return InputRequired({"who": WHO}, {"step": 1})
            case {"step": 1}:
                again = ask_form(f"Sure, {name_of(frame)}?")
                return InputRequired({"sure": again}, {"step": 2, "name": name_of(frame)})
            case {"step": 2, "name": name}:
                assert list(frame.context.input_responses) == ["sure"]
                return InputRequired(state={"step": 3, "name": name})
            case {"step": 3, "name": name}:
                assert not frame.context.input_responses
                return Response.tool().text(f"done, {name}")


class Letter(PromptComponent):
    schema = (field("tone", str),)

    def get_messages(self, args: Any, frame: Frame) -> Any:
        name = name_of(frame)
        return f"Write to {name}" if name else InputRequired({"who": WHO})


class Diary(ResourceComponent):
    uri_template = "diary:///{day}"

    async def read(self, params: Any, frame: Frame) -> Any:
        name = name_of(frame)
        if name is None:
            return InputRequired({"who": WHO}, state=params["day"])
        return Response.resource().text(f"{name} on {frame.context.request_state}")


class Tools(ToolProvider):
    def tools(self) -> Iterable[Tool]:
        return [Tool("provided")]

    def tool_call(self, name: str, args: Any, frame: Frame) -> Any:
        return said(frame)


class Prompts(PromptProvider):
    def prompts(self) -> Iterable[Prompt]:
        return [Prompt("provided")]

    def prompt_get(self, name: str, args: Any, frame: Frame) -> Any:
        found = name_of(frame)
        return [{"role": "user", "content": found}] if found else InputRequired({"who": WHO})


class Resources(ResourceProvider):
    def resources(self) -> Iterable[Resource]:
        return [Resource("provided", uri="provided:///")]

    def resource_read(self, uri: str, params: Any, frame: Frame) -> Any:
        found = name_of(frame)
        return Response.resource().text(found) if found else InputRequired({"who": WHO})


def said(frame: Frame) -> InputRequired | ToolResponse:
    name = name_of(frame)
    return Response.tool().text(name) if name else InputRequired({"who": WHO})


class Server(ServerBehaviour):
    name = "rounds"
    version = "1"
    components: Iterable[Any] = (
        Greet,
        Wave,
        Everything,
        Steps,
        Letter,
        Diary,
        Tools,
        Prompts,
        Resources,
    )

    def cache_hints(self, method: str) -> dict[str, Any]:
        return {"ttl_ms": 9000, "scope": "public"}


class Runtime(ServerBehaviour):
    """Components on the frame, which the server's own callbacks serve."""

    name = "runtime"
    version = "1"

    def init(self, client_info: Any, frame: Frame) -> Any:
        frame = frame.register_tool("tool").register_prompt("prompt")
        return Ok(frame.register_resource("runtime:///"))

    def handle_tool_call(self, name: str, args: Any, frame: Frame) -> Any:
        return said(frame)

    def handle_prompt_get(self, name: str, args: Any, frame: Frame) -> Any:
        return name_of(frame) or InputRequired({"who": WHO})

    def handle_resource_read(self, uri: str, frame: Frame) -> Any:
        found = name_of(frame)
        asked = InputRequired({"who": WHO})
        return Reply(Response.resource().text(found), frame) if found else asked


class Checked(Client):
    """Holds every interim result against the schema."""

    def receive(self, body: bytes) -> dict[str, Any]:
        message = super().receive(body)
        result = message.get("result", {})
        if result.get("resultType") == "input_required":
            check("InputRequiredResult", result)
            assert not {"ttlMs", "cacheScope"} & result.keys()
            info = result["_meta"]["io.modelcontextprotocol/serverInfo"]
            assert info["name"] == self.server.name
        return message


def client(server: Any = Server, **options: Any) -> Checked:
    return Checked(server, **{"capabilities": ALL, **options})


def text_of(result: dict[str, Any]) -> str:
    assert not result.get("isError"), result
    [block] = result["content"]
    text: str = block["text"]
    return text
