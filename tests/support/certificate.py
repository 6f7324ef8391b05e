"""A certificate for 127.0.0.1 that signs itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import attrs
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)

_NAME: Final = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])


@attrs.frozen
class Certificate:
    certfile: str
    keyfile: str
    encrypted_keyfile: str


def make_certificate(folder: Path) -> Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(_NAME)
        .issuer_name(_NAME)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, SHA256())
    )
    certfile = folder / "certificate.pem"
    certfile.write_bytes(certificate.public_bytes(Encoding.PEM))
    return Certificate(
        str(certfile),
        _write(folder / "key.pem", key, NoEncryption()),
        _write(folder / "encrypted.pem", key, BestAvailableEncryption(b"secret")),
    )


def _write(
    path: Path, key: ec.EllipticCurvePrivateKey, encryption: KeySerializationEncryption
) -> str:
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, encryption))
    return str(path)
