"""A program that serves, as a process of its own: its lines, its answers, its end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any, Final

import attrs
import httpx
from support.client import modern, modern_headers

HERE: Final = Path(__file__).parent
SCRIPT: Final = str(HERE / "reviewer.py")

PATIENCE: Final = 30.0
"""Seconds. What does not come at all fails the test; a cold start on a busy machine takes some."""

DISCOVER: Final = modern("server/discover")

_LISTENING: Final = re.compile(r"listening on (?P<url>https?://\S+)")


def post(client: httpx.Client, url: str, body: Any = DISCOVER) -> httpx.Response:
    headers = httpx.Headers([*modern_headers(body).items()])  # type: ignore[arg-type]
    del headers["host"]
    return client.post(url, json=body, headers=headers, timeout=PATIENCE)


@attrs.define
class ServerProcess:
    process: subprocess.Popen[str]
    announcement: str = ""
    _lines: Queue[str | None] = attrs.field(factory=Queue)

    @property
    def url(self) -> str:
        found = _LISTENING.search(self.announcement)
        assert found is not None, self.announcement
        return found["url"]

    def read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def line(self) -> str:
        """The next one of stderr."""
        try:
            line = self._lines.get(timeout=PATIENCE)
        except Empty:
            raise AssertionError(f"no line in {PATIENCE} s") from None
        assert line is not None, f"ended with {self.process.wait(PATIENCE)}"
        return line

    def rest(self) -> list[str]:
        """The lines of stderr up to its end, which every process has to close."""
        return list(iter(lambda: self._lines.get(timeout=PATIENCE), None))

    def call(self, tool: str, arguments: dict[str, Any] | None = None) -> str:
        """The text that a tool answers."""
        body = modern("tools/call", {"name": tool, "arguments": arguments or {}})
        with httpx.Client() as client:
            text: str = post(client, self.url, body).json()["result"]["content"][0]["text"]
        return text

    def discover(self, **headers: str) -> httpx.Response:
        with httpx.Client(headers=headers) as client:
            return post(client, self.url)

    def end(self, *signals: signal.Signals) -> tuple[int, float]:
        """Send signals; the exit code, and the seconds until then."""
        start = time.monotonic()
        for number in signals:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE), time.monotonic() - start


@contextmanager
def running(*arguments: str, cwd: Path = HERE, **variables: str) -> Iterator[ServerProcess]:
    """Python with these arguments, once it says that it listens; killed in the end if need be."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**environment(), **variables},
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        server = ServerProcess(process)
        reader = Thread(target=server.read)
        reader.start()
        try:
            server.announcement = server.line()
            yield server
        finally:
            process.kill()
            process.wait(PATIENCE)
            reader.join(PATIENCE)


def finished(
    *arguments: str, cwd: Path = HERE, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Python with these arguments, at its end."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**environment(), **variables},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


def environment() -> dict[str, str]:
    """Strict about warnings, in workers too, and with no terminal to fit into."""
    kept = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return {**kept, "PYTHONWARNINGS": "error", "PYTHONIOENCODING": "utf-8"}
