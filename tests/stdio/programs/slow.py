"""B18, B22: tools that take their time, in every way."""

# ruff: noqa: T201

from __future__ import annotations

import time
from typing import Any

import anyio

from anubis_py import Response, ServerBehaviour, ToolComponent, field, send_progress
from anubis_py.transports.stdio.run import run_stdio

marks = 0
"""How many clean-ups have run."""
marked = anyio.Condition()

SECONDS = (field("s", float, required=True),)


class Nap(ToolComponent):
    schema = SECONDS

    async def execute(self, args: dict[str, float], frame: Any) -> Any:
        global marks
        send_progress(frame, 0)
        try:
            await anyio.sleep(args["s"])
        finally:
            with anyio.CancelScope(shield=True):
                async with marked:
                    marks += 1
                    marked.notify_all()
            print("cleaned up")
        return Response.tool().text("rested")


class Block(ToolComponent):
    schema = SECONDS

    def execute(self, args: dict[str, float], frame: Any) -> Any:
        time.sleep(args["s"])
        return Response.tool().text("released")


class Hog(ToolComponent):
    """Keeps the event loop from everything, signals included."""

    async def execute(self, args: Any, frame: Any) -> Any:
        print("hogging")
        while True:
            time.sleep(0.1)  # noqa: ASYNC251


class Marks(ToolComponent):
    """Waits until so many clean-ups have run."""

    schema = (field("n", int, required=True),)

    async def execute(self, args: dict[str, int], frame: Any) -> Any:
        async with marked:
            while marks < args["n"]:
                await marked.wait()
        return Response.tool().text(str(marks))


class Slow(ServerBehaviour):
    name = "slow"
    version = "1"
    components = (Nap, Block, Hog, Marks)
    capabilities = {"tools": {"list_changed": True}}  # noqa: RUF012

    def terminate(self, reason: Any, frame: Any) -> None:
        print("terminated:", reason)


if __name__ == "__main__":
    run_stdio(Slow())
