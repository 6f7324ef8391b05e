"""What lists show, in every revision."""

from __future__ import annotations

from typing import Any, Final

import attrs
import pytest

from anubis_py import Frame, ServerBehaviour, Tool
from anubis_py.components.page import Entries
from anubis_py.encoding import dumps, loads
from anubis_py.outcome import Reply
from anubis_py.protocol.dialect import AS_IS
from anubis_py.protocol.jsonrpc import Request
from anubis_py.protocol.revisions import REVISIONS
from anubis_py.server.router import route

from .closed_schema import LEGACY, VERSIONS, check
from .everything import META, Everything, answered, frame_in

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

SERVER: Final = Everything()
LISTS: Final = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("method", "member"), LISTS.items())
async def test_lists_are_of_their_revision(version: str, method: str, member: str) -> None:
    result = await answered(SERVER, version, method)
    assert result[member]


@pytest.mark.parametrize(
    ("version", "members"),
    [
        ("2025-03-26", set()),
        ("2025-06-18", {"title", "_meta", "outputSchema"}),
        ("2025-11-25", {"title", "_meta", "outputSchema", "icons"}),
        ("2026-07-28", {"title", "_meta", "outputSchema", "icons"}),
    ],
)
async def test_members_of_a_tool(version: str, members: set[str]) -> None:
    tools = {t["name"]: t for t in (await answered(SERVER, version, "tools/list"))["tools"]}
    always = {"name", "description", "inputSchema", "annotations"}
    assert tools["measure"].keys() == always | members
    assert tools["measure"]["annotations"] == {"title": "Measures", "readOnlyHint": True}
    assert tools["measure"].get("_meta", META) == META


@pytest.mark.parametrize("version", VERSIONS)
async def test_members_of_the_others(version: str) -> None:
    [prompt] = (await answered(SERVER, version, "prompts/list"))["prompts"]
    [argument] = prompt["arguments"]
    [note] = (await answered(SERVER, version, "resources/list"))["resources"]
    found = await answered(SERVER, version, "resources/templates/list")
    [template] = found["resourceTemplates"]
    for entry in (prompt, argument, note, template):
        assert ("title" in entry) == (version >= "2025-06-18")
    for entry in (prompt, note, template):
        assert ("_meta" in entry) == (version >= "2025-06-18")
        assert ("icons" in entry) == (version >= "2025-11-25")
    assert argument["description"] == "Of what"
    assert note["size"] == 4
    assert note["mimeType"] == template["mimeType"] == "text/plain"
    for entry in (note, template):
        dated = {"lastModified"} if version >= "2025-06-18" else set()
        assert entry["annotations"].keys() == {"audience", "priority"} | dated


@pytest.mark.parametrize("version", VERSIONS)
async def test_an_output_schema_has_an_object_at_its_root(version: str) -> None:
    """Elsewhere there is none, and no structured content either: see test_results."""
    tools = {t["name"]: t for t in (await answered(SERVER, version, "tools/list"))["tools"]}
    assert ("outputSchema" in tools["lists"]) == (version == "2026-07-28")


@pytest.mark.parametrize("version", VERSIONS)
async def test_properties_that_are_true_or_false(version: str) -> None:
    tools = {t["name"]: t for t in (await answered(SERVER, version, "tools/list"))["tools"]}
    properties = tools["loose"]["inputSchema"]["properties"]
    output = tools["measure"].get("outputSchema", {"properties": {"any": {}}})["properties"]["any"]
    if version == "2026-07-28":
        assert (properties["any"], properties["none"], output) == (True, False, True)
    else:
        assert (properties["any"], properties["none"], output) == ({}, {"not": {}}, {})
    assert properties["some"] == {"type": "string"}


async def listed(version: str, frame: Frame | None = None) -> Any:
    outcome = await route(SERVER, Request(1, "tools/list", {}), frame or frame_in(version))
    assert isinstance(outcome, Reply)
    return outcome.response["tools"]


async def test_a_list_is_encoded_once_for_a_dialect() -> None:
    encoded = {}
    for version in VERSIONS:
        entries = await listed(version)
        entries.to_json()
        [encoded[version]] = entries._encoded
        again = await listed(version)
        assert again is entries
        assert REVISIONS[version].dialect.result("tools/list", {"tools": entries})["tools"] is again
    assert len(set(encoded.values())) == len(VERSIONS)


