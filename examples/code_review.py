"""A prompt for code review, and two small tools beside it.

    python examples/code_review.py

It also shows the callbacks that many servers want next: `init` looks at who is asking,
`server_instructions` and `server_tools` depend on it, and `cache_hints` says how long a client
may keep an answer.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from anubis_py import (
    Frame,
    Ok,
    PromptComponent,
    Reply,
    Response,
    ServerBehaviour,
    Tool,
    ToolComponent,
    ToolResponse,
    embeds_many,
    field,
)

logger = logging.getLogger(__name__)

FIVE_MINUTES = 5 * 60 * 1000


class CodeReview(PromptComponent):
    """Generate a code review prompt for the given programming language and code."""

    schema = [
        field("language", str, required=True, description="The programming language of the code"),
        field("code", str, required=True, description="The code to review"),
        field("focus_areas", str, default="general quality", description="What to look at first"),
    ]

    async def get_messages(self, args: dict[str, str], frame: Frame) -> Reply:
        response = Response.prompt().user_message(
            f"Please review this {args['language']} code for {args['focus_areas']}:\n{args['code']}"
        )
        return Reply(response, frame.assign(last_prompt_used=self.name))


class MeasureCode(ToolComponent):
    """Count the lines of a piece of code, and say how long the longest is."""

    schema = [field("code", str, required=True, description="The code to measure")]
    annotations = {"read_only_hint": True}

    async def execute(self, args: dict[str, str], frame: Frame) -> ToolResponse:
        return Response.tool().json(measure(args["code"]))


class BulkMeasure(ToolComponent):
    """Measure many files in one call."""

    schema = [
        embeds_many(
            "files",
            [field("path", str, required=True), field("code", str, required=True)],
            required=True,
            min=1,
            max=500,
        )
    ]
    annotations = {"read_only_hint": True}

    # A plain `def` runs in a worker thread, so that 500 files keep nobody else waiting.
    def execute(self, args: dict[str, Any], frame: Frame) -> ToolResponse:
        files = args["files"]
        logger.info("%s measures %d files", frame.assigns["client"], len(files))
        return Response.tool().json({file["path"]: measure(file["code"]) for file in files})


def measure(code: str) -> dict[str, int]:
    lengths = [len(line) for line in code.splitlines()]
    return {"lines": len(lengths), "longest": max(lengths, default=0)}


class Reviewer(ServerBehaviour):
    name = "reviewer"
    version = "1.0.0"
    components = [CodeReview, MeasureCode, BulkMeasure]

    async def init(self, client_info: Mapping[str, Any], frame: Frame) -> Ok:
        # Runs before every request. `plan` is there already if whatever surrounds the app has
        # put it into the ASGI scope's `state`, after finding out who is asking.
        frame = frame.assign(client=client_info.get("name", "an unnamed client"))
        return Ok(frame.assign_new("plan", lambda: "free"))

    def server_instructions(self, frame: Frame) -> str:
        if frame.assigns["plan"] == "enterprise":
            return "Measure all files with one call of `bulk_measure`; review the longest first."
        return "Measure one piece of code at a time."

    def cache_hints(self, method: str) -> Mapping[str, Any]:
        # Private, because server_tools makes the list depend on the caller.
        if method == "tools/list":
            return {"ttl_ms": FIVE_MINUTES, "scope": "private"}
        return {"ttl_ms": 0, "scope": "private"}

    def server_tools(self, tools: list[Tool], frame: Frame) -> list[Tool]:
        # What is withheld here is neither listed nor callable.
        if frame.assigns["plan"] == "enterprise":
            return tools
        return [tool for tool in tools if tool.name != "bulk_measure"]


app = Reviewer.asgi()

if __name__ == "__main__":
    Reviewer.run()
