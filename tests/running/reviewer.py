"""A server to be started by tests: by script, as a module, by file, or by the command line.

As a script it takes the settings of `run` as JSON.
"""

# ruff: noqa: RUF012  # `schema = […]` and `components = […]` declare; nothing changes them

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import anyio

from anubis_py import Frame, PromptComponent, Response, ServerBehaviour, ToolComponent, field


def _say(word: str) -> None:
    # In one piece, for processes share it.
    sys.stderr.write(word + "\n")


class CodeReview(PromptComponent):
    """Generate a code review prompt for the given programming language and code."""

    schema = [
        field("language", str, required=True, description="The programming language of the code"),
        field("code", str, required=True, description="The code to review"),
        field("focus_areas", str, default="general quality", description="What to look at first"),
    ]

    def get_messages(self, args: dict[str, str], frame: Frame) -> Any:
        return Response.prompt().user_message(f"Please review this {args['language']} code")


class Pid(ToolComponent):
    """Say which process answers, and keep it from answering anybody else for a while."""

    async def execute(self, args: dict[str, Any], frame: Frame) -> Any:
        time.sleep(0.1)  # noqa: ASYNC251  # so that another process takes the next request
        return Response.tool().text(str(os.getpid()))


class Wait(ToolComponent):
    """Wait on the event loop."""

    schema = [field("seconds", float, required=True)]
    timeout = 120.0

    async def execute(self, args: dict[str, Any], frame: Frame) -> Any:
        _say("waiting")
        try:
            await anyio.sleep(args["seconds"])
        except anyio.get_cancelled_exc_class():
            _say("cancelled")
            raise
        return Response.tool().text("done")


class Block(ToolComponent):
    """Wait in a thread, which nobody can stop."""

    schema = [field("seconds", float, required=True)]
    timeout = 120.0

    def execute(self, args: dict[str, Any], frame: Frame) -> Any:
        _say("waiting")
        time.sleep(args["seconds"])
        return Response.tool().text("done")


class Reviewer(ServerBehaviour):
    name = "reviewer"
    version = "1.0.0"
    components = [CodeReview, Pid, Wait, Block]


if __name__ == "__main__":
    Reviewer.run(**json.loads(sys.argv[1]))
