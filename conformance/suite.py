"""The official suite: an npm package, pinned by package.json and package-lock.json."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from typing import Final

from .node import Node, is_installed
from .result import Result

HERE: Final = Path(__file__).parent
PACKAGE: Final = "node_modules/@modelcontextprotocol/conformance"

_FOLDER: Final = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")


@dataclass(frozen=True)
class Suite:
    node: Node

    def install(self) -> None:
        """Install what package-lock.json pins, unless it is there already."""
        if is_installed(HERE, PACKAGE):
            return
        print("Installing the conformance suite …", flush=True)
        done = self.node.run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=HERE)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}npm could not install the conformance suite.")

    def scenarios(self, revision: str) -> tuple[str, ...]:
        """What a server has to go through at a revision, scored or not."""
        done = self._run("list", "--requirements", revision)
        if done.returncode != 0:
            sys.exit(done.stdout.strip())
        return tuple(_server_scenarios(done.stdout))

    def test(
        self, url: str, revision: str, only: Iterable[str], folder: Path
    ) -> tuple[Result, ...]:
        """Test the server at `url`; the suite's own words and results are left in `folder`."""
        # A single scenario has to be told which wire to use, and the extensions, which belong
        # to no revision, to run nevertheless.
        runs = [["--scenario", name, "--spec-version", revision, "--force"] for name in only]
        with (folder / "suite.log").open("w", encoding="utf-8") as log:
            for selection in runs or [["--requirements", revision]]:
                done = self._run("server", "--url", url, "-o", str(folder), *selection)
                log.write(done.stdout)
        return tuple(_results(folder))

    def _run(self, *arguments: str) -> CompletedProcess[str]:
        return self.node.run(
            "node", str(HERE / PACKAGE / "dist" / "index.js"), *arguments, cwd=HERE
        )


def _server_scenarios(listing: str) -> Iterator[str]:
    """Scored ones stand under a heading; the others follow later, each marked `[server]`."""
    heading = ""
    for line in listing.splitlines():
        if not line.startswith(" "):
            heading = line
        elif scored := re.fullmatch(r"  - (\S+)", line):
            if heading.startswith("Server scenarios"):
                yield scored[1]
        elif other := re.fullmatch(r"    - (\S+) \[server\]", line):
            yield other[1]


def _results(folder: Path) -> Iterator[Result]:
    for file in sorted(folder.glob("*/checks.json")):
        if found := _FOLDER.fullmatch(file.parent.name):
            yield Result.of(found["scenario"], json.loads(file.read_text("utf-8")))
