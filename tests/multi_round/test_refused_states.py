"""A state that is not, or no longer, what it was: the same words for every cause on the wire,
and the cause in the log."""

from __future__ import annotations

import logging
from typing import Any

import attrs
import pytest

from anubis_py import InputRequired, McpError, Response, ServerBehaviour, ToolComponent
from multi_round.asking import ADA, Server, client, text_of

WORDS = (
    "Invalid params: params.requestState is not, or no longer, valid for this request. "
    "Send the request without it to begin again"
)


@attrs.define
class Clock:
    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Elsewhere(Server):
    name = "elsewhere"


async def refuse(
    caplog: pytest.LogCaptureFixture, c: Any, method: str, params: Any, state: str
) -> str:
    """Present a state that has to be refused, and give the line in the log."""
    caplog.clear()
    responses = {key: answer.to_wire() for key, answer in ADA.items()}
    with pytest.raises(McpError) as raised:
        await c.request(method, {**params, "requestState": state, "inputResponses": responses})
    assert (raised.value.code, raised.value.message, raised.value.data) == (-32602, WORDS, None)
    [record] = caplog.records
    assert (record.name, record.levelno) == ("anubis_py.engine", logging.WARNING)
    assert not state or state not in record.getMessage()
    assert "Ada" not in record.getMessage()
    # The next good request is answered.
    assert text_of(await c.call_tool("greet", answers=ADA)) == "Hello, Ada"
    return record.getMessage()


GREET = {"name": "greet", "arguments": {"word": "Hey"}}


