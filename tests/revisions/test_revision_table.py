"""The table of revisions, held against their schemas."""

from __future__ import annotations

from typing import Any, Final

import pytest

from anubis_py.protocol.revisions import (
    CAPABILITIES,
    REVISIONS,
    Method,
    negotiate,
)
from anubis_py.protocol.vocabulary import SINCE, THINGS, Vocabulary

from .closed_schema import LEGACY, VERSIONS, definitions

# Where the schemas write down what our table says under another name.
NAMES: Final = {
    "ContentBlock": ("TextContent", "ImageContent", "AudioContent", "EmbeddedResource"),
    "ResourceContents": ("TextResourceContents", "BlobResourceContents"),
}
MEMBERS: Final = [(shape, m) for shape in SINCE for m in SINCE[shape]]


def first_with(found: Any) -> str:
    """The first revision whose schema has it, and every later one has it too."""
    having = [version for version in VERSIONS if found(definitions(version))]
    assert having, "no revision has it"
    assert having == list(VERSIONS[: len(having)]), "it went away again"
    return having[-1]


def test_the_newest_comes_first() -> None:
    assert VERSIONS == ("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26")
    assert VERSIONS[1:] == LEGACY
    assert all(version == revision.version for version, revision in REVISIONS.items())


def has_member(defs: Any, shape: str, member: str) -> bool:
    if shape == "Result":
        shapes = [name for name in ("CallToolResult", "ListToolsResult") if name in defs]
        return any(member in defs[name]["properties"] for name in shapes)
    if shape == "requestedSchema":
        form = defs.get("ElicitRequestFormParams", {}).get("properties", {})
        return member in form.get(shape, {}).get("properties", {})
    named = [name for name in NAMES.get(shape, (shape,)) if name in defs]
    found = {member in defs[name]["properties"] for name in named}
    assert len(found) < 2, f"{member} is in some of {named} only"
    return found == {True}


@pytest.mark.parametrize(("shape", "member"), MEMBERS)
def test_since_when_a_member_exists(shape: str, member: str) -> None:
    since = first_with(lambda defs: has_member(defs, shape, member))
    assert SINCE[shape][member] == since


@pytest.mark.parametrize("shape", [s for s in SINCE if s not in ("Result", "requestedSchema")])
def test_no_member_is_forgotten(shape: str) -> None:
    """Every member that the newest schema has, and the oldest has not, stands in the table."""
    for name in NAMES.get(shape, (shape,)):
        oldest = definitions("2025-03-26").get(name) or definitions("2025-06-18")[name]
        newest = definitions("2026-07-28")[name]
        assert newest["properties"].keys() - oldest["properties"].keys() <= SINCE[shape].keys()


def has_thing(defs: Any, thing: str) -> bool:
    form = defs.get("ElicitRequestFormParams", {}).get("properties", {})
    content = defs["SamplingMessage"]["properties"]["content"]
    return {
        "resource_link": lambda: "ResourceLink" in defs,
        "elicitation": lambda: "ElicitRequest" in defs,
        "modes of elicitation": lambda: "mode" in form,
        "defaults of every field": lambda: "default" in defs["StringSchema"]["properties"],
        "titled options": lambda: "TitledSingleSelectEnumSchema" in defs,
        "multiple choice": lambda: "TitledMultiSelectEnumSchema" in defs,
        "tools in sampling": lambda: "ToolUseContent" in defs,
        "several blocks in a message": lambda: any(
            b.get("type") == "array" for b in content["anyOf"]
        ),
        "flags of client capabilities": lambda: bool(
            defs["ClientCapabilities"]["properties"]["sampling"].get("properties")
        ),
    }[thing]()


@pytest.mark.parametrize("thing", THINGS)
def test_since_when_a_thing_exists(thing: str) -> None:
    versions = [
        v
        for v in VERSIONS
        if "StringSchema" in definitions(v) or thing != "defaults of every field"
    ]
    having = [v for v in versions if has_thing(definitions(v), thing)]
    assert having[-1] == THINGS[thing]
    assert [v for v in VERSIONS if Vocabulary(v).has(thing)] == having


@pytest.mark.parametrize("version", VERSIONS)
def test_every_method_is_one_of_the_revision(version: str) -> None:
    requests = definitions(version)["ClientRequest"]["anyOf"]
    named = {
        definitions(version)[r["$ref"].rpartition("/")[2]]["properties"]["method"]["const"]
        for r in requests
    }
    served = set(REVISIONS[version].methods)
    assert served <= named
    assert {method for method in named - served if not method.startswith("tasks/")} == set()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_capabilities_are_those_of_the_schema(version: str) -> None:
    known = definitions(version)["ServerCapabilities"]["properties"]
    for name, flags in CAPABILITIES.items():
        assert flags <= known[name].get("properties", {}).keys()
    methods = REVISIONS[version].methods.values()
    assert {m.capability for m in methods} - {None} <= known.keys()


def test_what_only_one_revision_has() -> None:
    assert [v for v in VERSIONS if REVISIONS[v].batches] == ["2025-03-26"]
    assert [v for v in VERSIONS if REVISIONS[v].primes] == ["2025-11-25"]
    batches = [v for v in VERSIONS if "JSONRPCBatchRequest" in definitions(v)]
    assert batches == ["2025-03-26"]


def test_results_are_cached_in_the_stateless_era_alone() -> None:
    assert not any(m.cacheable for v in LEGACY for m in REVISIONS[v].methods.values())


@pytest.mark.parametrize("version", VERSIONS)
def test_three_methods_ask(version: str) -> None:
    asking = {name for name, method in REVISIONS[version].methods.items() if method.rounds}
    assert asking == {"tools/call", "prompts/get", "resources/read"}


@pytest.mark.parametrize("version", LEGACY)
def test_subscribing_hangs_on_a_flag(version: str) -> None:
    methods = REVISIONS[version].methods
    for name in ("resources/subscribe", "resources/unsubscribe"):
        assert methods[name] == Method("resources", "subscribe")
    assert methods["logging/setLevel"] == Method("logging")


@pytest.mark.parametrize(
    ("requested", "offered", "agreed"),
    [
        *((version, VERSIONS, version) for version in LEGACY),
        ("2024-11-05", VERSIONS, "2025-11-25"),
        ("2099-01-01", VERSIONS, "2025-11-25"),
        ("", VERSIONS, "2025-11-25"),
        ("2026-07-28", VERSIONS, "2025-11-25"),
        ("2025-11-25", ("2025-03-26", "2025-06-18"), "2025-06-18"),
        ("2025-03-26", ("2026-07-28", "2025-03-26"), "2025-03-26"),
        ("2025-11-25", ("2026-07-28",), None),
        ("2026-07-28", ("2026-07-28",), None),
    ],
)
def test_the_version_of_a_handshake(
    requested: str, offered: tuple[str, ...], agreed: str | None
) -> None:
    assert negotiate(requested, offered) == agreed
