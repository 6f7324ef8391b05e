"""Several processes that serve one port, and the parent that looks after them.

hypercorn has such a parent too, but as soon as one of its workers has stopped it ends the
others, with the requests that they are still answering. It also needs the server to be
importable by a string, and reads the script that has started it a second time in each worker.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from socket import socket
from typing import Final

import attrs
import trio

from .http import ShutdownTrigger, TaskStatus
from .listener import StartError
from .worker import COMMAND, Job, News, Ready, Refused, tell

logger = logging.getLogger("anubis_py.runner")

# A worker cuts its requests short by itself, and has this many seconds for all that follows.
_MARGIN: Final = 5.0

# Seconds before a worker is replaced, so that what ends each of them at once wears nothing out.
_PAUSE: Final = 1.0

_STOP: Final = "stop"


async def serve_by_workers(
    listener: socket,
    job: Job,
    *,
    shutdown_trigger: ShutdownTrigger,
    task_status: TaskStatus = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve with `job.settings.workers` processes, on a socket that listens already.

    It has started when the first worker has; the others are started only then, so that what
    keeps them from starting is said once. A worker that ends unasked is replaced. It returns
    when `shutdown_trigger` has and every worker has answered its requests and ended.
    Cancelling it kills them. Raises StartError or ConfigurationError if the first one cannot
    start.
    """
    workers = _Workers(listener, job)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(workers.stop_after, shutdown_trigger)
        await workers.run(task_status)
        nursery.cancel_scope.cancel()
    if workers.failure is not None:
        raise workers.failure


@attrs.define
class _Workers:
    _listener: socket
    _job: Job
    failure: Exception | None = None
    _urls: list[str] | None = None
    _settled: trio.Event = attrs.field(factory=trio.Event)
    """The first worker is ready, or cannot start."""
    _stopping: trio.Event = attrs.field(factory=trio.Event)

    async def run(self, task_status: TaskStatus) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep)
            await self._settled.wait()
            if self._urls is not None:
                task_status.started(self._urls)
                for _ in range(self._job.settings.workers - 1):
                    nursery.start_soon(self._keep)

    async def stop_after(self, trigger: ShutdownTrigger) -> None:
        await trigger()
        self._stop()

    def _stop(self) -> None:
        self._stopping.set()
        # The workers close theirs. As long as one of them is open, clients can connect to it.
        self._listener.close()

    async def _keep(self) -> None:
        """Let one worker after the other live, until it is time to stop."""
        while not self._stopping.is_set():
            await self._live()
            with trio.move_on_after(_PAUSE):
                await self._stopping.wait()

    async def _live(self) -> None:
        control, theirs = Pipe()
        with control:
            async with trio.open_nursery() as nursery:
                # Copies, for the originals may be closed before the process has begun.
                with theirs, self._listener.dup() as listener:
                    process = await self._start(nursery, theirs.fileno(), listener.fileno())
                tell(control, self._job)
                heard = trio.Event()
                nursery.start_soon(self._end, process, control, heard)
                self._hear(await _news(control, process))
                heard.set()
                await process.wait()
                nursery.cancel_scope.cancel()
        if not self._stopping.is_set():
            how = _ending(process)
            logger.error("worker %d has ended (%s): another one takes over", process.pid, how)

    def _hear(self, news: News) -> None:
        match news:
            case Ready(urls):
                self._urls = urls
            case Refused() if self._stopping.is_set():
                pass
            case Refused(error) if self._urls is None:
                self.failure = error
                self._stop()
            case Refused(error):
                # It is no reason to end those that serve. Whoever edits a module that is being
                # run comes here.
                logger.error("a worker cannot start: %s", error)
        self._settled.set()

    async def _start(self, nursery: trio.Nursery, *handles: int) -> trio.Process:
        process: trio.Process = await nursery.start(
            partial(
                trio.run_process,
                [sys.executable, "-c", COMMAND, *map(str, handles), *sys.path],
                stdin=subprocess.DEVNULL,
                pass_fds=handles,
                # Ctrl-C reaches the parent alone, also before a worker knows what to do with it.
                process_group=0,
                check=False,
                deliver_cancel=_kill,
            )
        )
        return process

    async def _end(self, process: trio.Process, control: Connection, heard: trio.Event) -> None:
        """Ask a worker to stop when it is time, and see to it that it does."""
        await self._stopping.wait()
        if heard.is_set() or control.poll():
            tell(control, _STOP)
            await trio.sleep(self._job.settings.graceful_timeout + _MARGIN)
            logger.error("worker %d has not stopped in time: it is killed", process.pid)
        # Else it is still starting, and has no request to answer.
        process.kill()


async def _news(control: Connection, process: trio.Process) -> News:
    """What a worker says once it has started, or has not."""
    await trio.lowlevel.wait_readable(control.fileno())
    try:
        news: News = control.recv()
    except (EOFError, OSError):
        await process.wait()
        return Refused(StartError(f"cannot start: its worker has ended ({_ending(process)})"))
    return news


def _ending(process: trio.Process) -> str:
    code = process.returncode
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


async def _kill(process: trio.Process) -> None:
    process.kill()
