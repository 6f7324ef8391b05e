"""What else stdin and stdout may be."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from .messages import call, encode, request, text
from .process import PATIENCE, command, environment, started


def test_files(tmp_path: Path) -> None:
    given, taken = tmp_path / "in", tmp_path / "out"
    given.write_bytes(b"".join(encode(call(n, "echo", {"t": "x" * 9999})) for n in range(50)))
    with (
        given.open("rb") as stdin,
        taken.open("wb") as stdout,
        started("miniature", stdin=stdin.fileno(), stdout=stdout.fileno()) as server,
    ):
        assert server.code() == 0
        assert server.log() == ""
    answers = map(json.loads, taken.read_bytes().splitlines())
    assert sorted(answer["id"] for answer in answers) == list(range(50))


def test_no_stdin_at_all() -> None:
    with open(os.devnull, "rb") as stdin, started("miniature", stdin=stdin.fileno()) as server:
        assert server.rest() == []
        assert server.code() == 0


def test_sockets() -> None:
    """What Node gives to its child processes."""
    ours, theirs = socket.socketpair()
    long = "x" * 1_000_000
    with (
        ours,
        theirs,
        started("miniature", stdin=theirs.fileno(), stdout=theirs.fileno()) as server,
    ):
        theirs.close()
        ours.settimeout(PATIENCE)
        ours.sendall(encode(call(1, "echo", {"t": long})))
        with ours.makefile("rb") as lines:
            assert text(json.loads(lines.readline())) == long
            ours.shutdown(socket.SHUT_WR)
            assert lines.readline() == b""
        assert server.code() == 0


def test_a_terminal_keeps_its_modes() -> None:
    ours, theirs = pty.openpty()
    try:
        with started("miniature", stdin=theirs) as server:
            os.write(ours, encode(request(1, "tools/list")))
            assert server.receive()["id"] == 1
            assert os.get_blocking(theirs), "everybody on the terminal would see it"
            os.write(ours, b"\x04")  # Ctrl-D
            assert server.rest() == []
            assert server.code() == 0
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_terminal_that_is_silent_does_not_keep_it_from_stopping() -> None:
    ours, theirs = pty.openpty()
    try:
        with started("miniature", stdin=theirs) as server:
            os.write(ours, encode(request(1, "tools/list")))
            assert server.receive()["id"] == 1
            server.signal(signal.SIGTERM)
            assert server.rest() == []
            assert server.code() == 0
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("blocking", [True, False], ids=["blocking", "non-blocking"])
def test_pipes_keep_their_modes(blocking: bool) -> None:
    """Somebody else may hold the same open file, and even have made it non-blocking."""
    stdin, to_server = os.pipe()
    from_server, stdout = os.pipe()
    try:
        os.set_blocking(stdin, blocking)
        os.set_blocking(stdout, blocking)
        with started("miniature", stdin=stdin, stdout=stdout) as server:
            long, received = "x" * 300_000, b""
            os.write(to_server, encode(call(1, "echo", {"t": "a"})))
            received += os.read(from_server, 65536)
            for start in range(0, len(data := encode(call(2, "echo", {"t": long}))), 4096):
                os.write(to_server, data[start : start + 4096])
            while received.count(b"\n") < 2:
                ready, _, _ = select.select([from_server], [], [], PATIENCE)
                assert ready
                received += os.read(from_server, 65536)
            assert text(json.loads(received.splitlines()[1])) == long
            assert os.get_blocking(stdin) is blocking
            assert os.get_blocking(stdout) is blocking
            os.close(to_server)
            to_server = -1
            assert server.code() == 0
    finally:
        for descriptor in (stdin, to_server, from_server, stdout):
            if descriptor >= 0:
                os.close(descriptor)


def test_stderr_may_be_closed() -> None:
    script = ["sh", "-c", 'exec "$@" 2>&-', "sh", *command("claimed_first")]
    done = subprocess.run(
        script,
        input=encode(call(1, "print")) + encode(call(2, "child")),
        stdout=subprocess.PIPE,
        timeout=PATIENCE,
        env=environment(),
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(answer["id"] for answer in answers) == [1, 2]
    assert done.returncode == 0


def test_a_client_that_is_gone_with_all_its_ends() -> None:
    """What was printed cannot be flushed to anybody, and that is no reason to fail."""
    process = subprocess.Popen(
        command("claimed_first"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdin:
        process.stdin.write(encode(call(1, "print")))
        process.stdin.flush()
        assert text(json.loads(process.stdout.readline())) == "done"
        process.stdout.close()
        process.stderr.close()
        process.stdin.write(encode(call(2, "unterminated")) + encode(call(3, "print")))
    assert process.wait(PATIENCE) == 0
