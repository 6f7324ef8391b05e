"""A server that asks its client."""

from __future__ import annotations

from typing import Any

from anubis_py import InputRequired, Response, ServerBehaviour, ToolComponent, ask_form, field
from anubis_py.transports.stdio.run import run_stdio


class Greet(ToolComponent):
    async def execute(self, args: Any, frame: Any) -> Any:
        answers = frame.context.input_responses
        if not answers:
            name = field("name", str, required=True)
            return InputRequired({"who": ask_form("Who are you?", [name])})
        return Response.tool().text(f"Hello {answers['who'].content['name']}")


class Asking(ServerBehaviour):
    name = "asking"
    version = "1"
    components = (Greet,)


run_stdio(Asking())
