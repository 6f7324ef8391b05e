"""A small load generator: `python -m http_bench.load`, a job on stdin, a tally on stdout.

Plain sockets and one selector, in a process of its own. Every connection sends the same bytes,
waits for the whole answer, and sends them again: keep-alive, no pipelining. Of an answer it
reads the status and where it ends, so that it is never what is measured.
"""

from __future__ import annotations

import json
import math
import selectors
import socket
import sys
from collections.abc import Sequence
from itertools import cycle, islice
from time import perf_counter
from typing import Final

import attrs

_STATUS: Final = b"HTTP/1.1 200"
_LENGTH: Final = b"\ncontent-length:"
_CHUNKED: Final = b"\ntransfer-encoding: chunked"
_LAST_CHUNK: Final = b"\r\n0\r\n\r\n"


class Unexpected(Exception):
    """An answer that is not the 200 that a job expects."""


@attrs.frozen
class Tally:
    requests: int
    seconds: float
    received: int
    """Bytes."""


@attrs.define
class Connection:
    address: tuple[str, int]
    request: bytes
    _socket: socket.socket = attrs.field(init=False)
    received: int = attrs.field(init=False, default=0)
    """Bytes, of all answers."""
    _head: bytes = attrs.field(init=False, default=b"")
    _missing: int | None = attrs.field(init=False, default=None)
    """Bytes of this answer; None before its head is read, and where it comes in chunks."""
    _end: bytes = attrs.field(init=False, default=b"")

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
        data = self._socket.recv(262_144)
        if not data:
            raise Unexpected(f"closed after {self.received} bytes, {self._head[:200]!r}")
        self.received += len(data)
        if self._is_complete(data):
            self._head, self._missing, self._end = b"", None, b""
            return True
        return False

    def _is_complete(self, data: bytes) -> bool:
        if self._missing is not None:
            self._missing -= len(data)
            return self._missing <= 0
        self._end = (self._end + data)[-len(_LAST_CHUNK) :]
        if not self._end_of_head(data):
            return False
        return self._missing <= 0 if self._missing is not None else self._end == _LAST_CHUNK

    def _end_of_head(self, data: bytes) -> bool:
        """Whether it has been read; what is told of the length is kept then."""
        if b"\r\n\r\n" in self._head:
            return True
        self._head += data
        head, found, body = self._head.partition(b"\r\n\r\n")
        if found:
            length = _length(head)
            self._missing = None if length is None else length - len(body)
        return bool(found)

    def close(self) -> None:
        self._socket.close()


def _length(head: bytes) -> int | None:
    """Of the body; None if it comes in chunks."""
    told = head.lower()
    if not head.startswith(_STATUS):
        raise Unexpected(repr(head[:500]))
    found = told.find(_LENGTH)
    if found < 0:
        if _CHUNKED not in told:
            raise Unexpected(repr(head[:500]))
        return None
    start = found + len(_LENGTH)
    stop = told.find(b"\r", start)
    return int(told[start:] if stop < 0 else told[start:stop])


def run(
    port: int,
    requests: Sequence[bytes],
    connections: int,
    seconds: float,
    limit: float = math.inf,
) -> Tally:
    """For some seconds, or until there were so many answers.

    Raises Unexpected if an answer is anything but 200.
    """
    with selectors.DefaultSelector() as selector:
        given = islice(cycle(requests), connections)
        clients = [Connection(("127.0.0.1", port), request) for request in given]
        try:
            for client in clients:
                selector.register(client, selectors.EVENT_READ)
            return _drive(selector, clients, seconds, limit)
        finally:
            for client in clients:
                client.close()


def _drive(
    selector: selectors.BaseSelector, clients: list[Connection], seconds: float, limit: float
) -> Tally:
    began = now = perf_counter()
    for client in clients:
        client.send()
    requests = 0
    while now - began < seconds and requests < limit:
        ready = selector.select(10)
        if not ready:
            raise Unexpected("no answer for 10 seconds")
        for key, _ in ready:
            client = key.fileobj  # type: ignore[assignment]
            if client.receive():
                requests += 1
                client.send()
        now = perf_counter()
    return Tally(requests, now - began, sum(client.received for client in clients))


if __name__ == "__main__":
    job = json.load(sys.stdin)
    job["requests"] = [request.encode() for request in job["requests"]]
    print(json.dumps(attrs.asdict(run(**job))))
