"""A request that takes several rounds, from the first question to the result."""

from __future__ import annotations

from typing import Any

import pytest

from anubis_py import (
    Accepted,
    Cancelled,
    Declined,
    Frame,
    InputRequired,
    McpError,
    Ok,
    Reply,
    ResourceComponent,
    ResourceNotFound,
    Response,
    Root,
    Sampled,
    ServerBehaviour,
    ToolComponent,
    ask_form,
    ask_url,
    component,
    field,
    send_progress,
)
from multi_round.asking import ADA, WHO, Diary, Runtime, Server, client, name_of, text_of

HINTS = {"ttlMs", "cacheScope"}
MODEL = Sampled("assistant", [{"type": "text", "text": "on"}], "m")
ROOTS = (Root("file:///a"),)


@pytest.mark.anyio
async def test_a_callback_asks_and_is_called_again() -> None:
    async with client() as c:
        asked = await c.call_tool("greet", {"word": "Hey"})
        assert asked["resultType"] == "input_required"
        assert asked["inputRequests"] == {"who": WHO.to_wire()}
        assert not HINTS & asked.keys()
        result = await c.call_tool(
            "greet",
            {"word": "Hey"},
            input_responses={"who": {"action": "accept", "content": {"name": "Ada"}}},
            request_state=asked["requestState"],
        )
        assert text_of(result) == "Hey, Ada"
        assert result["resultType"] == "complete"


@pytest.mark.anyio
async def test_prompts_and_resources_ask_too() -> None:
    async with client() as c:
        assert (await c.get_prompt("letter"))["inputRequests"] == {"who": WHO.to_wire()}
        [message] = (await c.get_prompt("letter", answers=ADA))["messages"]
        assert message["content"]["text"] == "Write to Ada"
        assert (await c.read_resource("diary:///monday"))["resultType"] == "input_required"
        [contents] = (await c.read_resource("diary:///monday", answers=ADA))["contents"]
        assert contents["text"] == "Ada on monday"


@pytest.mark.anyio
async def test_providers_ask_too() -> None:
    async with client() as c:
        assert text_of(await c.call_tool("provided", answers=ADA)) == "Ada"
        [message] = (await c.get_prompt("provided", answers=ADA))["messages"]
        assert message["content"]["text"] == "Ada"
        [contents] = (await c.read_resource("provided:///", answers=ADA))["contents"]
        assert contents["text"] == "Ada"


@pytest.mark.anyio
async def test_the_callbacks_of_runtime_components_ask_too() -> None:
    async with client(Runtime) as c:
        assert text_of(await c.call_tool("tool", answers=ADA)) == "Ada"
        [message] = (await c.get_prompt("prompt", answers=ADA))["messages"]
        assert message["content"]["text"] == "Ada"
        [contents] = (await c.read_resource("runtime:///", answers=ADA))["contents"]
        assert contents["text"] == "Ada"


@pytest.mark.anyio
async def test_several_rounds_and_one_that_only_passes_time() -> None:
    async with client() as c:
        first = await c.call_tool("steps")
        second = await c.call_tool(
            "steps", input_responses=ADA, request_state=first["requestState"]
        )
        assert list(second["inputRequests"]) == ["sure"]
        assert second["requestState"] != first["requestState"]
        third = await c.call_tool(
            "steps", input_responses={"sure": Accepted()}, request_state=second["requestState"]
        )
        assert third["resultType"] == "input_required"
        assert "inputRequests" not in third
        last = await c.call_tool("steps", request_state=third["requestState"])
        assert text_of(last) == "done, Ada"
        assert (
            text_of(await c.call_tool("steps", answers={**ADA, "sure": Accepted()}))
            == last["content"][0]["text"]
        )


