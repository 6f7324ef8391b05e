from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anubis_py.errors import ConfigurationError
from anubis_py.transports.http.security import HostPolicy

LOOPBACK = ["127.0.0.1", "127.8.9.10", "::1", "localhost", "::ffff:127.0.0.1"]
ELSEWHERE = ["10.0.0.5", "192.168.1.20", "2001:db8::1", "app", None]


def admitted(
    policy: HostPolicy, local: str | None, host: str | None, origin: str | None = None
) -> bool:
    return policy.refusal(local, host, origin) is None


# Nothing configured


@pytest.mark.parametrize(
    ("local", "host"),
    [*product(LOOPBACK, ["localhost", "LocalHost:1", "localhost.", "127.1.2.3:80", "[::1]:80"])],
)
def test_loopback_hosts_are_admitted_on_loopback(local: str, host: str) -> None:
    policy = HostPolicy()
    assert admitted(policy, local, host)
    assert admitted(policy, local, host, f"http://{host}")


@pytest.mark.parametrize(
    "host",
    [
        "evil.example.com",
        "evil.example.com:8000",
        "localhost.evil.example",
        "evil-localhost",
        "127.0.0.1.evil.example",
        "127.0.0.256",
        "128.0.0.1",
        "0.0.0.0",
        "[::2]",
        "192.168.1.20",
    ],
)
def test_other_hosts_are_refused_on_loopback(host: str) -> None:
    for local in LOOPBACK:
        refusal = HostPolicy().refusal(local, host, f"http://{host}")
        assert refusal == f"Host '{host}' refused: add it to allowed_hosts"


@pytest.mark.parametrize(
    "host",
    [
        "localhost@evil.example",
        "localhost:80:80",
        "localhost:99999",
        "localhost, localhost",
        "[::1",
        "[::1]x",
        "[:::]",
        "http://localhost",
        "localhost/",
        "..",
        "localhost..",
        "caf\xe9",
    ],
)
def test_what_is_no_name_is_refused(host: str) -> None:
    refusal = HostPolicy().refusal("127.0.0.1", host, None)
    assert refusal is not None
    assert re.fullmatch(r"Host '.*' refused: it is not a host's name", refusal)


@pytest.mark.parametrize("host", [None, ""])
def test_a_host_is_required_on_loopback(host: str | None) -> None:
    refusal = HostPolicy().refusal("127.0.0.1", host, None)
    assert refusal == "Request without Host refused: only allowed_hosts with '*' would admit it"


@pytest.mark.parametrize(
    ("local", "host"), [*product(ELSEWHERE, ["api.example.com", "127.0.0.1", None, "no name"])]
)
def test_elsewhere_any_host_is_admitted_and_no_page(local: str | None, host: str | None) -> None:
    policy = HostPolicy()
    assert admitted(policy, local, host)
    refusal = policy.refusal(local, host, "https://api.example.com")
    assert refusal == "Origin 'https://api.example.com' refused: add it to allowed_origins"


@pytest.mark.parametrize(
    "origin", ["http://localhost:5173", "https://127.0.0.1", "http://[::1]:1", "tauri://localhost"]
)
def test_pages_of_loopback_hosts_are_admitted_on_loopback_only(origin: str) -> None:
    assert admitted(HostPolicy(), "127.0.0.1", "localhost:8000", origin)
    assert not admitted(HostPolicy(), "10.0.0.5", "localhost:8000", origin)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example.com",
        "http://localhost.evil.example",
        "null",
        "",
        "localhost",
        "http://localhost/path",
        "http://localhost, http://localhost",
        "http://a@localhost",
        "http://",
        "file://",
    ],
)
def test_other_pages_are_refused(origin: str) -> None:
    refusal = HostPolicy().refusal("127.0.0.1", "localhost", origin)
    assert refusal is not None
    assert re.fullmatch(r"Origin '.*' refused: (add it to|only) allowed_origins.*", refusal)


# allowed_hosts


