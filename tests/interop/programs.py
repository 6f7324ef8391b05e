"""Clients that are programs of their own: each says at its end what it got, as a line of JSON."""

from __future__ import annotations

import json
import select
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import attrs

from .serving import PATIENCE

LONG: Final = 2 * PATIENCE
"""Seconds until a program that does not end fails the test."""


@attrs.frozen
class Program:
    process: subprocess.Popen[bytes]

    def line(self) -> str:
        """The next line that it prints."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        assert ready, "it says nothing"
        return self.process.stdout.readline().decode().strip()

    def go_on(self) -> None:
        """It waits for a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def said(self) -> Any:
        """What it got, when it has ended."""
        out, _ = self.process.communicate(timeout=LONG)
        assert self.process.returncode == 0, "its error is on stderr"
        return json.loads(out.splitlines()[-1])


@contextmanager
def started(command: Sequence[str]) -> Iterator[Program]:
    pipe = subprocess.PIPE
    # What it has to say on stderr belongs into pytest's report.
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0) as process:
        try:
            yield Program(process)
        except BaseException:
            process.kill()
            raise


def said_by(command: Sequence[str]) -> Any:
    with started(command) as program:
        return program.said()
