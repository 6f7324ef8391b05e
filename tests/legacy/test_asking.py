"""`InputRequired` in a session: the server asks, waits, and calls again."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from multi_round.asking import ADA, WHO, Runtime, Server
from support.either_era import ALL, LEGACY, NEWEST, EitherEra, text_of
from support.log import ServerLog

from anubis_py import (
    Accepted,
    Declined,
    Frame,
    InputRequired,
    McpError,
    MemoryStore,
    Reply,
    Response,
    Root,
    Sampled,
    ask_roots,
    ask_sampling,
    ask_url,
    send_progress,
)

from .parts import SharedStore, counter, said, settle, tool

pytestmark = pytest.mark.anyio

ASKABLE = [version for version in LEGACY if version != "2025-03-26"]


def client(server: Any = Server, version: str = NEWEST, **options: Any) -> EitherEra:
    return EitherEra(server, protocol_version=version, **{"capabilities": ALL, **options})


def answered(args: Any, frame: Frame) -> Any:
    """Asks for everything that it has not asked for, and tells the answers."""
    responses = frame.context.input_responses
    if not responses:
        count = frame.assigns.get("count", 0)
        return InputRequired({"who": WHO, "at": ask_roots()}, {"seen": count})
    text = f"{responses['who']} {responses['at']} {frame.context.request_state}"
    return Response.tool().text(text)


ASKING = counter(tools=(tool("ask", answered),))
BOTH = {"who": Accepted({"name": "Ada"}), "at": (Root("file:///a"),)}


@pytest.mark.parametrize("version", ASKABLE)
async def test_every_kind_of_component_may_ask(version: str) -> None:
    async with client(version=version) as c:
        assert text_of(await c.call_tool("greet", {"word": "Hi"}, answers=ADA)) == "Hi, Ada"
        assert text_of(await c.call_tool("provided", answers=ADA)) == "Ada"
        for prompt in ("letter", "provided"):
            assert "Ada" in str(await c.get_prompt(prompt, answers=ADA))
        for uri in ("diary:///monday", "provided:///"):
            assert "Ada" in str(await c.read_resource(uri, answers=ADA))
    async with client(Runtime, version) as c:
        assert "Ada" in str(await c.call_tool("tool", answers=ADA))
        assert "Ada" in str(await c.get_prompt("prompt", answers=ADA))
        assert "Ada" in str(await c.read_resource("runtime:///", answers=ADA))


async def test_several_rounds_with_state(autojump_clock: Any) -> None:
    asked: list[str] = []

    def answer(key: str, request: dict[str, Any]) -> Any:
        asked.append(f"{key}: {request['params']['message']}")
        return Accepted({"name": "Ada"} if key == "who" else {})

    async with client() as c:
        assert text_of(await c.call_tool("steps", answers=answer)) == "done, Ada"
    assert asked == ["who: Who are you?", "sure: Sure, Ada?"]


@pytest.mark.parametrize("version", ASKABLE)
async def test_several_questions_at_once(version: str) -> None:
    content: Any = {"type": "text", "text": "x"}
    model = Sampled("assistant", [content], "m").to_wire()
    if version == "2025-06-18":
        model["content"] = content
    answers = {**BOTH, "model": model}
    async with client(version=version) as c:
        assert text_of(await c.call_tool("everything", answers=answers)) == "at model who"


async def test_answers_are_values_and_the_state_comes_back() -> None:
    async with client(ASKING) as c:
        await said(c, "increment")
        expected = f"{BOTH['who']} {BOTH['at']} {{'seen': 1}}"
        assert text_of(await c.call_tool("ask", answers=BOTH)) == expected
        declined = {**BOTH, "who": Declined()}
        assert "Declined()" in text_of(await c.call_tool("ask", answers=declined))


async def test_nobody_holds_the_session_while_the_user_thinks() -> None:
    async with client(ASKING) as c:
        texts: list[str] = []

        async def call() -> None:
            result = await c.call_tool("ask", answers=lambda key, request: None)
            texts.append(text_of(result))

        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call)
                await settle()
                assert await said(c, "increment") == "1"
                assert [q["method"] for q in c.asked] == ["elicitation/create", "roots/list"]
                for question, answer in zip(list(c.asked), BOTH.values(), strict=True):
                    await c.answer(question, answer)
        assert len(texts) == 1
        assert await said(c, "count") == "1"


async def test_the_frame_is_handed_on_through_the_rounds() -> None:
    def ask(args: Any, frame: Frame) -> Any:
        after = frame.assign(rounds=frame.assigns.get("rounds", 0) + 1)
        if not frame.context.input_responses:
            return InputRequired({"at": ask_roots()}, frame=after)
        return Reply(Response.tool(), after)

    async with client(counter(tools=(tool("ask", ask),))) as c:
        await c.call_tool("ask", answers=BOTH)
        assert await said(c, "assigns") == "[('rounds', 2)]"


async def test_progress_between_the_questions() -> None:
    def ask(args: Any, frame: Frame) -> Any:
        if not frame.context.input_responses:
            send_progress(frame, 1)
            return InputRequired({"at": ask_roots()})
        send_progress(frame, 2)
        return Response.tool()

    async with client(counter(tools=(tool("ask", ask),))) as c:
        await c.call_tool("ask", meta={"progressToken": 1}, answers=BOTH)
        assert [note["params"]["progress"] for note in c.notifications] == [1, 2]


@pytest.mark.parametrize("version", ASKABLE)
async def test_what_the_client_has_not_declared_is_not_asked(version: str) -> None:
    async with client(ASKING, version, capabilities={"sampling": {}}) as c:
        with pytest.raises(McpError) as refusal:
            await c.call_tool("ask", answers=BOTH)
        assert (refusal.value.code, refusal.value.http_status) == (-32021, 200)
        required: dict[str, Any] = {"elicitation": {"form": {}}, "roots": {}}
        assert refusal.value.data == {"requiredCapabilities": required}
        assert c.asked == []


@pytest.mark.parametrize("version", ASKABLE)
async def test_capabilities_as_they_were_declared_before_there_were_flags(version: str) -> None:
    def ask(args: Any, frame: Frame) -> Any:
        if frame.context.input_responses:
            return Response.tool()
        context = "none" if version == NEWEST else "thisServer"
        model = ask_sampling("x", max_tokens=5, include_context=context)
        return InputRequired({"who": WHO, "model": model})

    answers = {
        **ADA,
        "model": {"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"},
    }
    bare: dict[str, Any] = {"elicitation": {}, "sampling": {}}
    async with client(counter(tools=(tool("ask", ask),)), version, capabilities=bare) as c:
        assert (await c.call_tool("ask", answers=answers))["isError"] is False


@pytest.mark.parametrize(
    ("version", "ask", "what"),
    [
        ("2025-03-26", WHO, "has no elicitation"),
        ("2025-06-18", ask_url("Pay", "https://pay.example"), "has no url mode"),
    ],
)
async def test_what_the_revision_has_no_words_for(version: str, ask: Any, what: str) -> None:
    server = counter(tools=(tool("ask", lambda args, frame: InputRequired({"who": ask})),))
    capabilities: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}}
    async with client(server, version, capabilities=capabilities) as c:
        with pytest.raises(McpError, match=what) as refusal:
            await c.call_tool("ask", answers=ADA)
        assert refusal.value.code == -32603
        assert await said(c, "increment") == "1"


@pytest.mark.parametrize(
    ("answer", "code", "what"),
    [
        ({"action": "accept", "content": {"name": 5}}, -32602, r"answers\.who\.content\.name"),
        ({"action": "perhaps"}, -32602, r"answers\.who"),
        ("Ada", -32602, r"answers\.who"),
        (McpError(-1, "User rejected"), -32603, "answered elicitation/create with an error"),
    ],
)
async def test_an_answer_that_is_none(answer: Any, code: int, what: str) -> None:
    async with client(ASKING) as c:
        with pytest.raises(McpError, match=what) as refusal:
            await c.call_tool("ask", answers={**BOTH, "who": answer})
        assert (refusal.value.code, refusal.value.http_status) == (code, 200)
        assert await said(c, "increment") == "1"


async def test_a_client_that_does_not_answer(autojump_clock: Any) -> None:
    server = counter(tools=(tool("ask", answered),), round_timeout=60)
    async with client(server) as c:
        began = anyio.current_time()
        with pytest.raises(McpError, match="did not answer within 60 s") as refusal:
            await c.call_tool("ask", answers={**BOTH, "at": None})
        assert refusal.value.code == -32603
        assert anyio.current_time() - began == 60
        [withdrawn] = c.notifications
        assert withdrawn["params"]["requestId"] == c.asked[0]["id"]
        assert await said(c, "increment") == "1"


async def test_the_deadline_is_the_callbacks_and_not_the_users(autojump_clock: Any) -> None:
    server = counter(tools=(tool("ask", answered),), timeout=5)
    async with client(server) as c:
        texts: list[str] = []

        async def call() -> None:
            texts.append(text_of(await c.call_tool("ask", answers={"who": None, "at": None})))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            await anyio.sleep(600)
            for question, answer in zip(list(c.asked), BOTH.values(), strict=True):
                await c.answer(question, answer)
        assert len(texts) == 1


async def test_a_session_that_ends_meanwhile() -> None:
    async with client(ASKING) as c:

        async def call() -> None:
            with pytest.raises(McpError) as refusal:
                await c.call_tool("ask", answers={"who": None, "at": None})
            assert refusal.value.http_status == 404

        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call)
                await settle()
                await c.end_session()


async def test_the_answer_may_come_to_another_node() -> None:
    store = MemoryStore()
    async with client(ASKING, store=store) as c:
        results: list[Any] = []

        async def call() -> None:
            results.append(await c.call_tool("ask", answers={"who": None, "at": None}))

        async with EitherEra(ASKING, store=store, session_id=c.session_id) as elsewhere:
            with anyio.fail_after(5):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(call)
                    await settle()
                    for question, answer in zip(list(c.asked), BOTH.values(), strict=True):
                        await elsewhere.answer(question, answer)
        assert len(results) == 1


async def test_no_session_answers_the_questions_of_another() -> None:
    store = MemoryStore()
    async with client(ASKING, store=store) as c, client(ASKING, store=store) as other:
        results: list[Any] = []

        async def call() -> None:
            results.append(await c.call_tool("ask", answers={"who": None, "at": None}))

        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call)
                await settle()
                questions = list(c.asked)
                for question, answer in zip(questions, BOTH.values(), strict=True):
                    await other.answer(question, answer)
                await settle()
                assert results == []
                for question, answer in zip(questions, BOTH.values(), strict=True):
                    await c.answer(question, answer)
        assert len(results) == 1


async def test_an_input_required_that_cannot_be_sent(server_log: ServerLog) -> None:
    bad: Any = {"who": "a question"}
    server = counter(tools=(tool("ask", lambda args, frame: InputRequired(bad)),))
    async with client(server) as c:
        with pytest.raises(McpError, match=r"^Internal error"):
            await c.call_tool("ask", answers=ADA)
        server_log.take("InputRequired that cannot be sent")


async def test_what_cannot_be_stored_is_not_asked_for(server_log: ServerLog) -> None:
    def ask(args: Any, frame: Frame) -> Any:
        return InputRequired({"at": ask_roots()}, frame=frame.assign(bad={1}))

    async with client(counter(tools=(tool("ask", ask),)), store=SharedStore()) as c:
        with pytest.raises(McpError, match=r"^Internal error"):
            await c.call_tool("ask", answers=BOTH)
        server_log.take("'ask'", "'bad'")


async def test_requests_at_the_same_time_have_their_own_questions() -> None:
    async with client() as c:
        texts: list[str] = []

        async def call(name: str) -> None:
            answers = {"who": Accepted({"name": name})}
            texts.append(text_of(await c.call_tool("greet", answers=answers)))

        async with anyio.create_task_group() as tasks:
            for name in ("Ada", "Bob", "Eve"):
                tasks.start_soon(call, name)
        assert sorted(texts) == ["Hello, Ada", "Hello, Bob", "Hello, Eve"]
