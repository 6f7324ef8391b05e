"""What `anubis_py` offers by name: a change of this list is a change for every user."""

from __future__ import annotations

from types import ModuleType

import anubis_py

NAMES = [
    "Annotations",
    "App",
    "AudioContent",
    "BlobResourceContents",
    "CompletionArgument",
    "CompletionResponse",
    "ConfigurationError",
    "Context",
    "EmbeddedResource",
    "Failure",
    "Frame",
    "HttpSettings",
    "Icon",
    "ImageContent",
    "McpError",
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
    "Schema",
    "ServerBehaviour",
    "TextContent",
    "TextResourceContents",
    "Tool",
    "ToolComponent",
    "ToolError",
    "ToolProvider",
    "ToolResponse",
    "UriTemplate",
    "component",
    "embeds_many",
    "embeds_one",
    "enum",
    "field",
    "literal",
]


def test_the_public_names_are_these() -> None:
    found = {
        name
        for name, value in vars(anubis_py).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert sorted(found) == NAMES
