"""A server as a process, spoken to over pipes. Nothing here waits without a limit."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

import attrs

import anubis_py

from .messages import encode

PATIENCE: Final = 20.0
"""Seconds: what does not come at all fails the test, and keeps nobody waiting for ever."""

_PATHS: Final = (Path(anubis_py.__file__).parents[1], Path(__file__).parents[1])


def environment() -> dict[str, str]:
    """The package under test and these tests can be imported, and stdout is buffered."""
    variables = {name: os.environ[name] for name in os.environ if name != "PYTHONUNBUFFERED"}
    return {**variables, "PYTHONPATH": os.pathsep.join(map(str, _PATHS))}


def command(program: str) -> list[str]:
    """Of a module in `programs`."""
    return [sys.executable, "-m", f"{__package__}.programs.{program}"]


@attrs.define(eq=False)
class Server:
    process: subprocess.Popen[bytes]
    _stdin: int
    _stdout: int
    _stderr: IO[bytes]
    _kept: bytes = b""

    def write(self, data: bytes) -> None:
        while data:
            _wait(self._stdin, select.POLLOUT)
            data = data[os.write(self._stdin, data[: select.PIPE_BUF]) :]

    def send(self, *messages: Any) -> None:
        """All in one piece."""
        self.write(b"".join(map(encode, messages)))

    def receive(self) -> dict[str, Any]:
        """The next line, which has to be a message. Raises EOFError."""
        deadline = time.monotonic() + PATIENCE
        while b"\n" not in self._kept:
            assert time.monotonic() < deadline, f"only {self._kept[:200]!r} came"
            self._read()
        line, _, self._kept = self._kept.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def hears_nothing(self, seconds: float = 0.0) -> bool:
        return not self._kept and not _ready(self._stdout, select.POLLIN, seconds)

    def rest(self) -> list[dict[str, Any]]:
        """All messages until the server closes its end."""
        messages = []
        while True:
            try:
                messages.append(self.receive())
            except EOFError:
                assert not self._kept, f"cut: {self._kept[:200]!r}"
                return messages

    def end(self) -> None:
        """Close the server's stdin."""
        if self._stdin >= 0:
            os.close(self._stdin)
            self._stdin = -1

    def hang_up(self) -> None:
        """Read no more."""
        os.close(self._stdout)
        self._stdout = -1

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def code(self) -> int:
        """The exit code, when it has ended."""
        return self.process.wait(PATIENCE)

    def log(self) -> str:
        """What has come on stderr so far."""
        self._stderr.seek(0)
        return self._stderr.read().decode()

    def close(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        self.end()
        if self._stdout >= 0:
            self.hang_up()

    def _read(self) -> None:
        _wait(self._stdout, select.POLLIN)
        data = os.read(self._stdout, 65536)
        if not data:
            raise EOFError
        self._kept += data


@contextmanager
def started(
    program: str, *, stdin: int | None = None, stdout: int | None = None
) -> Iterator[Server]:
    """A program of `programs` on pipes, or on these descriptors, which stay the caller's."""
    with tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            command(program),
            stdin=subprocess.PIPE if stdin is None else stdin,
            stdout=subprocess.PIPE if stdout is None else stdout,
            stderr=stderr,
            env=environment(),
        )
        server = Server(process, _taken(process.stdin), _taken(process.stdout), stderr)
        try:
            yield server
        finally:
            server.close()


def _taken(end: IO[bytes] | None) -> int:
    """The descriptor of a pipe, in our own hands: `subprocess` buffers."""
    if end is None:
        return -1
    descriptor = os.dup(end.fileno())
    end.close()
    return descriptor


def _wait(descriptor: int, event: int) -> None:
    assert _ready(descriptor, event, PATIENCE), "nothing happened"


def _ready(descriptor: int, event: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, event)
    return bool(poll.poll(seconds * 1000))
