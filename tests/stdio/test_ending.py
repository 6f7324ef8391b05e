from __future__ import annotations

from typing import Any

import anyio
import anyio.abc
import pytest

from anubis_py import Response, ToolComponent
from anubis_py.transports.stdio.serve import serve_stdio

from .memory import connected
from .messages import call, encode, listen, request, text
from .servers import Miniature, napping

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("way", ["end", "trigger"])
async def test_requests_in_flight_are_given_time_and_then_cancelled(way: str) -> None:
    class Short(ToolComponent):
        async def execute(self, args: Any, frame: Any) -> Any:
            await anyio.sleep(0.05)
            return Response.tool().text("in time")

    napping_server, cleaned = napping()

    class Both(napping_server):  # type: ignore[misc, valid-type]
        components = (*napping_server.components, Short)

    async with connected(Both, grace=0.3) as peer:
        peer.send(call(1, "nap"), call(2, "short"), call(3, "nap", progressToken=3))
        await anyio.wait_all_tasks_blocked()
        peer.end() if way == "end" else peer.stop.set()
        [answer] = await peer.rest()
        assert text(answer) == "in time"
        assert cleaned.is_set()
        await peer.ended.wait()


async def test_without_work_it_ends_at_once() -> None:
    async with connected(Miniature, grace=3600) as peer:
        peer.send(request(1, "tools/list"), listen(2, toolsListChanged=True))
        await anyio.wait_all_tasks_blocked()
        peer.end()
        assert (await peer.rest())[-1]["id"] == 2


async def test_a_client_that_does_not_read_does_not_keep_it() -> None:
    async with connected(Miniature, room=0, grace=0.05) as peer:
        peer.send(*(call(number, "echo", {"t": "x" * 100_000}) for number in range(30)))
        await anyio.wait_all_tasks_blocked()
        peer.end()
        await peer.ended.wait()


async def test_a_client_that_is_gone_ends_it() -> None:
    napping_server, cleaned = napping()
    async with connected(napping_server, grace=3600) as peer:
        peer.send(call(1, "nap"))
        await anyio.wait_all_tasks_blocked()
        peer.stdout.close()
        peer.send(call(2, "echo", {"t": "to nobody"}))
        await peer.ended.wait()
        assert cleaned.is_set()


async def test_cancelling_it_cancels_what_is_in_flight() -> None:
    napping_server, cleaned = napping()
    async with connected(napping_server, room=0, grace=3600) as peer:
        peer.send(call(1, "nap"), call(2, "echo", {"t": "x"}), listen(3, toolsListChanged=True))
        await anyio.wait_all_tasks_blocked()
        peer.scope.cancel()
        await peer.ended.wait()
        assert cleaned.is_set()


async def test_started_means_that_it_reads() -> None:
    to_server, stdin = anyio.create_memory_object_stream[bytes](1)
    stdout, from_server = anyio.create_memory_object_stream[bytes](1)

    async def serve(*, task_status: anyio.abc.TaskStatus[None]) -> None:
        await serve_stdio(Miniature(), stdin=stdin, stdout=stdout, task_status=task_status)

    with to_server, stdin, stdout, from_server, anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            await group.start(serve)
            to_server.send_nowait(encode(call(1, "echo", {"t": "a"})))
            assert b'"a"' in await from_server.receive()
            to_server.close()


async def test_a_broken_stdin_is_the_end() -> None:
    class Broken(anyio.abc.ByteReceiveStream):
        async def receive(self, max_bytes: int = 65536) -> bytes:
            raise anyio.BrokenResourceError

        async def aclose(self) -> None:
            raise AssertionError("the streams are the caller's to close")

    stdout, from_server = anyio.create_memory_object_stream[bytes](1)
    with stdout, from_server, anyio.fail_after(10):
        await serve_stdio(Miniature(), stdin=Broken(), stdout=stdout)
