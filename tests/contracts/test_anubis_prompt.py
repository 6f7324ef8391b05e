"""The prompt of Anubis' own documentation, callback for callback, in Python."""

from __future__ import annotations

from typing import Any

import pytest
from support.client import CheckedClient, Http, modern

from anubis_py import (
    Failure,
    Frame,
    McpError,
    NoReply,
    PromptComponent,
    Reply,
    Request,
    Response,
    ServerBehaviour,
)

pytestmark = pytest.mark.anyio


class Review(PromptComponent):
    """Review code."""

    def name(self) -> str:  # type: ignore[override]
        return "code_review"

    @property
    def description(self) -> str:  # type: ignore[override]
        return "Generate a code review prompt for the given programming language and code"

    def arguments(self) -> Any:
        return [
            {
                "name": "language",
                "description": "The programming language of the code",
                "required": True,
            },
            {"name": "code", "description": "The code to review", "required": True},
            {
                "name": "focus_areas",
                "description": "Specific areas to focus on (e.g., performance, security)",
                "required": False,
            },
        ]

    def get_messages(self, args: dict[str, str], frame: Frame) -> Any:
        language, code = args["language"], args["code"]
        focus = args.get("focus_areas", "general quality")
        text = f"Please review the following {language} code, focusing on {focus}:\n{code}"
        messages = [{"role": "user", "content": {"type": "text", "text": text}}]
        return Reply(messages, frame.assign(last_prompt_used="code_review"))


SEEN: list[Frame | None] = []


class Reviewer(ServerBehaviour):
    name = "reviewer"
    version = "1.0.0"
    components: Any = (Review,)

    async def handle_request(self, request: Request, frame: Frame) -> Any:
        outcome = await super().handle_request(request, frame)
        SEEN.append(outcome.frame)
        return outcome


@pytest.fixture(autouse=True)
def _unseen() -> None:
    SEEN.clear()


CODE = {"language": "python", "code": "x = 1"}


async def test_it_is_listed_with_the_arguments_of_its_callback() -> None:
    async with CheckedClient(Reviewer) as client:
        (prompt,) = (await client.list_prompts())["prompts"]
    assert prompt == {
        "name": "code_review",
        "description": "Generate a code review prompt for the given programming language and code",
        "arguments": [
            {
                "name": "language",
                "description": "The programming language of the code",
                "required": True,
            },
            {"name": "code", "description": "The code to review", "required": True},
            {
                "name": "focus_areas",
                "description": "Specific areas to focus on (e.g., performance, security)",
                "required": False,
            },
        ],
    }


@pytest.mark.parametrize(
    ("more", "focus"), [({}, "general quality"), ({"focus_areas": "security"}, "security")]
)
async def test_the_callback_gets_string_keyed_arguments(more: dict[str, str], focus: str) -> None:
    async with CheckedClient(Reviewer) as client:
        result = await client.get_prompt("code_review", {**CODE, **more})
    text = f"Please review the following python code, focusing on {focus}:\nx = 1"
    assert result["messages"] == [{"role": "user", "content": {"type": "text", "text": text}}]


async def test_whoever_gets_the_returned_frame_sees_what_was_assigned() -> None:
    async with CheckedClient(Reviewer) as client:
        await client.get_prompt("code_review", CODE)
        await client.list_prompts()
    assert [frame.assigns.get("last_prompt_used") for frame in SEEN if frame] == [
        "code_review",
        None,  # the frame died with its request
    ]


@pytest.mark.parametrize("missing", ["language", "code"])
async def test_a_required_argument_is_required(missing: str) -> None:
    arguments = {name: value for name, value in CODE.items() if name != missing}
    with pytest.raises(McpError, match=f"^{missing}|: {missing}: required, missing") as refusal:
        await CheckedClient(Reviewer).get_prompt("code_review", arguments)
    assert refusal.value.code == -32602


async def test_the_same_over_http() -> None:
    answer = await Http(Reviewer).post(
        modern("prompts/get", {"name": "code_review", "arguments": CODE}, id="p1")
    )
    assert answer.status == 200
    assert answer.result["messages"][0]["content"]["text"].endswith("x = 1")


