"""The requests of a session, and what they are answered with."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.either_era import LEGACY, VERSIONS, EitherEra, text_of
from support.log import ServerLog

from anubis_py import (
    Failure,
    Frame,
    McpError,
    NoReply,
    PromptComponent,
    Reply,
    Request,
    ResourceComponent,
    ResourceNotFound,
    Response,
    ServerBehaviour,
    ToolComponent,
    ToolError,
    field,
)
from anubis_py.engine.exchange import Peer
from anubis_py.engine.outbox import Outbox
from anubis_py.protocol.jsonrpc import decode_batch

from .parts import counter, said, tool

pytestmark = pytest.mark.anyio

SECRET = "connect db://svc:hunter2@10.1.2.3/x failed in /srv/app/pay.py"


async def refused(client: EitherEra, method: str, **params: Any) -> McpError:
    with pytest.raises(McpError) as refusal:
        await client.request(method, params)
    assert refusal.value.http_status in (200, 403) or client.era == "stateless"
    for part in ("hunter2", "10.1.2.3", "/srv/app", "LookupError"):
        assert part not in f"{refusal.value} {refusal.value.data}"
    return refusal.value


class Pay(ToolComponent):
    schema = (field("amount", int, required=True),)

    def execute(self, args: Any, frame: Frame) -> Any:
        if args["amount"] == 1:
            raise ToolError("card declined")
        raise LookupError(SECRET)


class Prompt(PromptComponent):
    name = "p"

    def get_messages(self, args: Any, frame: Frame) -> Any:
        raise LookupError(SECRET)


class Crashing(ResourceComponent):
    uri = "res:///r"

    def read(self, params: Any, frame: Frame) -> Any:
        raise LookupError(SECRET)


class Missing(ResourceComponent):
    uri_template = "row:///{id}"

    def read(self, params: Any, frame: Frame) -> Any:
        raise ResourceNotFound(f"row:///{params['id']}")


SERVER = counter(tools=(Pay, Prompt, Crashing, Missing))


@pytest.mark.parametrize("version", VERSIONS)
async def test_whose_fault_it_is_can_be_told_apart(version: str, server_log: ServerLog) -> None:
    async with EitherEra(SERVER, protocol_version=version) as client:
        assert (await refused(client, "tools/call", name="nope")).code == -32602
        assert (await refused(client, "prompts/get", name="nope")).code == -32602
        bad: dict[str, Any] = {"name": "pay", "arguments": {"amount": "x"}}
        if version in ("2025-03-26", "2025-06-18"):
            assert (await refused(client, "tools/call", **bad)).code == -32602
        else:
            assert (await client.request("tools/call", bad))["isError"] is True
        declined = await client.call_tool("pay", {"amount": 1})
        assert (declined["isError"], declined["content"][0]["text"]) == (True, "card declined")
        broken = await client.call_tool("pay", {"amount": 2})
        assert (broken["isError"], "hunter2" in str(broken)) == (True, False)
        server_log.take("tools/call", "'pay'", traceback=True)
        assert (await refused(client, "prompts/get", name="p")).code == -32603
        server_log.take("prompts/get", "'p'", traceback=True)
        assert (await refused(client, "resources/read", uri="res:///r")).code == -32603
        server_log.take("resources/read", traceback=True)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("uri", ["nope:///x", "row:///7"])
async def test_a_resource_that_is_not_there(version: str, uri: str) -> None:
    async with EitherEra(SERVER, protocol_version=version) as client:
        error = await refused(client, "resources/read", uri=uri)
        assert error.code == (-32602 if version == VERSIONS[0] else -32002)
        assert error.data == {"uri": uri}


@pytest.mark.parametrize("version", VERSIONS)
async def test_an_output_schema_and_the_tools_own_error(
    version: str, server_log: ServerLog
) -> None:
    class Temp(ToolComponent):
        schema = (field("how", str, required=True),)
        output_schema = (field("celsius", float, required=True),)

        def execute(self, args: Any, frame: Frame) -> Any:
            match args["how"]:
                case "ok":
                    return Response.tool().structured({"celsius": 21.5})
                case "fail":
                    raise ToolError("station offline")
                case "bad":
                    return Response.tool().structured({"celsius": "warm"})
            return Response.tool().text("21.5")

    async with EitherEra(counter(tools=(Temp,)), protocol_version=version) as client:
        ok = await client.call_tool("temp", {"how": "ok"})
        assert ok.get("structuredContent") == (
            None if version == "2025-03-26" else {"celsius": 21.5}
        )
        assert "21.5" in ok["content"][0]["text"]
        fail = await client.call_tool("temp", {"how": "fail"})
        assert (fail["isError"], fail["content"][0]["text"]) == (True, "station offline")
        assert "structuredContent" not in fail
        for how in ("bad", "none"):
            assert (await client.call_tool("temp", {"how": how}))["isError"] is True
    server_log.clear()


@pytest.mark.parametrize(
    "method", ["no/such", "tools/x", "server/discover", "subscriptions/listen", "tasks/list"]
)
async def test_a_method_that_the_revision_does_not_know(method: str) -> None:
    async with EitherEra(counter()) as client:
        assert (await refused(client, method)).code == -32601
        assert await said(client, "increment") == "1"


@pytest.mark.parametrize(
    "method",
    ["prompts/list", "prompts/get", "resources/list", "resources/read", "completion/complete"],
)
async def test_a_method_without_its_capability(method: str) -> None:
    async with EitherEra(counter()) as client:
        assert "prompts" not in client.server_capabilities
        assert (await refused(client, method, name="x", uri="x:///")).code == -32601


async def test_a_handshake_within_a_session_is_no_method_of_it() -> None:
    async with EitherEra(counter()) as client:
        request = Request(9, "initialize", {})
        assert client.session_id is not None
        served = await client.engines.legacy.requests.serve(
            client.session_id, request, client.peer(), Outbox()
        )
        assert served.body is not None
        assert client.receive(served.body)["error"]["code"] == -32601


@pytest.mark.parametrize("version", LEGACY)
async def test_ping(version: str) -> None:
    async with EitherEra(counter(), protocol_version=version) as client:
        await client.ping()


async def test_handle_request_comes_before_the_router() -> None:
    class Own(ServerBehaviour):
        name = "own"
        version = "1"
        components = counter().components

        async def handle_request(self, request: Request, frame: Frame) -> Any:
            match request.method:
                case "own/reply":
                    return Reply({"at": frame.assigns.get("at")}, frame.assign(at=1))
                case "own/none":
                    return NoReply(frame.assign(at=2))
                case "own/fail":
                    return Failure(McpError(4711, "no"), frame.assign(at=3))
            return await super().handle_request(request, frame)

    async with EitherEra(Own) as client:
        assert await client.request("own/reply") == {"at": None}
        assert await client.request("own/reply") == {"at": 1}
        assert await client.request("own/none") == {}
        assert await client.request("own/reply") == {"at": 2}
        assert (await refused(client, "own/fail")).code == 4711
        assert await said(client, "increment") == "1"
        assert (await refused(client, "own/unknown")).code == -32601
        await client.ping()


async def test_a_junk_answer_of_handle_request(server_log: ServerLog) -> None:
    class Junk(ServerBehaviour):
        name = "junk"
        version = "1"

        async def handle_request(self, request: Request, frame: Frame) -> Any:
            return "ok"

    async with EitherEra(Junk) as client:
        assert (await refused(client, "tools/list")).code == -32603
        server_log.take("returned", "it may return")


async def test_server_tools_hides_from_the_list_and_the_call() -> None:
    seen: list[Frame] = []

    def server_tools(self: Any, tools: Any, frame: Frame) -> Any:
        seen.append(frame)
        return tools if frame.assigns.get("plan") == "pro" else tools[:1]

    async with EitherEra(counter(server_tools=server_tools)) as client:
        assert [t["name"] for t in (await client.list_tools())["tools"]] == ["assigns"]
        assert (await refused(client, "tools/call", name="increment")).code == -32602
        client.assigns = {"plan": "pro"}
        assert len((await client.list_tools())["tools"]) == 3
        assert await said(client, "increment") == "1"
        assert seen[0].context.session_id == client.session_id


async def test_scopes_are_the_requests_own() -> None:
    secret = tool("secret", lambda args, frame: Response.tool().text("x"), scopes=["secrets"])
    async with EitherEra(counter(tools=(secret,)), auth={"sub": "eve"}) as client:
        assert "secret" not in str(await client.list_tools())
        assert (await refused(client, "tools/call", name="secret")).code == 403
        client.auth = {"sub": "eve", "scope": "secrets"}
        assert text_of(await client.call_tool("secret")) == "x"


async def test_a_request_whose_metadata_is_odd() -> None:
    async with EitherEra(counter()) as client:
        metas: tuple[Any, ...] = (5, [], "x", None, {"progressToken": {}}, {"progressToken": True})
        for meta in metas:
            result = await client.request("tools/call", {"name": "count", "_meta": meta})
            assert text_of(result) == "0"


async def test_a_batch_is_answered_as_one() -> None:
    async with EitherEra(counter(), protocol_version="2025-03-26") as client:
        parts = decode_batch(
            b'[{"jsonrpc":"2.0","id":1,"method":"ping"},'
            b'{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"increment"}},'
            b'{"jsonrpc":"2.0","method":"notifications/x"},'
            b'{"jsonrpc":"2.0","id":2,"method":"initialize"},'
            b'{"jsonrpc":"2.0","id":3}]'
        )
        assert client.session_id is not None
        batches = client.engines.legacy.batches
        await batches.require(client.session_id, Peer())
        served = await batches.serve(client.session_id, parts, Peer(), Outbox())
        assert served.status == 200
        assert served.body is not None
        answers = json.loads(served.body)
        codes = sorted((str(a.get("id")), a.get("error", {}).get("code", 0)) for a in answers)
        assert codes == [("1", 0), ("2", -32600), ("3", -32600), ("a", 0)]
        assert await said(client, "count") == "1"


async def test_other_revisions_know_no_batches() -> None:
    async with EitherEra(counter()) as client:
        assert client.session_id is not None
        with pytest.raises(McpError) as refusal:
            await client.engines.legacy.batches.require(client.session_id, Peer())
        assert (refusal.value.code, refusal.value.http_status) == (-32600, 400)
