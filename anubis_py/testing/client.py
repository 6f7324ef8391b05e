"""The client for tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Literal, Self

from ..caller import Caller
from ..context import NOTHING
from ..encoding import dumps, loads
from ..engine.engines import Engines
from ..engine.exchange import Peer
from ..engine.legacy.limits import SessionLimits
from ..protocol.jsonrpc import Notification, decode
from ..protocol.revisions import REVISIONS, negotiate
from ..server.behaviour import Behaviour
from ..sessions.store import Store
from .answers import Answers
from .legacy import LegacyWire
from .methods import Methods
from .stateless import StatelessWire
from .wire import Wire


class Client(Methods):
    """Speaks to a server as any client does, of either era.

    Works under trio and asyncio alike. Every message goes through its bytes, so that what a
    test sees is what a client would see. An error of the server's is raised as McpError, with
    its code, data and HTTP status; a tool's failure is a result with `isError`, as on the wire.
    A request that is not answered, as after its cancellation, gives an empty result.

    `protocol_version` is the newest that the server has, unless given. One of the handshake
    revisions makes `async with` begin a session, and end it; everything else reads the same::

        @pytest.mark.parametrize("version", ["2026-07-28", "2025-11-25"])
        async def test_it_greets(version):
            async with Client(Greeter, protocol_version=version, capabilities=FORMS) as client:
                result = await client.call_tool("greet", answers={"who": Accepted({"name": "Ada"})})

    A server may have to ask the client first. `call_tool`, `get_prompt` and `read_resource` take
    `answers` to what it asks, by the keys that its callback asks with, or from a function of the
    key and the request, and go on until the result is there. An answer is `Accepted`, `Declined`,
    `Cancelled`, `Sampled`, a tuple of `Root`, or anything in wire form; in a session a McpError,
    too. None leaves it out: then a server of the stateless era asks again, and one that has a
    session waits, for up to its `round_timeout`. Without `answers`, the result of the stateless
    era is the question, and `input_responses` and `request_state` go on from it, one round at a
    time; in a session, where the server waits, the test fails.

    `capabilities` are the client's, which the server asks nothing without. `auth` are the claims
    of a token, as if it had been verified; `headers` and `assigns` are what a transport would
    bring along. All of these are attributes, too, and may be changed between requests. `clock`
    gives the time by which rounds of the stateless era expire.

    Sessions are kept in a `store` of the client's own. Two clients that share one are clients of
    two nodes, and `session_id` goes on at this node with the session of another client::

        store = MemoryStore()
        async with Client(Counter, protocol_version="2025-11-25", store=store) as client:
            await client.call_tool("increment")
            async with Client(Counter, store=store, session_id=client.session_id) as elsewhere:
                await elsewhere.call_tool("increment")

    `session_idle` and `max_sessions` are those of `HttpSettings`.
    """

    def __init__(
        self,
        server: Behaviour | type[Behaviour],
        *,
        protocol_version: str | None = None,
        client_info: Mapping[str, Any] | None = None,
        capabilities: Mapping[str, Any] = NOTHING,
        auth: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] = NOTHING,
        assigns: Mapping[str, Any] = NOTHING,
        clock: Callable[[], float] = time.time,
        store: Store | None = None,
        session_id: str | None = None,
        session_idle: float = 1800.0,
        max_sessions: int = 10_000,
    ) -> None:
        self.server = server() if isinstance(server, type) else server
        limits = SessionLimits(idle=session_idle, count=max_sessions)
        self.engines = Engines(self.server, store=store, limits=limits, clock=clock)
        self.subscriptions = self.engines.subscriptions
        self.client_info = client_info
        self.capabilities = capabilities
        self.auth = auth
        self.headers = headers
        self.assigns = assigns
        self.session_id = session_id
        """None without a session."""
        if protocol_version is None and session_id is not None:
            protocol_version = negotiate("", self.server.versions)
        self.protocol_version: str = protocol_version or self.server.versions[0]
        """The one that was agreed on, after a handshake."""
        self.server_info: dict[str, Any] = {}
        """What the server says of itself: in the handshake, or when `discover` asks it."""
        self.server_capabilities: dict[str, Any] = {}
        """As `server_info`."""
        self.instructions: str | None = None
        """As `server_info`."""
        self.notifications: list[dict[str, Any]] = []
        """What the server said beside its answers, in order: progress and log messages."""
        self.asked: list[dict[str, Any]] = []
        """The requests of the server's that were left unanswered; `answer` takes them out."""
        self.last_id = 0
        """The id of the newest request, which is what a cancellation has to name."""
        self._wire: Wire = LegacyWire(self) if self.era == "legacy" else StatelessWire(self)

    @property
    def era(self) -> Literal["stateless", "legacy"]:
        """Legacy: it begins with a handshake, which the server has to know, too."""
        revision = REVISIONS.get(self.protocol_version)
        if revision is None or not self.engines.legacy.versions:
            return "stateless"
        return revision.era

    # -- the session

    async def __aenter__(self) -> Self:
        self.engines.start()
        try:
            await self._wire.begin()
        except BaseException:
            self.engines.stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            await self._wire.end()
        finally:
            self.engines.close()
            self.engines.stop()

    async def initialize(self) -> None:
        """The handshake alone, for what may come before `notifications/initialized`; `async with`
        does both. Again, it begins another session."""
        await self._wire.initialize()

    async def end_session(self) -> None:
        """End the session here and now, as DELETE does over HTTP."""
        await self._wire.end_session()

    def keep(self, server_info: dict[str, Any], said: Mapping[str, Any]) -> None:
        """Remember what the server has said of itself."""
        self.server_info = server_info
        self.server_capabilities = said.get("capabilities", {})
        self.instructions = said.get("instructions")

    # -- any message

    async def request(
        self,
        method: str,
        params: Mapping[str, Any] = NOTHING,
        *,
        meta: Mapping[str, Any] = NOTHING,
        answers: Answers | None = None,
    ) -> dict[str, Any]:
        """Send any request and give its result. `meta` is added to what every request says, such
        as `{"progressToken": 1}`."""
        return await self._wire.request(method, params, meta, answers)

    async def notify(self, method: str, params: Mapping[str, Any] = NOTHING) -> None:
        message = decode(dumps({"jsonrpc": "2.0", "method": method, "params": params}))
        assert isinstance(message, Notification)
        await self._wire.notify(message, self.peer())

    async def answer(self, request: Mapping[str, Any], answer: Any) -> None:
        """Answer a request of the server's that is in `asked`, or came on a stream. It returns
        when the server's callback for it has run."""
        await self._wire.respond(request, answer)

    def receive(self, body: bytes) -> dict[str, Any]:
        """A message of the server's. Override it to look at every one."""
        message: dict[str, Any] = loads(body)
        return message

    def peer(self) -> Peer:
        """Who sends a message."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        return Peer(headers, None, self.auth, self.assigns, Caller())

    async def publish_event(self, event: Any, *, session_id: str | None = None) -> None:
        """Hand an event to `handle_info`, as `App.publish_event` does: for every session of the
        store, or for one."""
        await self.engines.legacy.intake.inform(event, session_id)