async def test_several_messages_make_a_conversation() -> None:
    class Talk(PromptComponent):
        async def get_messages(self, args: Any, frame: Frame) -> Any:
            return Reply(
                Response.prompt("A talk")
                .user_message("Who are you?")
                .assistant_message("A server.")
                .user_message("Of what?")
            )

    class Server(ServerBehaviour):
        name = "talk"
        version = "1"
        components = (Talk,)

    result = await CheckedClient(Server).get_prompt("talk")
    assert [message["role"] for message in result["messages"]] == ["user", "assistant", "user"]
    assert result["description"] == "A talk"


@pytest.mark.parametrize(
    ("reason", "code", "message"),
    [
        ("no such language", -32603, "no such language"),
        (McpError(-32602, "Unknown language", {"known": ["python"]}), -32602, "Unknown language"),
    ],
)
async def test_a_failure_with_a_reason(reason: Any, code: int, message: str) -> None:
    class Fails(PromptComponent):
        def get_messages(self, args: Any, frame: Frame) -> Any:
            return Failure(reason, frame.assign(failed=True))

    class Server(Reviewer):
        components = (Fails,)

    with pytest.raises(McpError) as failure:
        await CheckedClient(Server).get_prompt("fails")
    assert (failure.value.code, failure.value.message) == (code, message)
    assert [frame.assigns for frame in SEEN if frame] == [{"failed": True}]


async def test_no_reply_is_a_prompt_without_messages() -> None:
    class Quiet(PromptComponent):
        def get_messages(self, args: Any, frame: Frame) -> Any:
            return NoReply(frame.assign(asked=True))

    class Server(Reviewer):
        components = (Quiet,)

    result = await CheckedClient(Server).get_prompt("quiet")
    assert result["messages"] == []
    assert [frame.assigns for frame in SEEN if frame] == [{"asked": True}]


async def test_the_docstring_describes_what_describes_itself_no_better() -> None:
    class Documented(PromptComponent):
        """Generate a talk.

        With two lines
            and a third.
        """

        title = "Talk"

        def get_messages(self, args: Any, frame: Frame) -> Any:
            return ""

    class Described(Documented):
        """Not this."""

        description = "But this."

    class Inherited(Documented):
        pass

    class Server(ServerBehaviour):
        name = "doc"
        version = "1"
        components = (Documented, Described, Inherited)

    prompts = {p["name"]: p for p in (await CheckedClient(Server).list_prompts())["prompts"]}
    text = "Generate a talk.\n\nWith two lines\n    and a third."
    assert prompts["documented"]["description"] == text
    assert prompts["documented"]["title"] == "Talk"
    assert prompts["described"]["description"] == "But this."
    assert prompts["inherited"]["description"] == text


async def test_a_computed_description_is_read_for_every_list() -> None:
    models = ["first", "second"]

    class Dynamic(PromptComponent):
        def description(self) -> str:  # type: ignore[override]
            return f"Analyze with {models[0]}"

        def get_messages(self, args: Any, frame: Frame) -> Any:
            return ""

    class Server(ServerBehaviour):
        name = "dynamic"
        version = "1"
        components = (Dynamic,)

    client = CheckedClient(Server)
    assert (await client.list_prompts())["prompts"][0]["description"] == "Analyze with first"
    models.pop(0)
    assert (await client.list_prompts())["prompts"][0]["description"] == "Analyze with second"


async def test_typed_fields_are_read_from_strings() -> None:
    from anubis_py import field

    class Typed(PromptComponent):
        schema = (field("n", int, required=True), field("loud", bool, default=False))

        def get_messages(self, args: Any, frame: Frame) -> Any:
            return repr((args["n"], args["loud"]))

    class Server(ServerBehaviour):
        name = "typed"
        version = "1"
        components = (Typed,)

    client = CheckedClient(Server)
    result = await client.get_prompt("typed", {"n": "3", "loud": "true"})
    assert result["messages"][0]["content"]["text"] == "(3, True)"
    with pytest.raises(McpError, match=r"^Invalid arguments: n: expected integer.* \(-32602\)$"):
        await client.get_prompt("typed", {"n": "three"})
