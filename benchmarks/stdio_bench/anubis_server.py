"""The tool of the benchmark, served by anubis_py."""

from __future__ import annotations

from anubis_py import Frame, Response, ServerBehaviour, ToolComponent, field
from anubis_py.response import ToolResponse
from anubis_py.transports.stdio.run import run_stdio


class Add(ToolComponent):
    """Add two numbers."""

    schema = (field("a", int, required=True), field("b", int, required=True))

    async def execute(self, args: dict[str, int], frame: Frame) -> ToolResponse:
        return Response.tool().text(str(args["a"] + args["b"]))


class AddDef(ToolComponent):
    """Add two numbers, in a worker thread."""

    schema = Add.schema

    def execute(self, args: dict[str, int], frame: Frame) -> ToolResponse:
        return Response.tool().text(str(args["a"] + args["b"]))


class Bench(ServerBehaviour):
    name = "bench"
    version = "1"
    components = (Add, AddDef)


if __name__ == "__main__":
    run_stdio(Bench())
