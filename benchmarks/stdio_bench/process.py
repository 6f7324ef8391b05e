"""A server as a process, and calls to it, with as little as possible around."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Final, Self

import attrs
from http_bench.server import pinned

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
    command: Sequence[str]
    variables: Mapping[str, str]
    folder: Path = ROOT
    core: int | None = None
    _process: subprocess.Popen[bytes] = attrs.field(init=False)

    def __enter__(self) -> Self:
        with pinned(self.core):
            self._process = subprocess.Popen(
                self.command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=self.variables,
                cwd=self.folder,
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

    @property
    def process(self) -> int:
        return self._process.pid

    def calls(self, message: bytes, count: int, expected: bytes = b'"text":"3"') -> float:
        """Seconds for so many calls, one after another. Raises RuntimeError for a wrong answer."""
        stdin, stdout = self._pipes()
        answer = b""
        start = perf_counter()
        for _ in range(count):
            os.write(stdin, message)
            answer = os.read(stdout, 65536)
        seconds = perf_counter() - start
        if expected not in answer or not answer.endswith(b"\n"):
            raise RuntimeError(f"{self.command} answered {answer!r}")
        return seconds

    def pipelined(self, messages: Sequence[bytes]) -> tuple[float, list[bytes]]:
        """All at once: seconds to the last answer, and the answers."""
        stdin, stdout = self._pipes()
        together, answers = b"".join(messages), b""
        start = perf_counter()
        os.write(stdin, together)
        while answers.count(b"\n") < len(messages):
            data = os.read(stdout, 65536)
            if not data:
                raise RuntimeError(f"{self.command} ended after {answers!r}")
            answers += data
        return perf_counter() - start, answers.splitlines()

    def _pipes(self) -> tuple[int, int]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin.fileno(), self._process.stdout.fileno()


def own(name: str, compiled: str) -> Server:
    """One of this benchmark.

    Its byte code is kept in `compiled`, so that every start but the first finds it, whoever it is
    of.
    """
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    variables |= {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": compiled}
    return Server((sys.executable, str(Path(__file__).with_name(SERVERS[name]))), variables)


def first_answer(server: Server, message: bytes) -> float:
    """Seconds from the start of a process to its first answer."""
    start = perf_counter()
    with server:
        server.calls(message, 1)
        return perf_counter() - start
