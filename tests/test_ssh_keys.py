"""Private keys as people paste them."""

import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa

from walissh.errors import InvalidError
from walissh.ssh import keys

Made = ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

MADE: dict[str, Made] = {
    "ed25519": ed25519.Ed25519PrivateKey.generate(),
    "ecdsa": ec.generate_private_key(ec.SECP256R1()),
    "ecdsa521": ec.generate_private_key(ec.SECP521R1()),
    "rsa": rsa.generate_private_key(65537, 2048),
}
FORMS = {
    "openssh": serialization.PrivateFormat.OpenSSH,
    "pkcs8": serialization.PrivateFormat.PKCS8,
    "pem": serialization.PrivateFormat.TraditionalOpenSSL,
}


def text_of(kind: str, form: str, passphrase: str = "") -> str:
    encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase:
        encryption = serialization.BestAvailableEncryption(passphrase.encode())
    data = MADE[kind].private_bytes(serialization.Encoding.PEM, FORMS[form], encryption)
    return data.decode()


def cases() -> list[tuple[str, str]]:
    # Ed25519 has no traditional PEM form
    return [(k, f) for k in MADE for f in FORMS if (k, f) != ("ed25519", "pem")]


@pytest.mark.parametrize(("kind", "form"), cases())
def test_every_kind_and_form_of_key_is_read(kind: str, form: str) -> None:
    assert keys.load(text_of(kind, form)).can_sign()


@pytest.mark.parametrize(("kind", "form"), cases())
def test_a_passphrase_opens_every_kind_and_form(kind: str, form: str) -> None:
    text = text_of(kind, form, "open sesame")
    assert keys.load(text, "open sesame") == keys.load(text_of(kind, form))


@pytest.mark.parametrize(("kind", "form"), cases())
def test_a_missing_passphrase_is_said(kind: str, form: str) -> None:
    with pytest.raises(InvalidError, match="protected by a passphrase") as raised:
        keys.load(text_of(kind, form, "open sesame"))
    assert raised.value.field == "passphrase"


@pytest.mark.parametrize(("kind", "form"), cases())
def test_a_wrong_passphrase_is_said(kind: str, form: str) -> None:
    with pytest.raises(InvalidError, match="does not open") as raised:
        keys.load(text_of(kind, form, "open sesame"), "guess")
    assert raised.value.field == "passphrase"


def test_a_needless_passphrase_does_no_harm() -> None:
    assert keys.load(text_of("rsa", "pem"), "not needed").can_sign()


def test_windows_line_ends_and_blanks_around_do_no_harm() -> None:
    text = "\n\n  " + text_of("ed25519", "openssh").replace("\n", "\r\n") + "\r\n "
    assert keys.load(text).can_sign()


def test_a_pasted_public_key_is_told_apart() -> None:
    with pytest.raises(InvalidError, match=r"public key.*without \.pub"):
        keys.load(keys.generate().public)


def test_a_putty_key_is_told_apart() -> None:
    with pytest.raises(InvalidError, match="PuTTYgen"):
        keys.load("PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n")


@pytest.mark.parametrize("text", ["", "hello", "\0", "-----BEGIN CERTIFICATE-----\nAA==\n"])
def test_other_text_is_not_a_private_key(text: str) -> None:
    with pytest.raises(InvalidError, match="not a private key"):
        keys.load(text)


@pytest.mark.parametrize(("kind", "form"), cases())
def test_a_cut_off_key_is_called_damaged(kind: str, form: str) -> None:
    lines = text_of(kind, form).splitlines()
    cut = "\n".join([*lines[:2], lines[-1]]) if len(lines) > 3 else lines[0] + "\n" + lines[-1]
    with pytest.raises(InvalidError, match="damaged"):
        keys.load(cut)


def test_a_dsa_key_is_refused_by_name_of_what_works() -> None:
    data = dsa.generate_private_key(1024).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    with pytest.raises(InvalidError, match="use Ed25519, ECDSA or RSA"):
        keys.load(data.decode())


def test_a_generated_key_matches_its_public_line() -> None:
    pair = keys.generate()
    assert keys.host_key(keys.load(pair.private)) == keys.parse_public(pair.public)


def test_a_generated_key_is_not_in_its_repr() -> None:
    assert "PRIVATE" not in repr(keys.generate())


def test_fingerprints_are_those_of_ssh_keygen(tmp_path: Path) -> None:
    pair = keys.generate()
    (tmp_path / "key.pub").write_text(pair.public)
    said = subprocess.run(
        ["ssh-keygen", "-lf", tmp_path / "key.pub"], capture_output=True, text=True, check=True
    )
    assert keys.parse_public(pair.public).fingerprint in said.stdout.split()


@pytest.mark.parametrize("line", ["", "ssh-ed25519", "ssh-ed25519 !!!!", "nonsense AAAA"])
def test_a_broken_public_line_is_refused(line: str) -> None:
    with pytest.raises(InvalidError, match="not a public key line"):
        keys.parse_public(line)
