"""Scopes: without them a component is not listed, and its use is refused."""

from __future__ import annotations

from typing import Any

import pytest
from support.client import CheckedClient, Http

from anubis_py import (
    App,
    Frame,
    McpError,
    Ok,
    PromptComponent,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    field,
)

pytestmark = pytest.mark.anyio

RAN: list[str] = []


class Free(ToolComponent):
    def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool()


class Pay(ToolComponent):
    scopes = ("pay:write", "pay:read")

    def execute(self, args: Any, frame: Frame) -> Any:
        RAN.append("pay")
        return Response.tool()


class Secret(PromptComponent):
    scopes = ("secret",)
    schema = (field("x", str),)

    def get_messages(self, args: Any, frame: Frame) -> Any:
        RAN.append("secret")
        return "secret"

    def complete(self, argument: Any, frame: Frame) -> Any:
        RAN.append("complete")
        return ()


class Ledger(ResourceComponent):
    uri = "ledger:///all"
    scopes = ("pay:read",)

    def read(self, params: Any, frame: Frame) -> Any:
        RAN.append("ledger")
        return Response.resource().text("all")


class AnyLedger(ResourceComponent):
    name = "a_ledger"
    uri_template = "ledger:///{name}"
    scopes = ("pay:read",)

    def read(self, params: Any, frame: Frame) -> Any:
        RAN.append("a_ledger")
        return Response.resource().text("scoped")

    def complete(self, argument: Any, frame: Frame) -> Any:
        RAN.append("complete")
        return ()


class PublicLedger(ResourceComponent):
    name = "b_ledger"
    uri_template = "ledger:///{+path}"

    def read(self, params: Any, frame: Frame) -> Any:
        RAN.append("b_ledger")
        return Response.resource().text("public")


class Guarded(ServerBehaviour):
    name = "guarded"
    version = "1"
    components: Any = (Free, Pay, Secret, Ledger, AnyLedger, PublicLedger)


class ScopedOnly(Guarded):
    components = (AnyLedger,)


@pytest.fixture(autouse=True)
def _none_ran() -> None:
    RAN.clear()


def caller(*scopes: str, server: type[ServerBehaviour] = Guarded) -> CheckedClient:
    return CheckedClient(server, auth={"sub": "eve", "scope": " ".join(scopes)} if scopes else None)


async def listed(client: CheckedClient) -> list[str]:
    entries = [
        *(await client.list_tools())["tools"],
        *(await client.list_prompts())["prompts"],
        *(await client.list_resources())["resources"],
        *(await client.list_resource_templates())["resourceTemplates"],
    ]
    return [entry["name"] for entry in entries]


@pytest.mark.parametrize(
    ("scopes", "names"),
    [
        ((), ["free", "b_ledger"]),
        (("pay:write",), ["free", "b_ledger"]),
        (("pay:read",), ["free", "ledger", "a_ledger", "b_ledger"]),
        (("pay:read", "pay:write"), ["free", "pay", "ledger", "a_ledger", "b_ledger"]),
        (("secret", "x"), ["free", "secret", "b_ledger"]),
    ],
)
async def test_only_what_may_be_used_is_listed(scopes: tuple[str, ...], names: list[str]) -> None:
    assert await listed(caller(*scopes)) == names


@pytest.mark.parametrize("scopes", [(), ("pay:write",), ("secret",)])
@pytest.mark.parametrize(
    ("method", "params", "required"),
    [
        ("tools/call", {"name": "pay"}, ["pay:read", "pay:write"]),
        ("resources/read", {"uri": "ledger:///all"}, ["pay:read"]),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/resource", "uri": "ledger:///{name}"},
                "argument": {"name": "name", "value": ""},
            },
            ["pay:read"],
        ),
    ],
)
async def test_the_use_of_what_is_not_granted_is_refused(
    scopes: tuple[str, ...], method: str, params: Any, required: list[str]
) -> None:
    with pytest.raises(McpError, match=r"^Insufficient scope") as refusal:
        await caller(*scopes).request(method, params)
    assert refusal.value.data["required"] == required
    assert RAN == []


@pytest.mark.parametrize("method", ["prompts/get", "completion/complete"])
async def test_a_prompt_is_refused_too(method: str) -> None:
    params = {
        "name": "secret",
        "ref": {"type": "ref/prompt", "name": "secret"},
        "argument": {"name": "x", "value": ""},
    }
    with pytest.raises(McpError, match=r"^Insufficient scope"):
        await caller("pay:read").request(method, params)
    assert RAN == []


async def test_what_is_granted_may_be_used() -> None:
    client = caller("pay:read", "pay:write", "secret")
    await client.call_tool("pay")
    await client.get_prompt("secret")
    await client.read_resource("ledger:///all")
    await client.complete({"type": "ref/prompt", "name": "secret"}, "x")
    assert RAN == ["pay", "secret", "ledger", "complete"]


async def test_a_template_without_its_scope_is_passed_over() -> None:
    result = await caller().read_resource("ledger:///a")
    assert result["contents"][0]["text"] == "public"
    assert RAN == ["b_ledger"]
    result = await caller("pay:read").read_resource("ledger:///a")
    assert result["contents"][0]["text"] == "scoped"


async def test_if_no_other_template_answers_the_refusal_is_told() -> None:
    with pytest.raises(McpError, match=r"^Insufficient scope"):
        await caller(server=ScopedOnly).read_resource("ledger:///a")
    with pytest.raises(McpError, match=r"^Resource not found"):
        await caller(server=ScopedOnly).read_resource("other:///a")


async def test_what_is_hidden_is_never_suggested() -> None:
    with pytest.raises(McpError) as unknown:
        await caller().call_tool("pai")
    assert "'pay'" not in unknown.value.message
    with pytest.raises(McpError) as unknown:
        await caller().get_prompt("secrit")
    assert "'secret'" not in unknown.value.message


async def test_over_http_it_is_forbidden() -> None:
    answer = await Http(App(Guarded())).tool("pay", id="q")
    assert answer.status == 403
    assert answer.id == "q"
    # "Implementations MUST NOT emit any code from this sub-range that is not defined".
    assert not -32768 <= answer.code <= -32000


async def test_runtime_components_have_scopes_too() -> None:
    class Runtime(ServerBehaviour):
        name = "runtime"
        version = "1"

        def init(self, client_info: Any, frame: Frame) -> Any:
            return Ok(frame.register_tool("t", scopes=["x"]).register_prompt("p", scopes=["x"]))

        def handle_tool_call(self, name: str, args: Any, frame: Frame) -> Any:
            return Response.tool()

    assert (await caller(server=Runtime).list_tools())["tools"] == []
    with pytest.raises(McpError, match=r"^Insufficient scope"):
        await caller(server=Runtime).call_tool("t")
    client = caller("x", server=Runtime)
    assert [tool["name"] for tool in (await client.list_tools())["tools"]] == ["t"]
    await client.call_tool("t")


async def test_scopes_may_be_computed() -> None:
    wanted = ["x"]

    class Computed(ToolComponent):
        @property
        def scopes(self) -> Any:  # type: ignore[override]
            return tuple(wanted)

        def execute(self, args: Any, frame: Frame) -> Any:
            RAN.append("computed")
            return Response.tool()

    class Server(ServerBehaviour):
        name = "computed"
        version = "1"
        components = (Computed,)

    with pytest.raises(McpError, match=r"^Insufficient scope"):
        await CheckedClient(Server).call_tool("computed")
    assert RAN == []