@pytest.mark.parametrize(
    ("entry", "hosts", "others"),
    [
        (
            "api.example.com",
            ["api.example.com", "API.Example.COM:8443", "api.example.com.", "api.example.com:"],
            ["example.com", "x.api.example.com", "api.example.com.evil.example"],
        ),
        (
            "API.example.com:8443",
            ["api.example.com:8443"],
            ["api.example.com", "api.example.com:443", "x.example.com:8443"],
        ),
        ("api.example.com:443", ["api.example.com", "api.example.com:443"], ["api.example.com:80"]),
        (
            "*.example.com",
            ["a.example.com", "a.b.example.com:1"],
            ["example.com", "aexample.com", "example.com.evil.example", ".example.com"],
        ),
        ("*.example.com:81", ["a.example.com:81"], ["a.example.com", "example.com:81"]),
        (
            "[2001:DB8::1]",
            ["[2001:db8::1]:80", "[2001:db8:0::1]"],
            ["[2001:db8::2]", "2001:db8::1"],
        ),
        ("intern_1", ["intern_1:80"], ["intern-1"]),
    ],
)
def test_allowed_hosts(entry: str, hosts: list[str], others: list[str]) -> None:
    policy = HostPolicy(allowed_hosts=("unused.example", entry))
    for local in ("10.0.0.5", "127.0.0.1", None):
        assert [host for host in hosts if not admitted(policy, local, host)] == []
        assert [host for host in others if admitted(policy, local, host)] == []


def test_allowed_hosts_keep_loopback_for_loopback() -> None:
    policy = HostPolicy(allowed_hosts=("api.example.com",))
    assert admitted(policy, "127.0.0.1", "127.0.0.1:8000")
    assert not admitted(policy, "10.0.0.5", "127.0.0.1:8000")


@pytest.mark.parametrize("local", ["10.0.0.5", None])
def test_allowed_hosts_require_a_host(local: str | None) -> None:
    refusal = HostPolicy(allowed_hosts=("api.example.com",)).refusal(local, None, None)
    assert refusal == "Request without Host refused: only allowed_hosts with '*' would admit it"


@pytest.mark.parametrize("host", [None, "", "evil.example.com", "\x00"])
def test_a_star_admits_any_host_and_no_page(host: str | None) -> None:
    policy = HostPolicy(allowed_hosts=("*",))
    assert admitted(policy, "127.0.0.1", host)
    assert not admitted(policy, "127.0.0.1", host, "http://evil.example.com")


@pytest.mark.parametrize(
    ("host", "origin", "expected"),
    [
        ("api.example.com", "https://api.example.com", True),
        ("api.example.com", "http://api.example.com", True),
        ("api.example.com:443", "https://api.example.com", True),
        ("api.example.com", "https://api.example.com:443", True),
        ("API.example.com:8443", "https://api.Example.com:8443", True),
        ("api.example.com:80", "https://api.example.com", False),
        ("api.example.com", "https://api.example.com:8443", False),
        ("api.example.com", "https://www.example.com", False),
        ("api.example.com", "gopher://api.example.com", False),
        ("other.example.com", "https://other.example.com", False),
    ],
)
def test_a_page_of_the_allowed_host_itself(host: str, origin: str, expected: bool) -> None:
    policy = HostPolicy(allowed_hosts=("api.example.com",))
    assert admitted(policy, "10.0.0.5", host, origin) is expected


def test_a_star_makes_no_page_the_hosts_own() -> None:
    policy = HostPolicy(allowed_hosts=("*", "api.example.com"))
    assert admitted(policy, None, "api.example.com", "https://api.example.com")
    assert not admitted(policy, None, "evil.example.com", "https://evil.example.com")


# allowed_origins


@pytest.mark.parametrize(
    ("entry", "origins", "others"),
    [
        (
            "https://app.example.com",
            ["https://app.example.com", "HTTPS://APP.example.com", "https://app.example.com:443"],
            ["http://app.example.com", "https://app.example.com:8443", "https://example.com"],
        ),
        ("http://app.example.com:80", ["http://app.example.com"], ["https://app.example.com"]),
        (
            "http://localhost:5173",
            ["http://localhost:5173"],
            ["http://localhost", "http://localhost:5174"],
        ),
        (
            "https://*.example.com",
            ["https://a.example.com", "https://a.b.example.com"],
            ["https://example.com", "https://aexample.com", "https://a.example.com:1", "null"],
        ),
        ("vscode-webview://abc1", ["vscode-webview://abc1"], ["https://abc1"]),
        ("*", ["https://evil.example", "null", ""], []),
    ],
)
def test_allowed_origins(entry: str, origins: list[str], others: list[str]) -> None:
    policy = HostPolicy(allowed_origins=("https://unused.example", entry))
    for local in ("10.0.0.5", None):
        assert [o for o in origins if not admitted(policy, local, "api", o)] == []
        assert [o for o in others if admitted(policy, local, "api", o)] == []


