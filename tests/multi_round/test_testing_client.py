"""The client for tests answers what a server asks."""

from __future__ import annotations

from typing import Any

import pytest

from anubis_py import Accepted, Declined, Frame, InputRequired, ServerBehaviour, ToolComponent
from anubis_py.testing import MAX_ROUNDS
from multi_round.asking import ADA, WHO, client, text_of


@pytest.mark.anyio
async def test_answers_by_key_and_in_wire_form() -> None:
    async with client() as c:
        assert text_of(await c.call_tool("greet", answers=ADA)) == "Hello, Ada"
        wire = {"who": {"action": "accept", "content": {"name": "Bob"}}}
        assert text_of(await c.call_tool("greet", answers=wire)) == "Hello, Bob"


@pytest.mark.anyio
async def test_answers_from_a_function_which_sees_the_question() -> None:
    asked: list[Any] = []

    def answer(key: str, request: dict[str, Any]) -> Any:
        asked.append((key, request))
        # None leaves it out, so that the server asks again.
        return None if len(asked) == 1 else Accepted({"name": "Ada"})

    async with client() as c:
        assert text_of(await c.call_tool("greet", answers=answer)) == "Hello, Ada"
    assert asked == [("who", WHO.to_wire())] * 2


@pytest.mark.anyio
async def test_a_question_that_the_test_does_not_expect() -> None:
    async with client() as c:
        with pytest.raises(AssertionError, match="the server asks for 'who'"):
            await c.call_tool("greet", answers={"name": Declined()})


@pytest.mark.anyio
async def test_a_server_that_does_not_stop_asking() -> None:
    class Endless(ToolComponent):
        def execute(self, args: Any, frame: Frame) -> Any:
            return InputRequired({"who": WHO})

    class EndlessServer(ServerBehaviour):
        name, version, components = "endless", "1", (Endless,)

    async with client(EndlessServer) as c:
        with pytest.raises(AssertionError, match=f"still asks after {MAX_ROUNDS} rounds"):
            await c.call_tool("endless", answers=ADA)


@pytest.mark.anyio
async def test_without_answers_the_question_is_the_result() -> None:
    async with client() as c:
        for asked in (
            await c.call_tool("greet"),
            await c.get_prompt("letter"),
            await c.read_resource("diary:///monday"),
        ):
            assert asked["inputRequests"] == {"who": WHO.to_wire()}
