"""The behaviour of a server: every callback that an author may write, its contract, and what
happens without it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from ..annotations import Icon, compact, icons_to_wire
from ..components.catalog import Catalog
from ..components.component import check_signature, check_timeout
from ..components.tool import Tool
from ..errors import ConfigurationError, method_not_found, near_miss
from ..frame import Frame
from ..outcome import NoReply, Ok, Reply
from ..protocol.jsonrpc import Notification, Request
from ..protocol.params import CompletionArgument, Reference
from ..protocol.revisions import REVISIONS
from .capabilities import declared_capabilities, with_present
from .router import route
from .session_callbacks import SessionCallbacks
from .state_keys import check_rounds

# The parameters of every callback, behind self.
CALLBACKS: Final[Mapping[str, tuple[str, ...]]] = {
    "init": ("client_info", "frame"),
    "handle_request": ("request", "frame"),
    "handle_notification": ("notification", "frame"),
    "handle_tool_call": ("name", "args", "frame"),
    "handle_prompt_get": ("name", "args", "frame"),
    "handle_resource_read": ("uri", "frame"),
    "handle_completion": ("ref", "argument", "frame"),
    "handle_session_expired": ("session_id", "frame"),
    "handle_info": ("event", "frame"),
    "handle_sampling": ("result", "request_id", "frame"),
    "handle_roots": ("roots", "request_id", "frame"),
    "handle_elicitation": ("result", "request_id", "frame"),
    "terminate": ("reason", "frame"),
    "cache_hints": ("method",),
    "server_tools": ("tools", "frame"),
    "server_instructions": ("frame",),
    "supported_protocol_versions": (),
    "serialize_assigns": ("assigns",),
}

# These run inline on the loop, where nothing awaits them.
_INLINE: Final = (
    "cache_hints",
    "server_tools",
    "server_instructions",
    "supported_protocol_versions",
    "serialize_assigns",
)


class Behaviour(SessionCallbacks):
    """Subclass `ServerBehaviour`; this half of it knows nothing of how a server is run.

    Unless its docstring says otherwise, a callback may be `def`, and runs in a worker thread,
    or `async def`, and runs on the event loop. McpError raised in one reaches the client;
    any other exception is logged with its traceback, and the client hears "Internal error".
    """

    name: str
    """Required: what the server calls itself to clients."""
    version: str
    """Required: the version of the server, of any form."""
    title: str | None = None
    description: str | None = None
    website_url: str | None = None
    icons: Iterable[Icon] = ()
    instructions: str | None = None
    """How to use the server, for the client's model."""
    capabilities: Mapping[str, Any] | Iterable[str] = ()
    """What is added to the capabilities that the components bring, such as
    `{"prompts": {"list_changed": True}}`."""
    components: Iterable[Any] = ()
    """Component classes, instances, providers, `component(Cls, name=…)`, or Python modules, of
    which every component class that the module itself defines is taken."""
    protocol_versions: Iterable[str] | None = None
    """The revisions to serve; None: every one that this package knows."""
    timeout: float | None = 30.0
    """Seconds that one callback may take, unless its component says otherwise. 30 s is what
    Anubis waits, and less than common clients do. None: no deadline."""

    state_keys: Iterable[str | bytes] | None = None
    """The keys that seal what a client carries between the rounds of a request: 32 bytes each,
    or their base64url or hex text. The first one seals and all of them open, so a new key goes
    in front of the old one. None: those of the environment variable ANUBIS_PY_STATE_KEYS,
    separated by commas; else a key of the process, which several processes cannot share."""
    round_timeout: float = 3600.0
    """Seconds within which a client has to come back with its answers."""

    catalog: ClassVar[Catalog]
    overrides: ClassVar[frozenset[str]]
    """The callbacks that the class has written."""
    _capabilities: ClassVar[dict[str, dict[str, Any]]]

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        """`class Base(ServerBehaviour, abstract=True)` declares a base that is no server."""
        super().__init_subclass__(**kwargs)
        cls.overrides = frozenset(_written(cls))
        if abstract:
            return
        for identity in ("name", "version"):
            value = getattr(cls, identity, None)
            if not isinstance(value, str) or not value:
                raise ConfigurationError(
                    f'{cls.__name__} needs a {identity}: set `{identity} = "…"` in the class, '
                    f"got {value!r}."
                )
        _check_texts(cls)
        check_timeout(cls.__name__, cls.timeout)
        cls.catalog = Catalog.of(cls.__name__, cls.components)
        cls._capabilities = with_present(
            declared_capabilities(cls.__name__, cls.capabilities), cls._present()
        )
        if cls.protocol_versions is not None:
            _known_versions(cls.__name__, cls.protocol_versions)
        check_rounds(cls)

    @classmethod
    def _present(cls) -> Iterable[str]:
        catalog = cls.catalog
        if catalog.tools.stocked or "handle_tool_call" in cls.overrides:
            yield "tools"
        if catalog.prompts.stocked or "handle_prompt_get" in cls.overrides:
            yield "prompts"
        readable = catalog.resources.stocked or catalog.templates.stocked
        if readable or "handle_resource_read" in cls.overrides:
            yield "resources"
        if catalog.completes or "handle_completion" in cls.overrides:
            yield "completions"

    def __init__(self) -> None:
        self.versions: Sequence[str] = _known_versions(
            type(self).__name__, self.supported_protocol_versions()
        )

    # -- what the server is

    def server_info(self) -> dict[str, Any]:
        """`Implementation` on the wire."""
        return compact(
            name=self.name,
            version=self.version,
            title=self.title,
            description=self.description,
            websiteUrl=self.website_url,
            icons=icons_to_wire(self.icons),
        )

    def supported_protocol_versions(self) -> Iterable[str]:
        """The revisions to serve. Runs inline, once, when the server is made."""
        return REVISIONS if self.protocol_versions is None else self.protocol_versions

    def capabilities_for(self, frame: Frame) -> dict[str, dict[str, Any]]:
        """What the server can do for this caller, runtime components included."""
        runtime = {
            "tools": frame.tools,
            "prompts": frame.prompts,
            "resources": frame.resources or frame.resource_templates,
        }
        return with_present(self._capabilities, [name for name, some in runtime.items() if some])

    def has_capability(self, name: str, frame: Frame) -> bool:
        return name in self._capabilities or name in self.capabilities_for(frame)

    def server_instructions(self, frame: Frame) -> str | None:
        """How to use the server, for this caller; None leaves the field out.

        Runs inline while server/discover (or a handshake) is answered, with the frame that
        `init` returned.
        """
        return self.instructions

    def server_tools(self, tools: list[Tool], frame: Frame) -> Iterable[Tool]:
        """The tools that this caller may list and call, of all those on offer.

        Runs inline whenever the list is needed: for tools/list and for every tools/call, so
        that what it withholds cannot be called. It may return rewritten tools, such as
        `attrs.evolve(tool, description=…)`. Without it everybody gets every tool.
        """
        return tools

    def cache_hints(self, method: str) -> Mapping[str, Any]:
        """How long a client may keep the complete result of a method, and who may share it.

        Runs inline for server/discover, tools/list, prompts/list, resources/list,
        resources/templates/list and resources/read. Return `{"ttl_ms": …, "scope": …}`:
        milliseconds, and "public" only where the result is the same for every caller.
        Members of a handler's own result win.
        """
        return {}

    # -- the life of a request

    def init(self, client_info: Mapping[str, Any], frame: Frame) -> Any:
        """Set up the frame for a client.

        In the stateless era it runs before every request, with the client info of that
        request, or an empty mapping; the frame that it returns lives as long as the request.
        A handshake runs it once, while that is being answered (`frame.context.initialized` is
        still False), and the frame is the session's; see also `handle_session_expired`.
        Return `Ok(frame)`, or `Failure(error)` to reject: an McpError chooses the code, any
        other reason is sent as an internal error. No session is left behind then.
        """
        return Ok(frame)

    async def handle_request(self, request: Request, frame: Frame) -> Any:
        """Serve any request, except for what concerns the connection itself: `initialize`,
        `ping`, `logging/setLevel` and `subscriptions/listen`. Overriding it bypasses the router;
        `await super().handle_request(request, frame)` is the router.

        Return `Reply(result, frame)` with the result as a mapping, `Failure(error)`, or
        `NoReply()` to complete without a body: over HTTP that is status 202. What the router
        gives may also be an `InputRequired`, to be returned as it is.
        """
        return await route(self, request, frame)

    def handle_notification(self, notification: Notification, frame: Frame) -> Any:
        """Hear of a notification of the client's, but for what belongs to the protocol itself:
        the end of the handshake, and cancellation. Return `NoReply(frame)` or `Failure(error)`,
        which is logged."""
        return NoReply(frame)

    # -- runtime components without a handler of their own

    def handle_tool_call(self, name: str, args: Any, frame: Frame) -> Any:
        """Call a tool of the frame's. The contract is `ToolComponent.execute`'s."""
        raise method_not_found("tools/call")

    def handle_prompt_get(self, name: str, args: Any, frame: Frame) -> Any:
        """Get a prompt of the frame's. The contract is `PromptComponent.get_messages`'s."""
        raise method_not_found("prompts/get")

    def handle_resource_read(self, uri: str, frame: Frame) -> Any:
        """Read a resource of the frame's. The contract is `ResourceComponent.read`'s."""
        raise method_not_found("resources/read")

    def handle_completion(self, ref: Reference, argument: CompletionArgument, frame: Frame) -> Any:
        """Suggest values where the component itself has no `complete`.

        `ref` is a `PromptReference(name)` or a `ResourceTemplateReference(uri)`. The contract
        is `PromptComponent.complete`'s.
        """
        return Reply((), frame)


