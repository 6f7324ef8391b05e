"""What is known of a request and of who sent it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

import attrs

from .caller import Caller
from .change import Change

if TYPE_CHECKING:
    from .asks.ask import Ask

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Exchange(Protocol):
    """The way out for what a callback has to say beside its answer. Any thread may call it."""

    def progress(self, progress: float, total: float | None, message: str | None) -> None: ...
    def log(self, level: str, data: Any, logger: str | None) -> None: ...
    def publish(self, change: Change) -> None: ...
    def ask(self, ask: Ask) -> str | None: ...
    def leave_stream(self) -> None: ...


# With a __dict__: frozen and slotted, it takes twice the time to make one.
@attrs.frozen(slots=False)
class Context:
    """Read-only, made afresh for every message, complete in every callback, never persisted."""

    session_id: str | None = None
    """None in the stateless era."""
    request_id: str | int | None = None
    """None while a notification is handled."""
    protocol_version: str = ""
    era: Literal["stateless", "legacy"] = "stateless"
    client_info: Mapping[str, Any] = NOTHING
    """Name and version of the client, as it says; empty when it does not."""
    client_capabilities: Mapping[str, Any] = NOTHING
    init_meta: Mapping[str, Any] = NOTHING
    """The `_meta` of the handshake; empty in the stateless era."""
    meta: Mapping[str, Any] = NOTHING
    """The `_meta` of the message, whole."""
    headers: Mapping[str, str] = NOTHING
    """Lower-case names; empty on a transport without headers."""
    remote_ip: str | None = None
    auth: Mapping[str, Any] | None = None
    """The claims of the token that was verified, or None."""
    initialized: bool = True
    """False until the client has acknowledged a handshake; the stateless era has none."""
    progress_token: str | int | None = None
    log_level: str | None = None
    task_id: str | None = None
    input_responses: Mapping[str, Any] = NOTHING
    """What the client answered to the questions of the round before, by their keys: `Accepted`,
    `Declined` or `Cancelled`, `Sampled`, or a tuple of `Root`."""
    request_state: Any = None
    """The `state` of the round before, as it was given."""
    exchange: Exchange | None = attrs.field(default=None, repr=False, eq=False)
    caller: Caller = attrs.field(factory=Caller, repr=False, eq=False)
