"""The official Python SDK's client goes through everything that a server is for, and says what
it got. What it does is the same in both eras, but for how it listens and asks for logs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any

import anyio
import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from .meeting import SHARED


class Guest:
    """One client, and what it is told and asked meanwhile."""

    def __init__(self, url: str, name: str, mode: str) -> None:
        self.url = url
        self.name = name
        self.mode = mode
        self.elicit: Any = self._fill_in
        self.asked: list[Any] = []
        self.logged: list[Any] = []
        self.progress: list[Any] = []
        self.heard: list[str] = []
        self.exchanged: list[tuple[str, int]] = []
        """The methods of HTTP but POST, and how they were answered."""
        self.session_id: str | None = None
        self._news = anyio.Event()

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Client]:
        hooks: dict[str, list[Any]] = {"response": [self._answered]}
        timeout = httpx2.Timeout(20.0, read=60.0)
        async with httpx2.AsyncClient(timeout=timeout, event_hooks=hooks) as http:
            client = Client(
                streamable_http_client(self.url, http_client=http),
                mode=self.mode,
                client_info=types.Implementation(name=self.name, version="1"),
                elicitation_callback=self.elicit,
                sampling_callback=self._sample,
                logging_callback=self._log,
                log_level="debug",
                message_handler=self._hear,
            )
            async with client:
                yield client

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something that one of the callbacks brings about."""
        while not holds():
            self._news = anyio.Event()
            await self._news.wait()

    def _happened(self) -> None:
        self._news.set()

    async def _answered(self, response: Any) -> None:
        if response.request.method != "POST":
            self.exchanged.append((response.request.method, response.status_code))
        self.session_id = response.headers.get("mcp-session-id", self.session_id)
        self._happened()

    async def _fill_in(self, context: Any, params: Any) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        fields = [*params.requested_schema["properties"]]
        self.asked.append([params.message, fields])
        content: dict[str, Any] = {"who": self.name} if "who" in fields else {"sure": True}
        return types.ElicitResult(action="accept", content=content)

    async def _sample(self, context: Any, params: Any) -> types.CreateMessageResult:
        [message] = params.messages
        self.asked.append([message.content.text, params.max_tokens])
        text = types.TextContent(type="text", text=f"O {self.name}")
        return types.CreateMessageResult(role="assistant", content=text, model="poet")

    async def _log(self, params: types.LoggingMessageNotificationParams) -> None:
        self.logged.append([params.level, params.logger, params.data])
        self._happened()

    async def _hear(self, message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            self.heard.append(str(message.params.uri))
        elif isinstance(message, types.ToolListChangedNotification):
            self.heard.append("tools")
        self._happened()

    async def note(self, progress: float, total: float | None, message: str | None) -> None:
        self.progress.append([progress, total, message])
        self._happened()

    async def visit(self) -> dict[str, Any]:
        async with self.connected() as client:
            async with self._listening(client):
                said = await self._converse(client)
            said["version"] = client.protocol_version
        return said | {"exchanged": self.exchanged, "session": self.session_id}

    @asynccontextmanager
    async def _listening(self, client: Client) -> AsyncIterator[None]:
        uris = [f"memo://{self.name}", SHARED]
        listening: AbstractAsyncContextManager[Any] = nullcontext()
        if self.mode == "legacy":
            await self.until(lambda: ("GET", 200) in self.exchanged)
            await client.set_logging_level("debug")
            for uri in uris:
                await client.subscribe_resource(uri)
        else:
            listening = client.listen(tools_list_changed=True, resource_subscriptions=uris)
        async with listening:
            yield

    async def _converse(self, client: Client) -> dict[str, Any]:
        assert client.server_info is not None
        said: dict[str, Any] = {
            "server": [client.server_info.name, client.server_info.version, client.instructions],
            "met": text_of(await client.call_tool("meet")),
        }
        await self.until(lambda: SHARED in self.heard)
        said |= await self._lists(client)

        greeted = await client.call_tool("greet", {"who": self.name})
        failed = await client.call_tool("greet", {"who": ""})
        said["greeted"] = [greeted.structured_content, text_of(greeted), greeted.is_error]
        said["failed"] = [text_of(failed), failed.is_error]
        invited = await client.get_prompt("invitation", {"who": self.name})
        said["invited"] = [invited.description, *map(text_of_message, invited.messages)]
        said["motto"] = await read(client, "house://motto")

        said["composed"] = text_of(await client.call_tool("compose"))
        said["asked"] = sorted(self.asked)
        said["counted"] = text_of(await client.call_tool("count", progress_callback=self.note))
        # Its callbacks run beside its call.
        await self.until(lambda: len(self.progress) == 3 and len(self.logged) == 4)
        said["progress"], said["logged"] = self.progress, self.logged

        own = f"memo://{self.name}"
        await client.call_tool("write", {"name": self.name, "text": f"by {self.name}"})
        await self.until(lambda: own in self.heard)
        said["memo"] = await read(client, own)

        # The others change the list, too.
        before = self.heard.count("tools")
        await client.call_tool("initiate")
        await self.until(lambda: self.heard.count("tools") > before)
        said["more_tools"] = [tool.name for tool in (await client.list_tools()).tools]
        said["secret"] = text_of(await client.call_tool("secret"))
        said["heard"] = sorted(set(self.heard))
        said["identified"] = text_of(await client.call_tool("identify"))
        return said

    async def _lists(self, client: Client) -> dict[str, Any]:
        return {
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "prompts": [prompt.name for prompt in (await client.list_prompts()).prompts],
            "resources": [str(each.uri) for each in (await client.list_resources()).resources],
            "templates": [
                each.uri_template
                for each in (await client.list_resource_templates()).resource_templates
            ],
        }


def text_of(result: types.CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def text_of_message(message: types.PromptMessage) -> str:
    assert isinstance(message.content, types.TextContent)
    return message.content.text


async def read(client: Client, uri: str) -> str:
    [contents] = (await client.read_resource(uri)).contents
    assert isinstance(contents, types.TextResourceContents)
    return contents.text
