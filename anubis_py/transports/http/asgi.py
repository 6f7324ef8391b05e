"""The ASGI app: which path is the endpoint, and what there is beside it."""

from __future__ import annotations

from ...caller import Gone
from ...change import PROMPTS_CHANGED, RESOURCES_CHANGED, TOOLS_CHANGED, resource_updated
from ...engine.exchange import Served
from ...engine.sealing import NoKey
from ...engine.subscriptions import Bus, LocalBus, Subscriptions
from ...server.behaviour import Behaviour
from .asgi_types import Receive, Scope, Send
from .body import Disconnected
from .endpoint import Endpoint
from .reply import send_reply
from .settings import HttpSettings


class App:
    """An ASGI 3 application that serves one server, on any ASGI server and either event loop.

    Its `send_…` methods tell every listener of a change, from anywhere in the program. `bus`
    carries changes between the processes of one server.
    """

    def __init__(
        self, server: Behaviour, settings: HttpSettings | None = None, *, bus: Bus | None = None
    ) -> None:
        self.server = server
        self.settings = settings or HttpSettings()
        self.subscriptions = Subscriptions(bus or LocalBus())
        self._endpoint = Endpoint(server, self.settings, self.subscriptions)

    async def send_resource_updated(self, uri: str) -> None:
        """A resource has changed; who listens to this very URI is told."""
        self.subscriptions.publish(resource_updated(uri))

    async def send_tools_list_changed(self) -> None:
        self.subscriptions.publish(TOOLS_CHANGED)

    async def send_prompts_list_changed(self) -> None:
        self.subscriptions.publish(PROMPTS_CHANGED)

    async def send_resources_list_changed(self) -> None:
        """The list of resources or of templates has changed."""
        self.subscriptions.publish(RESOURCES_CHANGED)

    def close(self) -> None:
        """End every subscription with its closing result. Call it when the server stops, before
        open connections are waited for; `ServerBehaviour.run` does."""
        self.subscriptions.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:
            # A WebSocket is refused by closing it before it is accepted.
            await send({"type": "websocket.close", "code": 1000, "reason": ""})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        place = self._place(scope)
        if place == self.settings.health_path:
            await _health(scope, send)
        elif place != self.settings.path:
            await send_reply(send, Served(404, None))
        elif scope["method"] != "POST":
            # "HTTP GET or DELETE to the MCP endpoint": 405 in this revision.
            await send_reply(send, Served(405, None), (b"allow", b"POST"))
        else:
            try:
                await self._endpoint.post(scope, receive, send)
            except (Disconnected, Gone):
                return

    def _place(self, scope: Scope) -> str:
        """The path below the mount point. A server may or may not repeat that in the path; a
        slash at the end is as good as none, for a redirect would lose the body."""
        path: str = scope["path"].rstrip("/") or "/"
        if path in (self.settings.path, self.settings.health_path):
            return path
        root = scope.get("root_path", "").rstrip("/")
        return path[len(root) :] or "/" if root and path.startswith(root) else path

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    self._endpoint.check()
                except NoKey as error:
                    await send({"type": "lifespan.startup.failed", "message": str(error)})
                    return
                self.subscriptions.open()
            else:
                self.close()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return


async def _health(scope: Scope, send: Send) -> None:
    if scope["method"] in ("GET", "HEAD"):
        await send_reply(send, Served(200, b'{"status":"ok"}'))
    else:
        await send_reply(send, Served(405, None), (b"allow", b"GET, HEAD"))
