"""Who may speak to the endpoint, as far as Host and Origin tell.

DNS rebinding: a page that the user visits at `http://evil.example:8000` has its name moved to
127.0.0.1, and may then, being of the same origin, send requests to a server that listens there
and read the answers. It cannot change what the browser puts into Host and Origin: its own name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final, TypeAlias, TypeVar

import attrs

from ...errors import ConfigurationError

# A DNS name has at most 253 characters; the rest is for a scheme and a port. What is longer is
# refused unread, so that the verdicts which are kept stay small.
_LONGEST: Final = 300

_WEB_PORTS: Final = {"http": 80, "https": 443}

_AUTHORITY: Final = re.compile(
    r"(?P<name>[\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-f:.]+\])(?::(?P<port>\d{0,5}))?",
    re.ASCII | re.IGNORECASE,
)
_ORIGIN: Final = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<rest>.*)", re.ASCII | re.IGNORECASE
)

_Pattern = TypeVar("_Pattern")
_Verdict: TypeAlias = Callable[[str | None, str | None, str | None], str | None]


@attrs.frozen(repr=False)
class _Authority:
    """`host[:port]`. As a pattern, its name may begin with `*.`, and no port is any port."""

    name: str
    port: int | None

    @classmethod
    def parse(cls, text: str) -> _Authority | None:
        found = _AUTHORITY.fullmatch(text)
        if found is None:
            return None
        name = _canonical(found["name"].lower())
        port = int(found["port"]) if found["port"] else None
        return None if name is None or (port or 0) > 65535 else cls(name, port)

    @classmethod
    def pattern(cls, text: str) -> _Authority | None:
        found = cls.parse(text.removeprefix("*."))
        if found is None or not text.startswith("*."):
            return found
        return None if found.name[0] == "[" else attrs.evolve(found, name="*." + found.name)

    def covers(self, other: _Authority) -> bool:
        # Clients leave out the port that their scheme implies.
        ports = _WEB_PORTS.values() if other.port is None else (other.port,)
        return (self.port is None or self.port in ports) and self.covers_name(other.name)

    def covers_name(self, name: str) -> bool:
        return name.endswith(self.name[1:]) if self.name[0] == "*" else name == self.name


@attrs.frozen(eq=False, repr=False)
class _Origin:
    """`scheme://host[:port]`, whose port is never the one that the scheme implies."""

    scheme: str
    authority: _Authority

    @classmethod
    def parse(
        cls, text: str, authority_of: Callable[[str], _Authority | None] = _Authority.parse
    ) -> _Origin | None:
        found = _ORIGIN.fullmatch(text)
        authority = authority_of(found["rest"]) if found else None
        if found is None or authority is None:
            return None
        scheme = found["scheme"].lower()
        return cls(scheme, _without_default(scheme, authority))

    @classmethod
    def pattern(cls, text: str) -> _Origin | None:
        return cls.parse(text, _Authority.pattern)

    def covers(self, other: _Origin) -> bool:
        mine, its = self.authority, other.authority
        return (self.scheme, mine.port) == (other.scheme, its.port) and mine.covers_name(its.name)

    def is_at(self, host: _Authority) -> bool:
        """Whether a page of this origin sends `host` when it talks to where it came from."""
        own = _without_default(self.scheme, host)
        return self.scheme in _WEB_PORTS and own == self.authority


def _without_default(scheme: str, authority: _Authority) -> _Authority:
    implied = authority.port == _WEB_PORTS.get(scheme)
    return attrs.evolve(authority, port=None) if implied else authority


def _canonical(name: str) -> str | None:
    """A host's name in one spelling, without the dot of a fully qualified one."""
    if not name.startswith("["):
        return name.removesuffix(".")
    try:
        return f"[{IPv6Address(name[1:-1])}]"
    except ValueError:
        return None


def _is_loopback(name: str) -> bool:
    if name == "localhost":
        return True
    try:
        address = ip_address(name.strip("[]"))
    except ValueError:
        return False
    # A socket that serves both families sees IPv4 as ::ffff:127.0.0.1.
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def _entries(value: Iterable[str] | None) -> tuple[str, ...] | None:
    return (value,) if isinstance(value, str) else None if value is None else tuple(value)


