"""Batches, as 2025-03-26 has them."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from anubis_py import Response, ToolComponent

from .legacy import INITIALIZED, answer, call, client_of, greeted, initialize, request
from .messages import cancelled, notification, text
from .servers import Echo, Miniature

pytestmark = pytest.mark.anyio

BATCHING = "2025-03-26"


class Order(ToolComponent):
    async def execute(self, args: Any, frame: Any) -> Any:
        frame.assigns["order"].append(frame.context.request_id)
        return Response.tool().text(str(frame.assigns["order"]))


class Ordering(Miniature):
    components = (Order, Echo)

    def init(self, client_info: Any, frame: Any) -> Any:
        from anubis_py import Ok

        return Ok(frame.assign(order=[]))


async def test_one_line_in_one_line_out_in_order() -> None:
    async with greeted(Ordering, BATCHING) as client:
        numbers = range(1, 9)
        client.send(
            [request("p", "ping"), *(call(number, "order") for number in numbers), INITIALIZED]
        )
        pong, *answers = await client.receive_batch()
        assert pong == {"jsonrpc": "2.0", "id": "p", "result": {}}
        assert [each["id"] for each in answers] == list(numbers)
        assert text(answers[-1]) == str(list(numbers))
        # It has its place among the others.
        client.send(call(10, "order"), [call(11, "order")], call(12, "order"))
        assert (await client.receive())["id"] == 10
        assert [each["id"] for each in await client.receive_batch()] == [11]
        assert text(await client.receive()) == str([*numbers, 10, 11, 12])


async def test_every_part_is_answered_by_itself() -> None:
    async with greeted(Ordering, BATCHING) as client:
        bad = {"jsonrpc": "2.0", "id": "bad", "method": 5}
        deaf = {"jsonrpc": "2.0", "method": "notifications/x", "params": 5}
        client.send(
            [
                1,
                bad,
                deaf,
                initialize("again"),
                call(1, "echo", {"t": "a"}),
                request(1, "tools/list"),
            ]
        )
        garbage, malformed, again, echoed, double = await client.receive_batch()
        assert ("id" in garbage, garbage["error"]["code"]) == (False, -32600)
        assert (malformed["id"], malformed["error"]["code"]) == ("bad", -32600)
        assert (again["id"], again["error"]["code"]) == ("again", -32600)
        assert text(echoed) == "a"
        assert (double["id"], double["error"]["code"]) == (1, -32600)


async def test_what_needs_no_answer_gets_none() -> None:
    heard: list[str] = []

    class Hearing(Ordering):
        async def handle_notification(self, notification: Any, frame: Any) -> Any:
            heard.append(notification.method)

    async with greeted(Hearing, BATCHING) as client:
        client.send([notification("a"), answer({"id": 1}), cancelled(1), notification("b")])
        client.send(request(1, "ping"))
        client.peer.end()
        assert [message["id"] for message in await client.rest()] == [1]
    assert heard == ["notifications/a", "notifications/b"]


async def test_a_part_can_be_cancelled_and_the_rest_is_answered() -> None:
    release = anyio.Event()

    class Wait(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            await release.wait()
            return Response.tool().text("waited")

    class Waiting(Miniature):
        components = (Wait, Echo)

    async with greeted(Waiting, BATCHING) as client:
        client.send([call(number, "wait") for number in range(4)])
        client.send([cancelled(0), request("p", "ping")], cancelled(2))
        assert [each["id"] for each in await client.receive_batch()] == ["p"]
        release.set()
        assert [each["id"] for each in await client.receive_batch()] == [1, 3]


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
async def test_other_revisions_have_none(version: str) -> None:
    async with greeted(Ordering, version) as client:
        refusal = await client.ask([call(1, "order")])
        assert ("id" in refusal, refusal["error"]["code"]) == (False, -32600)
        assert text(await client.ask(call(2, "order"))) == "[2]"


@pytest.mark.parametrize("batch", [b"[]", b"[" + b"1," * 100 + b"1]"])
async def test_what_is_no_batch_is_refused(batch: bytes) -> None:
    async with greeted(Ordering, BATCHING) as client:
        client.peer.write(batch + b"\n")
        assert (await client.receive())["error"]["code"] == -32600
        client.peer.write(b"[1,\n")
        assert (await client.receive())["error"]["code"] == -32700
        assert text(await client.ask(call(2, "order"))) == "[2]"


async def test_there_are_none_before_a_handshake() -> None:
    async with client_of(Ordering) as client:
        assert (await client.ask([request(1, "ping")]))["error"]["code"] == -32600
        client.rules.version = BATCHING
        client.send(initialize(0, BATCHING), [request(1, "ping")])
        assert (await client.receive())["id"] == 0
        assert [each["id"] for each in await client.receive_batch()] == [1]


async def test_there_are_none_after_a_handshake_that_failed() -> None:
    async with client_of(Ordering) as client:
        client.send(request(0, "initialize"), [request(1, "ping")])
        assert (await client.receive())["id"] == 0
        assert (await client.receive())["error"]["code"] == -32600
