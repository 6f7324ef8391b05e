"""One run: listeners, changes, and then one among them that never reads."""

from __future__ import annotations

import argparse
import resource
from statistics import median
from time import perf_counter
from typing import Final

import attrs
from http_bench.machine import cores, describe
from http_bench.server import Server, pinned

from .client import ACKNOWLEDGED, UPDATED, Changer, Listener

WORKERS: Final = ("hypercorn-trio", "uvicorn")
NOTE: Final = "note:///shared"

SECONDS: Final = 0.5
"""Budget: from a change to the last listener that hears of it, of 1,000."""
BYTES: Final = 30 * 1024
"""Budget: the server's memory for a listener."""

# What the kernel keeps for a client that does not read has to be filled before it is felt.
_LONG: Final = [f"note:///{number:03}-{'x' * 4000}" for number in range(50)]
_FILL: Final = 3000
_MORE: Final = 3000
_NOISE: Final = 1024 * 1024
"""Bytes that a server may grow by for other reasons."""


@attrs.frozen
class Spread:
    values: list[float]

    def __str__(self) -> str:
        low, middle, high = min(self.values), median(self.values), max(self.values)
        return f"{middle * 1e3:,.0f} ms (least {low * 1e3:,.0f}, most {high * 1e3:,.0f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listeners", type=int, default=1000)
    parser.add_argument("--changes", type=int, default=20)
    given = parser.parse_args()
    _allow_sockets(given.listeners + 100)
    print(describe())
    server_core, load_core = cores()
    with pinned(load_core):
        for worker in WORKERS:
            print(f"\n{worker}, {given.listeners:,} listeners")
            module = "listeners_bench.serve"
            with Server.module(server_core, module, worker, quiet=True) as server:
                _measure(server, given.listeners, given.changes)


def _allow_sockets(count: int) -> None:
    """For this process and the server, which inherits it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(count, 4096), hard), hard))


def _measure(server: Server, count: int, changes: int) -> None:
    _warm_up(server)
    before = server.resident()
    listeners, opened = _open(server, count)
    each = (server.resident() - before) / count
    print(f"  {'opened and acknowledged in':<52} {opened:.2f} s")
    _say("memory per listener", f"{each / 1024:.1f} KiB", each < BYTES, f"{BYTES // 1024} KiB")

    # Not before: a server closes a connection that is idle for some seconds.
    changer = Changer(server.port)
    alone = Spread([_spread(changer, listeners) for _ in range(changes)])
    _say("a change reaches the last in", alone, max(alone.values) < SECONDS, f"{SECONDS} s")
    _beside_a_silent_one(server, changer, listeners, changes)
    for listener in listeners:
        listener.close()
    changer.close()


def _warm_up(server: Server) -> None:
    listeners, _ = _open(server, 10)
    changer = Changer(server.port)
    for _ in range(100):
        _spread(changer, listeners)
    for listener in listeners:
        listener.close()
    changer.close()


def _open(server: Server, count: int) -> tuple[list[Listener], float]:
    start = perf_counter()
    listeners = [Listener(server.port, [NOTE]) for _ in range(count)]
    for listener in listeners:
        listener.wait_for(ACKNOWLEDGED)
    return listeners, perf_counter() - start


def _spread(changer: Changer, listeners: list[Listener]) -> float:
    """Seconds from a change until everybody has heard of it."""
    start = perf_counter()
    changer.change(NOTE)
    for listener in listeners:
        listener.wait_for(UPDATED)
    return perf_counter() - start


def _beside_a_silent_one(
    server: Server, changer: Changer, listeners: list[Listener], changes: int
) -> None:
    """One that never reads, and is told of 4 kB with every change."""
    silent = Listener(server.port, [NOTE, *_LONG], room=4096)
    _tell(changer, _FILL)
    filled = server.resident()
    _tell(changer, _MORE)
    grown = server.resident() - filled
    _say(
        f"memory for one that never reads, {_MORE:,} more changes",
        f"{grown / 1024:.0f} KiB",
        grown < _NOISE,
        f"{_NOISE // 1024} KiB",
    )
    beside = Spread([_spread(changer, listeners) for _ in range(changes)])
    _say("a change reaches the last in, beside it", beside, max(beside.values) < SECONDS, "0.5 s")
    silent.close()


def _tell(changer: Changer, count: int) -> None:
    for number in range(count):
        changer.change(_LONG[number % len(_LONG)])


def _say(what: str, value: object, met: bool, budget: str) -> None:
    print(f"  {what:<52} {value!s}  budget {budget}: {'met' if met else 'MISSED'}")
