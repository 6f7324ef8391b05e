"""A request over a socket of its own, whose answer is read byte by byte. Nothing waits for ever."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Mapping
from typing import Any, Final, Self
from urllib.parse import urlsplit

import attrs

from .client import modern_headers
from .events import EventReader

PATIENCE: Final = 20.0
"""Seconds: what does not come at all fails the test, and keeps nobody waiting for ever."""


def _reader(stream: SocketStream) -> EventReader:
    return EventReader(stream.request.get("method"))


@attrs.define(eq=False)
class SocketStream:
    """One connection and one request. Closing it is what a client does that gives up."""

    url: str
    request: Mapping[str, Any]
    """Empty: there is no body."""
    room: int | None = None
    """How many bytes the kernel keeps for a client that does not read; None: as it likes."""
    closing: bool = attrs.field(default=False, kw_only=True)
    """Whether the server is asked to close the connection when it has answered."""
    reader: EventReader = attrs.field(init=False, default=attrs.Factory(_reader, takes_self=True))
    complete: bool = attrs.field(init=False, default=False)
    """The last chunk has come."""
    status: int = attrs.field(init=False, default=0)
    headers: dict[str, str] = attrs.field(init=False, factory=dict)
    _socket: socket.socket = attrs.field(init=False)
    _kept: bytes = attrs.field(init=False, default=b"")
    _messages: list[dict[str, Any]] = attrs.field(init=False, factory=list)

    def __enter__(self) -> Self:
        place = urlsplit(self.url)
        self._socket = socket.socket()
        if self.room is not None:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.room)
        self._socket.settimeout(PATIENCE)
        self._socket.connect((place.hostname, place.port))
        self._socket.sendall(self.encoded(place.netloc, place.path))
        return self

    def encoded(self, host: str, path: str) -> bytes:
        """What is sent."""
        body = json.dumps(self.request).encode()
        headers = {**modern_headers(self.request), "Host": host, "Content-Length": str(len(body))}
        if self.closing:
            headers["Connection"] = "close"
        return request_head("POST", path, headers) + body

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def kill(self) -> None:
        """Reset the connection, as the end of a client's process may do."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def head(self) -> Self:
        """Wait for the status and the headers."""
        lines = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        self.status = int(lines[0].split()[1])
        pairs = (line.partition(":") for line in lines[1:])
        self.headers = {name.lower(): value.strip() for name, _, value in pairs}
        return self

    def chunk(self) -> bytes:
        """The next piece of a chunked body, as the server has cut it. Raises EOFError."""
        if self.complete:
            raise EOFError
        assert self.headers["transfer-encoding"] == "chunked"
        size = int(self._until(b"\r\n"), 16)
        data = self._exactly(size)
        assert self._exactly(2) == b"\r\n"
        if not size:
            self.complete = True
            raise EOFError
        return data

    def message(self) -> dict[str, Any]:
        """The next message of the stream. Raises EOFError."""
        while not self._messages:
            self._messages = self.reader.feed(self.chunk())
        return self._messages.pop(0)

    def rest(self) -> list[dict[str, Any]]:
        """All messages up to the end of the body, which has to come, with its last chunk."""
        found = []
        while True:
            try:
                found.append(self.message())
            except EOFError:
                assert self.complete, "the body is cut off"
                self.reader.end()
                return found

    def body(self) -> dict[str, Any]:
        """The answer of a request that is not streamed."""
        message: dict[str, Any] = json.loads(self._exactly(int(self.headers["content-length"])))
        return message

    def ends(self, seconds: float) -> bool:
        """Whether the server closes the connection within so many seconds; what it has sent before
        is read, and forgotten."""
        deadline = time.monotonic() + seconds
        self._socket.settimeout(seconds)
        try:
            while time.monotonic() < deadline:
                if not self._socket.recv(65536):
                    return True
        except TimeoutError:
            return False
        except ConnectionError:
            return True
        return False

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._kept:
            self._receive()
        found, _, self._kept = self._kept.partition(mark)
        return found

    def _exactly(self, size: int) -> bytes:
        while len(self._kept) < size:
            self._receive()
        found, self._kept = self._kept[:size], self._kept[size:]
        return found

    def _receive(self) -> None:
        data = self._socket.recv(65536)
        if not data:
            raise EOFError
        self._kept += data


def request_head(verb: str, path: str, headers: Mapping[str, str | bytes]) -> bytes:
    lines = [f"{verb} {path} HTTP/1.1", *(f"{name}: {value!s}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def ask(url: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a request, streamed or not. Nothing is left in the server: hypercorn keeps
    what belongs to a connection for some seconds, though its client has closed it."""
    with SocketStream(url, request, closing=True) as stream:
        stream.head()
        if "content-length" in stream.headers:
            return stream.body()
        return stream.rest()[-1]
