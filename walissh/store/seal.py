"""Secrets at rest: one key in home (mode 0600) or from the environment, Fernet around."""

import base64
import hashlib
import os
import secrets
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken
from flask import current_app

from walissh.config import Settings
from walissh.errors import SealError, SettingsError, StartError

KEY_FILE = "secret.key"
MIN_CHARS = 16


def secret_key(settings: Settings) -> str:
    """Return the installation's secret, made once in home if the environment has none.

    Raises StartError if home cannot be written and SettingsError if the file is open to
    others.
    """
    if settings.secret_key:
        return settings.secret_key
    path = settings.home / KEY_FILE
    try:
        _create_once(path)
        mode = path.stat().st_mode
        if mode & 0o077:
            raise SettingsError(f"{path} can be read by others. Run: chmod 600 {path}")
        secret = path.read_bytes().decode("ascii", "replace").strip()
        if len(secret) < MIN_CHARS:
            raise SettingsError(
                f"{path} holds no key (a full disk, a power cut?). Restore it from a backup; or"
                " remove it, start again and enter the hosts' secrets anew."
            )
        return secret
    except OSError as error:
        raise StartError(f"The key file {path} cannot be used: {error.strerror}") from error


def _create_once(path: Path) -> None:
    """Write a new key beside *path* and link it there, so that nobody reads half of it."""
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(48) + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:
        pass  # another process was first: its key is the one
    finally:
        draft.unlink()


def derive(secret: str, purpose: str) -> str:
    """Return a key for one purpose: 32 bytes as URL-safe base64."""
    digest = hashlib.blake2b(
        purpose.encode(), key=hashlib.sha256(secret.encode()).digest(), digest_size=32
    ).digest()
    return base64.urlsafe_b64encode(digest).decode("ascii")


def seal(plain: str) -> str:
    """Encrypt *plain* for the database."""
    return _fernet().encrypt(plain.encode()).decode("ascii")


def unseal(sealed: str) -> str:
    """Decrypt what `seal` gave; raises SealError if the key is another one."""
    try:
        return _fernet().decrypt(sealed.encode("ascii")).decode()
    except InvalidToken as error:
        raise SealError(
            "A stored secret cannot be opened with the present key. Restore secret.key or"
            " WALISSH_SECRET_KEY as it was, or enter the secret again on the host page."
        ) from error


def _fernet() -> Fernet:
    return Fernet(current_app.config["WALISSH_SEAL_KEY"])
