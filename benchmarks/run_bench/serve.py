"""Serves one app: `python -m run_bench.serve MODULE APP WORKER [FD]`. It ends with its process.

It imports no more than it has to: its start is measured, and its memory.
"""

from __future__ import annotations

import sys
from importlib import import_module

if __name__ == "__main__":
    _, module, app, worker, *descriptor = sys.argv
    server = import_module(f"run_bench.servers.{module}")
    if worker == "stdio":
        server.over_stdio(app)
    else:
        from http_bench.serve import WORKERS

        WORKERS[worker](server.over_http(app), int(descriptor[0]))
