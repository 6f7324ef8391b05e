"""A server as a process, and calls to it, one after another, with as little as possible around."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Final, Self

import attrs

ROOT: Final = Path(__file__).parents[2]
SERVERS: Final = {"anubis_py": "anubis_server.py", "sdk": "sdk_server.py"}

_META: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def call(tool: str) -> bytes:
    params = {"name": tool, "arguments": {"a": 1, "b": 2}, "_meta": _META}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.dumps(message).encode() + b"\n"


@attrs.define
class Server:
    name: str
    compiled: str
    """Where byte code is kept, so that every start but the first finds it, whoever it is of."""
    _process: subprocess.Popen[bytes] = attrs.field(init=False)

    def __enter__(self) -> Self:
        variables = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name(SERVERS[self.name]))],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**variables, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": self.compiled},
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._process:
            assert self._process.stdin is not None
            self._process.stdin.close()

    def calls(self, tool: str, count: int) -> float:
        """Seconds for so many calls. Raises RuntimeError for a wrong answer."""
        process, message = self._process, call(tool)
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin.fileno(), process.stdout.fileno()
        answer = b""
        start = perf_counter()
        for _ in range(count):
            os.write(stdin, message)
            answer = os.read(stdout, 65536)
        seconds = perf_counter() - start
        if b'"text":"3"' not in answer or not answer.endswith(b"\n"):
            raise RuntimeError(f"{self.name} answered {answer!r}")
        return seconds


def first_answer(name: str, compiled: str) -> float:
    """Seconds from the start of a process to its first answer."""
    start = perf_counter()
    with Server(name, compiled) as server:
        server.calls("add", 1)
        return perf_counter() - start
