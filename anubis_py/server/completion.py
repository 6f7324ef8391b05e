"""completion/complete."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from ..components.prompt import Prompt
from ..components.resource import ResourceTemplate
from ..errors import insufficient_scope, invalid_params
from ..frame import Frame
from ..outcome import Reply
from ..protocol.jsonrpc import Request
from ..protocol.params import CompleteParams, CompletionArgument, PromptReference, Reference
from ..protocol.wire import read
from ..response import CompletionResponse
from . import prompts
from .invoke import Call, Contract, Settled, to_wire

if TYPE_CHECKING:
    from .behaviour import Behaviour


def _respond(value: Any) -> CompletionResponse:
    if isinstance(value, CompletionResponse):
        return value
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return CompletionResponse.of(value)
    raise TypeError("not a response of a completion")


COMPLETE: Final = Contract(
    "completion/complete",
    "Reply, NoReply, Failure, a bare Response.completion()… or an iterable of texts",
    _respond,
    nothing=CompletionResponse(),
)


async def complete(server: Behaviour, request: Request, frame: Frame) -> Settled:
    """The component itself is asked, else the server; nothing to suggest is no fault."""
    params = read(request.params, CompleteParams)
    argument = _argument(params)
    target = _target(server, params.ref, argument, frame)
    label = f"completion of {argument.name!r}"
    call = Call(COMPLETE, label, server.timeout, to_wire)
    if target is not None and target.completer is not None:
        return await call(target.completer, argument, frame=frame)
    if "handle_completion" in server.overrides:
        return await call(server.handle_completion, params.ref, argument, frame=frame)
    return Reply(CompletionResponse().to_wire(), frame)


def _argument(params: CompleteParams) -> CompletionArgument:
    resolved = (params.context.arguments if params.context else None) or {}
    return CompletionArgument(params.argument.name, params.argument.value, resolved)


def _target(
    server: Behaviour, ref: Reference, argument: CompletionArgument, frame: Frame
) -> Prompt | ResourceTemplate | None:
    """What is referred to, if it may be seen and has the argument. Raises McpError."""
    if isinstance(ref, PromptReference):
        prompt = prompts.find(server, ref.name, frame)
        _require(argument.name, prompt.schema.names, prompt.label)
        return prompt
    template = server.catalog.templates.find(ref.uri, frame.resource_templates)
    if template is None:
        if server.catalog.resources.find(ref.uri, frame.resources) is not None:
            return None
        raise invalid_params(f"Unknown resource template: {ref.uri}.")
    if not frame.has_all_scopes(template.scopes):
        raise insufficient_scope(template.scopes)
    _require(argument.name, template.uri_template.variables, template.label)
    return template


def _require(name: str, known: Iterable[str], label: str) -> None:
    if name not in known:
        raise invalid_params(f"The {label} has no argument {name!r}.")
