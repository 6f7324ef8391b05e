"""What a call over pipes costs, counted as in `test_counted`, and its client with it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import anyio
import attrs
import pytest

from anubis_py.transports.stdio.serve import serve_stdio
from anubis_py.transports.stdio.streams import receive_stream, send_stream

from .counting import Counted, counting
from .test_counted import _META, call, request, server

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("anyio_backend", ["asyncio"]),
    # 3.12 and later inline comprehensions and count differently.
    pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="counted on CPython 3.11"),
]


@attrs.define
class Pipes:
    """The client's ends."""

    stdin: int
    stdout: int

    async def ask(self, *tools: str) -> bytes:
        """Write these calls at once, and wait for all answers."""
        lines = [
            json.dumps(request("tools/call", {**call(tool), "_meta": _META}) | {"id": number})
            for number, tool in enumerate(tools)
        ]
        os.write(self.stdin, "".join(f"{line}\n" for line in lines).encode())
        answers = b""
        while answers.count(b"\n") < len(tools):
            await anyio.wait_readable(self.stdout)
            answers += os.read(self.stdout, 65536)
        return answers


@asynccontextmanager
async def served() -> AsyncIterator[Pipes]:
    (stdin, to_server), (from_server, stdout) = os.pipe(), os.pipe()
    try:
        async with anyio.create_task_group() as group:
            lines, answers = receive_stream(stdin), send_stream(stdout)
            serve = partial(serve_stdio, server()(), stdin=lines, stdout=answers)
            group.start_soon(serve)
            yield Pipes(to_server, from_server)
            group.cancel_scope.cancel()
    finally:
        for each in (stdin, to_server, from_server, stdout):
            os.close(each)


async def counted_calls(*tools: str) -> Counted:
    """What calls cost that were made before."""
    async with served() as pipes:
        await pipes.ask(*tools)
        with counting() as counted:
            answers = await pipes.ask(*tools)
    assert answers.count(b'"text":"3"') == len(tools)
    return counted


async def test_who_reads_a_call_answers_it() -> None:
    counted = await counted_calls("add")
    assert (counted.tasks, counted.threads) == (0, 0)
    assert counted.of("crew.py:_call") == 0
    assert counted.of("channel.py:run") == 0
    assert counted.total <= 295, counted.calls.most_common(20)


async def test_calls_that_come_together_are_answered_by_one_task_after_one_read() -> None:
    counted = await counted_calls(*["add"] * 50)
    assert (counted.tasks, counted.threads) == (0, 0)
    assert counted.of("crew.py:_call") == 0
    # As it answers, the client reads, and what it has waits for the next call.
    assert counted.of("streams.py:receive") <= 2


async def test_a_call_that_waits_leaves_reading_to_one_other_task() -> None:
    counted = await counted_calls("add_def")
    assert counted.threads == 0
    assert counted.of("crew.py:_call") <= 1
