"""Keys: private ones out of text, fingerprints, and making a new pair."""

import base64
import hashlib
import io
from dataclasses import dataclass, field

import paramiko
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from paramiko.pkey import UnknownKeyType

from walissh.errors import InvalidError
from walissh.react.host import HostKey

_OPENSSH_BEGIN = "-----BEGIN OPENSSH PRIVATE KEY-----"
_PUBLIC_STARTS = ("ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-", "---- BEGIN SSH2 PUBLIC KEY")
_Private = ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A private key as OpenSSH text and its public line for ``authorized_keys``."""

    private: str = field(repr=False)
    public: str


def load(text: str, passphrase: str | None = None) -> paramiko.PKey:
    """Read a private key: Ed25519, ECDSA or RSA, in OpenSSH or PEM form.

    Raises InvalidError (field ``key`` or ``passphrase``) that says what is wrong.
    """
    cleaned = text.replace("\r\n", "\n").strip() + "\n"
    _refuse_other_text(cleaned)
    return _for_paramiko(_decrypt(cleaned, passphrase or None))


def host_key(key: paramiko.PKey) -> HostKey:
    """Describe a public key; *key* may hold the private part, which is left out."""
    blob: bytes = key.asbytes()
    return HostKey(str(key.get_name()), base64.b64encode(blob).decode(), fingerprint(blob))


def parse_public(line: str) -> HostKey:
    """Read a public line (``type base64 comment``); raises InvalidError."""
    words = line.split()
    try:
        blob = base64.b64decode(words[1], validate=True)
        key = paramiko.PKey.from_type_string(words[0], blob)
    except (IndexError, ValueError, paramiko.SSHException, UnknownKeyType) as error:
        raise InvalidError("This is not a public key line.", field="key") from error
    return host_key(key)


def fingerprint(blob: bytes) -> str:
    """Return ``SHA256:...`` of a public key in wire form, as ``ssh-keygen -l`` shows it."""
    digest = base64.b64encode(hashlib.sha256(blob).digest()).decode()
    return "SHA256:" + digest.rstrip("=")


def generate(comment: str = "walissh") -> KeyPair:
    """Make a new Ed25519 key."""
    key = ed25519.Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes(
        serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    )
    return KeyPair(_openssh_text(key), f"{public.decode()} {comment}")


def _refuse_other_text(text: str) -> None:
    if text.startswith(_PUBLIC_STARTS):
        raise InvalidError(
            "This is a public key. Paste the private key: the file without .pub.", field="key"
        )
    if text.startswith("PuTTY-User-Key-File"):
        raise InvalidError(
            "This is a PuTTY key. Export it in PuTTYgen as an OpenSSH key and paste that.",
            field="key",
        )
    if "PRIVATE KEY-----" not in text:
        raise InvalidError(
            "This is not a private key: it has no line -----BEGIN ... PRIVATE KEY-----.",
            field="key",
        )


def _decrypt(text: str, passphrase: str | None) -> _Private:
    read = (
        serialization.load_ssh_private_key
        if text.startswith(_OPENSSH_BEGIN)
        else serialization.load_pem_private_key
    )
    secret = passphrase.encode() if passphrase and _is_encrypted(text) else None
    try:
        key = read(text.encode(), secret)
    except (TypeError, ValueError, UnsupportedAlgorithm) as error:
        raise _why(text, passphrase, error) from error
    if not isinstance(key, _Private):
        raise InvalidError(
            "This kind of key is not supported; use Ed25519, ECDSA or RSA.", field="key"
        )
    return key


def _is_encrypted(text: str) -> bool:
    """Tell whether the key needs a passphrase, from its outside."""
    if not text.startswith(_OPENSSH_BEGIN):
        return "ENCRYPTED" in text
    body = "".join(line for line in text.splitlines() if not line.startswith("-----"))
    try:
        start = base64.b64decode(body)[15:23]  # after the magic word: the cipher's name
    except ValueError:
        return False
    return bool(start) and start != b"\0\0\0\x04none"


def _why(text: str, passphrase: str | None, error: Exception) -> InvalidError:
    if isinstance(error, UnsupportedAlgorithm):
        return InvalidError(
            "This kind of key is not supported; use Ed25519, ECDSA or RSA.", field="key"
        )
    if not _is_encrypted(text):
        return InvalidError(
            "The private key is damaged or cut off. Paste the whole file again.", field="key"
        )
    if passphrase:
        return InvalidError("The passphrase does not open this private key.", field="passphrase")
    return InvalidError(
        "The private key is protected by a passphrase. Give it too.", field="passphrase"
    )


def _openssh_text(key: _Private) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH,
        serialization.NoEncryption(),
    ).decode()


def _for_paramiko(key: _Private) -> paramiko.PKey:
    """Hand the opened key over in memory: paramiko alone reads fewer forms."""
    text = io.StringIO(_openssh_text(key))
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return paramiko.Ed25519Key.from_private_key(text)
    if isinstance(key, rsa.RSAPrivateKey):
        return paramiko.RSAKey.from_private_key(text)
    return paramiko.ECDSAKey.from_private_key(text)
