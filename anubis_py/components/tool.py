"""Tools: functions that a model may call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

import attrs

from ..errors import ConfigurationError, near_miss
from ..schema.schema import Schema
from .component import Component, declared
from .definition import NO_ARGUMENTS, Definition, optional_text
from .mirrored import MirroredParam, mirrored_params

if TYPE_CHECKING:
    from ..frame import Frame

_HINTS: Final = {
    "title": str,
    "readOnlyHint": bool,
    "destructiveHint": bool,
    "idempotentHint": bool,
    "openWorldHint": bool,
}
_SNAKE_HINTS: Final = {
    "read_only_hint": "readOnlyHint",
    "destructive_hint": "destructiveHint",
    "idempotent_hint": "idempotentHint",
    "open_world_hint": "openWorldHint",
}

# "SHOULD be between 1 and 128 characters … the only allowed characters" (server/tools, "Tool
# Names"). Clients refuse other names, so we do it where the author sees it.
_TOOL_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")


def _tool_name(tool: Tool, _: attrs.Attribute[Any], value: Any) -> None:
    if not isinstance(value, str) or not _TOOL_NAME.fullmatch(value):
        raise ConfigurationError(
            f"A tool's name is 1 to 128 of A-Z, a-z, 0-9, '_', '-' and '.', got {value!r}."
        )


def _hints(value: Mapping[str, Any] | None, tool: Tool) -> dict[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ConfigurationError(
            f"{tool.label}: annotations must be a mapping, got {type(value).__name__}."
        )
    hints = {_SNAKE_HINTS.get(name, name): hint for name, hint in value.items()}
    for name, hint in hints.items():
        kind = _HINTS.get(name)
        if kind is None:
            raise ConfigurationError(
                f"{tool.label}: unknown annotation {name!r}.{near_miss(name, _HINTS)}"
            )
        if not isinstance(hint, kind):
            raise ConfigurationError(
                f"{tool.label}: annotation {name} must be a {kind.__name__}, got {hint!r}."
            )
    return hints


def _input_schema(value: Any, tool: Tool) -> Schema:
    if isinstance(value, Mapping):
        return Schema.from_json_schema(value, owner=tool.label)
    return Schema.of(value, owner=tool.label)


def _output_schema(value: Any, tool: Tool) -> Schema | None:
    if value is None:
        return None
    owner = f"{tool.label}, output_schema"
    if isinstance(value, Mapping):
        return Schema.from_json_schema(value, owner=owner, object_root=False)
    return Schema.of(value, owner=owner)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Tool(Definition):
    """A tool as a server offers it.

    `input_schema` and `output_schema` take a list of fields, an attrs class, or a JSON Schema
    as a mapping, which is shown word for word. What is shown is what is enforced, also after
    `attrs.evolve(tool, input_schema=…)`.
    """

    wire_type: ClassVar = "Tool"

    name: str = attrs.field(validator=_tool_name, kw_only=False)
    description: str | None = attrs.field(default=None, validator=optional_text, kw_only=False)
    input_schema: Schema = attrs.field(
        default=NO_ARGUMENTS,
        converter=attrs.Converter(_input_schema, takes_self=True),  # type: ignore[misc, call-overload]
        kw_only=False,
    )
    output_schema: Schema | None = attrs.field(
        default=None,
        converter=attrs.Converter(_output_schema, takes_self=True),  # type: ignore[misc, call-overload]
    )
    annotations: dict[str, Any] | None = attrs.field(
        default=None,
        converter=attrs.Converter(_hints, takes_self=True),  # type: ignore[misc, call-overload]
    )

    mirrored: tuple[MirroredParam, ...] = attrs.field(init=False)
    """The arguments that clients repeat in headers."""

    @mirrored.default
    def _mirrored(self) -> tuple[MirroredParam, ...]:
        return mirrored_params(self.input_schema.json_schema, self.label)

    def to_wire(self) -> dict[str, Any]:
        wire = super().to_wire()
        wire["inputSchema"] = self.input_schema.json_schema
        if self.output_schema is not None:
            wire["outputSchema"] = self.output_schema.json_schema
        if self.annotations is not None:
            wire["annotations"] = self.annotations
        return wire


class ToolComponent(Component, abstract=True):
    """A tool: subclass it, give it a `schema`, and write `execute`."""

    schema: Any = ()
    """What the arguments look like: a list of fields, a voluptuous mapping, or an attrs class,
    of which `execute` then gets an instance."""
    output_schema: Any = None
    """What `structured` values look like: a list of fields, an attrs class, or a JSON Schema."""
    annotations: Mapping[str, Any] | None = None
    """Hints on behaviour: readOnlyHint, destructiveHint, idempotentHint, openWorldHint, title."""

    _callback: ClassVar[str] = "execute"
    _parameters: ClassVar[tuple[str, ...]] = ("args", "frame")
    _schema: ClassVar[Schema]

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(abstract=abstract, **kwargs)
        if not abstract:
            cls._schema = Schema.of(cls.schema, owner=cls.__name__)
            mirrored_params(cls._schema.json_schema, cls.__name__)

    def input_schema(self) -> Mapping[str, Any] | None:
        """A JSON Schema for the arguments, in place of `schema`; it is shown word for word.

        2020-12 unless it declares another dialect. It is read when the server is created.
        """
        return None

    def execute(self, args: Any, frame: Frame) -> Any:
        """Do the work. Runs for every tools/call whose arguments are valid.

        `args` is a dict (or the attrs instance, with an attrs class as schema) with defaults
        filled in. May return `Reply(response, frame)`, a bare `Response.tool()…`, `NoReply()`
        for empty content, `InputRequired(…)` to ask the client first, or `Failure(error)` for a
        protocol error. Raising `ToolError("text")` answers with a failed result that the model
        may read; raising McpError with that protocol error; any other exception is logged, and
        the failed result names the tool only. As `def` it runs in a worker thread; as `async def`
        on the loop, where cancelling raises at its next await.
        """
        raise NotImplementedError

    def definition(self, name: str | None = None) -> Tool:
        """This tool as a list shows it now."""
        return Tool(
            name=name or declared(self, "name"),
            input_schema=self._declared_schema(),
            output_schema=self.output_schema,
            annotations=declared(self, "annotations"),
            handler=self.execute,
            **self._describe(),
        )

    def _declared_schema(self) -> Any:
        raw = declared(self, "input_schema")
        if raw is None:
            return self._schema
        if self.schema:
            raise ConfigurationError(
                f"{type(self).__name__} declares its arguments twice: keep schema or input_schema."
            )
        return raw
