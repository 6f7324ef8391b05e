"""The fixture as a process of its own, on a free port of 127.0.0.1."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
# Seconds. A cold start of Python on a busy machine of a CI takes some.
START: Final = 30.0
END: Final = 10.0


@contextmanager
def serving(log: Path) -> Iterator[str]:
    """Serve the fixture, give its URL, and end it. What it prints goes to `log`."""
    port = _free_port()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "conformance.fixture", str(port)],
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _await_start(process, port, log)
        yield f"http://127.0.0.1:{port}/mcp"
        _require_alive(process, log)
    finally:
        _end(process)


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await_start(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START
    while time.monotonic() < deadline:
        _require_alive(process, log)
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    sys.exit(f"The fixture did not listen within {START:g} s.")


def _require_alive(process: subprocess.Popen[bytes], log: Path) -> None:
    if process.poll() is not None:
        said = log.read_text("utf-8", errors="replace")
        sys.exit(f"{said}The fixture ended by itself, with code {process.returncode}.")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
