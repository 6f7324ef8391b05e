"""A server that is started as a program, and started again."""

from __future__ import annotations

from typing import Any

from anubis_py import Response, ServerBehaviour, ToolComponent


class Greet(ToolComponent):
    """Greet everybody."""

    async def execute(self, args: Any, frame: Any) -> Any:
        return Response.tool().text("Hello!")


class Greeter(ServerBehaviour):
    name = "greeter"
    version = "1.0"
    components = (Greet,)
