"""One connection to the file, in a thread of its own."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Final, Generic, TypeAlias, TypeVar

import anyio

from ...errors import ConfigurationError
from ...loop import Loop
from ..store import StoreDown
from .opening import open_file

T = TypeVar("T")
Work: TypeAlias = Callable[[sqlite3.Connection], T]

logger = logging.getLogger(__name__)

IDLE: Final = 30.0
"""Seconds without work after which the thread ends and the file is closed. The next piece of
work starts both again, so that nobody has to close a database that was used for a while."""


class Database:
    """Does pieces of work one after another, in the order of their arrival.

    Unlike anyio's pool, a thread of its own keeps the order, takes work from any thread, and
    costs a quarter less.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.opened = 0
        """How often the file was opened."""
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._connection: sqlite3.Connection | None = None

    async def call(self, work: Work[T]) -> T:
        """Do it, and give its result. Once it is here it is done, whether or not the caller is
        cancelled meanwhile. Raises StoreDown; nothing was changed then."""
        answer: _Answer[T] = _Answer()
        self.put(lambda: answer.settle(self._attempt(work)))
        with anyio.CancelScope(shield=True):
            await answer.ready.wait()
        return answer.outcome()

    def call_blocking(self, work: Work[T]) -> T:
        """As `call`, while the thread that calls stands still."""
        answer: Future[tuple[T | None, BaseException | None]] = Future()
        self.put(lambda: answer.set_result(self._attempt(work)))
        return _outcome(*answer.result())

    def post(self, work: Work[object]) -> None:
        """Do it soon. From any thread; returns at once. What fails is logged."""
        self.put(lambda: self._quietly(work))

    async def close(self) -> None:
        """Do what is here to do, then end the thread and close the file."""
        with self._lock:
            thread = self._thread
            if thread is None:
                return
            self._jobs.put(None)
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(thread.join)

    def put(self, job: Callable[[], None]) -> None:
        """As `post`, for what calls `do` and sees to its errors by itself."""
        with self._lock:
            self._jobs.put(job)
            # After a fork, the child has no such thread any more.
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._run, name="anubis-sqlite", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        closing = False
        while True:
            try:
                job = self._jobs.get(timeout=0 if closing else IDLE)
            except Empty:
                job = None
            if job is not None:
                job()
                continue
            closing = True
            with self._lock:
                if self._jobs.empty():
                    self._disconnect()
                    self._thread = None
                    return

    def _quietly(self, work: Work[object]) -> None:
        _, error = self._attempt(work)
        if error is not None:
            logger.warning("Not done: %s", error)

    def _attempt(self, work: Work[T]) -> tuple[T | None, BaseException | None]:
        try:
            return self.do(work), None
        except BaseException as error:
            return None, error

    def do(self, work: Work[T]) -> T:
        """Do it now, in the database's thread."""
        try:
            if self._connection is None:
                self._connection = open_file(self.path)
                self.opened += 1
            return work(self._connection)
        except (sqlite3.ProgrammingError, ConfigurationError):
            raise
        except sqlite3.DatabaseError as error:
            # Whatever it was, a new connection has nothing of it.
            self._disconnect()
            raise StoreDown(f"the file {self.path!r}: {error}") from error

    def _disconnect(self) -> None:
        if self._connection is not None:
            # Rolls back what was not committed.
            self._connection.close()
            self._connection = None


class _Answer(Generic[T]):
    """What a piece of work gives, for the task that waits for it."""

    def __init__(self) -> None:
        self.ready = anyio.Event()
        self._loop = Loop()
        self._settled: tuple[T | None, BaseException | None] = (None, None)

    def settle(self, settled: tuple[T | None, BaseException | None]) -> None:
        self._settled = settled
        self._loop.call(self.ready.set)

    def outcome(self) -> T:
        return _outcome(*self._settled)


def _outcome(result: T | None, error: BaseException | None) -> T:
    if error is not None:
        raise error
    return result  # type: ignore[return-value]
