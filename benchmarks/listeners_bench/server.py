"""The server in a process of its own, and what it weighs."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import Self

import attrs
from http_bench.server import pinned


@attrs.define
class Server:
    worker: str
    core: int | None
    port: int = attrs.field(init=False, default=0)
    _process: subprocess.Popen[bytes] = attrs.field(init=False)

    def __enter__(self) -> Self:
        # The socket listens from here on: a client's connection waits in it for the server.
        with socket.create_server(("127.0.0.1", 0), backlog=4096) as listening, pinned(self.core):
            self.port = listening.getsockname()[1]
            descriptor = listening.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "listeners_bench.serve", self.worker, str(descriptor)],
                cwd=Path(__file__).parent.parent,
                pass_fds=(descriptor,),
                stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def resident(self) -> int:
        """Bytes in memory."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return next(
            int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS")
        )
