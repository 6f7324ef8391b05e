"""Sealing what a client carries for us, so that it can neither read nor change it, nor use it
for anything else than the request that it was given for.

A seal is `version | nonce | marks | ciphertext` in unpadded base64url. The ciphertext opens only
under one of the keys and for the very purpose that it was sealed for. The marks are of no
consequence for that: they tell, in the log, what of the purpose is another one.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import attrs

from ..encoding import dumps
from ..server.state_keys import KEY_BYTES, MAKE_ONE, VARIABLE

VERSION: Final = b"\x01"
# At random, 12 bytes are good for 2**32 seals a key before two may be the same.
_NONCE: Final = 12
_MARK: Final = 2


class Refused(Exception):
    """A seal does not open here; the text is the cause, for the log alone."""


class NoKey(Exception):
    """There is no key that the process which opens the seal could have, too."""


@attrs.frozen(eq=False, repr=False)
class Purpose:
    """What a seal is good for. Each part is a value of JSON."""

    server: str
    method: str
    params: str
    """A digest of what the client asked for."""
    principal: Any
    """Who asked; None: nobody in particular."""

    def encoded(self) -> bytes:
        return dumps(list(attrs.astuple(self, recurse=False)))


_NAMES: Final = tuple(attribute.name for attribute in attrs.fields(Purpose))
_HEADER: Final = len(VERSION) + _NONCE + _MARK * len(_NAMES)


@attrs.frozen(eq=False, repr=False)
class Sealer:
    """Seals with the first key, and opens with any of them.

    None: with a key of this process, which is fine as long as it is the only one.
    """

    _keys: Sequence[bytes] | None

    def seal(self, content: bytes, purpose: Purpose) -> str:
        """Raises NoKey."""
        key = self._usable()[0]
        nonce = os.urandom(_NONCE)
        header = VERSION + nonce + _marks(key, nonce, purpose)
        box = _cipher(key).encrypt(nonce, content, header + purpose.encoded())
        return _encode(header + box)

    def open(self, seal: str, purpose: Purpose) -> bytes:
        """The content. Raises Refused."""
        raw = _decode(seal)
        header, box = raw[:_HEADER], raw[_HEADER:]
        nonce = header[len(VERSION) : len(VERSION) + _NONCE]
        if not raw.startswith(VERSION) or len(header) < _HEADER:
            raise Refused("it is no seal of a known version")
        from cryptography.exceptions import InvalidTag

        try:
            keys = self._usable()
        except NoKey as error:
            raise Refused(str(error)) from None
        for key in keys:
            try:
                content: bytes = _cipher(key).decrypt(nonce, box, header + purpose.encoded())
            except InvalidTag:
                continue
            return content
        raise Refused(_cause(keys, header, purpose))

    def check(self) -> None:
        """Raises NoKey where there is nothing to seal with."""
        self._usable()

    def _usable(self) -> Sequence[bytes]:
        if self._keys is not None:
            return self._keys
        from multiprocessing import parent_process

        # Every worker would have a key of its own, and refuse what the others have sealed.
        if parent_process() is not None:
            raise NoKey(
                "this process has siblings, and no key in common with them: set state_keys of "
                f"the server, or {VARIABLE}, to a key that you make with {MAKE_ONE}"
            )
        return (_key_of_this_process(),)


@cache
def _key_of_this_process() -> bytes:
    return os.urandom(KEY_BYTES)


def _cipher(key: bytes) -> Any:
    # Imported when the first round is sealed: most servers have none.
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(key)


def _marks(key: bytes, nonce: bytes, purpose: Purpose) -> bytes:
    """Two bytes a part: enough to tell that it differs, and nothing to learn from."""
    # Imported when the first round is sealed, as what encrypts it.
    from hashlib import blake2b

    parts = attrs.astuple(purpose, recurse=False)
    return b"".join(
        blake2b(dumps(part), key=key, salt=nonce, person=b"mark", digest_size=_MARK).digest()
        for part in parts
    )


def _cause(keys: Sequence[bytes], header: bytes, purpose: Purpose) -> str:
    found = header[len(VERSION) + _NONCE :]
    nonce = header[len(VERSION) : len(VERSION) + _NONCE]
    for key in keys:
        expected = _marks(key, nonce, purpose)
        other = [
            name
            for at, name in enumerate(_NAMES)
            if found[at * _MARK :][:_MARK] != expected[at * _MARK :][:_MARK]
        ]
        if not other:
            return "it was tampered with"
        if len(other) < len(_NAMES):
            return f"it was sealed for another {' and another '.join(other)}"
    return "it was tampered with, or sealed with a key that is not among those of this process"


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        raw = base64.b64decode(padded, altchars=b"-_", validate=True)
    except ValueError:
        raise Refused("it is not base64url") from None
    # One seal has one spelling: no padding, and no stray bits in the last character.
    if _encode(raw) != text:
        raise Refused("it is not base64url in its only form")
    return raw