@pytest.mark.anyio
async def test_state_and_answers_come_back_as_they_were() -> None:
    state = {"n": 2**70, "f": 1.0, "l": [None, True, "é\u2028"], "o": {"": {}}}
    seen: list[Any] = []

    class Keep(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            seen.append((frame.context.request_state, dict(frame.context.input_responses)))
            if frame.context.request_state is None:
                return InputRequired({"a/b": ask_form("Go on?"), "": ask_form("And?")}, state)
            with pytest.raises(TypeError):
                frame.context.input_responses["x"] = 1  # type: ignore[index]
            return Response.tool()

    class Keeper(ServerBehaviour):
        name, version, components = "keeper", "1", (Keep,)

    async with client(Keeper) as c:
        await c.call_tool("keep", answers={"a/b": Declined(), "": Cancelled()})
    assert seen == [(None, {}), (state, {"a/b": Declined(), "": Cancelled()})]
    assert [type(value) for value in seen[1][0].values()] == [int, float, list, dict]


@pytest.mark.anyio
async def test_what_is_missing_is_asked_for_again_without_the_callback() -> None:
    calls: list[list[str]] = []

    class Many(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            calls.append(sorted(frame.context.input_responses))
            asks = {key: ask_form(f"{key}?") for key in "abc"}
            return Response.tool() if calls[-1] else InputRequired(asks)

    class Asking(ServerBehaviour):
        name, version, components = "asking", "1", (Many,)

    async with client(Asking) as c:
        asked = await c.call_tool("many")
        for given, still in (({}, "abc"), ({"b": Accepted()}, "ac"), ({"a": Declined()}, "c")):
            asked = await c.call_tool(
                "many", input_responses=given, request_state=asked["requestState"]
            )
            assert "".join(asked["inputRequests"]) == still
        assert calls == [[]]
        # A request without any answers is one in which all of those are missing.
        asked = await c.call_tool("many", request_state=asked["requestState"])
        assert list(asked["inputRequests"]) == ["c"]
        result = await c.call_tool(
            "many", input_responses={"c": Cancelled()}, request_state=asked["requestState"]
        )
        assert result["resultType"] == "complete"
        assert calls == [[], ["a", "b", "c"]]


@pytest.mark.anyio
async def test_an_answer_that_comes_again_replaces_the_first() -> None:
    async with client() as c:
        asked = await c.call_tool("everything")
        asked = await c.call_tool(
            "everything", input_responses=ADA, request_state=asked["requestState"]
        )
        assert sorted(asked["inputRequests"]) == ["at", "model"]
        given = {"who": Declined(), "model": MODEL, "at": ROOTS}
        result = await c.call_tool(
            "everything", input_responses=given, request_state=asked["requestState"]
        )
        assert text_of(result) == "at model who"


@pytest.mark.anyio
async def test_what_was_not_asked_is_ignored_whatever_its_shape() -> None:
    async with client() as c:
        asked = await c.call_tool("greet")
        given = {**ADA, "odd": 12345, "more": {"action": 3}, "": [None]}
        result = await c.call_tool(
            "greet", input_responses=given, request_state=asked["requestState"]
        )
        assert text_of(result) == "Hello, Ada"
        again = await c.call_tool(
            "greet", input_responses={"wrong": ADA["who"]}, request_state=asked["requestState"]
        )
        assert again["inputRequests"] == asked["inputRequests"]


@pytest.mark.anyio
async def test_answers_may_come_before_the_questions() -> None:
    async with client() as c:
        result = await c.call_tool("greet", {"word": "Hey"}, input_responses={**ADA, "odd": 1})
        assert text_of(result) == "Hey, Ada"
        for given in ({}, {"wrong": ADA["who"]}):
            result = await c.call_tool("greet", input_responses=given)
            assert result["inputRequests"] == {"who": WHO.to_wire()}
        result = await c.call_tool("everything", input_responses=ADA)
        assert list(result["inputRequests"]) == ["model", "at"]
        with pytest.raises(McpError, match=r"inputResponses\.who: expected object, got integer"):
            await c.call_tool("greet", input_responses={"who": 12345})
        # For one question only: the next one builds on a state that the client has to bring.
        given = {**ADA, "sure": Accepted()}
        assert list((await c.call_tool("steps", input_responses=given))["inputRequests"]) == [
            "sure"
        ]
    async with client(capabilities={}) as c:
        with pytest.raises(McpError, match="elicitation"):
            await c.call_tool("greet", input_responses=ADA)


@pytest.mark.anyio
async def test_a_pause_is_kept_whatever_is_answered() -> None:
    class Wait(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            return InputRequired(state=1) if frame.context.request_state is None else "over"

    class Waiting(ServerBehaviour):
        name = "waiting"
        version = "1"
        components = (Wait,)

    async with client(Waiting) as c:
        for given in ({}, ADA):
            result = await c.call_tool("wait", input_responses=given)
            assert result["resultType"] == "input_required"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("key", "answer", "fault"),
    [
        ("who", 12345, "params.inputResponses.who: expected object, got integer"),
        ("who", {"action": "yes"}, "params.inputResponses.who.action: expected one of"),
        ("who", Accepted({}), "params.inputResponses.who.content.name: required, missing"),
        ("who", Accepted({"name": "A", "x": 1}), "params.inputResponses.who.content.x: not"),
        ("model", {"role": "assistant"}, "params.inputResponses.model.content: required, missing"),
        ("at", {"roots": [{}]}, r"params.inputResponses.at.roots\[0\].uri: required, missing"),
    ],
)
async def test_a_malformed_answer_is_named(key: str, answer: Any, fault: str) -> None:
    async with client() as c:
        asked = await c.call_tool("everything")
        good = {**ADA, "model": MODEL, "at": ROOTS}
        state = asked["requestState"]
        with pytest.raises(McpError, match=f"^Invalid params: {fault}") as raised:
            await c.call_tool(
                "everything", input_responses={**good, key: answer}, request_state=state
            )
        assert raised.value.code == -32602
        # The state is as good as before.
        result = await c.call_tool("everything", input_responses=good, request_state=state)
        assert text_of(result) == "at model who"


@pytest.mark.anyio
@pytest.mark.parametrize("method", ["tools/call", "prompts/get", "resources/read"])
@pytest.mark.parametrize(
    ("carried", "fault"),
    [
        ({"inputResponses": None}, "params.inputResponses: expected an object, got null"),
        ({"inputResponses": []}, "params.inputResponses: expected an object, got array"),
        ({"inputResponses": "who"}, "params.inputResponses: expected an object, got string"),
        ({"requestState": None}, "params.requestState: expected a string, got null"),
        ({"requestState": {"a": 1}}, "params.requestState: expected a string, got object"),
        ({"requestState": 3, "inputResponses": {}}, "params.requestState: expected a string"),
    ],
)
async def test_what_carries_no_round(method: str, carried: Any, fault: str) -> None:
    params = {
        "tools/call": {"name": "greet"},
        "prompts/get": {"name": "letter"},
        "resources/read": {"uri": "diary:///monday"},
    }[method]
    async with client() as c:
        with pytest.raises(McpError, match=f"^Invalid params: {fault}") as raised:
            await c.request(method, {**params, **carried})
        assert raised.value.code == -32602
        assert (await c.request(method, params))["resultType"] == "input_required"


@pytest.mark.anyio
async def test_other_methods_ignore_what_belongs_to_rounds() -> None:
    odd = {"inputResponses": None, "requestState": 3}
    async with client() as c:
        for method in ("tools/list", "prompts/list", "resources/list", "server/discover"):
            result = await c.request(method, odd)
            assert (result["resultType"], result["ttlMs"]) == ("complete", 9000)


@pytest.mark.anyio
async def test_nobody_keeps_what_came_of_an_answer() -> None:
    class Own(Server):
        async def handle_request(self, request: Any, frame: Frame) -> Any:
            outcome = await super().handle_request(request, frame)
            if isinstance(outcome, Reply):
                members = {"ttlMs": 60_000, "cacheScope": "public"}
                return Reply({**outcome.response, **members}, outcome.frame)
            return outcome

    class Plain(Server):
        async def handle_request(self, request: Any, frame: Frame) -> Any:
            return await super().handle_request(request, frame)

    for server in (Server, Own, Plain):
        async with client(server) as c:
            result = await c.read_resource("diary:///monday", answers=ADA)
            assert (result["ttlMs"], result["cacheScope"]) == (0, "private")
    async with client(Own) as c:
        result = await c.call_tool("greet", answers=ADA)
        assert (result["ttlMs"], result["cacheScope"]) == (0, "private")
    async with client() as c:
        result = await c.call_tool("greet", answers=ADA)
        assert not HINTS & result.keys()


@pytest.mark.anyio
async def test_answers_that_nobody_asked_for_are_a_retry_too() -> None:
    class Fixed(ServerBehaviour):
        name, version = "fixed", "1"

        def cache_hints(self, method: str) -> dict[str, Any]:
            return {"ttl_ms": 9000, "scope": "public"}

        def init(self, client_info: Any, frame: Frame) -> Any:
            return Ok(
                frame.register_resource(
                    "a:///", handler=lambda params, frame: Response.resource().text("x")
                )
            )

    async with client(Fixed) as c:
        assert (await c.read_resource("a:///"))["ttlMs"] == 9000
        assert (await c.read_resource("a:///", input_responses={}))["ttlMs"] == 0


@pytest.mark.anyio
async def test_every_callback_of_a_retry_sees_the_answers() -> None:
    seen: list[tuple[str, list[str], Any]] = []

    class Watching(Server):
        def init(self, client_info: Any, frame: Frame) -> Any:
            context = frame.context
            seen.append(("init", list(context.input_responses), context.request_state))
            return Ok(frame)

        async def handle_request(self, request: Any, frame: Frame) -> Any:
            seen.append(("handle_request", [str(name_of(frame))], frame.context.request_state))
            return await super().handle_request(request, frame)

    async with client(Watching) as c:
        await c.call_tool("greet", answers=ADA)
    state = {"word": "Hello"}
    assert seen == [
        ("init", [], None),
        ("handle_request", ["None"], None),
        ("init", ["who"], state),
        ("handle_request", ["Ada"], state),
    ]


@pytest.mark.anyio
async def test_a_client_that_is_not_admitted_is_not_asked_again() -> None:
    class Closing(Server):
        shut = False

        def init(self, client_info: Any, frame: Frame) -> Any:
            if type(self).shut:
                raise McpError(403, "closed")
            return Ok(frame)

    async with client(Closing) as c:
        asked = await c.call_tool("greet")
        Closing.shut = True
        with pytest.raises(McpError, match="closed"):
            await c.call_tool("greet", input_responses={}, request_state=asked["requestState"])


@pytest.mark.anyio
async def test_nothing_is_asked_that_the_client_has_not_declared() -> None:
    async with client(capabilities={}) as c:
        with pytest.raises(McpError) as raised:
            await c.call_tool("everything")
        assert raised.value.code == -32021
        assert raised.value.data == {
            "requiredCapabilities": {"elicitation": {"form": {}}, "sampling": {}, "roots": {}}
        }
    async with client(capabilities={"elicitation": {}, "roots": {}}) as c:
        with pytest.raises(McpError) as raised:
            await c.call_tool("everything")
        assert raised.value.data == {"requiredCapabilities": {"sampling": {}}}
        assert text_of(await c.call_tool("greet", answers=ADA)) == "Hello, Ada"


@pytest.mark.anyio
async def test_nothing_is_asked_again_that_the_client_no_longer_declares() -> None:
    async with client() as able, client(capabilities={"sampling": {}}) as unable:
        asked = await able.call_tool("greet")
        with pytest.raises(McpError) as raised:
            await unable.call_tool("greet", request_state=asked["requestState"])
        assert raised.value.code == -32021
        # What is answered needs no capability any more.
        result = await unable.call_tool(
            "greet", input_responses=ADA, request_state=asked["requestState"]
        )
        assert text_of(result) == "Hello, Ada"


@pytest.mark.anyio
async def test_a_callback_can_see_what_the_client_can_be_asked() -> None:
    class Connect(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            ask = ask_url("Connect", "https://example.com")
            if ask.lacking(frame.context.client_capabilities):
                return Response.tool().text("Open https://example.com")
            return InputRequired({"open": ask}, state=1)

    class Connecting(ServerBehaviour):
        name, version, components = "connecting", "1", (Connect,)

    async with client(Connecting, capabilities={"elicitation": {}}) as c:
        assert text_of(await c.call_tool("connect")) == "Open https://example.com"
    async with client(Connecting) as c:
        assert (await c.call_tool("connect"))["resultType"] == "input_required"


@pytest.mark.anyio
async def test_a_question_has_nothing_to_do_with_an_output_schema() -> None:
    class Name(ToolComponent):
        output_schema = (field("name", str, required=True),)

        async def execute(self, args: Any, frame: Frame) -> Any:
            name = name_of(frame)
            return (
                Response.tool().structured({"name": name}) if name else InputRequired({"who": WHO})
            )

    class Naming(ServerBehaviour):
        name, version, components = "naming", "1", (Name,)

    async with client(Naming) as c:
        result = await c.call_tool("name", answers=ADA)
        assert result["structuredContent"] == {"name": "Ada"}


@pytest.mark.anyio
async def test_the_second_of_two_templates_may_ask() -> None:
    class First(ResourceComponent):
        uri_template = "diary:///{+day}"

        async def read(self, params: Any, frame: Frame) -> Any:
            raise ResourceNotFound(params.uri)

    class Both(ServerBehaviour):
        name, version, components = "both", "1", (component(First, name="a"), Diary)

    async with client(Both) as c:
        [contents] = (await c.read_resource("diary:///monday", answers=ADA))["contents"]
        assert contents["text"] == "Ada on monday"


@pytest.mark.anyio
async def test_a_round_that_says_something_beside_its_question() -> None:
    class Slow(ToolComponent):
        async def execute(self, args: Any, frame: Frame) -> Any:
            send_progress(frame, 1)
            return InputRequired({"who": ask_form("Who?", [field("name", str)])})

    class Slowly(ServerBehaviour):
        name, version, components = "slowly", "1", (Slow,)

    async with client(Slowly) as c:
        meta = {"progressToken": "p"}
        result = await c.request("tools/call", {"name": "slow"}, meta=meta)
        assert result["resultType"] == "input_required"
        assert [note["method"] for note in c.notifications] == ["notifications/progress"]
