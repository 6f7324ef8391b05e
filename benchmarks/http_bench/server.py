"""A server in a process of its own, pinned to a core."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import attrs


@contextmanager
def pinned(core: int | None) -> Iterator[None]:
    """What is started inside runs on that core only; None, or another system: anywhere."""
    if core is None or sys.platform != "linux":
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@attrs.define
class Server:
    app: str
    worker: str
    core: int | None
    port: int = attrs.field(init=False, default=0)
    _process: subprocess.Popen[bytes] | None = attrs.field(init=False, default=None)

    def __enter__(self) -> Self:
        # The socket listens from here on: a client's connection waits in it for the server.
        with socket.create_server(("127.0.0.1", 0), backlog=1024) as listening, pinned(self.core):
            self.port = listening.getsockname()[1]
            fd = listening.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "http_bench.serve", self.app, self.worker, str(fd)],
                cwd=Path(__file__).parent.parent,
                pass_fds=(fd,),
                stdin=subprocess.DEVNULL,
            )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def processor_seconds(self) -> float:
        """That it has taken so far, in user and kernel mode; nan where the system does not say."""
        assert self._process is not None
        try:
            stat = Path(f"/proc/{self._process.pid}/stat").read_text()
        except OSError:
            return float("nan")
        # proc(5): after the name in parentheses, fields 14 and 15 are utime and stime.
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
