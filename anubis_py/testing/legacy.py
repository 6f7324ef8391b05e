"""The client for tests as a client of the handshake revisions."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Final

import anyio

from ..annotations import compact
from ..encoding import dumps
from ..engine.exchange import Peer, Served
from ..engine.legacy.conversation import Conversation
from ..engine.legacy.stream import Stream
from ..engine.outbox import Outbox
from ..errors import McpError, store_down
from ..protocol.jsonrpc import Answer, Notification, Request, decode
from ..sessions.store import StoreDown
from .answers import Answers, answer_to, response
from .subscription import Subscription
from .wire import Wire

# Required in these revisions.
_NAMELESS: Final = {"name": "anubis_py.testing", "version": "1"}


class LegacyWire(Wire):
    _began = False

    async def begin(self) -> None:
        if self._client.session_id is None:
            await self.initialize()
            await self._client.notify("notifications/initialized")

    async def initialize(self) -> None:
        client = self._client
        params = {
            "protocolVersion": client.protocol_version,
            "capabilities": dict(client.capabilities),
            "clientInfo": dict(client.client_info or _NAMELESS),
        }
        await client.request("initialize", params)

    async def end(self) -> None:
        # Who goes on with a session of another client's leaves it to that one.
        if self._began:
            with suppress(McpError):
                await self._client.end_session()

    async def end_session(self) -> None:
        self._began = False
        client = self._client
        with _refusing():
            await client.engines.sessions.end(self._session_id(), client.peer(), "deleted")

    def _session_id(self) -> str:
        session_id = self._client.session_id
        assert session_id is not None, "there is no session yet: use `async with`"
        return session_id

    async def request(
        self,
        method: str,
        params: Mapping[str, Any],
        meta: Mapping[str, Any],
        answers: Answers | None,
    ) -> dict[str, Any]:
        members = {**params, "_meta": dict(meta)} if meta else params
        request, peer = self._message(method, members), self._client.peer()
        if method == "initialize":
            return await self._handshake(request, peer)
        return self._result(await self._converse(self._session_id(), request, peer, answers))

    async def _handshake(self, request: Request, peer: Peer) -> dict[str, Any]:
        client = self._client
        handshake = client.engines.legacy.handshake
        served, session_id = await handshake.initialize(request, peer)
        result = self._result(served)
        self._began = True
        client.session_id = session_id
        client.protocol_version = result["protocolVersion"]
        client.keep(result["serverInfo"], result)
        return result

    async def _converse(
        self, session_id: str, request: Request, peer: Peer, answers: Answers | None
    ) -> Served:
        """Send a request, and hear meanwhile what the server says and asks."""
        outbox, keys = Outbox(), deque[str]()
        faults: list[Exception] = []

        def ask_for(conversation: Conversation) -> None:
            # Nothing on the wire tells the keys by which a callback knows what it asks, but here
            # they can be seen: the questions go out in their order.
            keys.extend(conversation.required.requests)

        async def listen() -> None:
            try:
                while messages := await outbox.take():
                    for message in filter(None, messages):
                        await self._heard(message, keys, answers)
            except Exception as fault:
                # Out of a task group it would come as a group.
                faults.append(fault)
                tasks.cancel_scope.cancel()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listen)
            served = await self._client.engines.legacy.requests.serve(
                session_id, request, peer, outbox, ask_for
            )
            outbox.close()
        if faults:
            raise faults[0]
        return served

    async def _heard(self, data: bytes, keys: deque[str], answers: Answers | None) -> None:
        message = self._client.receive(data)
        if "id" not in message:
            self._client.notifications.append(message)
            return
        questions = self._client.engines.sessions.presences.questions
        if questions.find(self._session_id(), message["id"]) is None:
            self._client.asked.append(message)
            return
        key = keys.popleft()
        asked = {member: message[member] for member in ("method", "params")}
        assert answers is not None, (
            f"the server asks for {key!r}, and there are no answers: {asked}"
        )
        answer = answer_to(answers, key, asked)
        if answer is None:
            self._client.asked.append(message)
        else:
            await self.respond(message, answer)

    async def notify(self, notification: Notification, peer: Peer) -> None:
        with _refusing():
            intake = self._client.engines.legacy.intake
            await intake.notify(self._session_id(), notification, peer)

    async def respond(self, request: Mapping[str, Any], answer: Any) -> None:
        message = decode(dumps(response(request["id"], answer)))
        assert isinstance(message, Answer)
        client = self._client
        client.asked[:] = [asked for asked in client.asked if asked["id"] != message.id]
        with _refusing():
            intake = client.engines.legacy.intake
            afterwards = await intake.take(self._session_id(), message, client.peer())
            if afterwards is not None:
                await afterwards()

    async def set_log_level(self, level: str) -> None:
        await self._client.request("logging/setLevel", {"level": level})

    def carried(self, responses: Mapping[str, Any] | None, state: str | None) -> dict[str, Any]:
        assert responses is None, "input_responses are of the stateless era: give answers"
        assert state is None, "request_state is of the stateless era: give answers"
        return {}

    @asynccontextmanager
    async def listen(
        self, lists: Mapping[str, bool], uris: list[str]
    ) -> AsyncIterator[Subscription]:
        client, streams = self._client, self._client.engines.legacy.streams
        can = client.server_capabilities
        wanted = {
            f"{kind}ListChanged": True
            for kind, want in lists.items()
            if want and can.get(kind, {}).get("listChanged")
        }
        watched = [uri for uri in uris if can.get("resources", {}).get("subscribe")]
        for uri in watched:
            await client.subscribe(uri)
        with _refusing():
            stream = await streams.open(self._session_id(), client.peer(), None)
        with streams.reading(stream):
            honoured = wanted | compact(resourceSubscriptions=watched or None)
            yield Subscription(honoured, self._reader(stream))
        for uri in watched:
            await client.unsubscribe(uri)

    def _reader(self, stream: Stream) -> Any:
        waiting = list(stream.first)

        async def take() -> list[dict[str, Any]]:
            while True:
                events = waiting[:] or await stream.source.take()
                waiting.clear()
                messages = [self._client.receive(e.message) for e in events if e.message]
                self._client.asked += [message for message in messages if "id" in message]
                if messages or not events:
                    return messages

        return take


@contextmanager
def _refusing() -> Iterator[None]:
    """Whatever it is, a client sees an error."""
    try:
        yield
    except StoreDown as error:
        raise store_down(error) from None
