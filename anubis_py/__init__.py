"""A framework for MCP servers: subclass a component, register it, run it under hypercorn."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .annotations import Annotations, Icon
from .components.component import component
from .components.prompt import Prompt, PromptComponent
from .components.provider import PromptProvider, ResourceProvider, ToolProvider
from .components.resource import ReadParams, Resource, ResourceComponent, ResourceTemplate
from .components.tool import Tool, ToolComponent
from .content import (
    AudioContent,
    BlobResourceContents,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from .context import Context
from .effects import (
    leave_stream,
    send_log_message,
    send_progress,
    send_prompts_list_changed,
    send_resource_updated,
    send_resources_list_changed,
    send_tools_list_changed,
)
from .errors import ConfigurationError, McpError, ResourceNotFound, ToolError
from .frame import Frame
from .outcome import Failure, InputRequired, NoReply, Ok, Outcome, Reply
from .protocol.jsonrpc import Notification, Request
from .protocol.params import CompletionArgument, PromptReference, ResourceTemplateReference
from .response import (
    CompletionResponse,
    PromptMessage,
    PromptResponse,
    ResourceResponse,
    Response,
    ToolResponse,
)
from .schema.fields import embeds_many, embeds_one, enum, field, literal
from .schema.schema import Schema
from .server_behaviour import ServerBehaviour

if TYPE_CHECKING:
    from .asks.answers import Accepted, Cancelled, Declined, Root, Sampled
    from .asks.form import ask_form
    from .asks.roots import ask_roots
    from .asks.sampling import ask_sampling
    from .asks.send import (
        send_elicitation_request,
        send_request,
        send_roots_request,
        send_sampling_request,
    )
    from .asks.url import ask_url
    from .components.uri_template import UriTemplate
    from .sessions.bus import Bus
    from .sessions.event_store import EventStore
    from .sessions.memory import MemoryStore
    from .sessions.record import Record
    from .sessions.store import Store, StoreDown
    from .transports.http.asgi import App
    from .transports.http.settings import HttpSettings

__all__ = [
    "Accepted",
    "Annotations",
    "App",
    "AudioContent",
    "BlobResourceContents",
    "Bus",
    "Cancelled",
    "CompletionArgument",
    "CompletionResponse",
    "ConfigurationError",
    "Context",
    "Declined",
    "EmbeddedResource",
    "EventStore",
    "Failure",
    "Frame",
    "HttpSettings",
    "Icon",
    "ImageContent",
    "InputRequired",
    "McpError",
    "MemoryStore",
    "NoReply",
    "Notification",
    "Ok",
    "Outcome",
    "Prompt",
    "PromptComponent",
    "PromptMessage",
    "PromptProvider",
    "PromptReference",
    "PromptResponse",
    "ReadParams",
    "Record",
    "Reply",
    "Request",
    "Resource",
    "ResourceComponent",
    "ResourceLink",
    "ResourceNotFound",
    "ResourceProvider",
    "ResourceResponse",
    "ResourceTemplate",
    "ResourceTemplateReference",
    "Response",
    "Root",
    "Sampled",
    "Schema",
    "ServerBehaviour",
    "Store",
    "StoreDown",
    "TextContent",
    "TextResourceContents",
    "Tool",
    "ToolComponent",
    "ToolError",
    "ToolProvider",
    "ToolResponse",
    "UriTemplate",
    "ask_form",
    "ask_roots",
    "ask_sampling",
    "ask_url",
    "component",
    "embeds_many",
    "embeds_one",
    "enum",
    "field",
    "leave_stream",
    "literal",
    "send_elicitation_request",
    "send_log_message",
    "send_progress",
    "send_prompts_list_changed",
    "send_request",
    "send_resource_updated",
    "send_resources_list_changed",
    "send_roots_request",
    "send_sampling_request",
    "send_tools_list_changed",
]

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
    "components.uri_template": ("UriTemplate",),
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
    return sorted({*globals(), *__all__})
