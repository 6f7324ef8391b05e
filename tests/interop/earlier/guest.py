# mypy: ignore-errors
# It is written for `mcp` 1.x, which is not installed where mypy looks.
"""A client of an earlier era, PyPI's `mcp` 1.x, does something at a server, and says what it got,
as one line of JSON. It takes what to do, the URL of the endpoint, and its own name."""

import asyncio
import json
import sys
from contextlib import asynccontextmanager

import httpx
from mcp import ClientSession, McpError, types
from mcp.client.streamable_http import streamablehttp_client
from mcp.shared.message import ClientMessageMetadata
from pydantic import AnyUrl


class Guest:
    def __init__(self, url, name):
        self.url, self.name = url, name
        self.asked, self.logged, self.heard, self.progress, self.exchanged = [], [], [], [], []
        self.stream = None
        """The stream of the request that was answered last by one."""
        self.news = asyncio.Event()

    async def until(self, holds):
        """Wait for something that one of the callbacks brings about."""
        while not holds():
            self.news.clear()
            await self.news.wait()

    def http(self, headers=None, timeout=None, auth=None):
        hooks = {"response": [self.answered]}
        return httpx.AsyncClient(headers=headers, timeout=timeout, auth=auth, event_hooks=hooks)

    async def answered(self, response):
        if response.request.method != "POST":
            self.exchanged.append([response.request.method, response.status_code])
        elif response.headers.get("content-type") == "text/event-stream":
            self.stream = response
        self.news.set()

    async def elicit(self, context, params):
        fields = [*params.requestedSchema["properties"]]
        self.asked.append([params.message, fields])
        content = {"who": self.name} if "who" in fields else {"sure": True}
        return types.ElicitResult(action="accept", content=content)

    async def sample(self, context, params):
        self.asked.append([params.messages[0].content.text, params.maxTokens])
        text = types.TextContent(type="text", text=f"O {self.name}")
        return types.CreateMessageResult(role="assistant", content=text, model="poet")

    async def log(self, params):
        self.logged.append([params.level, params.logger, params.data])
        self.news.set()

    async def hear(self, message):
        match message:
            case types.ServerNotification(root=types.ResourceUpdatedNotification(params=params)):
                self.heard.append(str(params.uri))
            case types.ServerNotification(root=types.ToolListChangedNotification()):
                self.heard.append("tools")
        self.news.set()

    async def note(self, progress, total, message):
        self.progress.append([progress, total, message])
        self.news.set()

    @asynccontextmanager
    async def connected(self):
        """Gives a session with a stream of its own, what it was opened with, and how its id is
        found out."""
        async with streamablehttp_client(self.url, httpx_client_factory=self.http) as streams:
            read, write, session_id = streams
            async with ClientSession(
                read,
                write,
                elicitation_callback=self.elicit,
                sampling_callback=self.sample,
                logging_callback=self.log,
                message_handler=self.hear,
                client_info=types.Implementation(name=self.name, version="1"),
            ) as session:
                opened = await session.initialize()
                await self.until(lambda: ["GET", 200] in self.exchanged)
                yield session, opened, session_id

    async def visit(self):
        """Everything that a server is for."""
        async with self.connected() as (session, opened, session_id):
            said = await self.converse(session, opened) | {"session": session_id()}
        return said | {"exchanged": self.exchanged}

    async def resume(self):
        """Lose the stream of a call that goes on, and then read that stream again from its first
        event on. This revision has no event that says where to come back to a stream which the
        server ends: `leave_stream` does nothing."""
        tokens = []

        async def lose(progress, total, message):
            await self.note(progress, total, message)
            if progress == 1:
                await self.stream.aclose()

        async def keep(token):
            tokens.append(token)

        params = types.CallToolRequestParams(name="leave", arguments={})
        request = types.ClientRequest(types.CallToolRequest(params=params))

        async def call(session, token=None):
            metadata = ClientMessageMetadata(token, keep)
            return await session.send_request(
                request, types.CallToolResult, metadata=metadata, progress_callback=lose
            )

        async with self.connected() as (session, _, _):
            answers = [text_of(await call(session))]
            progress = list(self.progress)
            seen = list(tokens)
            answers.append(text_of(await call(session, seen[0])))
        again = tokens[len(seen) :]
        said = {"answers": answers, "progress": progress, "replayed": again == seen[1:]}
        return said | {"exchanged": self.exchanged}

    async def outlive(self):
        """Call a tool before and after the server has been started anew: whoever has started
        this says when, by a line."""
        async with self.connected() as (session, _, _):
            print(text_of(await session.call_tool("greet")), flush=True)  # noqa: T201
            await asyncio.to_thread(sys.stdin.readline)
            try:
                await session.call_tool("greet")
            except McpError as error:
                return [error.error.code, error.error.message]
        return None

    async def agree(self):
        """Only agree on a revision."""
        try:
            async with self.connected() as (_, opened, _):
                said = {"version": opened.protocolVersion}
        except ExceptionGroup as errors:
            return {"refused": str(_first(errors))}
        return said | {"exchanged": self.exchanged}

    async def converse(self, session, opened):
        server = opened.serverInfo
        said = {
            "version": opened.protocolVersion,
            "server": [server.name, server.version, opened.instructions],
        }
        own, shared = f"memo://{self.name}", "memo://everybody"
        await session.set_logging_level("debug")
        for uri in (own, shared):
            await session.subscribe_resource(AnyUrl(uri))

        said["met"] = text_of(await session.call_tool("meet"))
        await self.until(lambda: shared in self.heard)

        said["tools"] = [tool.name for tool in (await session.list_tools()).tools]
        said["prompts"] = [prompt.name for prompt in (await session.list_prompts()).prompts]
        resources = (await session.list_resources()).resources
        said["resources"] = [str(resource.uri) for resource in resources]
        templates = (await session.list_resource_templates()).resourceTemplates
        said["templates"] = [template.uriTemplate for template in templates]

        greeted = await session.call_tool("greet", {"who": self.name})
        failed = await session.call_tool("greet", {"who": ""})
        said["greeted"] = [greeted.structuredContent, text_of(greeted), greeted.isError]
        said["failed"] = [text_of(failed), failed.isError]
        invited = await session.get_prompt("invitation", {"who": self.name})
        said["invited"] = [invited.description, *(m.content.text for m in invited.messages)]
        said["motto"] = await read_text(session, "house://motto")

        said["composed"] = text_of(await session.call_tool("compose"))
        said["asked"] = sorted(self.asked)
        said["counted"] = text_of(await session.call_tool("count", progress_callback=self.note))
        await self.until(lambda: len(self.progress) == 3 and len(self.logged) == 4)
        said["progress"], said["logged"] = self.progress, self.logged

        await session.call_tool("write", {"name": self.name, "text": f"by {self.name}"})
        await self.until(lambda: own in self.heard)
        said["memo"] = await read_text(session, own)

        # The others change the list, too.
        before = self.heard.count("tools")
        await session.call_tool("initiate")
        await self.until(lambda: self.heard.count("tools") > before)
        said["more_tools"] = [tool.name for tool in (await session.list_tools()).tools]
        said["secret"] = text_of(await session.call_tool("secret"))
        said["heard"] = sorted(set(self.heard))
        said["identified"] = text_of(await session.call_tool("identify"))
        return said


def _first(error):
    """The error behind a group of them."""
    return _first(error.exceptions[0]) if isinstance(error, ExceptionGroup) else error


def text_of(result):
    [content] = result.content
    return content.text


async def read_text(session, uri):
    [contents] = (await session.read_resource(AnyUrl(uri))).contents
    return contents.text


if __name__ == "__main__":
    command, url, name = sys.argv[1:]
    print(json.dumps(asyncio.run(getattr(Guest(url, name), command)())))  # noqa: T201
