"""The official TypeScript client: an npm package, pinned by package.json and its lock file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from conformance.node import Node

HERE: Final = Path(__file__).parent / "typescript"
PACKAGE: Final = "node_modules/@modelcontextprotocol/client"


def converse(url: str) -> dict[str, Any]:
    """What `converse.mjs` got from the server at `url`."""
    node = found_node()
    done = node.run("node", str(HERE / "converse.mjs"), url, cwd=HERE)
    assert done.returncode == 0, done.stdout
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def found_node() -> Node:
    """With the client installed. Without Node the test fails: to skip it would hide that nobody
    has looked."""
    try:
        node = Node.find()
    except SystemExit as missing:
        pytest.fail(str(missing))
    if not is_installed():
        done = node.run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=HERE)
        assert done.returncode == 0, f"npm could not install the client: {done.stdout}"
    return node


def is_installed() -> bool:
    """Whether npm has finished here, and with the versions that are pinned now."""
    try:
        # npm writes this file last.
        installed = _versions(HERE / "node_modules" / ".package-lock.json")
    except FileNotFoundError:
        return False
    pinned = _versions(HERE / "package-lock.json")
    return PACKAGE in installed and installed.items() <= pinned.items()


def _versions(lock: Path) -> dict[str, str]:
    packages = json.loads(lock.read_text("utf-8"))["packages"]
    return {path: package.get("version", "") for path, package in packages.items()}
