"""B19, with a process and its pipes."""

from __future__ import annotations

import pytest

from .messages import call, request, text
from .process import started

TOOLS = ("print", "print_in_thread", "binary", "descriptor", "child", "log", "unterminated")

STRAY = (
    "stray: import\n",
    "stray: import, by descriptor\n",
    "stray: print\n",
    "stray: print in a thread\n",
    "stray: binary\n",
    "stray: descriptor\n",
    "stray: child\n",
    "stray: child 2\n",
    "INFO:stray:log\n",
    "stray: no end of line",
    "stray: unflushed on the real stdout",
)


def test_stray_output_goes_to_stderr() -> None:
    with started("claimed_first") as server:
        server.send(*(call(tool, tool) for tool in TOOLS), request("list", "tools/list"))
        # Every line is one message: the helper parses them all.
        answers = {answer["id"]: answer for answer in (server.receive() for _ in range(8))}
        assert answers.keys() == {*TOOLS, "list"}
        assert text(answers["child"]) == "0"
        server.end()
        assert server.rest() == []
        assert server.code() == 0
        log = server.log()
        assert [part for part in STRAY if part not in log] == []


def test_nobody_else_reads_what_the_client_writes() -> None:
    with started("claimed_first") as server:
        server.send(call(1, "stdin"), call(2, "child"))
        answers = sorted((server.receive(), server.receive()), key=lambda answer: answer["id"])
        assert text(answers[0]) == repr(("", b""))
        server.send(call(3, "print"))
        assert server.receive()["id"] == 3


def test_output_waits_for_nothing() -> None:
    """It is on stderr by the time that the answer is here."""
    with started("claimed_first") as server:
        server.send(call(1, "print"))
        server.receive()
        assert "stray: print\n" in server.log()


def test_what_was_printed_before_and_is_printed_after() -> None:
    with started("prints_first") as server:
        server.send(request(1, "tools/list"))
        assert server.receive()["id"] == 1
        server.end()
        assert server.rest() == []
        assert server.code() == 0
        assert server.log() == "stray: import\nstray: afterwards\n"


@pytest.mark.parametrize("line", [b"garbage\n", b"\xff\xfe\n"])
def test_the_log_of_the_framework_is_on_stderr(line: bytes) -> None:
    with started("miniature") as server:
        server.write(line)
        assert server.receive()["error"]["code"] == -32700
        assert "Parse error" in server.log()
