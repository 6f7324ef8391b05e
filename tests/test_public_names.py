"""What `anubis_py` offers by name: a change of this list is a change for every user."""

from __future__ import annotations

import subprocess
import sys

import anubis_py

NAMES = [
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


def test_the_public_names_are_these() -> None:
    # Some are imported when they are asked for.
    brought: dict[str, object] = {}
    exec("from anubis_py import *", brought)
    assert sorted(brought.keys() - {"__builtins__"}) == NAMES
    assert set(NAMES) <= set(dir(anubis_py))


def test_a_server_on_stdio_imports_nothing_of_http() -> None:
    code = (
        "import sys, anubis_py, anubis_py.runner, anubis_py.transports.stdio.run;"
        "assert not [m for m in sys.modules if m.startswith('anubis_py.transports.http')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
