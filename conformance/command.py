"""`conformance/run`: the fixture against the official suite."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from .fixture_process import serving
from .left_out import LEFT_OUT
from .node import Node
from .report import details, summary, table
from .result import Result, Verdict, complete, judge
from .suite import Suite

LATEST: Final = max(LEFT_OUT)


def main() -> int:
    arguments = _parser().parse_args()
    suite = Suite(Node.find())
    suite.install()
    folder = Path(tempfile.mkdtemp(prefix="conformance-"))
    results = _run(suite, arguments.revision, arguments.scenario, folder)
    good = _report(results, arguments.revision, arguments.scenario)
    if good:
        shutil.rmtree(folder)
    else:
        print(f"The suite's results and both logs are in {folder}")
    return 0 if good else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="conformance/run", description=__doc__)
    parser.add_argument("revision", nargs="?", default=LATEST, choices=sorted(LEFT_OUT))
    parser.add_argument(
        "--scenario",
        action="append",
        default=[],
        metavar="NAME",
        help="run only this one, and show its faults; may be repeated",
    )
    return parser


def _run(suite: Suite, revision: str, only: Sequence[str], folder: Path) -> Sequence[Result]:
    # A listed scenario that the suite does not know is one that did not run.
    wanted = only or dict.fromkeys((*suite.scenarios(revision), *LEFT_OUT[revision]))
    with serving(folder / "fixture.log") as url:
        print(f"Testing {url} at {revision}: {len(wanted)} scenarios …", flush=True)
        results = suite.test(url, revision, only, folder)
    return tuple(complete(results, wanted))


def _report(results: Sequence[Result], revision: str, shown: Iterable[str]) -> bool:
    """Print everything, and tell whether it is good."""
    left_out = LEFT_OUT[revision]
    verdicts = [judge(result, left_out) for result in results]
    print(*table(results, left_out), sep="\n")
    for result, verdict in zip(results, verdicts, strict=True):
        if verdict is Verdict.FAILED or (result.faults and result.scenario in shown):
            print(*details(result), sep="\n")
    print(summary(verdicts))
    return all(verdict.acceptable for verdict in verdicts)