@pytest.mark.anyio
async def test_states_that_were_tampered_with(caplog: pytest.LogCaptureFixture) -> None:
    async with client() as c:
        state = (await c.call_tool("greet", {"word": "Hey"}))["requestState"]
        twin = "A" if state[-8] != "A" else "B"
        for changed, cause in (
            (state + "-TAMPERED", "tampered"),
            (state[:-8] + twin + state[-7:], "tampered"),
            (state[: len(state) // 4 * 4 - 4], "tampered"),
            ("", "no seal of a known version"),
            ("{}", "not base64url"),
            ("AAAA", "no seal of a known version"),
            ("é", "not base64url"),
            (state + "=", "base64url"),
        ):
            said = await refuse(caplog, c, "tools/call", GREET, changed)
            assert cause in said or "base64url" in said
        result = await c.call_tool(
            "greet", {"word": "Hey"}, input_responses=ADA, request_state=state
        )
        assert text_of(result) == "Hey, Ada"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("method", "params", "cause"),
    [
        ("tools/call", {**GREET, "name": "wave"}, "another params"),
        ("tools/call", {**GREET, "arguments": {"word": "Hi"}}, "another params"),
        ("tools/call", {"name": "greet", "arguments": {}}, "another params"),
        ("tools/call", {"name": "greet"}, "another params"),
        ("tools/call", {**GREET, "more": 1}, "another params"),
        ("prompts/get", {"name": "letter"}, "another method and another params"),
        ("prompts/get", GREET, "another method"),
        ("resources/read", {"uri": "diary:///monday"}, "another method and another params"),
    ],
)
async def test_states_of_another_request(
    method: str, params: Any, cause: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with client() as c:
        state = (await c.call_tool("greet", {"word": "Hey"}))["requestState"]
        said = await refuse(caplog, c, method, params, state)
        assert said.endswith(f"sealed for {cause}")


@pytest.mark.anyio
async def test_what_makes_no_difference_to_a_request() -> None:
    async with client() as c:
        params = {"name": "greet", "arguments": {"word": "Hey"}}
        state = (await c.request("tools/call", params))["requestState"]
        turned = {
            "inputResponses": {"who": ADA["who"].to_wire()},
            "requestState": state,
            "arguments": {"word": "Hey"},
            "name": "greet",
        }
        result = await c.request("tools/call", turned, meta={"other/key": 1, "progressToken": 7})
        assert text_of(result) == "Hey, Ada"


@pytest.mark.anyio
async def test_states_of_somebody_else(caplog: pytest.LogCaptureFixture) -> None:
    everybody: list[Any] = [{"sub": "ada"}, {"sub": "eve"}, None]
    for owner in everybody:
        async with client(auth=owner) as c:
            state = (await c.call_tool("greet", {"word": "Hey"}))["requestState"]
            own = await c.call_tool(
                "greet", {"word": "Hey"}, input_responses=ADA, request_state=state
            )
            assert text_of(own) == "Hey, Ada"
        for other in everybody:
            if other == owner:
                continue
            async with client(auth=other) as c:
                said = await refuse(caplog, c, "tools/call", GREET, state)
                assert said.endswith("sealed for another principal")
                assert "eve" not in said


@pytest.mark.anyio
async def test_states_of_another_server(caplog: pytest.LogCaptureFixture) -> None:
    async with client(Elsewhere) as c:
        state = (await c.call_tool("greet", {"word": "Hey"}))["requestState"]
    async with client() as c:
        said = await refuse(caplog, c, "tools/call", GREET, state)
        assert said.endswith("sealed for another server")


@pytest.mark.anyio
async def test_states_expire(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    async with client(clock=clock) as c:
        state = (await c.call_tool("greet", {"word": "Hey"}))["requestState"]
        clock.now += 3599.9
        result = await c.call_tool(
            "greet", {"word": "Hey"}, input_responses=ADA, request_state=state
        )
        assert text_of(result) == "Hey, Ada"
        clock.now += 0.1
        said = await refuse(caplog, c, "tools/call", GREET, state)
        assert said.endswith("it has expired")


@pytest.mark.anyio
async def test_the_time_for_a_round_is_the_servers(caplog: pytest.LogCaptureFixture) -> None:
    class Hasty(Server):
        round_timeout = 5

    clock = Clock()
    async with client(Hasty, clock=clock) as c:
        state = (await c.call_tool("greet", {"word": "Hey"}))["requestState"]
        clock.now += 5
        assert "expired" in await refuse(caplog, c, "tools/call", GREET, state)


@pytest.mark.anyio
async def test_asking_again_does_not_prolong_a_round(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    async with client(clock=clock) as c:
        asked = await c.call_tool("greet", {"word": "Hey"})
        clock.now += 3000
        asked = await c.call_tool("greet", {"word": "Hey"}, request_state=asked["requestState"])
        assert asked["resultType"] == "input_required"
        clock.now += 600
        said = await refuse(caplog, c, "tools/call", GREET, asked["requestState"])
        assert "expired" in said


@pytest.mark.anyio
async def test_a_new_round_of_the_callback_has_its_own_time() -> None:
    clock = Clock()

    class Long(ToolComponent):
        def execute(self, args: Any, frame: Any) -> Any:
            step = (frame.context.request_state or 0) + 1
            return Response.tool().text("done") if step == 5 else InputRequired(state=step)

    class LongServer(ServerBehaviour):
        name, version, components = "long", "1", (Long,)

    async with client(LongServer, clock=clock) as c:
        result = await c.call_tool("long")
        while result["resultType"] == "input_required":
            clock.now += 3000
            result = await c.call_tool("long", request_state=result["requestState"])
        assert text_of(result) == "done"


@pytest.mark.anyio
async def test_an_ask_that_this_version_does_not_know(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after an update of the server, while a client still carries the old state."""
    from anubis_py.asks.ask import Ask

    async with client() as c:
        with monkeypatch.context() as patch:
            patch.setattr(Ask, "to_wire", lambda self: {"method": "elicitation/old", "params": {}})
            # Not the checked client's: what goes out here is no revision's.
            patch.setattr(type(c), "receive", lambda self, body: __import__("json").loads(body))
            state = (await c.call_tool("greet", {"word": "Hey"}))["requestState"]
        said = await refuse(caplog, c, "tools/call", GREET, state)
        assert said.endswith("it holds an ask in a form that this version does not know")
