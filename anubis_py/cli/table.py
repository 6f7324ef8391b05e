"""What a server offers, as a table for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

Row: TypeAlias = Sequence[str]

_GAP: Final = "  "

# A name longer than this moves its own line's columns only, not everybody's.
_WIDEST: Final = 40


def lines(offer: Mapping[str, Any], width: int | None) -> Iterator[str]:
    """`width` is that of the terminal: what is longer is cut. None: nothing is."""
    for line in _sections(offer):
        yield line if width is None else _cut(line, width)


def _sections(offer: Mapping[str, Any]) -> Iterator[str]:
    server = offer["server"]
    yield " - ".join([f"{server['name']} {server['version']}", *_given(server, "title")])
    yield from _columns(_about(offer))
    yield from _section("Tools", offer["tools"], _tool)
    yield from _section("Prompts", offer["prompts"], _prompt)
    yield from _section("Resources", offer["resources"], _resource)
    yield from _section("Resource templates", offer["resourceTemplates"], _template)


def _about(offer: Mapping[str, Any]) -> Iterator[Row]:
    for text in _given(offer["server"], "description"):
        yield "description", text
    yield "protocol", ", ".join(offer["protocolVersions"])
    flags = (_capability(*each) for each in offer["capabilities"].items())
    yield "capabilities", ", ".join(flags) or "none"
    for text in _given(offer, "instructions"):
        yield "instructions", text


def _capability(name: str, flags: Any) -> str:
    on = [flag for flag, value in flags.items() if value] if isinstance(flags, Mapping) else []
    return f"{name} ({', '.join(on)})" if on else name


def _section(title: str, items: Sequence[Any], rows: Any) -> Iterator[str]:
    if items:
        yield ""
        yield f"{title} ({len(items)})"
        yield from _columns(row for item in items for row in rows(item))


def _tool(tool: Mapping[str, Any]) -> Iterator[Row]:
    yield tool["name"], *_given(tool, "description")
    schema = tool["inputSchema"]
    required = schema.get("required", ())
    for name, member in schema.get("properties", {}).items():
        member = member if isinstance(member, Mapping) else {}
        yield _argument(name, name in required), kind(member), *_given(member, "description")


def _prompt(prompt: Mapping[str, Any]) -> Iterator[Row]:
    yield prompt["name"], *_given(prompt, "description")
    for argument in prompt.get("arguments", ()):
        name = _argument(argument["name"], argument.get("required", False))
        yield name, *_given(argument, "description")


def _resource(resource: Mapping[str, Any]) -> Iterator[Row]:
    yield resource["uri"], *_given(resource, "mimeType"), *_given(resource, "description")


def _template(template: Mapping[str, Any]) -> Iterator[Row]:
    yield template["uriTemplate"], *_given(template, "mimeType"), *_given(template, "description")


def _argument(name: str, required: bool) -> str:
    return f"  {name}{'' if required else '?'}"


def kind(schema: Mapping[str, Any]) -> str:
    """The type of an argument, in a word or a few."""
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    named = schema.get("type")
    if named == "array" and isinstance(schema.get("items"), Mapping):
        return f"array of {kind(schema['items'])}"
    if isinstance(named, str):
        return named
    if isinstance(named, list):
        return " | ".join(named)
    branches = schema.get("anyOf") or schema.get("oneOf") or ()
    return " | ".join(kind(branch) for branch in branches if isinstance(branch, Mapping)) or "any"


def _given(values: Mapping[str, Any], name: str) -> Iterator[str]:
    """The text on one line, if there is any."""
    if text := " ".join(str(values.get(name) or "").split()):
        yield text


def _columns(rows: Iterable[Row]) -> Iterator[str]:
    """The first column is as wide as its cells; what follows it is not aligned any further."""
    table = list(rows)
    width = max((len(first) for first, *_ in table if len(first) <= _WIDEST), default=0)
    for first, *rest in table:
        yield f"{_GAP}{first:<{width}}{_GAP}{_GAP.join(rest)}".rstrip()


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else line[: max(width - 3, 0)] + "..."
