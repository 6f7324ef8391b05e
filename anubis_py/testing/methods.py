"""The methods of the protocol, as the client for tests has them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from ..context import NOTHING
from .answers import Answers
from .subscription import Subscription
from .wire import Wire


class Methods(ABC):
    """Each sends a request and gives its result, as a mapping in wire form."""

    _wire: Wire

    @abstractmethod
    async def request(
        self,
        method: str,
        params: Mapping[str, Any] = NOTHING,
        *,
        meta: Mapping[str, Any] = NOTHING,
        answers: Answers | None = None,
    ) -> dict[str, Any]: ...

    async def discover(self) -> dict[str, Any]:
        return await self.request("server/discover")

    async def ping(self) -> None:
        """There is none in the stateless era."""
        await self.request("ping")

    async def set_log_level(self, level: str) -> None:
        """Ask for the log messages of a level and those above it, from now on."""
        await self._wire.set_log_level(level)

    async def list_tools(self, cursor: str | None = None) -> dict[str, Any]:
        return await self.request("tools/list", _page(cursor))

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] = NOTHING,
        *,
        meta: Mapping[str, Any] = NOTHING,
        answers: Answers | None = None,
        input_responses: Mapping[str, Any] | None = None,
        request_state: str | None = None,
    ) -> dict[str, Any]:
        params = {"name": name, "arguments": dict(arguments)}
        params |= self._wire.carried(input_responses, request_state)
        return await self.request("tools/call", params, meta=meta, answers=answers)

    async def list_prompts(self, cursor: str | None = None) -> dict[str, Any]:
        return await self.request("prompts/list", _page(cursor))

    async def get_prompt(
        self,
        name: str,
        arguments: Mapping[str, str] = NOTHING,
        *,
        meta: Mapping[str, Any] = NOTHING,
        answers: Answers | None = None,
        input_responses: Mapping[str, Any] | None = None,
        request_state: str | None = None,
    ) -> dict[str, Any]:
        params = {"name": name, "arguments": dict(arguments)}
        params |= self._wire.carried(input_responses, request_state)
        return await self.request("prompts/get", params, meta=meta, answers=answers)

    async def list_resources(self, cursor: str | None = None) -> dict[str, Any]:
        return await self.request("resources/list", _page(cursor))

    async def list_resource_templates(self, cursor: str | None = None) -> dict[str, Any]:
        return await self.request("resources/templates/list", _page(cursor))

    async def read_resource(
        self,
        uri: str,
        *,
        meta: Mapping[str, Any] = NOTHING,
        answers: Answers | None = None,
        input_responses: Mapping[str, Any] | None = None,
        request_state: str | None = None,
    ) -> dict[str, Any]:
        params = {"uri": uri, **self._wire.carried(input_responses, request_state)}
        return await self.request("resources/read", params, meta=meta, answers=answers)

    async def complete(
        self,
        ref: Mapping[str, Any],
        name: str,
        value: str = "",
        context: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Suggestions for an argument. `ref` is `{"type": "ref/prompt", "name": …}` or
        `{"type": "ref/resource", "uri": …}`."""
        params: dict[str, Any] = {"ref": dict(ref), "argument": {"name": name, "value": value}}
        if context is not None:
            params["context"] = {"arguments": dict(context)}
        return await self.request("completion/complete", params)

    # -- what a server tells by itself

    async def subscribe(self, uri: str) -> None:
        """Have the stream of the session tell of changes of a resource. In the stateless era
        every subscription is a stream of its own: `listen`."""
        await self.request("resources/subscribe", {"uri": uri})

    async def unsubscribe(self, uri: str) -> None:
        await self.request("resources/unsubscribe", {"uri": uri})

    def listen(
        self,
        *,
        tools: bool = False,
        prompts: bool = False,
        resources: bool = False,
        uris: Iterable[str] = (),
    ) -> AbstractAsyncContextManager[Subscription]:
        """Listen to changes of the lists, and of resources by their URIs.

        async with client.listen(uris=["notes:///today"]) as subscription:
            note = await subscription.receive()

        A session has one stream for all that belongs to no request: whatever else there is to
        say comes there, too, asked for or not.
        """
        lists = {"tools": tools, "prompts": prompts, "resources": resources}
        return self._wire.listen(lists, list(uris))


def _page(cursor: str | None) -> dict[str, Any]:
    return {} if cursor is None else {"cursor": cursor}
