"""Every example does what it says: in process on both loops, and started as a program."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path
from runpy import run_path
from typing import Any, Final

import httpx
import pytest
from interop.serving import program_serving
from support.client import CheckedClient, modern, modern_headers

from anubis_py import App, McpError, ServerBehaviour
from anubis_py.protocol.revisions import REVISIONS

FOLDER: Final = Path(__file__).parent.parent / "examples"
EXAMPLES: Final = sorted(FOLDER.glob("*.py"))

CODE_REVIEW: Final = run_path(str(FOLDER / "code_review.py"))
TOOLBOX: Final = run_path(str(FOLDER / "toolbox.py"))
LIBRARY: Final = run_path(str(FOLDER / "library.py"))

SNIPPET: Final = "def f(x):\n    return x"


def text_of(result: dict[str, Any]) -> str:
    [block] = result["content"]
    text: str = block["text"]
    return text


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_it_is_an_app_for_other_asgi_servers(example: Path) -> None:
    assert isinstance(run_path(str(example))["app"], App)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_it_runs_when_it_is_the_program(example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[type[ServerBehaviour]] = []
    monkeypatch.setattr(ServerBehaviour, "run", classmethod(started.append))
    run_path(str(example), run_name="__main__")
    [server] = started
    assert issubclass(server, ServerBehaviour)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_it_serves_a_real_request(example: Path) -> None:
    body = modern("server/discover")
    with program_serving(example) as url:
        answer = httpx.post(url, json=body, headers=headers_for(url, body))
    assert answer.status_code == 200
    assert answer.json()["result"]["supportedVersions"] == list(REVISIONS)


def headers_for(url: str, body: dict[str, Any]) -> dict[str, str]:
    own = {name: str(value) for name, value in modern_headers(body).items()}
    return {**own, "Host": httpx.URL(url).netloc.decode()}


# -- code_review


@pytest.mark.anyio
async def test_code_review_builds_its_prompt() -> None:
    async with CheckedClient(CODE_REVIEW["Reviewer"]) as client:
        arguments = {"language": "python", "code": SNIPPET, "focus_areas": "naming"}
        [message] = (await client.get_prompt("code_review", arguments))["messages"]
        text = f"Please review this python code for naming:\n{SNIPPET}"
        assert message == {"role": "user", "content": {"type": "text", "text": text}}


@pytest.mark.anyio
async def test_code_review_requires_the_code() -> None:
    async with CheckedClient(CODE_REVIEW["Reviewer"]) as client:
        with pytest.raises(McpError, match="code: required, missing") as refused:
            await client.get_prompt("code_review", {"language": "python"})
        assert refused.value.code == -32602


@pytest.mark.anyio
async def test_code_review_shows_the_bulk_tool_to_enterprises_only() -> None:
    arguments = {"files": [{"path": "f.py", "code": SNIPPET}]}
    async with CheckedClient(CODE_REVIEW["Reviewer"]) as client:
        [tool] = (await client.list_tools())["tools"]
        assert tool["name"] == "measure_code"
        with pytest.raises(McpError, match="Unknown tool: bulk_measure"):
            await client.call_tool("bulk_measure", arguments)
    async with CheckedClient(CODE_REVIEW["Reviewer"], assigns={"plan": "enterprise"}) as client:
        tools = (await client.list_tools())["tools"]
        assert [tool["name"] for tool in tools] == ["bulk_measure", "measure_code"]
        result = await client.call_tool("bulk_measure", arguments)
        assert json.loads(text_of(result)) == {"f.py": {"lines": 2, "longest": 12}}


@pytest.mark.anyio
async def test_code_review_says_how_long_lists_hold() -> None:
    async with CheckedClient(CODE_REVIEW["Reviewer"]) as client:
        tools, prompts = await client.list_tools(), await client.list_prompts()
    assert (tools["ttlMs"], tools["cacheScope"]) == (300_000, "private")
    assert (prompts["ttlMs"], prompts["cacheScope"]) == (0, "private")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("client_info", "name"),
    [({"name": "editor", "version": "3"}, "editor"), (None, "an unnamed client")],
)
async def test_code_review_knows_who_is_asking(
    caplog: pytest.LogCaptureFixture, client_info: dict[str, str] | None, name: str
) -> None:
    caplog.set_level("INFO")
    plan = {"plan": "enterprise"}
    server = CODE_REVIEW["Reviewer"]
    async with CheckedClient(server, client_info=client_info, assigns=plan) as client:
        assert "bulk_measure" in (await client.discover())["instructions"]
        await client.call_tool("bulk_measure", {"files": [{"path": "f.py", "code": SNIPPET}]})
    assert f"{name} measures 1 files" in caplog.messages


# -- toolbox


@pytest.mark.anyio
async def test_toolbox_prices_a_nested_order() -> None:
    order = {
        "customer": {"name": "Ada", "country": "GB"},
        "items": [{"article": "pen", "price": 1.5, "quantity": 4}, {"article": "ink", "price": 3}],
    }
    async with CheckedClient(TOOLBOX["Toolbox"]) as client:
        result = await client.call_tool("price_order", order)
    assert result["structuredContent"] == {"goods": 9.0, "delivery": 9.8, "total": 18.8}
    assert text_of(result) == "Ada pays 18.80 euros."


@pytest.mark.anyio
async def test_toolbox_names_every_fault_with_its_path() -> None:
    order = {"customer": {"name": "Ada"}, "items": [{"article": "pen", "prise": 1}]}
    async with CheckedClient(TOOLBOX["Toolbox"]) as client:
        result = await client.call_tool("price_order", order)
    assert result["isError"]
    for fault in ("customer.country: required, missing", "items[0].prise: not expected"):
        assert fault in text_of(result)


@pytest.mark.anyio
async def test_toolbox_converts_and_says_what_it_cannot() -> None:
    async with CheckedClient(TOOLBOX["Toolbox"]) as client:
        result = await client.call_tool("convert_currency", {"value": 10.8, "currency": "USD"})
        assert result["structuredContent"] == {"value": 10.0, "currency": "EUR"}
        result = await client.call_tool("convert_currency", {"value": 1, "currency": "XAU"})
    assert result["isError"]
    assert text_of(result) == "There is no rate for XAU: use EUR, GBP, USD, JPY."


@pytest.mark.anyio
async def test_toolbox_takes_raw_json_schema() -> None:
    async with CheckedClient(TOOLBOX["Toolbox"]) as client:
        at = {"text": "tea", "at": "2026-08-01T16:00+02:00"}
        result = await client.call_tool("remind", at)
        assert text_of(result) == "tea: due at 2026-08-01T16:00+02:00"
        assert not (await client.call_tool("remind", {"text": "tea", "minutes": 4}))["isError"]
        assert (await client.call_tool("remind", {"text": "tea"}))["isError"]
        assert (await client.call_tool("remind", {**at, "minutes": 4}))["isError"]


# -- library


@pytest.mark.anyio
async def test_library_lists_its_own_resources_and_the_provider_s() -> None:
    async with CheckedClient(LIBRARY["Library"]) as client:
        resources = (await client.list_resources())["resources"]
        [template] = (await client.list_resource_templates())["resourceTemplates"]
    assert {resource["uri"] for resource in resources} == {
        "library:///catalogue",
        "library:///stamp.png",
        "library:///loans/ada",
        "library:///loans/grace",
    }
    assert template["uriTemplate"] == "library:///books/{author}/{title}"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("uri", "mime_type", "beginning"),
    [
        ("library:///catalogue", "application/json", '{"austen":["emma"]'),
        ("library:///books/melville/moby-dick", "text/plain", "Call me Ishmael."),
        ("library:///loans/ada", "text/plain", "moby-dick"),
    ],
)
async def test_library_reads(uri: str, mime_type: str, beginning: str) -> None:
    async with CheckedClient(LIBRARY["Library"]) as client:
        [contents] = (await client.read_resource(uri))["contents"]
    assert (contents["uri"], contents["mimeType"]) == (uri, mime_type)
    assert contents["text"].startswith(beginning)


@pytest.mark.anyio
async def test_library_sends_bytes() -> None:
    async with CheckedClient(LIBRARY["Library"]) as client:
        [contents] = (await client.read_resource("library:///stamp.png"))["contents"]
    assert contents["mimeType"] == "image/png"
    assert b64decode(contents["blob"], validate=True) == LIBRARY["STAMP"]


@pytest.mark.anyio
@pytest.mark.parametrize("uri", ["library:///books/austen/persuasion", "library:///loans/mary"])
async def test_library_says_what_it_does_not_have(uri: str) -> None:
    async with CheckedClient(LIBRARY["Library"]) as client:
        with pytest.raises(McpError, match="Resource not found") as refused:
            await client.read_resource(uri)
    assert (refused.value.code, refused.value.data) == (-32602, {"uri": uri})


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("name", "typed", "context", "values"),
    [
        ("author", "", None, ["austen", "melville", "shelley"]),
        ("author", "m", None, ["melville"]),
        ("title", "", {"author": "melville"}, ["bartleby", "moby-dick"]),
        ("title", "f", None, ["frankenstein"]),
    ],
)
async def test_library_completes(
    name: str, typed: str, context: dict[str, str] | None, values: list[str]
) -> None:
    ref = {"type": "ref/resource", "uri": "library:///books/{author}/{title}"}
    async with CheckedClient(LIBRARY["Library"]) as client:
        suggested = await client.complete(ref, name, typed, context)
    assert suggested["completion"]["values"] == values
