"""The miniature server as a process of its own, below either ASGI server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from running.server_process import ServerProcess, running

from .client import calling
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


def marks(url: str) -> list[str]:
    found: list[str] = json.loads(said(url, "marks"))
    return found
