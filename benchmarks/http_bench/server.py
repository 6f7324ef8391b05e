"""A server in a process of its own, pinned to a core."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

import attrs

FOLDER: Final = Path(__file__).parent.parent


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
    command: Sequence[str]
    """Gets the descriptor of a socket that listens as its last argument."""
    core: int | None
    quiet: bool = False
    """Whether its stderr is dropped: what it says of clients that leave, say."""
    port: int = attrs.field(init=False, default=0)
    _process: subprocess.Popen[bytes] = attrs.field(init=False)

    @classmethod
    def module(cls, core: int | None, name: str, *arguments: str, quiet: bool = False) -> Self:
        """One that Python runs: `python -m NAME ARGUMENTS… FD`."""
        return cls((sys.executable, "-m", name, *arguments), core, quiet)

    def __enter__(self) -> Self:
        # The socket listens from here on: a client's connection waits in it for the server.
        with socket.create_server(("127.0.0.1", 0), backlog=4096) as listening, pinned(self.core):
            self.port = listening.getsockname()[1]
            descriptor = listening.fileno()
            self._process = subprocess.Popen(
                [*self.command, str(descriptor)],
                cwd=FOLDER,
                pass_fds=(descriptor,),
                stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL if self.quiet else None,
            )
        return self

    def __exit__(self, *_: object) -> None:
        # Not politely: it would wait for connections that are kept open.
        self._process.kill()
        self._process.wait()

    def processor_seconds(self) -> float:
        """That it has taken so far, in user and kernel mode; nan where the system does not say."""
        try:
            stat = Path(f"/proc/{self._process.pid}/stat").read_text()
        except OSError:
            return float("nan")
        # proc(5): after the name in parentheses, fields 14 and 15 are utime and stime.
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> int:
        return resident(self._process.pid)


def resident(process: int) -> int:
    """Bytes that it has in memory. Linux only."""
    status = Path(f"/proc/{process}/status").read_text()
    return next(
        int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS")
    )
