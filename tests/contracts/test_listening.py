"""What a server's own code may do to a subscription that is being opened."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from support.client import CheckedClient
from support.log import ServerLog

from anubis_py import (
    Failure,
    Frame,
    McpError,
    Resource,
    ResourceProvider,
    Response,
    ServerBehaviour,
)


class Failing(ResourceProvider):
    broken = False

    def resources(self) -> Iterable[Resource]:
        if self.broken:
            raise RuntimeError("db://secret")
        return [Resource("a", uri="memo:///a")]

    def resource_read(self, uri: str, params: Any, frame: Frame) -> Any:
        return Response.resource().text("x")


@pytest.mark.anyio
async def test_a_provider_that_fails_is_no_subscription(server_log: ServerLog) -> None:
    provider = Failing()

    class Memos(ServerBehaviour):
        name = "memos"
        version = "1"
        components = (provider,)
        capabilities = {"resources": {"subscribe": True}}  # noqa: RUF012

    client = CheckedClient(Memos)
    provider.broken = True
    with pytest.raises(McpError, match=r"^Internal error \(-32603\)$"):
        async with client.listen(uris=["memo:///a"]):
            pass
    server_log.take("subscriptions/listen", "failed", traceback=True)
    provider.broken = False
    async with client.listen(uris=["memo:///a"]) as subscription:
        assert subscription.honoured == {"resourceSubscriptions": ["memo:///a"]}
    assert len(client.subscriptions) == 0


@pytest.mark.anyio
async def test_init_may_refuse_a_listener() -> None:
    class Closed(ServerBehaviour):
        name = "closed"
        version = "1"
        capabilities = {"tools": {"list_changed": True}}  # noqa: RUF012

        def init(self, client_info: Any, frame: Frame) -> Any:
            return Failure(McpError(4001, "Not today"))

    with pytest.raises(McpError, match=r"^Not today \(4001\)$"):
        async with CheckedClient(Closed).listen(tools=True):
            pass
