"""prompts/list and prompts/get."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..components.prompt import Prompt
from ..errors import insufficient_scope, invalid_params, near_miss
from ..frame import Frame
from ..protocol.jsonrpc import Request
from ..protocol.params import GetPromptParams
from ..protocol.wire import read
from ..response import PromptResponse
from ..schema.faults import Invalid
from .invoke import Call, Contract, Settled, to_wire
from .listing import list_page

if TYPE_CHECKING:
    from .behaviour import Behaviour


def _respond(value: Any) -> PromptResponse:
    if isinstance(value, PromptResponse):
        return value
    if isinstance(value, str | list | tuple):
        return PromptResponse.of(value)
    raise TypeError("not a response of a prompt")


GET_MESSAGES: Final = Contract(
    "prompts/get",
    "Reply, NoReply, InputRequired, Failure, a bare Response.prompt()…, a list of messages or a "
    "text",
    _respond,
    nothing=PromptResponse(),
    asks=True,
)


async def list_prompts(server: Behaviour, request: Request, frame: Frame) -> Settled:
    shelf = server.catalog.prompts
    return list_page("prompts", shelf, shelf.items(frame.prompts), request, frame)


async def get_prompt(server: Behaviour, request: Request, frame: Frame) -> Settled:
    params = read(request.params, GetPromptParams)
    prompt = find(server, params.name, frame)
    try:
        arguments = prompt.schema.validate_strings(params.arguments or {})
    except Invalid as fault:
        raise invalid_params(f"Invalid arguments: {fault}") from None
    timeout = prompt.timeout or server.timeout
    call = Call(GET_MESSAGES, prompt.label, timeout, to_wire)
    if prompt.handler is not None:
        return await call(prompt.handler, arguments, frame=frame)
    return await call(server.handle_prompt_get, prompt.name, arguments, frame=frame)


def find(server: Behaviour, name: str, frame: Frame) -> Prompt:
    shelf = server.catalog.prompts
    prompt = shelf.find(name, frame.prompts)
    if prompt is None:
        items = shelf.items(frame.prompts)
        granted = (p.name for p in items if frame.has_all_scopes(p.scopes))
        raise invalid_params(f"Unknown prompt: {name}.{near_miss(name, granted)}")
    if prompt.scopes and not frame.has_all_scopes(prompt.scopes):
        raise insufficient_scope(prompt.scopes)
    return prompt
