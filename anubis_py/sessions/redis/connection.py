"""A way to Redis that comes back by itself."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import urlsplit

import anyio

from ...errors import ConfigurationError
from ..store import StoreDown
from .tls import tls_context

try:
    from coredis import Redis
    from coredis.exceptions import RedisError, ResponseError
    from coredis.retry import NoRetryPolicy
except ModuleNotFoundError as error:
    if error.name != "coredis":
        raise
    raise ConfigurationError(
        'Sessions in Redis need coredis, which is not installed: pip install "anubis-py[redis]"'
    ) from None

T = TypeVar("T")
Client: TypeAlias = Redis[bytes]

logger = logging.getLogger(__name__)

# Seconds for a connection, and then for an answer: together, what a client may have to wait
# before it is told that the store is down.
_CONNECT: Final = 1.0
_ANSWER: Final = 1.0
# A server that has just started needs a moment until `run` does.
_START: Final = 5.0
_CONNECTIONS: Final = 16
# Seconds for which connections are kept at least: while Redis is down, every command fails.
_YOUNG: Final = 0.25
_SILENCE: Final = "Redis does not answer"


class Connection:
    """Commands share a few sockets. What is lost is opened again by the next command."""

    def __init__(self, url: str, *, patience: float = 0.0) -> None:
        """`patience`: seconds for which Redis may keep an answer back because it was told to. Such
        a connection is for one task, which is cancelled only when the connection is closed."""
        scheme = urlsplit(url).scheme
        if scheme not in ("redis", "rediss", "unix"):
            raise ConfigurationError(
                f"{scheme!r} is no scheme of Redis: write redis://host:6379/0, or rediss:// for TLS"
            )
        self._url = url
        self._tls = tls_context(url)
        self._answer = _ANSWER + patience
        # To cancel a command that opens a socket costs coredis a place in its pool for good.
        self._shield = patience == 0
        self._client: Client | None = None
        self._opened: anyio.Event | None = None
        self._broken = anyio.Event()
        self._since = 0.0

    async def do(self, command: Callable[[Client], Awaitable[T]]) -> T:
        """Give a command, and its answer. Raises StoreDown; whether Redis has done it is not
        known then."""
        client = self._client or await self._wait()
        # coredis has its own time-outs; this one is for what they forget.
        with anyio.move_on_after(_CONNECT + self._answer + 1, shield=self._shield):
            try:
                return await command(client)
            except ResponseError as error:
                raise StoreDown(f"Redis: {error}") from error
            except (RedisError, OSError, anyio.ClosedResourceError) as error:
                # Also TimeoutError: the sockets may be dead without having been closed.
                self._distrust(client)
                raise StoreDown(_said(error)) from error
            except RuntimeError as error:
                # The pool was closed meanwhile.
                if self._client is client:
                    raise
                raise StoreDown("the connection to Redis was closed") from error
        self._distrust(client)
        raise StoreDown(_SILENCE)

    async def run(self) -> None:
        """Be open, until cancelled."""
        try:
            while True:
                await self._be_open()
        finally:
            self._client = self._opened = None

    async def _be_open(self) -> None:
        """Until it is broken."""
        self._broken = anyio.Event()
        try:
            async with self._open() as client:
                self._client, self._since = client, anyio.current_time()
                waited_for, self._opened = self._opened, None
                if waited_for is not None:
                    waited_for.set()
                await self._broken.wait()
        except Exception:
            # Nothing that may happen to a socket comes here; what coredis gets wrong might.
            self._client = None
            logger.exception("The connections to Redis are opened anew")
            await anyio.sleep(_CONNECT)

    def _distrust(self, client: Client) -> None:
        """Open all anew. A socket that is lost while a command uses it leaves its place in the
        pool of coredis 6.9 empty for good: after some restarts of Redis there would be none."""
        if self._client is client and anyio.current_time() - self._since > _YOUNG:
            # Whoever comes now waits for the new ones.
            self._client = None
            self._broken.set()

    async def _wait(self) -> Client:
        if self._opened is None:
            self._opened = anyio.Event()
        with anyio.move_on_after(_START):
            await self._opened.wait()
        if self._client is None:
            raise StoreDown("the connection to Redis is not open: does `run` run?")
        return self._client

    def _open(self) -> Client:
        options: dict[str, Any] = {} if self._tls is None else {"ssl_context": self._tls}
        return Redis.from_url(
            self._url,
            decode_components=True,
            verify_version=False,
            # A command whose answer is lost may have been done: whoever gave it decides.
            retry_policy=NoRetryPolicy(),
            max_connections=_CONNECTIONS,
            connect_timeout=_CONNECT,
            pool_timeout=_CONNECT + _ANSWER,
            stream_timeout=self._answer,
            **options,
        )


def _said(error: Exception) -> str:
    """With what is behind it: that a certificate is not good, say."""
    reasons = [str(each) for each in (error, error.__cause__) if each is not None and str(each)]
    return f"Redis: {': '.join(reasons)}" if reasons else _SILENCE
