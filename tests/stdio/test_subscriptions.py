from __future__ import annotations

import anyio
import pytest

from anubis_py.change import resource_updated
from anubis_py.engine.engines import Engines
from anubis_py.transports.stdio import stateless

from .memory import connected
from .messages import call, cancelled, listen, subscription, text
from .servers import Miniature

pytestmark = pytest.mark.anyio

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
UPDATED = "notifications/resources/updated"
TOOLS = "notifications/tools/list_changed"


async def test_two_subscriptions_on_one_channel() -> None:
    async with connected(Miniature) as peer:
        wants = {"resourceSubscriptions": ["memo://a"], "promptsListChanged": True}
        peer.send(listen("s-1", toolsListChanged=True, **wants), listen(7, toolsListChanged=True))
        acknowledged = [await peer.receive(), await peer.receive()]
        assert {message["method"] for message in acknowledged} == {ACKNOWLEDGED}
        honoured = {subscription(m): m["params"]["notifications"] for m in acknowledged}
        assert honoured == {
            "s-1": {"resourceSubscriptions": ["memo://a"], "toolsListChanged": True},
            7: {"toolsListChanged": True},
        }
        for uri in ("memo://b", "memo://a", None):
            peer.send(call(uri or "tools", "touch", {"uri": uri} if uri else {}))
        messages = [await peer.receive() for _ in range(6)]
        heard = [(subscription(m), m["method"]) for m in messages if "method" in m]
        assert sorted(heard, key=str) == [("s-1", UPDATED), ("s-1", TOOLS), (7, TOOLS)]

        peer.send(cancelled("s-1"), cancelled("7"))
        await anyio.wait_all_tasks_blocked()
        peer.send(call("again", "touch"))
        more = [await peer.receive() for _ in range(2)]
        assert [subscription(m) for m in more if "method" in m] == [7]

        peer.end()
        [closing] = await peer.rest()
        assert (closing["id"], subscription(closing)) == (7, 7)
        assert closing["result"]["resultType"] == "complete"


async def test_a_change_in_the_same_breath_is_heard_after_the_acknowledgement() -> None:
    async with connected(Miniature) as peer:
        peer.send(listen(1, toolsListChanged=True), *(call(n, "touch") for n in range(2, 6)))
        peer.end()
        own = [m for m in await peer.rest() if m.get("id", 1) == 1]
    assert own[0]["method"] == ACKNOWLEDGED
    assert own[-1]["result"]["resultType"] == "complete"


async def test_nothing_honoured_is_closed_at_once() -> None:
    async with connected(Miniature) as peer:
        peer.send(listen(1, promptsListChanged=True))
        acknowledged, closing = await peer.receive(), await peer.receive()
        assert acknowledged["params"]["notifications"] == {}
        assert closing["id"] == 1


async def test_a_refused_subscription_is_an_error_and_leaves_its_id_free() -> None:
    async with connected(Miniature) as peer:
        peer.send(listen(1, toolsListChanged="yes"))
        assert (await peer.receive())["error"]["code"] == -32602
        peer.send(listen(1, toolsListChanged=True))
        assert (await peer.receive())["method"] == ACKNOWLEDGED


async def test_subscriptions_do_not_keep_requests_from_being_served() -> None:
    async with connected(Miniature, max_in_flight=1) as peer:
        for number in range(20):
            peer.send(listen(number, toolsListChanged=True))
            assert (await peer.receive())["method"] == ACKNOWLEDGED
        peer.send(call("call", "echo", {"t": "served"}))
        assert text(await peer.receive()) == "served"
        peer.stop.set()
        assert sorted(m["id"] for m in await peer.rest()) == list(range(20))


async def test_so_many_subscriptions_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stateless, "MAX_SUBSCRIPTIONS", 2)
    async with connected(Miniature) as peer:
        peer.send(*(listen(number, toolsListChanged=True) for number in range(3)))
        messages = [await peer.receive() for _ in range(3)]
        [refusal] = [message for message in messages if "error" in message]
        assert (refusal["id"], refusal["error"]["code"]) == (2, -32600)
        peer.send(cancelled(0))
        await anyio.wait_all_tasks_blocked()
        peer.send(listen("next", toolsListChanged=True))
        assert subscription(await peer.receive()) == "next"


async def test_changes_from_outside_of_callbacks() -> None:
    engines = Engines(Miniature())
    subscriptions = engines.subscriptions
    async with connected(Miniature, engines=engines) as peer:
        peer.send(listen(1, resourceSubscriptions=["memo://a"]))
        await peer.receive()
        await anyio.to_thread.run_sync(subscriptions.publish, resource_updated("memo://a"))
        assert (await peer.receive())["method"] == UPDATED
        peer.send(cancelled(1))
        await anyio.wait_all_tasks_blocked()
        assert not len(subscriptions)
