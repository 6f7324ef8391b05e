"""A framework for MCP servers: subclass a component, register it, run it under hypercorn."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .annotations import Annotations as Annotations
from .annotations import Icon as Icon
from .components.component import component as component
from .components.prompt import Prompt as Prompt
from .components.prompt import PromptComponent as PromptComponent
from .components.provider import PromptProvider as PromptProvider
from .components.provider import ResourceProvider as ResourceProvider
from .components.provider import ToolProvider as ToolProvider
from .components.resource import ReadParams as ReadParams
from .components.resource import Resource as Resource
from .components.resource import ResourceComponent as ResourceComponent
from .components.resource import ResourceTemplate as ResourceTemplate
from .components.tool import Tool as Tool
from .components.tool import ToolComponent as ToolComponent
from .components.uri_template import UriTemplate as UriTemplate
from .content import AudioContent as AudioContent
from .content import BlobResourceContents as BlobResourceContents
from .content import EmbeddedResource as EmbeddedResource
from .content import ImageContent as ImageContent
from .content import ResourceLink as ResourceLink
from .content import TextContent as TextContent
from .content import TextResourceContents as TextResourceContents
from .context import Context as Context
from .effects import leave_stream as leave_stream
from .effects import send_log_message as send_log_message
from .effects import send_progress as send_progress
from .effects import send_prompts_list_changed as send_prompts_list_changed
from .effects import send_resource_updated as send_resource_updated
from .effects import send_resources_list_changed as send_resources_list_changed
from .effects import send_tools_list_changed as send_tools_list_changed
from .errors import ConfigurationError as ConfigurationError
from .errors import McpError as McpError
from .errors import ResourceNotFound as ResourceNotFound
from .errors import ToolError as ToolError
from .frame import Frame as Frame
from .outcome import Failure as Failure
from .outcome import InputRequired as InputRequired
from .outcome import NoReply as NoReply
from .outcome import Ok as Ok
from .outcome import Outcome as Outcome
from .outcome import Reply as Reply
from .protocol.jsonrpc import Notification as Notification
from .protocol.jsonrpc import Request as Request
from .protocol.params import CompletionArgument as CompletionArgument
from .protocol.params import PromptReference as PromptReference
from .protocol.params import ResourceTemplateReference as ResourceTemplateReference
from .response import CompletionResponse as CompletionResponse
from .response import PromptMessage as PromptMessage
from .response import PromptResponse as PromptResponse
from .response import ResourceResponse as ResourceResponse
from .response import Response as Response
from .response import ToolResponse as ToolResponse
from .schema.fields import embeds_many as embeds_many
from .schema.fields import embeds_one as embeds_one
from .schema.fields import enum as enum
from .schema.fields import field as field
from .schema.fields import literal as literal
from .schema.schema import Schema as Schema
from .server_behaviour import ServerBehaviour as ServerBehaviour

if TYPE_CHECKING:
    from .asks.answers import Accepted as Accepted
    from .asks.answers import Cancelled as Cancelled
    from .asks.answers import Declined as Declined
    from .asks.answers import Root as Root
    from .asks.answers import Sampled as Sampled
    from .asks.form import ask_form as ask_form
    from .asks.roots import ask_roots as ask_roots
    from .asks.sampling import ask_sampling as ask_sampling
    from .asks.send import send_elicitation_request as send_elicitation_request
    from .asks.send import send_request as send_request
    from .asks.send import send_roots_request as send_roots_request
    from .asks.send import send_sampling_request as send_sampling_request
    from .asks.url import ask_url as ask_url
    from .sessions.bus import Bus as Bus
    from .sessions.event_store import EventStore as EventStore
    from .sessions.memory import MemoryStore as MemoryStore
    from .sessions.record import Record as Record
    from .sessions.store import Store as Store
    from .sessions.store import StoreDown as StoreDown
    from .transports.http.asgi import App as App
    from .transports.http.settings import HttpSettings as HttpSettings


# Imported when they are asked for. A server on stdio has no time to import what serves HTTP, and
# most servers neither ask their clients nor touch their sessions.
_LATER = {
    "asks.answers": ("Accepted", "Cancelled", "Declined", "Root", "Sampled"),
    "asks.form": ("ask_form",),
    "asks.roots": ("ask_roots",),
    "asks.sampling": ("ask_sampling",),
    "asks.send": (
        "send_elicitation_request",
        "send_request",
        "send_roots_request",
        "send_sampling_request",
    ),
    "asks.url": ("ask_url",),
    "sessions.bus": ("Bus",),
    "sessions.event_store": ("EventStore",),
    "sessions.memory": ("MemoryStore",),
    "sessions.record": ("Record",),
    "sessions.store": ("Store", "StoreDown"),
    "transports.http.asgi": ("App",),
    "transports.http.settings": ("HttpSettings",),
}
_HOME = {name: module for module, names in _LATER.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
