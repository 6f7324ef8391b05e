"""The seal: nobody opens it but us, for the very purpose that it was made for."""

from __future__ import annotations

import base64
import subprocess
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anubis_py.engine.sealing import NoKey, Purpose, Refused, Sealer

KEY, OTHER = bytes(range(32)), bytes(range(32, 64))
PURPOSE = Purpose("server", "tools/call", "d1", "ada")
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
SEALER = Sealer([KEY])
SEAL = SEALER.seal(b'{"some":"content"}', PURPOSE)


@settings(deadline=None)
@given(st.binary(max_size=300), st.text(max_size=20), st.none() | st.text() | st.integers())
def test_what_was_sealed_opens(content: bytes, params: str, principal: Any) -> None:
    purpose = Purpose("server", "tools/call", params, principal)
    assert SEALER.open(SEALER.seal(content, purpose), purpose) == content


def test_nothing_of_it_can_be_read_or_compared() -> None:
    seals = {SEALER.seal(b"a very secret state", PURPOSE) for _ in range(50)}
    assert len(seals) == 50
    for seal in seals:
        assert set(seal) <= set(ALPHABET)
        assert b"secret" not in base64.urlsafe_b64decode(seal + "=" * (-len(seal) % 4))


def test_any_flipped_character_is_refused() -> None:
    for at, was in enumerate(SEAL):
        for character in ALPHABET:
            if character != was:
                with pytest.raises(Refused):
                    SEALER.open(SEAL[:at] + character + SEAL[at + 1 :], PURPOSE)


@settings(deadline=None)
@given(st.integers(0, len(SEAL)), st.text(max_size=12))
def test_whatever_is_put_in_is_refused(at: int, text: str) -> None:
    if text:
        with pytest.raises(Refused):
            SEALER.open(SEAL[:at] + text + SEAL[at:], PURPOSE)


@settings(deadline=None)
@given(st.integers(0, len(SEAL) - 1), st.integers(1, 40))
def test_whatever_is_taken_out_is_refused(at: int, length: int) -> None:
    with pytest.raises(Refused):
        SEALER.open(SEAL[:at] + SEAL[at + length :], PURPOSE)


@settings(deadline=None)
@given(
    st.text() | st.text(ALPHABET) | st.binary().map(lambda b: base64.urlsafe_b64encode(b).decode())
)
def test_whatever_was_never_a_seal_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        SEALER.open(text, PURPOSE)


@pytest.mark.parametrize("suffix", ["=", "==", "-TAMPERED", "\n", " ", "A"])
def test_no_decoder_is_lenient(suffix: str) -> None:
    with pytest.raises(Refused):
        SEALER.open(SEAL + suffix, PURPOSE)


def test_one_seal_has_one_spelling() -> None:
    # A last character whose low bits carry nothing: another one would decode to the same bytes.
    contents = (b"x" * n for n in range(3))
    seal = next(s for c in contents if len(s := SEALER.seal(c, PURPOSE)) % 4)
    twin = ALPHABET[ALPHABET.index(seal[-1]) ^ 1]
    with pytest.raises(Refused, match="only form"):
        SEALER.open(seal[:-1] + twin, PURPOSE)


def test_the_standard_alphabet_is_another_one() -> None:
    seal = next(s for _ in range(1000) if "-" in (s := SEALER.seal(b"", PURPOSE)))
    with pytest.raises(Refused):
        SEALER.open(seal.replace("-", "+"), PURPOSE)


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"server": "other"}, "another server"),
        ({"method": "prompts/get"}, "another method"),
        ({"params": "d2"}, "another params"),
        ({"principal": "eve"}, "another principal"),
        ({"principal": None}, "another principal"),
        ({"method": "resources/read", "params": "d2"}, "another method and another params"),
    ],
)
def test_it_opens_for_nothing_else_and_tells_the_log_why(
    change: dict[str, Any], cause: str
) -> None:
    with pytest.raises(Refused, match=f"sealed for {cause}$"):
        SEALER.open(SEAL, attrs.evolve(PURPOSE, **change))


def test_the_parts_of_a_purpose_do_not_run_into_one_another() -> None:
    seal = SEALER.seal(b"x", Purpose("a", "bc", "d", None))
    with pytest.raises(Refused):
        SEALER.open(seal, Purpose("ab", "c", "d", None))
    seal = SEALER.seal(b"x", Purpose("a", "b", "c", None))
    for principal in ("", "null", "None"):
        with pytest.raises(Refused):
            SEALER.open(seal, Purpose("a", "b", "c", principal))


def test_other_causes() -> None:
    with pytest.raises(Refused, match="not among those of this process"):
        Sealer([OTHER]).open(SEAL, PURPOSE)
    with pytest.raises(Refused, match="tampered"):
        SEALER.open(SEAL[:-4] + "AAAA", PURPOSE)
    with pytest.raises(Refused, match="not base64url"):
        SEALER.open("é", PURPOSE)
    with pytest.raises(Refused, match="known version"):
        SEALER.open("", PURPOSE)
    with pytest.raises(Refused, match="known version"):
        SEALER.open("Ag" + SEAL[2:], PURPOSE)


def test_keys_rotate() -> None:
    rotated = Sealer([OTHER, KEY])
    assert rotated.open(SEAL, PURPOSE) == SEALER.open(SEAL, PURPOSE)
    new = rotated.seal(b"new", PURPOSE)
    assert Sealer([OTHER]).open(new, PURPOSE) == b"new"
    with pytest.raises(Refused):
        SEALER.open(new, PURPOSE)
    with pytest.raises(Refused, match="another principal"):
        rotated.open(SEAL, attrs.evolve(PURPOSE, principal="eve"))


def test_a_process_that_is_alone_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = Sealer(None)
    seal = alone.seal(b"x", PURPOSE)
    assert Sealer(None).open(seal, PURPOSE) == b"x"
    monkeypatch.setattr("multiprocessing.parent_process", object)
    with pytest.raises(NoKey, match=r"secrets\.token_urlsafe"):
        alone.seal(b"x", PURPOSE)
    with pytest.raises(Refused, match=r"secrets\.token_urlsafe"):
        alone.open(seal, PURPOSE)
    assert SEALER.open(SEAL, PURPOSE)


def test_no_key_is_shown() -> None:
    assert "\\x" not in repr(SEALER)


@pytest.mark.parametrize(
    "code", ["import anubis_py", "from multi_round.asking import Server; Server.asgi()"]
)
def test_cryptography_is_imported_only_when_it_is_used(code: str) -> None:
    path = f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})"
    after = "assert not {'cryptography', 'multiprocessing', 'secrets'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", f"{path}; {code}; {after}"], check=True, timeout=60)
