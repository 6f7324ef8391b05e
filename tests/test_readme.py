"""What README.md shows is what happens."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from runpy import run_path
from types import ModuleType
from typing import Any, Final

import anyio
import httpx
import pytest
from interop.serving import hypercorn_serving

from anubis_py.testing import Client

ROOT: Final = Path(__file__).parent.parent
README: Final = (ROOT / "README.md").read_text("utf-8")
BLOCKS: Final[list[tuple[str, str]]] = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.M | re.S)
CURLS: Final = [
    (text, answer.rstrip("\n"))
    for (kind, text), (_, answer) in pairwise(BLOCKS)
    if kind == "sh" and text.startswith("curl ")
]
PYTHON: Final = [text for kind, text in BLOCKS if kind == "python"]
ADDRESS: Final = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def app() -> Any:
    return run_path(str(ROOT / "examples" / "code_review.py"))["app"]


def test_there_is_something_to_check() -> None:
    assert len(CURLS) == 2
    assert len(PYTHON) >= 6


@pytest.mark.anyio
@pytest.mark.parametrize(("command", "answer"), CURLS)
async def test_the_server_answers_as_shown(app: Any, command: str, answer: str) -> None:
    url, headers, body = parsed(command)
    assert url.startswith(ADDRESS)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
        got = await client.post(url, headers=headers, content=body)
    assert got.text == answer


def parsed(command: str) -> tuple[str, dict[str, str], str]:
    _, silent, url, *options = shlex.split(command.replace("\\\n", " "))
    assert silent == "-s"
    pairs = list(zip(options[::2], options[1::2], strict=True))
    headers = dict(value.split(": ", 1) for flag, value in pairs if flag == "-H")
    [body] = [value for flag, value in pairs if flag == "-d"]
    return url, headers, body


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_curl_itself_prints_what_is_shown(app: Any) -> None:
    with hypercorn_serving(app) as base:
        for command, answer in CURLS:
            words = shlex.split(command.replace("\\\n", " ").replace(ADDRESS, base))
            words[1:1] = ["--noproxy", "*", "--max-time", "20"]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            assert done.stdout == answer


# -- the Python in it


@pytest.fixture(scope="module")
def names() -> Iterator[dict[str, Any]]:
    """What the Python blocks define, run one after the other as one module."""
    module = ModuleType("readme")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "examples"))
        patch.setitem(sys.modules, "readme", module)
        for block in PYTHON:
            exec(compile(block, "README.md", "exec"), module.__dict__)
        yield vars(module)
        patch.delitem(sys.modules, "code_review")


@pytest.mark.anyio
async def test_the_tools_work(names: dict[str, Any]) -> None:
    async with Client(names["Office"]) as client:
        priced = await client.call_tool("price_order", {"items": [{"price": 2, "quantity": 3}]})
        assert priced["structuredContent"] == {"total": 6}
        refused = await client.call_tool("price_order", {"items": [{"price": 2000}]})
        assert refused["isError"]
        added = await client.call_tool("add", {"a": 2})
        assert added["content"][0]["text"] == "3"


@pytest.mark.anyio
async def test_the_resource_and_the_provider_work(names: dict[str, Any]) -> None:
    async with Client(names["Office"]) as client:
        [contents] = (await client.read_resource("notes:///monday"))["contents"]
        assert contents["text"] == "Water the plants."
        ref = {"type": "ref/resource", "uri": "notes:///{day}"}
        assert (await client.complete(ref, "day", "m"))["completion"]["values"] == ["monday"]
        [message] = (await client.get_prompt("thanks", {"to": "Ada"}))["messages"]
        assert message["content"]["text"] == "Dear Ada, many thanks."


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_test_passes(names: dict[str, Any], backend: str) -> None:
    anyio.run(names["test_it_asks_for_a_review"], backend=backend)


@pytest.mark.anyio
async def test_the_server_can_be_mounted(names: dict[str, Any]) -> None:
    assert await listed_tools(names["site"], "/reviewer/mcp") == ["measure_code"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("enterprise", "tools"), [(False, ["measure_code"]), (True, ["bulk_measure", "measure_code"])]
)
async def test_the_plan_reaches_the_frame(
    names: dict[str, Any], enterprise: bool, tools: list[str]
) -> None:
    names["is_enterprise"] = lambda scope: enterprise
    app = names["Plans"](names["Reviewer"].asgi())
    assert await listed_tools(app, "/mcp") == tools


async def listed_tools(app: Any, path: str) -> list[str]:
    _, headers, body = parsed(CURLS[0][0])
    body = body.replace("prompts/list", "tools/list")
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
        headers = {**headers, "Mcp-Method": "tools/list"}
        answer = await client.post(ADDRESS + path, headers=headers, content=body)
    return [tool["name"] for tool in answer.json()["result"]["tools"]]


def test_the_settings_are_settings(names: dict[str, Any]) -> None:
    assert names["app"].settings.allowed_hosts == ("api.example.com", "*.example.org")


# -- the rest of it


def test_its_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), target


def test_the_first_command_starts_a_server_that_exists() -> None:
    assert (ROOT / "examples" / "code_review.py").is_file()
    assert ".venv/bin/python examples/code_review.py\n" in README
