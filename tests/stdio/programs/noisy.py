"""B19: a module that prints at import, in the ways that libraries do, and tools that go on."""

# ruff: noqa: T201

from __future__ import annotations

import logging
import os
import subprocess
import sys
from typing import Any

from anubis_py import Response, ServerBehaviour, ToolComponent

print("stray: import")
os.write(1, b"stray: import, by descriptor\n")

logging.basicConfig(stream=sys.stdout, level=logging.INFO)


class Print(ToolComponent):
    async def execute(self, args: Any, frame: Any) -> Any:
        print("stray: print")
        return Response.tool().text("done")


class PrintInThread(ToolComponent):
    def execute(self, args: Any, frame: Any) -> Any:
        print("stray: print in a thread", flush=True)
        return Response.tool().text("done")


class Binary(ToolComponent):
    async def execute(self, args: Any, frame: Any) -> Any:
        sys.stdout.buffer.write(b"stray: binary\n")
        sys.stdout.buffer.flush()
        return Response.tool().text("done")


class Descriptor(ToolComponent):
    async def execute(self, args: Any, frame: Any) -> Any:
        os.write(1, b"stray: descriptor\n")
        return Response.tool().text("done")


class Child(ToolComponent):
    """Runs a child that writes, and reads all that it can."""

    def execute(self, args: Any, frame: Any) -> Any:
        script = "echo stray: child; printf '%s' \"$(cat)\"; echo stray: child 2 >&2"
        done = subprocess.run(["sh", "-c", script], check=True, timeout=10)
        return Response.tool().text(str(done.returncode))


class Log(ToolComponent):
    async def execute(self, args: Any, frame: Any) -> Any:
        logging.getLogger("stray").info("log")
        return Response.tool().text("done")


class Stdin(ToolComponent):
    """What others read of stdin."""

    def execute(self, args: Any, frame: Any) -> Any:
        return Response.tool().text(repr((sys.stdin.read(), os.read(0, 100))))


class Unterminated(ToolComponent):
    async def execute(self, args: Any, frame: Any) -> Any:
        print("stray: no end of line", end="")
        print("stray: unflushed on the real stdout", end="", file=sys.__stdout__)
        return Response.tool().text("done")


class Noisy(ServerBehaviour):
    name = "noisy"
    version = "1"
    components = (*(Print, PrintInThread, Binary, Descriptor, Child, Log, Stdin, Unterminated),)