async def test_a_page_is_made_of_what_is_encoded_already() -> None:
    [tool] = [tool for tool in SERVER.catalog.tools.fixed if tool.name == "measure"]
    for version in VERSIONS:
        dialect = REVISIONS[version].dialect
        assert tool.encoded_in(dialect) is tool.encoded_in(dialect)
    assert tool.encoded_in(AS_IS) is tool.encoded
    paged = frame_in("2025-06-18").put_pagination_limit(1)
    first, second = await listed("2025-06-18", paged), await listed("2025-06-18", paged)
    assert first.to_json() is not second.to_json()
    assert first._encoded == second._encoded


@pytest.mark.parametrize("version", VERSIONS)
async def test_entries_read_as_they_are_written(version: str) -> None:
    entries = await listed(version)
    check(version, "Tool", entries[0])
    for entry in entries[:]:
        check(version, "Tool", entry)


@pytest.mark.parametrize("version", LEGACY)
async def test_runtime_tools_and_pages_too(version: str) -> None:
    tool = measure_of(await listed("2026-07-28"))
    frame = frame_in(version).register_tool(attrs.evolve(tool, name="mine"))
    for shown, limited in (
        (4, frame),
        (2, frame.put_pagination_limit(2)),
        (4, frame.put_pagination_limit(9)),
    ):
        entries = await listed(version, limited)
        assert len(entries) == shown
        for entry in (*entries, *loads(dumps(entries))):
            check(version, "Tool", entry)


def measure_of(entries: Any) -> Tool:
    found: Tool = next(d for d in entries.definitions if d.name == "measure")
    return found


@pytest.mark.parametrize("version", LEGACY)
def test_entries_of_an_authors_own(version: str) -> None:
    """`handle_request` may answer a list with mappings, or change what the router gave."""
    dialect = REVISIONS[version].dialect
    own = {"tools": [{"name": "a", "title": "A", "icons": [], "inputSchema": {"type": "object"}}]}
    before = repr(own)
    result = dialect.result("tools/list", own)
    check(version, "ListToolsResult", result)
    assert ("title" in result["tools"][0]) == (version >= "2025-06-18")
    assert repr(own) == before
    for odd in ({"tools": None}, {"tools": [1, None]}, {"tools": "x"}, {}):
        assert dialect.result("tools/list", odd) == odd


def test_the_newest_changes_nothing() -> None:
    entries: Any = Entries(())
    assert entries.dialect is AS_IS is REVISIONS["2026-07-28"].dialect
    result: dict[str, Any] = {"structuredContent": [1], "content": [{"type": "resource_link"}]}
    assert AS_IS.result("tools/call", result) is result


@pytest.mark.parametrize("version", VERSIONS)
def test_the_name_card(version: str) -> None:
    info = SERVER.server_info()
    written = REVISIONS[version].dialect.implementation(info)
    check(version, "Implementation", written)
    members = {"name", "version"}
    members |= {"title"} if version >= "2025-06-18" else set()
    members |= {"description", "websiteUrl", "icons"} if version >= "2025-11-25" else set()
    assert written.keys() == members
    assert info == SERVER.server_info()


@pytest.mark.parametrize("version", VERSIONS)
def test_what_the_server_can_do(version: str) -> None:
    able = SERVER.capabilities_for(Frame())
    written = REVISIONS[version].dialect.capabilities(able)
    check(version, "ServerCapabilities", written)
    extensions = {"extensions"} if version == "2026-07-28" else set()
    assert written.keys() == extensions | {
        *("tools", "prompts", "resources", "completions", "logging", "experimental"),
    }
    assert written["resources"] == {"subscribe": True, "listChanged": True}
    assert "extensions" in able


class Handshake(ServerBehaviour):
    name = "handshake"
    version = "1"


@pytest.mark.parametrize("version", LEGACY)
def test_the_answer_to_a_handshake(version: str) -> None:
    dialect = REVISIONS[version].dialect
    for server in (SERVER, Handshake()):
        result = {
            "protocolVersion": version,
            "capabilities": dialect.capabilities(server.capabilities_for(Frame())),
            "serverInfo": dialect.implementation(server.server_info()),
        }
        check(version, "InitializeResult", result)
