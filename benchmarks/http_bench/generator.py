"""Who makes the load: wrk where it is installed, else the generator beside this file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

import attrs

from .load import Tally, Unexpected
from .post import Post

# wrk's own report is prose; this prints what is of use here.
_SCRIPT: Final = """
local requests = {{}}
local last = 0
init = function()
  local function add(headers, body)
    requests[#requests + 1] = wrk.format("POST", {path}, headers, body)
  end
{requests}
end
request = function()
  last = last % #requests + 1
  return requests[last]
end
done = function(summary)
  local e = summary.errors
  print("TALLY " .. summary.requests .. " " .. summary.duration .. " " .. summary.bytes .. " "
    .. e.connect + e.read + e.write + e.status + e.timeout)
end
"""


class Generator(Protocol):
    @property
    def name(self) -> str: ...

    def __call__(self, port: int, posts: Sequence[Post], connections: int, seconds: float) -> Tally:
        """Load a server for some seconds with the posts, all to one path, in turn.

        Raises Unexpected for anything but 200s.
        """


@attrs.frozen
class BuiltIn:
    name: str = "the built-in generator"

    def __call__(self, port: int, posts: Sequence[Post], connections: int, seconds: float) -> Tally:
        job = {
            "port": port,
            "requests": [post.encoded(port).decode() for post in posts],
            "connections": connections,
            "seconds": seconds,
        }
        command = [sys.executable, "-m", "http_bench.load"]
        return Tally(**json.loads(_run(command, json.dumps(job))))


@attrs.frozen
class Wrk:
    executable: str
    name: str = "wrk"

    def __call__(self, port: int, posts: Sequence[Post], connections: int, seconds: float) -> Tally:
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
            requests = "\n".join(map(_add, posts))
            script.write(_SCRIPT.format(path=_lua(posts[0].path), requests=requests))
            script.flush()
            output = _run(
                [
                    self.executable,
                    *("--threads", "1", "--connections", str(connections), "--timeout", "30s"),
                    # Whole seconds only.
                    *("--duration", f"{max(1, round(seconds))}s", "--script", script.name),
                    f"http://127.0.0.1:{port}{posts[0].path}",
                ]
            )
        return _tally(output)


def _add(post: Post) -> str:
    headers = ", ".join(f"[ {_lua(name)} ] = {_lua(value)}" for name, value in post.headers)
    return f"  add({{ {headers} }}, {_lua(post.body)})"


def _lua(text: str) -> str:
    return f"[==[{text}]==]"


def _tally(output: str) -> Tally:
    [line] = [line for line in output.splitlines() if line.startswith("TALLY ")]
    requests, microseconds, received, errors = map(int, line.split()[1:])
    if errors:
        raise Unexpected(output)
    return Tally(requests, microseconds / 1e6, received)


def _run(command: list[str], given: str = "") -> str:
    done = subprocess.run(
        command,
        input=given,
        text=True,
        stdout=subprocess.PIPE,
        check=True,
        cwd=Path(__file__).parent.parent,
    )
    return done.stdout


def choose(wanted: str) -> Generator:
    wrk = shutil.which("wrk")
    if wanted == "wrk" and wrk is None:
        raise SystemExit("wrk is not installed: leave --generator out, or install it")
    return BuiltIn() if wrk is None or wanted == "built-in" else Wrk(wrk)


def processor_seconds() -> float:
    """Of the children that have ended, which are the generators: the servers live on."""
    times = os.times()
    return times.children_user + times.children_system