def test_an_allowed_origin_does_not_admit_a_host() -> None:
    policy = HostPolicy(allowed_origins=("*",))
    assert not admitted(policy, "127.0.0.1", "evil.example.com", "http://evil.example.com")


def test_no_page_at_all() -> None:
    assert not admitted(HostPolicy(allowed_origins=()), None, "a", "https://a")


# Settings


@pytest.mark.parametrize(
    ("entry", "fix"),
    [
        ("https://api.example.com", "write 'api.example.com'"),
        ("https://api.example.com:8443/mcp", "write 'api.example.com:8443'"),
        ("api.example.com/mcp", "write 'api.example.com'"),
        ("api.example.com:*", "write 'api.example.com'"),
        ("::1", "write '[::1]'"),
        ("", "write host, host:port, [IPv6], *.domain or *"),
        ("api example", "write host, host:port, [IPv6], *.domain or *"),
        ("api.*.com", "write host, host:port, [IPv6], *.domain or *"),
        ("*:80", "write host, host:port, [IPv6], *.domain or *"),
        ("*.", "write host, host:port, [IPv6], *.domain or *"),
        ("*.[::1]", "write host, host:port, [IPv6], *.domain or *"),
        ("a:70000", "write host, host:port, [IPv6], *.domain or *"),
        ("a, b", "write host, host:port, [IPv6], *.domain or *"),
    ],
)
def test_an_entry_that_is_no_host(entry: str, fix: str) -> None:
    message = f"allowed_hosts has {entry!r}, which matches nothing: {fix}"
    with pytest.raises(ConfigurationError, match=f"^{re.escape(message)}$"):
        HostPolicy(allowed_hosts=("good.example", entry))


@pytest.mark.parametrize(
    ("entry", "fix"),
    [
        ("app.example.com", "write 'https://app.example.com'"),
        ("https://app.example.com/", "write 'https://app.example.com'"),
        ("https://app.example.com:8443/x/y", "write 'https://app.example.com:8443'"),
        ("http://localhost:*", "write scheme://host, scheme://host:port, scheme://*.domain or *"),
        ("null", "write scheme://host, scheme://host:port, scheme://*.domain or *"),
        ("", "write scheme://host, scheme://host:port, scheme://*.domain or *"),
        ("://", "write scheme://host, scheme://host:port, scheme://*.domain or *"),
    ],
)
def test_an_entry_that_is_no_origin(entry: str, fix: str) -> None:
    message = f"allowed_origins has {entry!r}, which matches nothing: {fix}"
    with pytest.raises(ConfigurationError, match=f"^{re.escape(message)}$"):
        HostPolicy(allowed_origins=(entry,))


def test_empty_allowed_hosts_admit_nobody() -> None:
    with pytest.raises(ConfigurationError, match=r"^allowed_hosts is empty, .*leave it None$"):
        HostPolicy(allowed_hosts=())


def test_settings_may_be_a_list_or_one_string() -> None:
    policy = HostPolicy(["a.example"], "https://b.example")
    assert policy == HostPolicy(("a.example",), ("https://b.example",))
    assert repr(policy) == (
        "HostPolicy(allowed_hosts=('a.example',), allowed_origins=('https://b.example',))"
    )


# Whatever comes

headers = st.none() | st.text() | st.sampled_from(["localhost", "http://localhost", "a" * 400])


@given(st.none() | st.text() | st.sampled_from(LOOPBACK), headers, headers)
def test_any_header_gets_a_verdict(local: str | None, host: str | None, origin: str | None) -> None:
    for policy in (HostPolicy(), HostPolicy(["a.example"], ["*"]), HostPolicy(["*"], [])):
        refusal = policy.refusal(local, host, origin)
        assert refusal is None or (refusal.isascii() and refusal.isprintable())
        assert refusal is None or len(refusal) < 900


@given(st.text(), st.sampled_from(LOOPBACK))
def test_a_rebinding_page_is_never_admitted(name: str, local: str) -> None:
    host = f"{name}.evil.example"
    for policy in (HostPolicy(), HostPolicy(["a.example"]), HostPolicy(["*"])):
        assert not admitted(policy, local, host, f"http://{host}")


def test_what_is_longer_than_a_name_is_refused_unread() -> None:
    refusal = HostPolicy().refusal(None, "a" * 301, None)
    assert refusal is not None
    assert re.fullmatch(r"Host 'a{61}\.\.\.' refused: it is longer than any name can be", refusal)
