"""A real Redis, for the tests that need one."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs
import pytest
from support.certificate import Certificate

# coredis 6.9 leaves the buffers of a connection open that it could not make.
LEAVES_BUFFERS: Final = pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def find_redis() -> str:
    """The program; without it, a run that must be complete fails, and any other one skips."""
    program = shutil.which("redis-server")
    if program is None:
        reason = "redis-server is not installed"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return program


@attrs.define
class Tls:
    certificate: Certificate
    asks: bool = False
    """Whether clients have to show a certificate that this one has signed."""
    port: int = attrs.field(factory=free_port)

    @property
    def arguments(self) -> list[str]:
        mine = self.certificate
        files = ["--tls-cert-file", mine.certfile, "--tls-key-file", mine.keyfile]
        clients = ["--tls-ca-cert-file", mine.certfile, "--tls-auth-clients"]
        return ["--tls-port", str(self.port), *files, *clients, "yes" if self.asks else "no"]


@attrs.define
class RedisServer:
    """Stores every command before it acknowledges it."""

    program: str
    folder: Path
    tls: Tls | None = None
    """A second port, for TLS."""
    port: int = attrs.field(factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        durable = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"]
        where = ["--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder)]
        tls = [] if self.tls is None else self.tls.arguments
        self._process = subprocess.Popen(
            [self.program, *where, *durable, *tls],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        )
        until = time.monotonic() + 10
        while not self._answers():
            assert self._process.poll() is None, "redis-server has ended"
            assert time.monotonic() < until, "redis-server does not start"
            time.sleep(0.01)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)
            self._process = None

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Within, it is there and does nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def forget(self) -> None:
        """While it is stopped: lose all that was stored."""
        shutil.rmtree(self.folder / "appendonlydir")

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False
