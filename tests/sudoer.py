"""A real user of the real sudo, whose password is known: only for processes of one server.

``sudo_host`` is an OpenSSH server in a mount namespace of its own, in which the files of users
and of sudo are other ones; this machine's own are not touched.
"""

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.sshd import Sshd, SshdFactory
from walissh.react.host import Endpoint

NAME, OTHER = "sudoer", "bystander"
_RULES = f"""Defaults env_reset, lecture=never, passwd_tries=3, !mail_badpass
Defaults secure_path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
Defaults:{OTHER} requiretty
root ALL=(ALL:ALL) ALL
{NAME} ALL=(ALL:ALL) ALL
{NAME} ALL=(ALL) NOPASSWD: /usr/bin/whoami
{OTHER} ALL=(ALL:ALL) ALL
"""
_PAM = """auth required pam_unix.so nodelay
account required pam_permit.so
session required pam_permit.so
"""
_ENTER = """set -e
for name in passwd shadow group sudoers pam.d/sudo; do mount --bind "$1/$name" "/etc/$name"; done
mkdir -p /run/sudo
mount -t tmpfs none /run/sudo
shift
exec "$@"
"""


@dataclass(frozen=True, slots=True)
class SudoHost:
    """The server and the password of its user."""

    sshd: Sshd
    password: str
    home: Path

    def endpoint(self, user: str = NAME) -> Endpoint:
        """Return how to log in as that user."""
        return self.sshd.endpoint(user, user=user)


@pytest.fixture(scope="session")
def sudo_host(sshd_factory: SshdFactory) -> Iterator[SudoHost]:
    """Start the server; skip where that cannot be done."""
    _skip_without_means()
    password = secrets.token_urlsafe(12)
    with tempfile.TemporaryDirectory(prefix="walissh-sudo-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        home = _write_users(folder, password)
        server = sshd_factory(
            inside=("unshare", "-m", "sh", "-c", _ENTER, "sh", name),
            AuthorizedKeysFile="none",
            AuthorizedKeysCommand="/bin/cat @FOLDER/authorized_keys",
            AuthorizedKeysCommandUser="root",
            SetEnv=f"HOME={home}",
        )
        yield SudoHost(server, password, home)


def _skip_without_means() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can set up users of sudo")
    for program in ("sudo", "unshare", "openssl"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        pytest.skip("mount namespaces are not allowed here")


def _write_users(folder: Path, password: str) -> Path:
    home = folder / "home"
    home.mkdir()
    os.chown(home, 61234, 61234)
    hashed = subprocess.run(
        ["openssl", "passwd", "-6", "-stdin"],
        input=password,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    users = [(NAME, 61234), (OTHER, 61235)]
    for file, lines in {
        "passwd": [f"{name}:x:{uid}:{uid}::{home}:/bin/bash" for name, uid in users],
        "shadow": [f"{name}:{hashed}:19000:0:99999:7:::" for name, _ in users],
        "group": [f"{name}:x:{uid}:" for name, uid in users],
    }.items():
        text = Path("/etc", file).read_text()
        (folder / file).write_text(text.rstrip("\n") + "\n" + "\n".join(lines) + "\n")
    (folder / "shadow").chmod(0o600)
    (folder / "pam.d").mkdir()
    (folder / "pam.d" / "sudo").write_text(_PAM)
    (folder / "sudoers").write_text(_RULES)
    (folder / "sudoers").chmod(0o440)
    return home
