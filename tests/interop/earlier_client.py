"""The last `mcp` of PyPI that speaks no newer revision than 2025-06-18, in an environment of its
own: it and the `mcp` that this one has exclude each other."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

REVISION: Final = "2025-06-18"
HERE: Final = Path(__file__).parent / "earlier"
REQUIREMENTS: Final = HERE / "requirements.txt"


def installed_in(folder: Path) -> Path:
    """The Python that has it. Without the network the test fails, unless it was installed before:
    to skip it would hide that nobody has looked."""
    key = sha256(sys.version.encode() + REQUIREMENTS.read_bytes()).hexdigest()[:16]
    environment = folder / key
    if not environment.exists():
        with TemporaryDirectory(dir=folder) as scratch:
            made = _made_in(Path(scratch) / "venv")
            try:
                made.rename(environment)
            except OSError:
                # Somebody else was faster.
                assert environment.exists()
    return environment / "bin" / "python"


def _made_in(environment: Path) -> Path:
    _run("-m", "venv", "--without-pip", str(environment))
    options = ("--quiet", "--no-input", "--disable-pip-version-check", "--no-deps")
    _run("-m", "pip", "--python", str(environment), "install", *options, "-r", str(REQUIREMENTS))
    return environment


def _run(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        pytest.fail(f"the client of an earlier era was not installed: {done.stdout.decode()}")
