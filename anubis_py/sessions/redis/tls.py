"""What the URL of a Redis says of TLS."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from ...errors import ConfigurationError, near_miss

_CA, _CERTIFICATE, _KEY = "ssl_ca_certs", "ssl_certfile", "ssl_keyfile"
_FILES: Final = (_CA, _CERTIFICATE, _KEY)
_VERIFY, _HOST = "ssl_cert_reqs", "ssl_check_hostname"
_CHOICES: Final = {_VERIFY: ("required", "none"), _HOST: ("true", "false")}


def tls_context(url: str) -> ssl.SSLContext | None:
    """None for a scheme other than `rediss`. The certificate of Redis has to be good for the host
    that is named, unless the URL says otherwise. Left to itself, coredis does not look at the host.

    Raises ConfigurationError for what the URL gets wrong, and for files that cannot be read.
    """
    parts = urlsplit(url)
    options = {name: value for name, value in parse_qsl(parts.query) if name.startswith("ssl_")}
    for name, value in options.items():
        _check(name, value)
    if parts.scheme == "rediss":
        return _context(options)
    if options:
        raise ConfigurationError(f"{next(iter(options))!r} is for TLS: write rediss://")
    return None


def _check(name: str, value: str) -> None:
    known = (*_FILES, *_CHOICES)
    if name not in known:
        raise ConfigurationError(f"Redis has no option {name!r}.{near_miss(name, known)}")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise ConfigurationError(f"{name}={value!r}: write {' or '.join(_CHOICES[name])}")


def _context(options: Mapping[str, str]) -> ssl.SSLContext:
    context = _trusting(options.get(_CA))
    if certificate := options.get(_CERTIFICATE):
        try:
            # Without a password OpenSSL would ask for one on the terminal.
            context.load_cert_chain(certificate, options.get(_KEY), password="")
        except OSError as error:
            raise _unusable(_CERTIFICATE, certificate, error) from error
    elif _KEY in options:
        raise ConfigurationError(f"{_KEY} is the key of a certificate: name {_CERTIFICATE}, too")
    verified = options.get(_VERIFY) != "none"
    context.check_hostname = verified and options.get(_HOST) != "false"
    if not verified:
        context.verify_mode = ssl.CERT_NONE
    return context


def _trusting(path: str | None) -> ssl.SSLContext:
    """Those that the system trusts; or what is in a file or folder, and nobody else."""
    if path is None:
        return ssl.create_default_context()
    try:
        if Path(path).is_dir():
            return ssl.create_default_context(capath=path)
        return ssl.create_default_context(cafile=path)
    except OSError as error:
        raise _unusable(_CA, path, error) from error


def _unusable(option: str, path: str, error: OSError) -> ConfigurationError:
    return ConfigurationError(f"{option}={path!r}: {error.strerror or error}")
