"""A server that uses every word of the newest revision, asked in any of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from support.schema import RESULTS

from anubis_py import (
    Annotations,
    Frame,
    Icon,
    PromptComponent,
    Reply,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    field,
)
from anubis_py.content import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from anubis_py.context import Context
from anubis_py.encoding import dumps, loads
from anubis_py.protocol.jsonrpc import Request
from anubis_py.protocol.revisions import REVISIONS
from anubis_py.server.router import route

from .closed_schema import check

ICONS: Final = (Icon("https://example.com/i.png", "image/png", "48x48", "dark"),)
META: Final = {"example.com/kept": {"a": 1}}
DATED: Final = Annotations(("user",), 0.5, "2025-01-01T00:00:00Z")
LINK: Final = ResourceLink(
    "notes:///today",
    "today",
    title="Today",
    description="A note",
    mime_type="text/plain",
    size=3,
    icons=ICONS,
    annotations=DATED,
    meta=META,
)
BLOCKS: Final = (
    TextContent("text", annotations=DATED, meta=META),
    ImageContent(b"\x89PNG", "image/png", annotations=DATED, meta=META),
    AudioContent(b"RIFF", "audio/wav", annotations=DATED, meta=META),
    LINK,
    EmbeddedResource(
        TextResourceContents("notes:///today", "note", "text/plain", META),
        annotations=DATED,
        meta=META,
    ),
)


class Measure(ToolComponent):
    """Measures."""

    title = "A measure"
    icons = ICONS
    meta = META
    annotations: Any = {"title": "Measures", "readOnlyHint": True}  # noqa: RUF012
    schema = (field("where", str, required=True),)
    output_schema: Any = {"type": "object", "properties": {"n": {"type": "integer"}, "any": True}}  # noqa: RUF012

    async def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().content(*BLOCKS).structured({"n": 1}).with_meta(META)


class Lists(ToolComponent):
    """Gives a list."""

    output_schema: Any = {"type": "array", "items": {"type": "integer"}}  # noqa: RUF012

    async def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().structured([1, 2])


class Loose(ToolComponent):
    """Takes whatever there is."""

    def input_schema(self) -> Any:
        properties = {"any": True, "none": False, "some": {"type": "string"}}
        return {"type": "object", "properties": properties}

    async def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().text("ok")


class Ask(PromptComponent):
    """Asks."""

    title = "An ask"
    icons = ICONS
    meta = META
    schema = (field("topic", str, required=True, title="Topic", description="Of what"),)

    async def get_messages(self, args: Any, frame: Frame) -> Any:
        return Response.prompt("Asks").user_message(list(BLOCKS)).with_meta(META)

    async def complete(self, argument: Any, frame: Frame) -> Any:
        return ["tea", "time"]


class Note(ResourceComponent):
    """A note."""

    uri: str | None = "notes:///today"
    title = "Today"
    icons = ICONS
    meta = META
    annotations = DATED
    mime_type = "text/plain"
    size: int | None = 4

    async def read(self, params: Any, frame: Frame) -> Any:
        contents = TextResourceContents("", "note", meta=META)
        return Response.resource().add(contents).blob(b"\x00").with_meta(META)


class Notes(Note):
    """Notes."""

    uri = None
    uri_template = "notes:///{day}"
    size = None


class Everything(ServerBehaviour):
    name = "everything"
    version = "1.0"
    title = "Everything"
    description = "A server"
    website_url = "https://example.com/"
    icons = ICONS
    capabilities: Any = {  # noqa: RUF012
        "tools": {"list_changed": True},
        "resources": {"subscribe": True, "list_changed": True},
        "logging": {},
        "experimental": {"example.com/x": {}},
        "extensions": {"example.com/y": {}},
    }
    components = (Measure, Lists, Loose, Ask, Note, Notes)


def frame_in(version: str, **context: Any) -> Frame:
    era = REVISIONS[version].era
    return Frame(context=Context(protocol_version=version, era=era, request_id=1, **context))


async def answered(
    server: Any, version: str, method: str, params: Mapping[str, Any] | None = None
) -> Any:
    """The result as a client reads it, held against the revision. Raises McpError, as written
    in the revision."""
    outcome = await route(server, Request(1, method, dict(params or {})), frame_in(version))
    if not isinstance(outcome, Reply):
        raise REVISIONS[version].dialect.error(outcome.error)  # type: ignore[union-attr]
    result = loads(dumps(REVISIONS[version].dialect.result(method, outcome.response)))
    check(version, RESULTS[method], stamped(version, method, result))
    return result


def stamped(version: str, method: str, result: dict[str, Any]) -> dict[str, Any]:
    """With what the engine of its era adds."""
    if REVISIONS[version].era == "legacy":
        return result
    hints = (
        {"ttlMs": 0, "cacheScope": "private"}
        if REVISIONS[version].methods[method].cacheable
        else {}
    )
    return {"resultType": "complete", **hints, **result}