@attrs.frozen
class HostPolicy:
    """Which Host and Origin headers are admitted.

    `allowed_hosts` has `example.com` (any port), `example.com:8443` (that port), `[2001:db8::1]`,
    `*.example.com` (every subdomain, not the domain itself), or `*`, for which Host is not
    looked at. With None, a connection that arrives on a loopback address has to say so in its
    Host (`localhost`, `127.x.x.x`, `[::1]`), and any other connection may say what it likes.

    `allowed_origins` has `https://app.example.com`, `https://app.example.com:8443`,
    `https://*.example.com`, or `*`. A request without Origin is not one that a web page sent
    across origins, and is admitted. So are, without being listed, an origin on a loopback host
    if the connection arrives on a loopback address, and the origin that is the request's own
    Host, if one of `allowed_hosts` other than `*` admits that Host.

    Loopback hosts are admitted on a loopback address also when `allowed_hosts` is given, for
    health checks and proxies on the same machine. That lets no rebinding page in: it comes with
    the name that it was loaded from, and nobody can give it that of a loopback host.

    An entry that can match nothing raises ConfigurationError, with the fix.
    """

    allowed_hosts: tuple[str, ...] | None = attrs.field(default=None, converter=_entries)
    allowed_origins: tuple[str, ...] | None = attrs.field(default=None, converter=_entries)
    _hosts: tuple[_Authority, ...] = attrs.field(init=False, repr=False, eq=False)
    _origins: tuple[_Origin, ...] = attrs.field(init=False, repr=False, eq=False)
    _verdict: _Verdict = attrs.field(init=False, repr=False, eq=False)

    @_hosts.default
    def _read_hosts(self) -> tuple[_Authority, ...]:
        if self.allowed_hosts == ():
            raise ConfigurationError(
                "allowed_hosts is empty, which admits nobody: name the hosts, or leave it None"
            )
        return _read("allowed_hosts", self.allowed_hosts, _Authority.pattern, _host_advice)

    @_origins.default
    def _read_origins(self) -> tuple[_Origin, ...]:
        return _read("allowed_origins", self.allowed_origins, _Origin.pattern, _origin_advice)

    @_verdict.default
    def _remember(self) -> _Verdict:
        return lru_cache(maxsize=256)(self._judge)

    def refusal(self, local: str | None, host: str | None, origin: str | None) -> str | None:
        """None if the request is admitted, else a sentence for the log: what was refused, and
        which setting would admit it.

        `local` is the address that the connection arrived on, None if it has none or nobody
        knows; `host` and `origin` are the headers, None if absent.
        """
        for header, value in (("Host", host), ("Origin", origin)):
            if value is not None and len(value) > _LONGEST:
                return f"{header} {_show(value)} refused: it is longer than any name can be"
        return self._verdict(local, host, origin)

    def _judge(self, local: str | None, host: str | None, origin: str | None) -> str | None:
        loopback = local is not None and _is_loopback(local)
        return self._host_refusal(loopback, host) or self._origin_refusal(loopback, host, origin)

    def _host_refusal(self, loopback: bool, host: str | None) -> str | None:
        if self.allowed_hosts is None and not loopback:
            return None
        if "*" in (self.allowed_hosts or ()):
            return None
        if not host:
            return "Request without Host refused: only allowed_hosts with '*' would admit it"
        found = _Authority.parse(host)
        if found is None:
            return f"Host {_show(host)} refused: it is not a host's name"
        if self._lists(found) or (loopback and _is_loopback(found.name)):
            return None
        return f"Host {_show(host)} refused: add it to allowed_hosts"

    def _origin_refusal(self, loopback: bool, host: str | None, origin: str | None) -> str | None:
        if origin is None or "*" in (self.allowed_origins or ()):
            return None
        found = _Origin.parse(origin)
        if found is None:
            return f"Origin {_show(origin)} refused: only allowed_origins with '*' would admit it"
        if loopback and _is_loopback(found.authority.name):
            return None
        if any(entry.covers(found) for entry in self._origins) or self._is_own(found, host):
            return None
        return f"Origin {_show(origin)} refused: add it to allowed_origins"

    def _is_own(self, origin: _Origin, host: str | None) -> bool:
        found = _Authority.parse(host or "")
        return found is not None and origin.is_at(found) and self._lists(found)

    def _lists(self, host: _Authority) -> bool:
        return any(entry.covers(host) for entry in self._hosts)


def _read(
    setting: str,
    entries: tuple[str, ...] | None,
    parse: Callable[[str], _Pattern | None],
    advice: Callable[[str], str],
) -> tuple[_Pattern, ...]:
    patterns = []
    for entry in entries or ():
        if entry == "*":
            continue
        pattern = parse(entry)
        if pattern is None:
            raise ConfigurationError(
                f"{setting} has {entry!r}, which matches nothing: {advice(entry)}"
            )
        patterns.append(pattern)
    return tuple(patterns)


def _host_advice(entry: str) -> str:
    host = (entry.partition("://")[2] or entry).partition("/")[0].removesuffix(":*")
    if host.count(":") > 1 and "[" not in host:
        host = f"[{host}]"
    if _Authority.pattern(host):
        return f"write {host!r}"
    return "write host, host:port, [IPv6], *.domain or *"


def _origin_advice(entry: str) -> str:
    scheme, _, rest = entry.rpartition("://")
    origin = f"{scheme or 'https'}://{rest.partition('/')[0]}"
    if entry != "null" and _Origin.pattern(origin):
        return f"write {origin!r}"
    return "write scheme://host, scheme://host:port, scheme://*.domain or *"


def _show(value: str) -> str:
    """At most the beginning of what a peer sent, and nothing that a terminal would obey."""
    return ascii(value if len(value) <= 64 else value[:61] + "...")
