"""The conformance fixture has what the official suite looks for, without running the suite."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any, Final

import anyio
import pytest
from support.client import CheckedClient as Client
from support.either_era import LEGACY, EitherEra
from support.legacy import LegacyHttp, calls

from anubis_py import Accepted, Cancelled, Declined, McpError, Root, Sampled
from conformance.fixture import Everything
from conformance.fixture.schemas import CONTACT, OPTIONS

pytestmark = pytest.mark.anyio

# What each tool answers, as far as the suite looks: the type of each block, and a text.
TOOLS = {
    "test_simple_text": (["text"], "This is a simple text response for testing."),
    "test_image_content": (["image"], None),
    "test_audio_content": (["audio"], None),
    "test_embedded_resource": (["resource"], None),
    "test_multiple_content_types": (["text", "image", "resource"], "Multiple content types test:"),
    "test_error_handling": (["text"], "This tool intentionally returns an error for testing"),
    "test_tool_with_logging": (["text"], "The log tells how it went."),
    "test_reconnection": (["text"], "Welcome back."),
}
PROMPTS: dict[str, tuple[dict[str, str], list[str]]] = {
    "test_simple_prompt": ({}, ["text"]),
    "test_prompt_with_arguments": ({"arg1": "one", "arg2": "two"}, ["text"]),
    "test_prompt_with_embedded_resource": ({"resourceUri": "test://any"}, ["resource", "text"]),
    "test_prompt_with_image": ({}, ["image", "text"]),
}
LOG: Final = [
    {"level": "info", "data": "Tool execution started"},
    {"level": "info", "data": "Tool processing data"},
    {"level": "info", "data": "Tool execution completed"},
]

# What the suite declares that it can be asked, and what it answers.
ABLE: Final[dict[str, Any]] = {
    "sampling": {},
    "elicitation": {},
    "roots": {"listChanged": True},
}
ALICE: Final = Accepted({"name": "Alice"})
OK: Final = Accepted({"ok": True})
PARIS: Final = Sampled("assistant", [{"type": "text", "text": "Paris"}], "test-model", "endTurn")
HOME: Final = (Root("file:///test/root", "Test Root"),)
THREE: Final = {"user_name": ALICE, "capital_question": PARIS, "client_roots": HOME}

# What each tool is answered, and what it makes of it.
ROUNDS: dict[str, tuple[dict[str, Any], str]] = {
    "elicitation": ({"user_name": ALICE}, "Hello, Alice!"),
    "sampling": ({"capital_question": PARIS}, "Paris"),
    "list_roots": ({"client_roots": HOME}, "file:///test/root"),
    "multiple_inputs": (THREE, "Alice, 1 roots: Paris"),
    "capabilities": (THREE, "Answered: capital_question, client_roots, user_name."),
    "request_state": ({"confirm": OK}, "state-ok"),
    "tampered_state": ({"confirm": OK}, "state-ok"),
    "multi_round": (
        {"step1": ALICE, "step2": Accepted({"color": "blue"})},
        "Alice likes blue.",
    ),
}
DECLINED: dict[str, tuple[dict[str, Any], str]] = {
    "elicitation": ({"user_name": Declined()}, "Hello, whoever you are!"),
    "multiple_inputs": ({**THREE, "user_name": Declined()}, "Somebody, 1 roots: Paris"),
    "request_state": ({"confirm": Declined()}, "Not confirmed."),
    "multi_round": ({"step1": Declined()}, "Not answered."),
}

# What each tool asks, what it is answered, and what it makes of it.
JOHN: Final = {"name": "John Doe", "age": 30, "score": 95.5, "status": "active", "verified": True}
CHOSEN: Final = {"untitledSingle": "option1", "titledMulti": ["value1", "value2"]}
USER: Final = Accepted({"username": "ann", "email": "ann@example.com"})
ASKING: dict[str, tuple[dict[str, str], str, Any, str]] = {
    "test_sampling": (
        {"prompt": "What is the capital of France?"},
        "sampling/createMessage",
        PARIS,
        "LLM response: Paris",
    ),
    "test_elicitation": (
        {"message": "Who are you?"},
        "elicitation/create",
        USER,
        'User response: action=accept, content={"username": "ann", "email": "ann@example.com"}',
    ),
    "test_elicitation_sep1034_defaults": (
        {},
        "elicitation/create",
        Accepted({}),
        f"Elicitation completed: action=accept, content={json.dumps(JOHN)}",
    ),
    "test_elicitation_sep1330_enums": (
        {},
        "elicitation/create",
        Accepted(CHOSEN),
        f"Elicitation completed: action=accept, content={json.dumps(CHOSEN)}",
    ),
}


def client(**options: Any) -> Client:
    return Client(Everything, **{"capabilities": ABLE, **options})


def text_of(result: dict[str, Any]) -> str:
    (block,) = result["content"]
    text: str = block["text"]
    return text


def kinds(blocks: list[dict[str, Any]]) -> list[str]:
    return [block["type"] for block in blocks]


async def test_every_tool_is_listed_and_described() -> None:
    tools = (await Client(Everything).list_tools())["tools"]

    assert {tool["name"] for tool in tools} == {
        *TOOLS,
        *ASKING,
        "about",
        "greet",
        "json_schema_2020_12_tool",
        "test_mirrored_header",
        "test_tool_with_progress",
        "test_logging_tool",
        "test_missing_capability",
        "test_streaming_elicitation",
        "test_trigger_tool_change",
        "test_trigger_prompt_change",
        *(f"test_input_required_result_{name}" for name in ROUNDS),
    }
    assert all(tool["description"] for tool in tools)
    assert all(tool["inputSchema"]["type"] == "object" for tool in tools)


async def test_the_first_tool_takes_no_arguments() -> None:
    client = Client(Everything)
    first = (await client.list_tools())["tools"][0]["name"]

    assert not (await client.call_tool(first))["isError"]


@pytest.mark.parametrize("name", TOOLS)
async def test_a_tool_answers_as_the_suite_expects(name: str) -> None:
    expected, text = TOOLS[name]
    result = await Client(Everything).call_tool(name)

    assert kinds(result["content"]) == expected
    assert result["content"][0].get("text") == text
    assert result["isError"] is (name == "test_error_handling")


async def test_greet_greets() -> None:
    result = await Client(Everything).call_tool("greet", {"name": "Ann"})

    assert result["content"] == [{"type": "text", "text": "Hello, Ann!"}]


async def test_the_raw_schema_is_shown_word_for_word_and_enforced() -> None:
    client = Client(Everything)
    tools = {tool["name"]: tool for tool in (await client.list_tools())["tools"]}
    name = "json_schema_2020_12_tool"

    assert tools[name]["inputSchema"] == CONTACT
    assert not (await client.call_tool(name, {"contactMethod": "phone", "phone": "1"}))["isError"]
    assert (await client.call_tool(name, {"contactMethod": "phone", "email": "a@b"}))["isError"]


async def test_one_tool_has_an_argument_that_travels_in_a_header_too() -> None:
    client = Client(Everything)
    (name,) = [
        tool["name"]
        for tool in (await client.list_tools())["tools"]
        for argument in tool["inputSchema"].get("properties", {}).values()
        if argument.get("type") == "string" and "x-mcp-header" in argument
    ]

    assert not (await client.call_tool(name, {"region": "here"}))["isError"]


async def test_what_it_can_do_is_declared() -> None:
    capabilities = (await Client(Everything).discover())["capabilities"]

    assert capabilities == {
        "tools": {"listChanged": True},
        "prompts": {"listChanged": True},
        "resources": {"subscribe": True},
        "completions": {},
        "logging": {},
    }


async def test_progress_is_told_to_a_client_that_wants_it() -> None:
    c = Client(Everything)
    call = {"name": "test_tool_with_progress"}
    await c.request("tools/call", call)
    assert not c.notifications

    await c.request("tools/call", call, meta={"progressToken": "here"})
    told = [note["params"] for note in c.notifications]
    assert [(note["progress"], note["total"]) for note in told] == [(0, 100), (50, 100), (100, 100)]
    assert {note["progressToken"] for note in told} == {"here"}


@pytest.mark.parametrize(
    ("level", "expected"), [(None, []), ("info", ["info"]), ("debug", ["info", "debug"])]
)
async def test_the_log_is_written_for_a_client_that_wants_it(
    level: str | None, expected: list[str]
) -> None:
    c = Client(Everything)
    meta = {} if level is None else {"io.modelcontextprotocol/logLevel": level}
    await c.request("tools/call", {"name": "test_logging_tool"}, meta=meta)

    assert [note["params"]["level"] for note in c.notifications] == expected


async def test_the_whole_log_is_written() -> None:
    c = Client(Everything)
    meta = {"io.modelcontextprotocol/logLevel": "debug"}
    await c.request("tools/call", {"name": "test_tool_with_logging"}, meta=meta)

    assert [note["params"] for note in c.notifications] == LOG


@pytest.mark.parametrize("name", ASKING)
async def test_a_tool_asks_one_thing_and_repeats_the_answer(name: str) -> None:
    arguments, method, answer, text = ASKING[name]
    asked = await client().call_tool(name, arguments)
    answered = await client().call_tool(name, arguments, answers={"answer": answer})

    assert asked["inputRequests"]["answer"]["method"] == method
    assert text_of(answered) == text


@pytest.mark.parametrize(
    ("answer", "told"), [(Declined(), "action=decline"), (Cancelled(), "action=cancel")]
)
async def test_a_user_who_does_not_answer_is_told_of(answer: Any, told: str) -> None:
    for name, (arguments, method, _, _) in ASKING.items():
        if method == "elicitation/create":
            result = await client().call_tool(name, arguments, answers={"answer": answer})
            assert text_of(result).endswith(f": {told}")


async def test_the_forms_say_what_the_suite_looks_for() -> None:
    forms = {
        name: (await client().call_tool(name, arguments))["inputRequests"]["answer"]["params"]
        for name, (arguments, method, _, _) in ASKING.items()
        if method == "elicitation/create"
    }
    user = forms["test_elicitation"]
    defaults = forms["test_elicitation_sep1034_defaults"]["requestedSchema"]["properties"]

    assert user["message"] == "Who are you?"
    assert user["requestedSchema"]["required"] == ["username", "email"]
    assert {name: field["default"] for name, field in defaults.items()} == JOHN
    assert [field["type"] for field in defaults.values()] == [
        "string",
        "integer",
        "number",
        "string",
        "boolean",
    ]
    assert defaults["status"]["enum"] == ["active", "inactive", "pending"]
    assert forms["test_elicitation_sep1330_enums"]["requestedSchema"] == OPTIONS


@pytest.mark.parametrize("name", ROUNDS)
async def test_a_tool_asks_and_takes_the_answers(name: str) -> None:
    answers, text = ROUNDS[name]
    asked = await client().call_tool(f"test_input_required_result_{name}")
    answered = await client().call_tool(f"test_input_required_result_{name}", answers=answers)

    assert asked["resultType"] == "input_required"
    assert asked["inputRequests"].keys() <= answers.keys()
    assert text_of(answered) == text


@pytest.mark.parametrize("name", DECLINED)
async def test_a_tool_takes_no_for_an_answer(name: str) -> None:
    answers, text = DECLINED[name]
    result = await client().call_tool(f"test_input_required_result_{name}", answers=answers)

    assert text_of(result) == text


async def test_every_round_has_a_state_of_its_own() -> None:
    c = client()
    name = "test_input_required_result_multi_round"
    first = await c.call_tool(name)
    second = await c.call_tool(
        name, input_responses={"step1": ALICE}, request_state=first["requestState"]
    )

    assert list(second["inputRequests"]) == ["step2"]
    assert second["requestState"] != first["requestState"]


async def test_a_state_that_was_tampered_with_is_refused() -> None:
    c = client()
    name = "test_input_required_result_tampered_state"
    state = (await c.call_tool(name))["requestState"]

    with pytest.raises(McpError) as refused:
        await c.call_tool(name, input_responses={"confirm": OK}, request_state=state + "-TAMPERED")
    assert refused.value.code == -32602


@pytest.mark.parametrize(
    ("declared", "asked"),
    [
        ({"sampling": {}}, ["capital_question"]),
        ({"elicitation": {}}, ["user_name"]),
        ({"elicitation": {"url": {}}, "roots": {}}, ["client_roots"]),
        (ABLE, list(THREE)),
    ],
)
async def test_only_what_the_client_is_able_to_answer_is_asked(
    declared: dict[str, Any], asked: list[str]
) -> None:
    c = client(capabilities=declared)
    result = await c.call_tool("test_input_required_result_capabilities")

    assert list(result["inputRequests"]) == asked


@pytest.mark.parametrize(
    ("tool", "required"),
    [
        ("test_missing_capability", {"sampling": {}}),
        ("test_streaming_elicitation", {"elicitation": {"form": {}}}),
        (
            "test_input_required_result_capabilities",
            {"elicitation": {"form": {}}, "sampling": {}, "roots": {}},
        ),
    ],
)
async def test_a_capability_that_the_client_lacks_is_asked_for(
    tool: str, required: dict[str, Any]
) -> None:
    with pytest.raises(McpError) as refused:
        await Client(Everything).call_tool(tool)

    assert refused.value.code == -32021
    assert refused.value.data == {"requiredCapabilities": required}
    assert (await client().call_tool(tool))["resultType"] == "input_required"


async def test_a_question_comes_at_the_end_of_a_stream() -> None:
    c = client()
    call = {"name": "test_streaming_elicitation"}
    asked = await c.request("tools/call", call, meta={"progressToken": 1})

    assert [note["method"] for note in c.notifications] == ["notifications/progress"]
    assert asked["inputRequests"]["user_name"]["method"] == "elicitation/create"


async def test_a_prompt_asks_too() -> None:
    name = "test_input_required_result_prompt"
    asked = await client().get_prompt(name)
    answers = {"user_context": Accepted({"context": "test context"})}
    (message,) = (await client().get_prompt(name, answers=answers))["messages"]

    assert list(asked["inputRequests"]) == list(answers)
    assert message["content"]["text"] == "Tell me about test context."


@pytest.mark.parametrize("kind", ["tool", "prompt"])
async def test_a_list_changes_and_whoever_listens_is_told(kind: str) -> None:
    c = client()

    async def listed() -> set[str]:
        entries: list[dict[str, Any]] = (await c.request(f"{kind}s/list"))[f"{kind}s"]
        return {entry["name"] for entry in entries}

    async with c.listen(tools=True, prompts=True) as subscription:
        for _ in range(2):
            before = await listed()
            await c.call_tool(f"test_trigger_{kind}_change")
            with anyio.fail_after(5):
                note = await subscription.receive()

            assert note["method"] == f"notifications/{kind}s/list_changed"
            assert before ^ await listed() == {f"test_changing_{kind}"}


async def test_what_comes_and_goes_is_of_use_while_it_is_there() -> None:
    c = client()
    await c.call_tool("test_trigger_tool_change")
    await c.call_tool("test_trigger_prompt_change")
    try:
        assert text_of(await c.call_tool("test_changing_tool")) == "Still there."
        (message,) = (await c.get_prompt("test_changing_prompt"))["messages"]
        assert message["content"]["text"] == "Still there."
    finally:
        await c.call_tool("test_trigger_tool_change")
        await c.call_tool("test_trigger_prompt_change")


@pytest.mark.parametrize("name", PROMPTS)
async def test_a_prompt_answers_as_the_suite_expects(name: str) -> None:
    arguments, expected = PROMPTS[name]
    result = await Client(Everything).get_prompt(name, arguments)

    assert kinds([message["content"] for message in result["messages"]]) == expected
    assert {message["role"] for message in result["messages"]} == {"user"}


async def test_the_arguments_of_a_prompt_reach_its_messages() -> None:
    client = Client(Everything)
    told = await client.get_prompt("test_prompt_with_arguments", {"arg1": "one", "arg2": "two"})
    embedded = await client.get_prompt(
        "test_prompt_with_embedded_resource", {"resourceUri": "test://any"}
    )

    assert told["messages"][0]["content"]["text"] == "Prompt with arguments: arg1='one', arg2='two'"
    assert embedded["messages"][0]["content"]["resource"]["uri"] == "test://any"


async def test_every_prompt_is_listed_and_described() -> None:
    prompts = (await Client(Everything).list_prompts())["prompts"]

    assert {prompt["name"] for prompt in prompts} == {*PROMPTS, "test_input_required_result_prompt"}
    assert all(prompt["description"] for prompt in prompts)


async def test_an_argument_is_completed() -> None:
    ref = {"type": "ref/prompt", "name": "test_prompt_with_arguments"}
    result = await Client(Everything).complete(ref, "arg1", "test")

    assert result["completion"]["values"] == ["test", "testing", "tested"]


async def test_every_resource_that_is_listed_can_be_read() -> None:
    client = Client(Everything)
    uris = [resource["uri"] for resource in (await client.list_resources())["resources"]]
    contents = {uri: (await client.read_resource(uri))["contents"][0] for uri in uris}

    text = "This is the content of the static text resource."
    assert set(contents) == {
        "test://static-text",
        "test://static-binary",
        "test://watched-resource",
    }
    assert contents["test://static-text"]["text"] == text
    assert contents["test://static-binary"]["mimeType"] == "image/png"
    assert b64decode(contents["test://static-binary"]["blob"]).startswith(b"\x89PNG")


async def test_the_template_is_read_by_its_variable() -> None:
    client = Client(Everything)
    (template,) = (await client.list_resource_templates())["resourceTemplates"]
    (content,) = (await client.read_resource("test://template/123/data"))["contents"]

    assert template["uriTemplate"] == "test://template/{id}/data"
    assert content == {
        "uri": "test://template/123/data",
        "mimeType": "application/json",
        "text": '{"id":"123","templateTest":true,"data":"Data for ID: 123"}',
    }


# -- the same server, for clients of the handshake revisions

SINCE: Final = {
    "test_sampling": "2025-03-26",
    "test_elicitation": "2025-06-18",
    "test_elicitation_sep1034_defaults": "2025-06-18",
    "test_elicitation_sep1330_enums": "2025-11-25",
}
"""The revision that brought what a tool asks."""


def session(version: str) -> EitherEra:
    return EitherEra(Everything, protocol_version=version, capabilities=ABLE)


@pytest.mark.parametrize("version", LEGACY)
async def test_a_session_begins(version: str) -> None:
    async with session(version) as c:
        assert c.protocol_version == version
        can = c.server_capabilities

    assert can.keys() == {"tools", "prompts", "resources", "completions", "logging"}
    assert can["resources"] == {"subscribe": True}


@pytest.mark.parametrize("version", LEGACY)
async def test_a_session_is_shown_the_same_lists(version: str) -> None:
    async with session(version) as c:
        for kind in ("tools", "prompts", "resources"):
            listed = (await c.request(f"{kind}/list"))[kind]
            modern = (await client().request(f"{kind}/list"))[kind]
            assert [entry["name"] for entry in listed] == [entry["name"] for entry in modern]
        for resource in listed:
            assert (await c.read_resource(resource["uri"]))["contents"]


@pytest.mark.parametrize("version", LEGACY)
async def test_a_session_is_given_the_same_answers(version: str) -> None:
    async with session(version) as c:
        for name, (expected, text) in TOOLS.items():
            result = await c.call_tool(name)
            assert kinds(result["content"]) == expected
            assert result["content"][0].get("text") == text
        for name, (arguments, expected) in PROMPTS.items():
            messages = (await c.get_prompt(name, arguments))["messages"]
            assert kinds([message["content"] for message in messages]) == expected


@pytest.mark.parametrize("version", LEGACY)
async def test_a_session_hears_progress_and_the_log(version: str) -> None:
    async with session(version) as c:
        await c.set_log_level("debug")
        await c.call_tool("test_tool_with_logging")
        assert [note["params"] for note in c.notifications] == LOG

        c.notifications.clear()
        await c.call_tool("test_tool_with_progress", meta={"progressToken": "here"})
        assert [note["params"]["progress"] for note in c.notifications] == [0, 50, 100]


@pytest.mark.parametrize("version", LEGACY)
async def test_a_session_watches_a_resource(version: str) -> None:
    async with session(version) as c, c.listen(uris=["test://watched-resource"]) as subscription:
        assert subscription.honoured == {"resourceSubscriptions": ["test://watched-resource"]}


@pytest.mark.parametrize("version", LEGACY)
async def test_a_session_is_told_of_a_changed_list(version: str) -> None:
    async with session(version) as c, c.listen(tools=True) as subscription:
        for _ in range(2):
            await c.call_tool("test_trigger_tool_change")
            with anyio.fail_after(5):
                note = await subscription.receive()
            assert note["method"] == "notifications/tools/list_changed"


@pytest.mark.parametrize(
    ("version", "name"), [(v, name) for v in LEGACY for name in ASKING if v >= SINCE[name]]
)
async def test_a_tool_asks_on_the_stream_of_its_call(version: str, name: str) -> None:
    arguments, method, answer, text = ASKING[name]
    asked = []

    def answers(key: str, request: dict[str, Any]) -> Any:
        asked.append(request["method"])
        return answer

    async with session(version) as c:
        result = await c.call_tool(name, arguments, answers=answers)

    assert asked == [method]
    assert text_of(result) == text


@pytest.mark.parametrize("name", ROUNDS)
async def test_a_tool_of_many_rounds_asks_in_a_session_too(name: str) -> None:
    answers, text = ROUNDS[name]
    async with session("2025-11-25") as c:
        result = await c.call_tool(f"test_input_required_result_{name}", answers=answers)

    assert text_of(result) == text


async def test_a_client_comes_back_for_an_answer() -> None:
    http = await LegacyHttp.begun(Everything)
    async with http.asking(calls("test_reconnection")) as left:
        assert await left.rest() == []
    async with http.listening(left.last, answers="tools/call") as stream:
        (answer,) = await stream.rest()

    assert text_of(answer["result"]) == "Welcome back."


@pytest.mark.parametrize("version", LEGACY[1:])
async def test_a_client_that_could_not_come_back_is_not_left(version: str) -> None:
    http = await LegacyHttp.begun(Everything, version)

    assert (await http.call("test_reconnection")).text == "Welcome back."
