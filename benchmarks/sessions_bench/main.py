"""Few sessions and many: what they weigh, and what a request takes with few and with many."""

from __future__ import annotations

import argparse
import tempfile
from contextlib import closing
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Final

from http_bench.machine import cores, describe
from http_bench.server import Server, pinned

from .client import Client

FEW: Final = 10
ROUNDS: Final = 20
CALLS: Final = 200

TOLERANCE: Final = 1.10
"""Of a request among many sessions, against one among few: noise is within it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--redis", metavar="URL", help="measure a Redis store, too")
    given = parser.parse_args()
    print(describe())
    server_core, load_core = cores()
    with tempfile.TemporaryDirectory() as folder, pinned(load_core):
        stores = ["memory", f"sqlite:{Path(folder) / 'sessions.db'}"]
        for store in stores + ([given.redis] if given.redis else []):
            print(f"\n{store.partition(':')[0]}, {given.sessions:,} sessions")
            few = Server.module(server_core, "sessions_bench.serve", store, quiet=True)
            many = Server.module(server_core, "sessions_bench.serve", store, quiet=True)
            with few, many:
                _measure(few, many, given.sessions)


def _measure(few: Server, many: Server, count: int) -> None:
    """Two servers, alike but for their sessions, take turns."""
    ours, theirs = _open(few.port, FEW), _open(many.port, FEW)
    for server, ids in ((few, ours), (many, theirs)):
        _calls(server.port, ids)
    before = many.resident()
    start = perf_counter()
    theirs += _open(many.port, count - FEW)
    print(f"  {'handshakes a second':<40} {(count - FEW) / (perf_counter() - start):,.0f}")
    each = (many.resident() - before) / (count - FEW)
    print(f"  {'memory per session':<40} {each / 1024:.2f} KiB")
    ratios = [_calls(many.port, theirs) / _calls(few.port, ours) for _ in range(ROUNDS)]
    found = median(ratios)
    verdict = "met" if found < TOLERANCE else "MISSED"
    print(
        f"  {f'a request among {count:,} / among {FEW}':<40} {found:.2f} "
        f"(least {min(ratios):.2f}, most {max(ratios):.2f})  budget {TOLERANCE}: {verdict}"
    )


def _open(port: int, count: int) -> list[str]:
    with closing(Client(port)) as client:
        return [client.open() for _ in range(count)]


_random = Random(1)


def _calls(port: int, sessions: list[str]) -> float:
    """Seconds for CALLS requests, each on some session."""
    chosen = _random.choices(sessions, k=CALLS)
    # A server closes a connection that is idle while the other one is measured.
    with closing(Client(port)) as client:
        client.count(sessions[0])
        start = perf_counter()
        for session_id in chosen:
            client.count(session_id)
        return perf_counter() - start
