"""Where it was measured, and with what."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

_PACKAGES: Final = (
    *("anubis-py", "mcp", "uvicorn", "hypercorn", "trio", "anyio", "h11"),
    *("httptools", "uvloop"),
)


def cores() -> tuple[int | None, int | None]:
    """One for the servers and one for the load; None where there is nothing to choose."""
    if sys.platform != "linux":
        return None, None
    usable = sorted(os.sched_getaffinity(0))
    return (usable[0], usable[-1]) if len(usable) > 1 else (None, None)


def describe() -> str:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    system = f"{platform.system()} {platform.machine()}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    packages = ", ".join(f"{package} {_version(package)}" for package in _PACKAGES)
    return (
        f"{system}, {processor()}, {os.cpu_count()} cores, load {load:.1f} before\n"
        f"{python}, {packages}"
    )


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown processor"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"
