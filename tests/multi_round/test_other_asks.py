"""Pages, models and roots: the wire, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from anubis_py import (
    Accepted,
    Cancelled,
    ConfigurationError,
    Declined,
    ImageContent,
    PromptMessage,
    ResourceLink,
    Root,
    Sampled,
    TextContent,
    Tool,
    ToolComponent,
    ask_roots,
    ask_sampling,
    ask_url,
    field,
)
from anubis_py.asks.from_wire import ask_from_wire
from anubis_py.schema.faults import Invalid
from multi_round.revision_schema import check

TEXT = {"type": "text", "text": "Hi"}
USE = {"type": "tool_use", "id": "1", "name": "add", "input": {"a": 1}}
RESULT = {"type": "tool_result", "toolUseId": "1", "content": [{"type": "text", "text": "2"}]}


# -- pages


def test_a_page() -> None:
    ask = ask_url("Connect", "https://example.com/connect?id=1")
    assert ask.to_wire() == {
        "method": "elicitation/create",
        "params": {
            "mode": "url",
            "message": "Connect",
            "url": "https://example.com/connect?id=1",
        },
    }
    check("ElicitRequest", ask.to_wire(), closed=True)
    assert ask.needs == {"elicitation": {"url": {}}}
    assert ask_from_wire(ask.to_wire()) == ask


def test_consent_to_a_page_brings_no_content() -> None:
    ask = ask_url("Connect", "https://example.com")
    assert ask.read({"action": "accept", "content": {"password": "x"}}) == Accepted()
    assert ask.read({"action": "accept", "content": 3}) == Accepted()
    assert ask.read({"action": "decline"}) == Declined()
    assert ask.read({"action": "cancel"}) == Cancelled()
    with pytest.raises(Invalid, match="action"):
        ask.read({"action": "opened"})


@pytest.mark.parametrize(
    "url",
    [
        *("", "example.com", "/connect", "https://", "https:///x", "javascript:alert(1)"),
        *("file:///etc/passwd", "https://a b", "https://a/\nb", "https://[::1", None, 3),
    ],
)
def test_what_is_no_page(url: Any) -> None:
    with pytest.raises(ConfigurationError, match="absolute URL of a page"):
        ask_url("Connect", url)


def test_a_page_holds_no_credentials() -> None:
    with pytest.raises(ConfigurationError, match="credentials") as raised:
        ask_url("Connect", "https://me:secret@example.com")
    assert "secret" not in str(raised.value)
    with pytest.raises(ConfigurationError, match="message"):
        ask_url("", "https://example.com")


# -- models


class Add(ToolComponent):
    """Add."""

    schema = (field("a", int, required=True),)

    def execute(self, args: Any, frame: Any) -> Any: ...


def test_one_text_is_a_message_of_the_user() -> None:
    ask = ask_sampling("Hi", max_tokens=10)
    assert ask.to_wire() == {
        "method": "sampling/createMessage",
        "params": {"messages": [{"role": "user", "content": TEXT}], "maxTokens": 10},
    }
    check("CreateMessageRequest", ask.to_wire(), closed=True)
    assert ask.needs == {"sampling": {}}
    assert ask_from_wire(ask.to_wire()) == ask


def test_every_option() -> None:
    ask = ask_sampling(
        [("user", "Hi"), ("assistant", ["Yes?", TextContent("Well?")]), ("user", TEXT)],
        max_tokens=10,
        system_prompt="Be brief.",
        model_preferences={
            "hints": ["small", {"name": "large"}],
            "cost_priority": 0.3,
            "speed_priority": 1,
            "intelligencePriority": 0,
        },
        include_context="thisServer",
        temperature=0.5,
        stop_sequences=["END"],
        tools=[Add().definition(), Tool("raw", None, {"type": "object"})],
        tool_choice="required",
        metadata={"a": [1]},
    )
    params = ask.params()
    check("CreateMessageRequest", ask.to_wire(), closed=False)
    assert params["messages"][1]["content"] == [
        {"type": "text", "text": "Yes?"},
        {"type": "text", "text": "Well?"},
    ]
    assert params["systemPrompt"] == "Be brief."
    assert params["modelPreferences"] == {
        "hints": [{"name": "small"}, {"name": "large"}],
        "costPriority": 0.3,
        "speedPriority": 1,
        "intelligencePriority": 0,
    }
    assert params["includeContext"] == "thisServer"
    assert (params["temperature"], params["stopSequences"]) == (0.5, ["END"])
    assert [tool["name"] for tool in params["tools"]] == ["add", "raw"]
    assert params["tools"][0]["inputSchema"]["required"] == ["a"]
    assert params["toolChoice"] == {"mode": "required"}
    assert params["metadata"] == {"a": [1]}
    assert ask.needs == {"sampling": {"tools": {}, "context": {}}}
    assert ask_from_wire(ask.to_wire()) == ask


def test_context_of_none_needs_nothing() -> None:
    assert ask_sampling("Hi", max_tokens=1, include_context="none").needs == {"sampling": {}}
    assert ask_sampling("Hi", max_tokens=1, tool_choice={"mode": "none"}).needs == {
        "sampling": {"tools": {}}
    }


def test_messages_in_every_form() -> None:
    image = ImageContent(b"\x00", "image/png")
    ask = ask_sampling(
        [
            PromptMessage("user", image),
            {"role": "assistant", "content": "Nice"},
            ["user", {"type": "audio", "data": "AA==", "mimeType": "audio/wav"}],
        ],
        max_tokens=1,
    )
    check("CreateMessageRequest", ask.to_wire(), closed=True)
    kinds = [message["content"]["type"] for message in ask.params()["messages"]]
    assert kinds == ["image", "text", "audio"]


def test_the_turns_of_a_tool_go_back_as_they_came() -> None:
    sampled = Sampled("assistant", [TEXT, USE], "m", "toolUse")
    ask = ask_sampling([("user", "Hi"), sampled, ("user", [RESULT])], max_tokens=1)
    check("CreateMessageRequest", ask.to_wire())
    assert ask.params()["messages"][1] == {"role": "assistant", "content": [TEXT, USE]}
    assert ask.params()["messages"][2] == {"role": "user", "content": RESULT}


@pytest.mark.parametrize(
    "messages",
    [
        [("user", "Hi"), ("assistant", USE)],
        [("user", "Hi"), ("assistant", USE), ("user", "So?")],
        [("user", "Hi"), ("assistant", USE), ("user", [RESULT, TEXT])],
        [("user", "Hi"), ("assistant", USE), ("assistant", RESULT)],
        [("user", "Hi"), ("assistant", USE), ("user", [RESULT, RESULT])],
        [("user", "Hi"), ("assistant", USE), ("user", {**RESULT, "toolUseId": "2"})],
        [("user", "Hi"), ("assistant", [USE, {**USE, "id": "2"}]), ("user", RESULT)],
        [("user", RESULT)],
        [("user", USE), ("user", RESULT)],
    ],
)
def test_uses_and_results_of_tools_belong_together(messages: Any) -> None:
    with pytest.raises(ConfigurationError, match="tools"):
        ask_sampling(messages, max_tokens=1)


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ([], "empty list"),
        (None, "NoneType"),
        (3, "int"),
        (["Hi"], r"messages\[0\]: a message is .*not str"),
        ([("user",)], r"messages\[0\]: a message is"),
        ([("system", "Hi")], "Use system_prompt"),
        ([("user", "Hi"), ("bot", "Hi")], r"messages\[1\]: the role is"),
        ([("user", [])], "empty list"),
        ([("user", 3)], "not int"),
        ([("user", ResourceLink("a:b", "n"))], "ResourceLink"),
        ([("user", {"type": "text"})], "text: required, missing"),
        ([("user", {"type": "resource"})], "type of text, image"),
        ([("user", {"type": "image", "data": "%", "mimeType": "image/png"})], "base64"),
        ([("user", {"type": ["text"]})], "type of text, image"),
    ],
)
def test_what_is_no_conversation(messages: Any, fault: str) -> None:
    with pytest.raises(ConfigurationError, match=fault):
        ask_sampling(messages, max_tokens=1)


@pytest.mark.parametrize(
    ("option", "value", "fault"),
    [
        ("max_tokens", 0, "max_tokens must be an int above 0"),
        ("max_tokens", True, "max_tokens"),
        ("max_tokens", 1.5, "max_tokens"),
        ("system_prompt", 3, "system_prompt must be a str, not int"),
        ("model_preferences", ["small"], "model_preferences must be a mapping"),
        ("model_preferences", {"cost": 1}, "no 'cost'"),
        ("model_preferences", {"cost_priority": 2}, "from 0 to 1"),
        ("model_preferences", {"cost_priority": "high"}, "number"),
        ("model_preferences", {"speed_priority": None}, "from 0 to 1"),
        ("model_preferences", {"hints": "small"}, "hints"),
        ("model_preferences", {"hints": [{}]}, "hints"),
        ("include_context", "thisserver", "Did you mean 'thisServer'"),
        ("include_context", 3, "include_context"),
        ("temperature", "hot", "temperature must be a number"),
        ("temperature", float("nan"), "temperature must be a number"),
        ("stop_sequences", "END", "stop_sequences must be a list of str"),
        ("tools", Add, "tools must be a list of Tool"),
        ("tools", [Add], r"Add, which is no Tool.*definition\(\)"),
        ("tool_choice", "any", "tool_choice is one of auto, required, none"),
        ("tool_choice", {"mode": "auto", "name": "x"}, "tool_choice"),
        ("metadata", [1], "metadata must be a mapping"),
        ("metadata", {"a": {1}}, r"metadata\['a'\] is a set"),
        ("metadata", {"a": float("inf")}, "not JSON"),
        ("metadata", {1: "a"}, "the key 1"),
    ],
)
def test_what_an_option_cannot_be(option: str, value: Any, fault: str) -> None:
    options: dict[str, Any] = {"max_tokens": 1, option: value}
    with pytest.raises(ConfigurationError, match=fault):
        ask_sampling("Hi", **options)


def test_what_the_model_wrote() -> None:
    ask = ask_sampling("Hi", max_tokens=1)
    answer = {"role": "assistant", "content": TEXT, "model": "m", "stopReason": "endTurn"}
    sampled = ask.read(answer)
    assert sampled == Sampled("assistant", (TEXT,), "m", "endTurn")
    assert sampled.text == "Hi"
    assert sampled.to_wire() == answer
    check("CreateMessageResult", sampled.to_wire())


def test_what_the_model_wrote_in_parts() -> None:
    image = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    content = [TEXT, image, USE, {"type": "text", "text": " there", "_meta": {"a": 1}}]
    sampled = ask_sampling("Hi", max_tokens=1).read(
        {"role": "assistant", "content": content, "model": "m", "_meta": {}}
    )
    assert sampled.text == "Hi there"
    assert list(sampled.content) == content
    assert sampled.stop_reason is None
    assert "stopReason" not in sampled.to_wire()
    check("CreateMessageResult", sampled.to_wire())


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"role": "system"}, "role: expected one of"),
        ({"model": None}, "model: expected string"),
        ({"stopReason": 3}, "stopReason: expected string"),
        ({"content": "Hi"}, "content: expected a content block"),
        ({"content": {"type": "video"}}, "content: expected a content block"),
        ({"content": {"type": "text", "text": 3}}, "content.text: expected string"),
        ({"content": [TEXT, {"type": "text"}]}, r"content\[1\].text: required, missing"),
        ({"content": [{**USE, "input": []}]}, r"content\[0\].input: expected object"),
        (
            {"content": [{"type": "image", "data": "-_", "mimeType": "i"}]},
            "data: expected standard",
        ),
        ({"content": {**RESULT, "content": "2"}}, "content.content: expected array"),
    ],
)
def test_what_no_model_wrote(change: dict[str, Any], fault: str) -> None:
    answer = {"role": "assistant", "content": TEXT, "model": "m", **change}
    with pytest.raises(Invalid, match=fault):
        ask_sampling("Hi", max_tokens=1).read(answer)


# -- roots


def test_roots() -> None:
    ask = ask_roots()
    assert ask.to_wire() == {"method": "roots/list", "params": {}}
    check("ListRootsRequest", ask.to_wire())
    assert ask.needs == {"roots": {}}
    answer = {"roots": [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b", "_meta": {}}]}
    assert ask.read(answer) == (Root("file:///a", "A"), Root("file:///b"))
    assert ask.read({"roots": []}) == ()
    assert Root("file:///b").to_wire() == {"uri": "file:///b"}


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ([], "expected object, got array"),
        ({}, "roots: required, missing"),
        ({"roots": None}, "roots: expected array"),
        ({"roots": [{"name": "A"}]}, r"roots\[0\].uri: required, missing"),
        ({"roots": [{"uri": "file:///a", "name": 3}]}, r"roots\[0\].name: expected string"),
    ],
)
def test_what_are_no_roots(answer: Any, fault: str) -> None:
    with pytest.raises(Invalid, match=fault):
        ask_roots().read(answer)
