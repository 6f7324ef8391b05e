"""The requests of a session run one after another; what does not concern it never waits."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from anubis_py import Reply, Response, ToolComponent, field, send_progress

from . import messages as modern
from .legacy import call, greeted, initialize, request
from .messages import cancelled, notification, text
from .servers import Echo, Miniature, napping

pytestmark = pytest.mark.anyio


def waiting() -> tuple[type[Miniature], anyio.Event, list[Any]]:
    """A server with a tool that waits for an event, and the ids of the requests that began."""
    release, begun = anyio.Event(), []

    class Wait(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            begun.append(frame.context.request_id)
            await release.wait()
            return Response.tool().text("waited")

    class Mark(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            begun.append(frame.context.request_id)
            await anyio.lowlevel.checkpoint()
            marks = (*frame.assigns.get("marks", ()), frame.context.request_id)
            return Reply(Response.tool().text(repr(marks)), frame.assign(marks=marks))

    class Waiting(Miniature):
        components = (Wait, Mark, Echo)

    return Waiting, release, begun


async def test_requests_are_served_in_the_order_in_which_they_are_read() -> None:
    server, release, begun = waiting()
    async with greeted(server) as client:
        client.send(call(0, "wait"), *(call(number, "mark") for number in range(1, 31)))
        # Nothing of this waits for them.
        client.send(request("ping", "ping"), modern.call("modern", "echo", {"t": "now"}))
        assert {(await client.receive())["id"] for _ in range(2)} == {"ping", "modern"}
        assert begun == [0]
        release.set()
        answers = [await client.receive() for _ in range(31)]
    assert [answer["id"] for answer in answers] == list(range(31))
    assert text(answers[-1]) == repr(tuple(range(1, 31)))


async def test_a_queued_request_that_is_cancelled_never_runs() -> None:
    server, release, begun = waiting()
    async with greeted(server) as client:
        client.send(*(call(0, "wait"), call(1, "mark"), call(2, "mark"), call(3, "mark")))
        client.send(cancelled(2), cancelled("1"), cancelled(999), notification("cancelled"))
        assert (await client.ask(request("ping", "ping")))["id"] == "ping"
        release.set()
        client.peer.end()
        assert [message["id"] for message in await client.rest()] == [0, 1, 3]
    assert begun == [0, 1, 3]


async def test_a_running_request_that_is_cancelled_is_cleaned_up_and_never_answered() -> None:
    napping_server, cleaned = napping()
    async with greeted(napping_server) as client:
        client.send(call(1, "nap"), call(2, "echo", {"t": "next"}))
        await anyio.wait_all_tasks_blocked()
        client.send(cancelled(1, reason="user"))
        await cleaned.wait()
        assert text(await client.receive()) == "next"
        client.peer.end()
        assert await client.rest() == []


async def test_what_a_cancelled_request_has_said_is_withdrawn() -> None:
    class Chatty(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            for step in range(10):
                send_progress(frame, step)
            await anyio.sleep_forever()

    class Chatting(Miniature):
        components = (Chatty, Echo)

    async with greeted(Chatting, room=0) as client:
        client.send(call(1, "chatty", progressToken=1))
        await anyio.wait_all_tasks_blocked()
        client.send(cancelled(1), call(2, "echo", {"t": "b"}))
        await anyio.wait_all_tasks_blocked()
        client.peer.end()
        *progress, answer = await client.rest()
    assert text(answer) == "b"
    # What is being written is written to its end.
    assert len(progress) <= 1


async def test_calls_that_are_cancelled_as_they_end(autojump_clock: Any) -> None:
    class Tick(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            send_progress(frame, 1)
            await anyio.sleep(0.001)
            return Response.tool().text("tick")

    class Ticking(Miniature):
        components = (Tick,)

    async with greeted(Ticking) as client:
        for number in range(200):
            client.send(call(number, "tick", **({"progressToken": number} if number % 2 else {})))
            # From before its end to after it.
            await anyio.sleep(0.0001 * (number % 20))
            client.send(cancelled(number))
        client.send(request("last", "tools/list"))
        client.peer.end()
        answered = [message["id"] for message in await client.rest() if "id" in message]
    assert answered[-1] == "last"
    assert 1 < len(answered) < 200
    assert len(answered) == len(set(answered))


async def test_an_id_in_flight_is_refused_whichever_era_it_is_of() -> None:
    server, release, _ = waiting()
    async with greeted(server) as client:
        client.send(call(1, "wait"), call(2, "mark"))
        for other in (call(2, "mark"), modern.call(1, "mark"), request(1, "ping"), initialize(2)):
            refusal = await client.ask(other)
            assert (refusal["id"], refusal["error"]["code"]) == (other["id"], -32600)
        release.set()
        assert [(await client.receive())["id"] for _ in range(2)] == [1, 2]
        assert text(await client.ask(call(1, "mark"))) == "(2, 1)"


async def test_a_request_cannot_be_cancelled_after_its_answer_was_taken() -> None:
    server, _, _ = waiting()
    async with greeted(server, room=0) as client:
        client.send(call(1, "mark"))
        await anyio.wait_all_tasks_blocked()
        client.send(cancelled(1), call(2, "mark"))
        client.peer.end()
        assert [message["id"] for message in await client.rest()] == [1, 2]


async def test_reading_pauses_when_so_many_wait() -> None:
    server, release, _ = waiting()
    async with greeted(server, max_in_flight=5) as client:
        client.send(call("wait", "wait"))
        for number in range(100):
            client.send(call(number, "mark"))
        await anyio.wait_all_tasks_blocked()
        assert client.peer.stdin.statistics().current_buffer_used > 90
        release.set()
        client.peer.end()
        assert [message["id"] for message in await client.rest()] == ["wait", *range(100)]


async def test_many_of_the_other_era_keep_no_session_waiting() -> None:
    server, release, _ = waiting()
    async with greeted(server, max_in_flight=3) as client:
        client.send(*(modern.call(number, "wait") for number in range(3)))
        assert text(await client.ask(call("mark", "mark"))) == "('mark',)"
        release.set()
        assert {(await client.receive())["id"] for _ in range(3)} == {0, 1, 2}


async def test_who_waits_for_the_session_keeps_nothing_waiting_that_was_read_before() -> None:
    server, release, _ = waiting()
    async with greeted(server, max_in_flight=1) as client:
        marks = (call(number, "mark") for number in range(2))
        client.send(call("wait", "wait"), modern.call("modern", "echo", {"t": "now"}), *marks)
        assert text(await client.receive()) == "now"
        release.set()
        assert [(await client.receive())["id"] for _ in range(3)] == ["wait", 0, 1]


async def test_context_variables_end_with_their_request() -> None:
    note: ContextVar[str] = ContextVar("note", default="nothing")

    class Remember(ToolComponent):
        schema = (field("t", str, required=True),)

        async def execute(self, args: Any, frame: Any) -> Any:
            before = note.get()
            note.set(args["t"])
            await anyio.lowlevel.checkpoint()
            return Response.tool().text(f"{before}, {note.get()}")

    class Remembering(Miniature):
        components = (Remember,)

    async with greeted(Remembering) as client:
        for name in ("a", "b"):
            assert text(await client.ask(call(name, "remember", {"t": name}))) == f"nothing, {name}"
