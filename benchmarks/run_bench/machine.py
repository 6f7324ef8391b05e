"""Where it was measured, and with what."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Final

from http_bench.machine import cores, processor

from .frameworks import NODE, TYPESCRIPT

_PYTHON: Final = ("mcp", "fastmcp", "uvicorn", "httptools", "uvloop", "hypercorn", "trio", "anyio")
_TYPESCRIPT: Final = ("@modelcontextprotocol/server", "@modelcontextprotocol/node", "zod")


def describe() -> str:
    server, load = cores()
    rows = {
        "machine": f"{platform.system()} {platform.machine()}, {processor()}, "
        f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} before",
        "cores": "not pinned" if server is None else f"servers on {server}, load on {load}",
        "anubis-py": f"{version('anubis-py')}, {_revision()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}: "
        + ", ".join(f"{name} {version(name)}" for name in _PYTHON),
        "Node": f"{_said(os.environ[NODE], '--version')}: "
        + ", ".join(f"{name} {_npm_version(name)}" for name in _TYPESCRIPT),
        "wrk": _wrk(),
    }
    return "\n".join(["| | |", "| --- | --- |", *(f"| {k} | {v} |" for k, v in rows.items())])


def _revision() -> str:
    return _said("git", "describe", "--always", "--dirty") or "not of a git checkout"


def _wrk() -> str:
    executable = shutil.which("wrk")
    # It says so with a status of 1.
    said = _said(executable, "--version").split(" Copyright")[0] if executable else ""
    return said or "absent"


def _npm_version(package: str) -> str:
    folder = Path(os.environ[TYPESCRIPT]).parent / "node_modules" / package
    found: str = json.loads((folder / "package.json").read_text())["version"]
    return found


def _said(*command: str) -> str:
    """The first line of what it prints; empty if it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.partition("\n")[0].strip()