def _check_texts(cls: type[Behaviour]) -> None:
    for name in ("title", "description", "website_url", "instructions"):
        value = getattr(cls, name)
        if not isinstance(value, str | property | None):
            raise ConfigurationError(
                f"{cls.__name__}: {name} must be text, got {type(value).__name__}."
            )
    for icon in () if isinstance(cls.icons, property) else cls.icons:
        if not isinstance(icon, Icon):
            raise ConfigurationError(
                f"{cls.__name__}: icons must be a list of Icon, got {type(icon).__name__}."
            )


def _written(cls: type[Behaviour]) -> Iterable[str]:
    for name, parameters in CALLBACKS.items():
        definer = next(base for base in cls.__mro__ if name in vars(base))
        if definer in (Behaviour, SessionCallbacks):
            continue
        check_signature(cls, name, parameters)
        if name in _INLINE and inspect.iscoroutinefunction(getattr(cls, name)):
            raise ConfigurationError(
                f"{cls.__name__}.{name} is async: it runs inline, declare it with plain def."
            )
        yield name
    for name in (n for n, v in vars(cls).items() if inspect.isfunction(v) and n not in CALLBACKS):
        # An author's own method may well be called handle_payment: only typing errors count.
        if meant := near_miss(name, CALLBACKS, cutoff=0.9):
            raise ConfigurationError(f"{cls.__name__}.{name} is no callback.{meant}")


def _known_versions(server: str, versions: Iterable[str]) -> tuple[str, ...]:
    chosen = (versions,) if isinstance(versions, str) else tuple(versions)
    for version in chosen:
        if version not in REVISIONS:
            raise ConfigurationError(
                f"{server}: protocol version {version!r} is not served; "
                f"choose from {', '.join(REVISIONS)}."
            )
    if not chosen:
        raise ConfigurationError(f"{server} serves no protocol version; leave the default.")
    return tuple(version for version in REVISIONS if version in chosen)
