"""`anubis-py run --workers 2` serves sessions without sticky routing."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from running.server_process import running

from .node import PROGRAM, Session


@pytest.mark.parametrize("store", [True, False], ids=["a file", "no store named"])
def test_sessions_are_shared_by_the_workers(tmp_path: Path, store: bool) -> None:
    named = ["--store", f"sqlite:{tmp_path / 'sessions.db'}"] if store else []
    command = ["-m", "anubis_py", "run", f"{PROGRAM}:Nodes", "--port", "0", "--workers", "2"]
    with running(*command, *named) as server:
        session = Session.begin(server)
        session.note(server, "notifications/initialized")
        pids = set()
        for number in range(1, 200):
            # Every request has a connection of its own, which either worker may get.
            assert session.call(server, "count") == str(number)
            pids.add(session.call(server, "pid"))
            if len(pids) == 2 and number >= 10:
                break
        assert len(pids) == 2
        code, _ = server.end(signal.SIGTERM)
        assert (code, server.rest()) == (0, [])
