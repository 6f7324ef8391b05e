"""Several processes on one port."""

from __future__ import annotations

import json
import os
import select
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from .server_process import HERE, PATIENCE, SCRIPT, ServerProcess, finished, running

SETTINGS = json.dumps({"port": 0, "workers": 2})

COMMANDS = {
    "script": (SCRIPT, SETTINGS),
    "module": ("-m", "reviewer", SETTINGS),
    "command line, file": ("-m", "anubis_py", "run", SCRIPT, "--port=0", "--workers=2"),
    "command line, module": ("-m", "anubis_py", "run", "reviewer", "--port=0", "--workers=2"),
}


def pids(server: ServerProcess, count: int) -> set[int]:
    """Ask until so many workers have answered."""
    found: set[int] = set()
    start = time.monotonic()
    with ThreadPoolExecutor(4) as pool:
        while len(found) < count:
            assert time.monotonic() < start + PATIENCE, found
            found |= {int(pid) for pid in pool.map(server.call, ["pid"] * 4)}
    return found


def wait_for_end(pid: int) -> None:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([handle], [], [], PATIENCE)[0], f"{pid} does not end"
    finally:
        os.close(handle)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_workers_answer_and_end_together(command: tuple[str, ...]) -> None:
    with running(*command) as server:
        assert server.announcement.endswith(" with 2 workers (Ctrl-C stops it)")
        both = pids(server, 2)
        assert server.process.pid not in both
        assert server.end(signal.SIGTERM)[0] == 0
        assert server.rest() == []
        for pid in both:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)


def test_a_worker_that_ends_is_replaced() -> None:
    with running(SCRIPT, SETTINGS) as server:
        before = pids(server, 2)
        ended = before.pop()
        os.kill(ended, signal.SIGKILL)
        assert f"worker {ended} has ended (signal 9): another one takes over" in server.line()
        after = pids(server, 2)
        assert before < after
        assert ended not in after
        assert server.end(signal.SIGTERM)[0] == 0
        assert server.rest() == []


def test_a_signal_to_everybody_is_as_gentle_as_one_to_the_parent() -> None:
    with running(SCRIPT, SETTINGS) as server, ThreadPoolExecutor() as pool:
        both = pids(server, 2)
        answers = [pool.submit(server.call, "wait", {"seconds": 0.5}) for _ in range(4)]
        assert [server.line() for _ in answers] == ["waiting"] * 4
        for pid in both:
            os.kill(pid, signal.SIGTERM)
        assert server.end(signal.SIGTERM)[0] == 0
        assert [answer.result() for answer in answers] == ["done"] * 4
        assert server.rest() == []


def test_a_worker_that_still_starts_holds_nobody(tmp_path: Path) -> None:
    script = tmp_path / "slow.py"
    script.write_text(
        "import sys, time\n"
        "from reviewer import Reviewer as R\n"
        "class S(R): pass\n"
        "if __name__ == '__main__':\n"
        "    S.run(workers=2, port=0)\n"
        "else:\n"
        "    print('starting', file=sys.stderr, flush=True)\n"
        "    time.sleep(60)\n"
    )
    with running(str(script), PYTHONPATH=str(HERE)) as server:
        assert server.announcement == "starting"
        code, seconds = server.end(signal.SIGTERM)
        assert (code, server.rest()) == (0, [])
        assert seconds < 3


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")
def test_workers_end_with_their_parent() -> None:
    with running(SCRIPT, SETTINGS) as server:
        both = pids(server, 2)
        server.end(signal.SIGKILL)
        for pid in both:
            wait_for_end(pid)
        assert server.rest() == []


def test_run_without_its_guard_says_what_to_do(tmp_path: Path) -> None:
    script = tmp_path / "hasty.py"
    script.write_text(
        "from reviewer import Reviewer as R\nclass S(R): pass\nS.run(workers=2, port=0)"
    )
    ended = finished(str(script), PYTHONPATH=str(HERE))
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == (
        f"anubis_py.errors.ConfigurationError: {script} calls run() while it is imported: put the "
        'call under `if __name__ == "__main__":`.'
    )
    # It is said once, not by each worker.
    assert ended.stderr.count("calls run()") == 1


def test_a_worker_that_fails_shows_why_and_nothing_listens(tmp_path: Path) -> None:
    script = tmp_path / "broken.py"
    script.write_text(
        "from reviewer import Reviewer as R\n"
        "class S(R): pass\n"
        "if __name__ == '__main__':\n"
        "    S.run(workers=2, port=0)\n"
        "else:\n"
        "    1 / 0\n"
    )
    ended = finished(str(script), PYTHONPATH=str(HERE))
    assert ended.returncode == 3
    lines = ended.stderr.splitlines()
    assert lines[-2:] == [
        "ZeroDivisionError: division by zero",
        "reviewer 1.0.0 cannot start: its worker has ended (exit code 1)",
    ]


def test_a_server_that_workers_cannot_import_is_refused() -> None:
    code = (
        "from reviewer import Reviewer as R\n"
        "def make():\n"
        "    class S(R): pass\n"
        "    return S\n"
        "{}.run(workers=2, port=0)\n"
    )
    ended = finished("-c", code.format("make()"))
    assert ended.stderr.splitlines()[-1] == (
        "anubis_py.errors.ConfigurationError: Several workers need to import S: define it at the "
        "top level of a module."
    )
    ended = finished("-c", "from reviewer import Reviewer as R\nclass S(R): pass\nS.run(workers=2)")
    assert ended.stderr.splitlines()[-1] == (
        "anubis_py.errors.ConfigurationError: Several workers need to import S: put it into a file."
    )
