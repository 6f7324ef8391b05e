"""A small load generator: `python -m http_bench.load`, a job on stdin, a tally on stdout.

Plain sockets and one selector, in a process of its own. Every connection sends the same bytes,
waits for the whole answer, and sends them again: keep-alive, no pipelining. Of an answer it
reads the status and Content-Length, so that it is never what is measured.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
from time import perf_counter
from typing import Final

import attrs

_STATUS: Final = b"HTTP/1.1 200"
_LENGTH: Final = b"\ncontent-length:"


class Unexpected(Exception):
    """An answer that is not the 200 that a job expects."""


@attrs.frozen
class Tally:
    requests: int
    seconds: float


@attrs.define
class Connection:
    address: tuple[str, int]
    request: bytes
    _socket: socket.socket = attrs.field(init=False)
    _received: bytes = attrs.field(init=False, default=b"")

    def __attrs_post_init__(self) -> None:
        self._socket = socket.create_connection(self.address, timeout=10)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setblocking(False)

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self) -> None:
        # Far less than what a socket's buffer takes: it is never sent in part.
        self._socket.send(self.request)

    def receive(self) -> bool:
        """Whether the answer is complete now."""
        data = self._socket.recv(65536)
        if not data:
            raise Unexpected(f"closed after {self._received[:200]!r}")
        self._received += data
        if not _is_complete(self._received):
            return False
        self._received = b""
        return True

    def close(self) -> None:
        self._socket.close()


def _is_complete(answer: bytes) -> bool:
    end = answer.find(b"\r\n\r\n")
    if end < 0:
        return False
    head = answer[:end].lower()
    found = head.find(_LENGTH)
    if not answer.startswith(_STATUS) or found < 0:
        raise Unexpected(repr(answer[:500]))
    start = found + len(_LENGTH)
    stop = head.find(b"\r", start)
    length = int(head[start:] if stop < 0 else head[start:stop])
    return len(answer) >= end + 4 + length


def run(port: int, request: bytes, connections: int, seconds: float) -> Tally:
    """Raises Unexpected if an answer is anything but 200."""
    with selectors.DefaultSelector() as selector:
        clients = [Connection(("127.0.0.1", port), request) for _ in range(connections)]
        try:
            for client in clients:
                selector.register(client, selectors.EVENT_READ)
            return _drive(selector, clients, seconds)
        finally:
            for client in clients:
                client.close()


def _drive(selector: selectors.BaseSelector, clients: list[Connection], seconds: float) -> Tally:
    began = now = perf_counter()
    for client in clients:
        client.send()
    requests = 0
    while now - began < seconds:
        ready = selector.select(10)
        if not ready:
            raise Unexpected("no answer for 10 seconds")
        for key, _ in ready:
            client = key.fileobj  # type: ignore[assignment]
            if client.receive():
                requests += 1
                client.send()
        now = perf_counter()
    return Tally(requests, now - began)


if __name__ == "__main__":
    job = json.load(sys.stdin)
    job["request"] = job["request"].encode()
    print(json.dumps(attrs.asdict(run(**job))))
