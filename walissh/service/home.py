"""The home folder: made private, and held by one instance at a time."""

import fcntl
import os
from pathlib import Path

from walissh.errors import StartError


def prepare(home: Path) -> None:
    """Make *home* with mode 0700 and check that it can be written to.

    Raises StartError.
    """
    try:
        if home.is_dir() and home.stat().st_mode & 0o002:  # such as /tmp
            raise StartError(
                f"{home} is open to everybody. Choose a folder of your own with --home or "
                "WALISSH_HOME."
            )
        (home / "logs").mkdir(mode=0o700, parents=True, exist_ok=True)
        home.chmod(0o700)
        probe = home / f".write-test-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise StartError(
            f"The folder {home} cannot be used: {error.strerror}. Make it yours and writable, "
            "or choose another with --home or WALISSH_HOME."
        ) from error


def lock(home: Path, *, inherit: bool = False) -> int:
    """Hold *home* until the returned file descriptor is closed or the process ends.

    With *inherit* the lock outlives an exec: the program that follows holds it. Raises
    StartError if another instance holds it.
    """
    descriptor = _open_lock(home / "lock")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        owner = os.read(descriptor, 32).decode("ascii", "replace").strip()
        os.close(descriptor)
        raise StartError(
            f"WaLiSSH already runs on {home} (process {owner or 'unknown'}). Stop it first, or "
            "choose another folder with --home."
        ) from error
    os.truncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    os.set_inheritable(descriptor, inherit)
    return descriptor


def _open_lock(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StartError(
            f"The file {path} cannot be opened: {error.strerror}. Remove it, then start again."
        ) from error


def private_dir(path: Path) -> None:
    """Make *path* a folder of our own with mode 0700; raises StartError if it is not."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.lstat()
        if path.is_symlink() or not path.is_dir() or found.st_uid != os.getuid():
            raise StartError(f"{path} belongs to somebody else. Remove it, then start again.")
        path.chmod(0o700)
    except OSError as error:
        raise StartError(f"The folder {path} cannot be made: {error.strerror}.") from error


def demo_ready(home: Path) -> Path:
    """Return the file that is there while the demo host of this start can be used."""
    return home / "demo-host.ready"
