"""A server on a port of 127.0.0.1 for as long as a block runs: in a thread, or as a program."""

from __future__ import annotations

import select
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Thread
from typing import IO, Any, Final, TypeAlias

import hypercorn
import trio
import uvicorn
from hypercorn.trio import serve

from anubis_py import App

PATIENCE: Final = 20.0
"""Seconds until a server that does not start or end fails the test."""

Serving: TypeAlias = Callable[[App], AbstractContextManager[str]]


@contextmanager
def uvicorn_serving(app: App) -> Iterator[str]:
    """Give the base URL. The socket listens already, so that a client has nothing to wait for."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, log_level="warning", lifespan="on", ws="none")
        server = uvicorn.Server(config)
        thread = Thread(target=server.run, args=([listening],), name="uvicorn")
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            _join(thread)


@contextmanager
def hypercorn_serving(app: App) -> Iterator[str]:
    """Give the base URL of hypercorn's trio worker, once it listens."""
    started: Future[tuple[str, Callable[[], None]]] = Future()
    thread = Thread(target=_run_hypercorn, args=(app, started), name="hypercorn")
    thread.start()
    try:
        url, stop = started.result(PATIENCE)
        try:
            yield url
        finally:
            stop()
    finally:
        _join(thread)


def _run_hypercorn(app: App, started: Future[tuple[str, Callable[[], None]]]) -> None:
    try:
        trio.run(_hypercorn, app, started)
    except BaseException as error:
        if not started.done():
            started.set_exception(error)
        raise


async def _hypercorn(app: Any, started: Future[tuple[str, Callable[[], None]]]) -> None:
    config = hypercorn.Config()
    config.bind = ["127.0.0.1:0"]
    over, token = trio.Event(), trio.lowlevel.current_trio_token()

    async def run(task_status: trio.TaskStatus[list[str]] = trio.TASK_STATUS_IGNORED) -> None:
        await serve(app, config, shutdown_trigger=over.wait, task_status=task_status, mode="asgi")

    async with trio.open_nursery() as nursery:
        [url] = await nursery.start(run)
        started.set_result((url, lambda: token.run_sync_soon(over.set)))


def _join(thread: Thread) -> None:
    thread.join(PATIENCE)
    assert not thread.is_alive(), f"{thread.name} does not end"


@contextmanager
def program_serving(target: Path, port: int = 0) -> Iterator[str]:
    """Give the URL of the endpoint that `anubis-py run` says. It has to end well when told to."""
    program = str(Path(sys.executable).with_name("anubis-py"))
    command = [program, "run", str(target), "--port", str(port)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            assert process.stderr is not None
            yield _announced(process.stderr)
        except BaseException:
            process.kill()
            raise
        process.terminate()
        assert process.wait(PATIENCE) == 0


def _announced(stderr: IO[bytes]) -> str:
    ready, _, _ = select.select([stderr], [], [], PATIENCE)
    line = stderr.readline().decode() if ready else ""
    _, listening, rest = line.partition(" listening on ")
    assert listening, f"it said no URL, but: {line}"
    return rest.split()[0]
