"""Serves one app on a socket that is inherited: `python -m http_bench.serve APP WORKER FD`.

Each ASGI server as it comes, without an access log. It ends with its process.
"""

from __future__ import annotations

import socket
import sys
from typing import Any, Final


def with_uvicorn(app: Any, fd: int) -> None:
    import uvicorn

    config = uvicorn.Config(app, log_level="warning", access_log=False, ws="none", lifespan="on")
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=fd)])


def with_hypercorn_trio(app: Any, fd: int) -> None:
    import trio
    from hypercorn import Config
    from hypercorn.trio import serve

    config = Config()
    config.bind = [f"fd://{fd}"]
    config.loglevel = "WARNING"
    # By default a connection ends after 1,000 requests, which would measure connecting, too.
    config.keep_alive_max_requests = 10**9
    trio.run(lambda: serve(app, config, mode="asgi"))


def as_run_does(app: Any, fd: int) -> None:
    """On trio and hypercorn, with the settings of anubis_py: it serves no other app."""
    import trio

    from anubis_py.runner import ServingSettings
    from anubis_py.runner.http import serve_on

    trio.run(serve_on, socket.socket(fileno=fd), app, ServingSettings())


WORKERS: Final = {
    "uvicorn": with_uvicorn,
    "hypercorn-trio": with_hypercorn_trio,
    "run": as_run_does,
}


if __name__ == "__main__":
    from http_bench.apps import APPS

    _, app_name, worker_name, fd = sys.argv
    WORKERS[worker_name](APPS[app_name](), int(fd))
