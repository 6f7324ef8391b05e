"""The miniature server as a process of its own, below either ASGI server."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from running.server_process import ServerProcess, running

from .client import calling, modern
from .socket_stream import ask

TESTS: Final = Path(__file__).parent.parent
PROGRAMS: Final = ("hypercorn", "uvicorn")
"""hypercorn's trio worker, as `run` starts it, and uvicorn on asyncio."""


@contextmanager
def miniature(program: str, **settings: Any) -> Iterator[ServerProcess]:
    with _served("support.miniature", program, settings) as server:
        yield server


@contextmanager
def talking(program: str, **settings: Any) -> Iterator[ServerProcess]:
    """The one with sessions."""
    with _served("support.talking", program, settings) as server:
        yield server


@contextmanager
def _served(module: str, program: str, settings: Any) -> Iterator[ServerProcess]:
    with running("-m", module, program, json.dumps(settings), cwd=TESTS) as server:
        yield server


def said(url: str, tool: str, **arguments: Any) -> str:
    """The text that a tool answers."""
    answer = ask(url, calling(tool, arguments, id="said"))
    text: str = answer["result"]["content"][0]["text"]
    return text


def held(url: str) -> dict[str, int]:
    """What the server's process holds."""
    found: dict[str, int] = json.loads(said(url, "held"))
    return found


COUNTED: Final = ("tasks", "threads", "descriptors")


def settled(url: str, goal: dict[str, int] | None = None) -> dict[str, int]:
    """What is held once none of COUNTED is above the goal; without one, once it changes no more.
    After half a minute, what is held then."""
    deadline = time.monotonic() + 30
    past: list[tuple[int, ...]] = []
    while time.monotonic() < deadline:
        # Threads that have nothing to do end after 10 s, on asyncio when another one is used.
        ask(url, modern("prompts/get", {"name": "greeting"}))
        found = held(url)
        past.append(tuple(found[what] for what in COUNTED))
        if goal is not None and all(found[what] <= goal[what] for what in COUNTED):
            break
        # Six seconds: hypercorn keeps what belongs to a connection for the 5 s that it may be idle.
        if goal is None and len(past) > 12 and len(set(past[-12:])) == 1:
            break
        time.sleep(0.5)
    return found


def marks(url: str) -> list[str]:
    found: list[str] = json.loads(said(url, "marks"))
    return found
