"""Requests that are given up: by the client, or because their time is over."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from support.either_era import ALL, EitherEra
from support.log import ServerLog

from anubis_py import (
    Frame,
    InputRequired,
    McpError,
    MemoryStore,
    Ok,
    Reply,
    Response,
    ask_roots,
    field,
)

from .parts import counter, said, settle, tool

pytestmark = pytest.mark.anyio

RAN: list[str] = []


@pytest.fixture(autouse=True)
def _nothing() -> None:
    RAN.clear()


async def block(args: Any, frame: Frame) -> Any:
    RAN.append("block")
    try:
        await anyio.sleep_forever()
    finally:
        RAN.append("cancelled")


def ask(args: Any, frame: Frame) -> Any:
    RAN.append("ask")
    return InputRequired({"at": ask_roots()})


async def run(args: Any, frame: Frame) -> Any:
    RAN.append("run")
    return Response.tool()


SERVER = counter(tools=(tool("block", block), tool("ask", ask), tool("run", run)))


async def test_one_that_runs() -> None:
    async with EitherEra(SERVER) as client:
        results: list[Any] = []

        async def call() -> None:
            results.append(await client.call_tool("block"))

        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call)
                await settle()
                await client.notify("notifications/cancelled", {"requestId": client.last_id})
        # "Receivers of a cancellation notification SHOULD … not send a response".
        assert (results, RAN) == ([{}], ["block", "cancelled"])
        assert await said(client, "increment") == "1"


async def test_one_that_waits_never_runs() -> None:
    async with EitherEra(SERVER) as client:
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "block")
                await settle()
                blocking = client.last_id
                tasks.start_soon(client.call_tool, "run")
                await settle()
                await client.notify("notifications/cancelled", {"requestId": client.last_id})
                await client.notify("notifications/cancelled", {"requestId": blocking})
        assert RAN == ["block", "cancelled"]
        assert await said(client, "increment") == "1"


async def test_one_that_asks() -> None:
    async with EitherEra(SERVER, capabilities=ALL) as client:
        results: list[Any] = []

        async def call() -> None:
            results.append(await client.call_tool("ask", answers={"at": None}))

        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call)
                await settle()
                [question] = client.asked
                await client.notify("notifications/cancelled", {"requestId": client.last_id})
        assert (results, RAN) == ([{}], ["ask"])
        # The client need not answer any more, and is told so.
        [withdrawn] = client.notifications
        assert withdrawn["method"] == "notifications/cancelled"
        assert withdrawn["params"]["requestId"] == question["id"]
        await client.answer(question, {"roots": []})
        assert RAN == ["ask"]


async def test_by_way_of_another_node() -> None:
    store = MemoryStore()
    async with EitherEra(SERVER, store=store) as client:
        async with EitherEra(SERVER, store=store, session_id=client.session_id) as elsewhere:
            with anyio.fail_after(5):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(client.call_tool, "block")
                    await settle()
                    await elsewhere.notify("notifications/cancelled", {"requestId": client.last_id})
        assert RAN == ["block", "cancelled"]


@pytest.mark.parametrize("id_", ["other", 99, 1.0, True, None, [], {}, "1"])
async def test_what_is_not_in_flight_is_not_cancelled(id_: Any) -> None:
    async with EitherEra(SERVER) as client, anyio.create_task_group() as tasks:
        client.last_id = 0
        tasks.start_soon(client.call_tool, "block")
        await settle()
        await client.notify("notifications/cancelled", {"requestId": id_})
        await client.notify("notifications/cancelled", {})
        await settle()
        assert RAN == ["block"]
        await client.notify("notifications/cancelled", {"requestId": 1})


async def test_no_session_cancels_for_another() -> None:
    store = MemoryStore()
    async with (
        EitherEra(SERVER, store=store) as client,
        EitherEra(SERVER, store=store) as other,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(client.call_tool, "block")
        await settle()
        await other.notify("notifications/cancelled", {"requestId": client.last_id})
        await settle()
        assert RAN == ["block"]
        await client.notify("notifications/cancelled", {"requestId": client.last_id})


async def test_the_task_that_calls_may_be_cancelled_itself() -> None:
    async with EitherEra(SERVER) as client:
        with anyio.move_on_after(0.05):
            await client.call_tool("block")
        assert RAN == ["block", "cancelled"]
        assert await said(client, "increment") == "1"


async def test_a_deadline(autojump_clock: Any, server_log: ServerLog) -> None:
    async def slow(args: Any, frame: Frame) -> Any:
        await anyio.sleep(args["s"])
        return Reply(Response.tool().text("rested"), frame.assign(count=99))

    schema = (field("s", float, required=True),)
    server = counter(tools=(tool("slow", slow, schema=schema),), timeout=5)
    async with EitherEra(server) as client:
        began = anyio.current_time()
        result = await client.call_tool("slow", {"s": 6})
        assert anyio.current_time() - began == 5
        assert result["isError"] is True
        assert "took longer than 5 s" in result["content"][0]["text"]
        server_log.take("took longer")
        assert await said(client, "count") == "0"
        assert await said(client, "slow", s=4) == "rested"


async def test_a_deadline_of_init_and_of_recovery(
    autojump_clock: Any, server_log: ServerLog
) -> None:
    patient = [True]

    async def init(self: Any, client_info: Any, frame: Frame) -> Any:
        await anyio.sleep(1 if patient[0] else 6)
        return Ok(frame)

    store = MemoryStore()
    client = EitherEra(counter(init=init, timeout=5), store=store)
    await client.initialize()
    patient[0] = False
    other = EitherEra(type(client.server), store=store, session_id=client.session_id)
    for attempt in (other.list_tools, client.initialize):
        with pytest.raises(McpError, match="init took longer than 5 s"):
            await attempt()
        server_log.take("init took longer")
    assert len(await store.list_active()) == 1


async def test_a_callback_that_hangs_at_the_end_keeps_nobody(
    autojump_clock: Any, server_log: ServerLog
) -> None:
    async def terminate(self: Any, reason: str, frame: Frame) -> Any:
        await anyio.sleep_forever()

    async with EitherEra(counter(terminate=terminate, timeout=5)):
        began = anyio.current_time()
    assert anyio.current_time() - began == 5
    server_log.take("terminate failed", traceback=True)
