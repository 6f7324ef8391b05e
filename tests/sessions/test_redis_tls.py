"""Redis over TLS: whom a store believes, and what it says when it does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from support.certificate import Certificate, make_certificate

from anubis_py.errors import ConfigurationError
from anubis_py.sessions.news import Told
from anubis_py.sessions.record import Record
from anubis_py.sessions.redis import RedisStore
from anubis_py.sessions.store import StoreDown

from .backends import running
from .heard import Heard
from .redis_server import LEAVES_BUFFERS, RedisServer, Tls, find_redis

RECORD = Record("2025-11-25", log_level="info")

pytestmark = [LEAVES_BUFFERS, pytest.mark.usefixtures("collected")]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificate"))


def _served(tls: Tls, folder: Path) -> Iterator[Callable[..., str]]:
    server = RedisServer(find_redis(), folder, tls)
    server.start()
    yield lambda query="", host="127.0.0.1": f"rediss://{host}:{tls.port}/0{query}"
    server.stop()


@pytest.fixture(scope="module")
def url(
    certificate: Certificate, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., str]]:
    """Of a Redis whose certificate is for 127.0.0.1, and signed by itself."""
    yield from _served(Tls(certificate), tmp_path_factory.mktemp("redis"))


@pytest.fixture(scope="module")
def asking_url(
    certificate: Certificate, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., str]]:
    """Of one that asks its clients for a certificate, too."""
    yield from _served(Tls(certificate, asks=True), tmp_path_factory.mktemp("asking"))


async def works(url: str) -> bool:
    """Whether two processes share sessions and news there. Raises StoreDown."""
    namespace = uuid4().hex
    stores = [RedisStore(url, namespace) for _ in range(2)]
    one, two = (Heard(store.bus()) for store in stores)
    async with running(*(store.run for store in stores), one.bus.run, two.bus.run):
        await stores[0].save("s", RECORD, 60, new=True)
        await one.bus.send(Told("s", "news"))
        return await stores[1].load("s") == RECORD and await two.wait(1) == [Told("s", "news")]


async def refusal(url: str) -> str:
    store = RedisStore(url, uuid4().hex)
    async with running(store.run):
        with pytest.raises(StoreDown) as caught:
            await store.load("s")
    return str(caught.value)


@pytest.mark.anyio
async def test_a_certificate_that_the_system_trusts(
    url: Callable[..., str], certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", certificate.certfile)
    assert await works(url())


@pytest.mark.anyio
async def test_a_certificate_that_the_url_names(
    url: Callable[..., str], certificate: Certificate
) -> None:
    assert await works(url(f"?ssl_ca_certs={certificate.certfile}"))


@pytest.mark.anyio
async def test_a_certificate_that_nobody_trusts_is_refused_and_the_log_can_say_why(
    url: Callable[..., str],
) -> None:
    assert "certificate verify failed" in await refusal(url())


@pytest.mark.anyio
@pytest.mark.parametrize("user", ["", "worker:ssl_secret@"])
async def test_a_certificate_for_another_host_is_refused(
    url: Callable[..., str],
    certificate: Certificate,
    user: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", certificate.certfile)
    for query in ("", f"?ssl_ca_certs={certificate.certfile}"):
        said = await refusal(url(query, host=f"{user}localhost"))
        assert "certificate is not valid for 'localhost'" in said
        assert "ssl_secret" not in said


@pytest.mark.anyio
async def test_the_url_can_do_without_the_name_of_the_host(
    url: Callable[..., str], certificate: Certificate
) -> None:
    trusted = f"?ssl_ca_certs={certificate.certfile}&ssl_check_hostname=false"
    assert await works(url(trusted, host="localhost"))
    assert "self-signed" in await refusal(url("?ssl_check_hostname=false", host="localhost"))


@pytest.mark.anyio
async def test_the_url_can_do_without_any_proof(url: Callable[..., str]) -> None:
    assert await works(url("?ssl_cert_reqs=none", host="localhost"))


@pytest.mark.anyio
async def test_a_redis_that_asks_for_a_certificate(
    asking_url: Callable[..., str], certificate: Certificate
) -> None:
    trusting = f"?ssl_ca_certs={certificate.certfile}"
    mine = f"&ssl_certfile={certificate.certfile}&ssl_keyfile={certificate.keyfile}"
    assert await works(asking_url(trusting + mine))
    assert "Redis" in await refusal(asking_url(trusting))


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("rediss://h?ssl_ca_cert=ca.pem", "no option 'ssl_ca_cert'. Did you mean 'ssl_ca_certs'?"),
        ("rediss://h?ssl_context=x", "no option 'ssl_context'"),
        ("rediss://h?ssl_ca_certs=/nowhere/ca.pem", "ssl_ca_certs='/nowhere/ca.pem': No such file"),
        ("rediss://h?ssl_certfile=/nowhere/my.pem", "ssl_certfile='/nowhere/my.pem': No such file"),
        ("rediss://h?ssl_keyfile=/nowhere/key.pem", "name ssl_certfile, too"),
        ("rediss://h?ssl_cert_reqs=some", "ssl_cert_reqs='some': write required or none"),
        ("rediss://h?ssl_check_hostname=off", "ssl_check_hostname='off': write true or false"),
        ("redis://h?ssl_ca_certs=ca.pem", "'ssl_ca_certs' is for TLS: write rediss://"),
    ],
)
def test_a_mistake_in_the_url_is_told_at_once(url: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        RedisStore(url)
    assert said in str(caught.value)


def test_a_key_with_a_password_asks_nobody(certificate: Certificate) -> None:
    files = f"ssl_certfile={certificate.certfile}&ssl_keyfile={certificate.encrypted_keyfile}"
    with pytest.raises(ConfigurationError, match="ssl_certfile="):
        RedisStore(f"rediss://h?{files}")
