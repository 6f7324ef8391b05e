"""The ASGI app: which path is the endpoint, and what there is beside it."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

from ...change import PROMPTS_CHANGED, RESOURCES_CHANGED, TOOLS_CHANGED, resource_updated
from ...engine.engines import Engines
from ...engine.exchange import Served
from ...engine.legacy.limits import SessionLimits
from ...engine.sealing import NoKey
from ...errors import ConfigurationError
from ...loop import this_loop
from ...server.behaviour import Behaviour
from .asgi_types import Receive, Scope, Send
from .endpoint import Endpoint
from .reply import send_reply
from .settings import HttpSettings

if TYPE_CHECKING:
    from ...sessions.bus import Bus
    from ...sessions.event_store import EventStore
    from ...sessions.store import Store


class App:
    """An ASGI 3 application that serves one server, on any ASGI server and either event loop.

    Its `send_…` methods tell every listener of a change, from anywhere in the program.

    `bus` and `event_store` replace what the store of its settings brings along: what carries
    changes between processes, and what keeps the messages of streams.
    """

    def __init__(
        self,
        server: Behaviour,
        settings: HttpSettings | None = None,
        *,
        bus: Bus | None = None,
        event_store: EventStore | None = None,
    ) -> None:
        self.server = server
        self.settings = settings or HttpSettings()
        self.engines = Engines(
            server,
            store=_opened(self.settings.store),
            bus=bus,
            events=event_store,
            limits=SessionLimits(idle=self.settings.session_idle, count=self.settings.max_sessions),
        )
        self.subscriptions = self.engines.subscriptions
        self._endpoint = Endpoint(self.engines, self.settings)
        self._loop: object = None
        """The event loop that it has been started on."""

    async def publish_event(self, event: Any, *, session_id: str | None = None) -> None:
        """Hand an event of the application's to `handle_info`: once for every session that there
        is, or for one. It returns when they all have run, each after what its session does now: so
        do not await it in a callback. Clients of the stateless era have no session."""
        await self.engines.legacy.intake.inform(event, session_id)

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
        self.engines.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            if self._loop is not this_loop():
                # Not every server tells of its start, and an app may see several event loops.
                self._start()
            await self._http(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        else:
            # A WebSocket is refused by closing it before it is accepted.
            await send({"type": "websocket.close", "code": 1000, "reason": ""})

    def _start(self) -> None:
        self._loop = this_loop()
        self.engines.start()

    def _http(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        place = self._place(scope)
        if place == self.settings.path:
            return self._endpoint.handle(scope, receive, send)
        if place == self.settings.health_path:
            return _health(scope, send)
        return send_reply(send, Served(404, None))

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
                    self.engines.check()
                    self._start()
                except (NoKey, ConfigurationError) as error:
                    await send({"type": "lifespan.startup.failed", "message": str(error)})
                    return
            else:
                self.close()
                await self.engines.shut_down()
                self._loop = None
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return


def _opened(store: Store | str | None) -> Store | None:
    """Raises ConfigurationError for a text that names none."""
    if not isinstance(store, str):
        return store
    from ...sessions.open_store import open_store

    return open_store(store)


async def _health(scope: Scope, send: Send) -> None:
    if scope["method"] in ("GET", "HEAD"):
        await send_reply(send, Served(200, b'{"status":"ok"}'))
    else:
        await send_reply(send, Served(405, None), (b"allow", b"GET, HEAD"))
