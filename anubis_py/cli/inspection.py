"""`anubis-py inspect`: what a client gets to see of a server."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Awaitable, Callable
from typing import Any, Final

import trio

from ..errors import McpError
from ..runner.servable import Servable, server_of
from ..server.behaviour import Behaviour
from ..testing import Client
from .table import lines

REFUSED: Final = 1


def inspect(servable: Servable, *, as_json: bool) -> int:
    """Print it, as a table or as JSON. Gives the exit code."""
    server = server_of(servable)
    try:
        offer = trio.run(ask, server)
    except McpError as error:
        sys.stderr.write(f"anubis-py: {server.name} refused to say what it offers: {error}\n")
        return REFUSED
    if as_json:
        # In UTF-8 whatever the terminal speaks: that is what JSON is.
        sys.stdout.buffer.write(json.dumps(offer, indent=2, ensure_ascii=False).encode() + b"\n")
    else:
        # Without a terminal there is no width, and whoever searches the output wants all of it.
        width = shutil.get_terminal_size(fallback=(0, 0)).columns
        sys.stdout.writelines(f"{line}\n" for line in lines(offer, width or None))
    return 0


async def ask(server: Behaviour) -> dict[str, Any]:
    """Ask as any client would, in the newest revision that is served: `init` runs, scopes and
    `server_tools` apply. Raises McpError."""
    info = {"name": "anubis-py inspect", "version": "1"}
    async with Client(server, client_info=info) as client:
        if client.era == "stateless":
            await client.discover()
        return await _offer(client)


async def _offer(client: Client) -> dict[str, Any]:
    capabilities = client.server_capabilities
    offer: dict[str, Any] = {
        "server": client.server_info or client.server.server_info(),
        "protocolVersions": list(client.server.versions),
        "capabilities": capabilities,
        "instructions": client.instructions,
        "tools": [],
        "prompts": [],
        "resources": [],
        "resourceTemplates": [],
    }
    if "tools" in capabilities:
        offer["tools"] = await _all(client.list_tools, "tools")
    if "prompts" in capabilities:
        offer["prompts"] = await _all(client.list_prompts, "prompts")
    if "resources" in capabilities:
        offer["resources"] = await _all(client.list_resources, "resources")
        offer["resourceTemplates"] = await _all(client.list_resource_templates, "resourceTemplates")
    return offer


async def _all(
    page: Callable[[str | None], Awaitable[dict[str, Any]]], kind: str
) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    cursor = None
    while True:
        result = await page(cursor)
        items += result[kind]
        cursor = result.get("nextCursor")
        if cursor is None:
            return items
