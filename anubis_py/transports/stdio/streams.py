"""Byte streams over descriptors that others may share.

A descriptor is never made non-blocking. That is a property of the open file, not of the
descriptor, and so of every process that has it: a shell's terminal, or stderr where it is the
same pipe, would see its own writes fail. Instead the event loop says when a pipe or socket is
ready, and no more is read or written than cannot block then. That is as fast as non-blocking
I/O (60 us from line to line in an echo, against 180 us through a reading thread and 330 us
through a thread for every read), and needs no thread.

Files, terminals and devices cannot all be watched by event loops. For those there is a thread.
"""

from __future__ import annotations

import os
import select
import stat

import anyio
import anyio.to_thread
import attrs
from anyio.abc import ByteReceiveStream, ByteSendStream

CHUNK = 65536
"""What a pipe holds on Linux."""


def receive_stream(descriptor: int) -> ByteReceiveStream:
    return WatchedSource(descriptor) if _watchable(descriptor) else ThreadedSource(descriptor)


def send_stream(descriptor: int) -> ByteSendStream:
    return WatchedSink(descriptor) if _watchable(descriptor) else ThreadedSink(descriptor)


def _watchable(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return os.name == "posix" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


@attrs.define(eq=False, repr=False)
class _Borrowed:
    """A descriptor that outlives the stream."""

    _descriptor: int

    async def aclose(self) -> None:
        """The descriptor stays open: whoever has claimed it closes it."""


class WatchedSource(_Borrowed, ByteReceiveStream):
    async def receive(self, max_bytes: int = CHUNK) -> bytes:
        while True:
            await anyio.wait_readable(self._descriptor)
            try:
                return _received(os.read(self._descriptor, max_bytes))
            except BlockingIOError:
                # Somebody else has made it non-blocking, and reads from it.
                continue
            except OSError as error:
                raise anyio.BrokenResourceError from error


@attrs.define(eq=False, repr=False)
class ThreadedSource(_Borrowed, ByteReceiveStream):
    # Of its own: tools that block all threads must not keep anybody from reading.
    _thread: anyio.CapacityLimiter = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._thread = anyio.CapacityLimiter(1)

    async def receive(self, max_bytes: int = CHUNK) -> bytes:
        """Cancelling it leaves the thread behind, with what it will read."""
        try:
            data = await anyio.to_thread.run_sync(
                os.read, self._descriptor, max_bytes, limiter=self._thread, abandon_on_cancel=True
            )
        except OSError as error:
            raise anyio.BrokenResourceError from error
        return _received(data)


def _received(data: bytes) -> bytes:
    if not data:
        raise anyio.EndOfStream
    return data


@attrs.define(eq=False, repr=False)
class WatchedSink(_Borrowed, ByteSendStream):
    _poll: select.poll = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLOUT)

    async def send(self, item: bytes) -> None:
        """Cancelling it may leave a part written."""
        rest = memoryview(item)
        while rest:
            # To ask takes a microsecond, and a client that reads leaves nothing to wait for.
            if not self._poll.poll(0):
                await anyio.wait_writable(self._descriptor)
            try:
                rest = rest[self._write(rest) :]
            except OSError as error:
                raise anyio.BrokenResourceError from error

    def write_some(self, data: bytes) -> int:
        """Write what can be written without waiting, and give its length. Raises nothing."""
        try:
            return self._write(data) if self._poll.poll(0) else 0
        except OSError:
            return 0

    def _write(self, data: bytes | memoryview) -> int:
        # PIPE_BUF: "the minimum number of bytes which can be written without blocking to a pipe
        # when the pipe has been reported as ready for writing". Sockets take more than that.
        try:
            return os.write(self._descriptor, data[: select.PIPE_BUF])
        except BlockingIOError:
            return 0


@attrs.define(eq=False, repr=False)
class ThreadedSink(_Borrowed, ByteSendStream):
    _thread: anyio.CapacityLimiter = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._thread = anyio.CapacityLimiter(1)

    async def send(self, item: bytes) -> None:
        """Cancelling it leaves the thread behind, which goes on writing."""
        try:
            await anyio.to_thread.run_sync(
                self._write, item, limiter=self._thread, abandon_on_cancel=True
            )
        except OSError as error:
            raise anyio.BrokenResourceError from error

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
