"""B09: a limit is applied and told; nothing to suggest is no fault."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from support.client import CheckedClient, Http, modern
from support.log import ServerLog

from anubis_py import (
    CompletionArgument,
    Frame,
    PromptComponent,
    PromptReference,
    Reply,
    ResourceComponent,
    ResourceTemplateReference,
    Response,
    ServerBehaviour,
    ToolComponent,
    field,
)

pytestmark = pytest.mark.anyio

ASKED: list[CompletionArgument] = []


class Deploy(PromptComponent):
    schema = (
        field("region", str),
        field("note", str),
        field("zone", str),
        field("few", str),
        field("hundred", str),
        field("told", str),
    )

    def get_messages(self, args: Any, frame: Any) -> Any:
        return "deploy"

    def complete(self, argument: CompletionArgument, frame: Frame) -> Any:
        ASKED.append(argument)
        match argument.name:
            case "region":
                return [f"r{n}" for n in range(250)]
            case "zone":
                return [f"{argument.context['region']}-{zone}" for zone in "ab"]
            case "few":
                return Response.completion(["one"]).value("two")
            case "hundred":
                return Reply(Response.completion(str(n) for n in range(100)), frame)
            case "told":
                return Response.completion(["a"]).with_pagination(total=7, has_more=True)
        return ()


class Log(ResourceComponent):
    uri_template = "log:///{day}"

    def read(self, params: Any, frame: Any) -> Any:
        return Response.resource().text("")


class Today(ResourceComponent):
    uri = "log:///today"

    def read(self, params: Any, frame: Any) -> Any:
        return Response.resource().text("")


class Completing(ServerBehaviour):
    name = "completing"
    version = "1"
    components = (Deploy, Log, Today)


class Silent(ServerBehaviour):
    name = "silent"
    version = "1"

    class Tool(ToolComponent):
        def execute(self, args: Any, frame: Any) -> Any:
            return Response.tool()

    class Plain(PromptComponent):
        schema = (field("x", str),)

        def get_messages(self, args: Any, frame: Any) -> Any:
            return "x"

    components = (Tool, Plain, Log)


@pytest.fixture
def http() -> Http:
    ASKED.clear()
    return Http(Completing)


def prompt(argument: str, name: str = "deploy", **context: str) -> dict[str, Any]:
    ref = {"type": "ref/prompt", "name": name}
    params: dict[str, Any] = {"ref": ref, "argument": {"name": argument, "value": "x"}}
    return {**params, "context": {"arguments": context}} if context else params


def resource(uri: str, argument: str = "day") -> dict[str, Any]:
    ref = {"type": "ref/resource", "uri": uri}
    return {"ref": ref, "argument": {"name": argument, "value": ""}}


async def complete(http: Http, params: dict[str, Any]) -> dict[str, Any]:
    answer = await http.call("completion/complete", params)
    completion: dict[str, Any] = answer.result["completion"]
    return completion


async def test_more_than_a_hundred_are_cut_and_said_to_be_more(http: Http) -> None:
    completion = await complete(http, prompt("region"))
    assert completion["values"] == [f"r{n}" for n in range(100)]
    assert completion["hasMore"] is True
    assert completion.get("total", 250) == 250


async def test_exactly_a_hundred_are_all(http: Http) -> None:
    completion = await complete(http, prompt("hundred"))
    assert len(completion["values"]) == 100
    assert not completion.get("hasMore")


async def test_every_form_of_an_answer(http: Http) -> None:
    assert await complete(http, prompt("few")) == {"values": ["one", "two"]}
    told = {"values": ["a"], "total": 7, "hasMore": True}
    assert await complete(http, prompt("told")) == told


@pytest.mark.parametrize("params", [prompt("note"), resource("log:///{day}")])
async def test_nothing_to_suggest_is_an_empty_list(http: Http, params: dict[str, Any]) -> None:
    assert (await complete(http, params))["values"] == []


async def test_a_resource_that_is_no_template_has_nothing_to_suggest(http: Http) -> None:
    assert (await complete(http, resource("log:///today")))["values"] == []


@pytest.mark.parametrize(
    "params",
    [
        prompt("region", name="ghost"),
        resource("ghost:///{x}"),
        {**prompt("region"), "ref": {"type": "ref/other", "name": "deploy"}},
        {**prompt("region"), "ref": {"type": "ref/prompt"}},
        {**prompt("region"), "ref": {"type": "ref/prompt", "uri": "log:///{day}"}},
        {**prompt("region"), "ref": {"type": "ref/resource", "name": "deploy"}},
        {**prompt("region"), "ref": {"name": "deploy"}},
        {**prompt("region"), "ref": {"type": ["ref/prompt"], "name": "deploy"}},
        {**prompt("region"), "ref": {"type": None, "name": "deploy"}},
    ],
)
async def test_an_unknown_reference_is_invalid_params(http: Http, params: dict[str, Any]) -> None:
    answer = await http.probe(modern("completion/complete", params))
    assert answer.code == -32602
    assert ASKED == []


@pytest.mark.parametrize("params", [prompt("nosuch"), resource("log:///{day}", "nosuch")])
async def test_an_unknown_argument_is_invalid_or_has_no_suggestions(
    http: Http, params: dict[str, Any]
) -> None:
    answer = await http.probe(modern("completion/complete", params))
    assert answer.message is not None
    if "error" in answer.message:
        assert answer.code == -32602
        assert "nosuch" in answer.error["message"]
    else:
        assert answer.result["completion"]["values"] == []


async def test_the_resolved_arguments_reach_the_completer(http: Http) -> None:
    completion = await complete(http, prompt("zone", region="eu"))
    assert completion["values"] == ["eu-a", "eu-b"]
    assert [CompletionArgument("zone", "x", {"region": "eu"})] == ASKED


async def test_a_server_without_completers_neither_advertises_nor_serves_them() -> None:
    http = Http(Silent)
    assert "completions" not in (await http.call("server/discover")).result["capabilities"]
    answer = await http.probe(modern("completion/complete", prompt("x", name="plain")))
    assert answer.refusal == (404, -32601)


async def test_a_server_with_a_completer_advertises_it(http: Http) -> None:
    assert (await http.call("server/discover")).result["capabilities"]["completions"] == {}


async def test_the_servers_own_callback_is_asked_where_the_component_has_none() -> None:
    refs: list[Any] = []

    class Asking(Silent):
        def handle_completion(self, ref: Any, argument: Any, frame: Any) -> Any:
            refs.append((ref, argument.name))
            return Response.completion(["from the server"])

    http = Http(Asking)
    assert (await complete(http, prompt("x", name="plain")))["values"] == ["from the server"]
    assert (await complete(http, resource("log:///{day}")))["values"] == ["from the server"]
    assert refs == [
        (PromptReference("plain"), "x"),
        (ResourceTemplateReference("log:///{day}"), "day"),
    ]
    assert (await http.call("server/discover")).result["capabilities"]["completions"] == {}


async def test_a_generator_works_off_the_loop_like_any_other_callback(
    server_log: ServerLog,
) -> None:
    threads: list[int] = []

    class Slow(Deploy):
        def complete(self, argument: CompletionArgument, frame: Frame) -> Iterator[str]:
            threads.append(threading.get_ident())
            yield "a"
            yield "b"

    class Server(ServerBehaviour):
        name = "slow"
        version = "1"
        components = (Slow,)

    async with CheckedClient(Server) as client:
        result = await client.complete({"type": "ref/prompt", "name": "slow"}, "region")
    assert result["completion"]["values"] == ["a", "b"]
    assert threads != [threading.get_ident()]


async def test_a_generator_that_fails_half_way_is_an_internal_error(
    server_log: ServerLog,
) -> None:
    class Half(Deploy):
        def complete(self, argument: CompletionArgument, frame: Frame) -> Iterator[str]:
            yield "a"
            raise LookupError("hunter2")

    class Server(ServerBehaviour):
        name = "half"
        version = "1"
        components = (Half,)

    answer = await Http(Server).call("completion/complete", prompt("region", name="half"))
    assert answer.error == {"code": -32603, "message": "Internal error"}
    server_log.take("completion", traceback=True)
