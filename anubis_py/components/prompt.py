"""Prompts: templates for messages, which a person picks and fills in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from ..errors import ConfigurationError, near_miss
from ..schema.fields import Field, field
from ..schema.schema import Schema
from .component import Component, declared
from .definition import NO_ARGUMENTS, Definition

if TYPE_CHECKING:
    from ..frame import Frame
    from ..protocol.params import CompletionArgument

_ARGUMENT_MEMBERS = ("name", "description", "required", "title")


def _as_field(argument: Any, owner: str) -> Field:
    """A declared argument: a field, or a mapping with a name, a description and `required`."""
    if isinstance(argument, Field):
        return argument
    if not isinstance(argument, Mapping) or not isinstance(argument.get("name"), str):
        raise ConfigurationError(
            f"{owner}: an argument is a field or a mapping with a 'name', got {argument!r}."
        )
    for member in argument:
        if member not in _ARGUMENT_MEMBERS:
            raise ConfigurationError(
                f"{owner}: argument {argument['name']!r} has an unknown member {member!r}."
                + near_miss(str(member), _ARGUMENT_MEMBERS)
            )
    if not isinstance(argument.get("required", False), bool):
        raise ConfigurationError(
            f"{owner}: argument {argument['name']!r}: required must be a bool, "
            f"got {argument['required']!r}."
        )
    options = {member: value for member, value in argument.items() if member != "name"}
    return field(argument["name"], str, **options)


def _as_schema(value: Any, prompt: Prompt) -> Schema:
    if isinstance(value, list | tuple):
        value = [_as_field(argument, prompt.label) for argument in value]
    return Schema.of(value, owner=prompt.label)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Prompt(Definition):
    """A prompt as a server offers it.

    `Prompt("greet", "Greets somebody", [field("who", str, required=True)])`: the arguments are
    anything that a `schema` may be, or a list of mappings with name, description and required.
    """

    wire_type: ClassVar = "Prompt"

    schema: Schema = attrs.field(
        default=NO_ARGUMENTS,
        converter=attrs.Converter(_as_schema, takes_self=True),  # type: ignore[misc, call-overload]
        alias="arguments",
        kw_only=False,
    )

    def to_wire(self) -> dict[str, Any]:
        wire = super().to_wire()
        if arguments := self.schema.prompt_arguments():
            wire["arguments"] = arguments
        return wire


class PromptComponent(Component, abstract=True):
    """A prompt: subclass it, give it a `schema`, and write `get_messages`."""

    schema: Any = ()
    """What the arguments look like: a list of fields, a voluptuous mapping, or an attrs class.
    On the wire every argument is a string; a field of another type is read from it."""

    _callback: ClassVar[str] = "get_messages"
    _parameters: ClassVar[tuple[str, ...]] = ("args", "frame")
    _schema: ClassVar[Schema]

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(abstract=abstract, **kwargs)
        if not abstract:
            cls._schema = Schema.of(cls.schema, owner=cls.__name__)

    def arguments(self) -> Iterable[Field | Mapping[str, Any]]:
        """The arguments, each with a name, a description and whether it is required.

        Override it instead of `schema` where they are computed; it is read when the server is
        created.
        """
        return self._schema.prompt_arguments()

    def get_messages(self, args: Any, frame: Frame) -> Any:
        """Generate the messages. Runs for every prompts/get whose arguments are valid.

        `args` is a dict (or the attrs instance, with an attrs class as schema) with defaults
        filled in. May return `Reply(response, frame)`, a bare `Response.prompt()…`, a list of
        messages (`{"role": …, "content": …}`) or one text, `NoReply()` for no messages,
        `InputRequired(…)` to ask the client first, or `Failure(error)`. Raising McpError answers
        with that error; any other exception is logged and answers "Internal error". As `def` it
        runs in a worker thread; as `async def` on the loop, where cancelling raises at its next
        await.
        """
        raise NotImplementedError

    def complete(self, argument: CompletionArgument, frame: Frame) -> Any:
        """Suggest values for the argument that is being typed, the best first.

        Runs for completion/complete on this prompt. `argument` has a name, the value so far,
        and in `context` the arguments that are resolved already. May return an iterable of
        texts, a `Response.completion()…`, a `Reply` of either, or `Failure(error)`. Without it
        the server's `handle_completion` is asked.
        """
        raise NotImplementedError

    def definition(self, name: str | None = None) -> Prompt:
        """This prompt as a list shows it now."""
        return Prompt(
            name=name or declared(self, "name"),
            arguments=self._declared_arguments(),
            handler=self.get_messages,
            completer=None if type(self).complete is PromptComponent.complete else self.complete,
            **self._describe(),
        )

    def _declared_arguments(self) -> Any:
        if type(self).arguments is PromptComponent.arguments:
            return self._schema
        if self.schema:
            raise ConfigurationError(
                f"{type(self).__name__} declares its arguments twice: keep schema or arguments()."
            )
        return list(self.arguments())
