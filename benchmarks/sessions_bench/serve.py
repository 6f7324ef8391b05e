"""Serves the app on a socket that is inherited: `python -m sessions_bench.serve STORE FD`."""

from __future__ import annotations

import sys
from typing import Any

from http_bench.serve import with_uvicorn

from anubis_py import Frame, Reply, Response, ServerBehaviour, ToolComponent


class Count(ToolComponent):
    """Count the calls of a session."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        calls = frame.assigns.get("calls", 0) + 1
        return Reply(Response.tool().text(str(calls)), frame.assign(calls=calls))


class Counter(ServerBehaviour):
    name = "counter"
    version = "1"
    components = (Count,)


if __name__ == "__main__":
    _, store, descriptor = sys.argv
    app = Counter.asgi(store=store, max_sessions=1_000_000)
    with_uvicorn(app, int(descriptor))
