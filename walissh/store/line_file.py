"""An append-only file of lines: private, with one writer at a time, whole after a kill."""

import fcntl
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from walissh.errors import StoreError, TalkFileBusyError

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class LineFile:
    """Reads without a lock; whoever appends has the file alone until `close`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    def size(self) -> int:
        """Return its length in bytes; 0 if it is not there."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise StoreError(f"{self.path} cannot be read: {error.strerror}.") from error

    def read(self) -> tuple[list[bytes], bool]:
        """Return its lines, and whether the last one ended as it should."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return [], True
        except OSError as error:
            raise StoreError(f"{self.path} cannot be read: {error.strerror}.") from error
        lines = content.split(b"\n")  # no other line end: JSON leaves U+2028 as it is
        last = lines.pop()
        return ([*lines, last], False) if last else (lines, True)

    def lock(self) -> None:
        """Take the file for writing, made if it is new; ConflictError if another has it."""
        if self._fd is not None:
            return
        try:
            self._fd = self._opened()
        except BlockingIOError as error:
            raise TalkFileBusyError(
                f"{self.path} is being written by another process. Wait for its end, or use"
                " another folder."
            ) from error
        except OSError as error:
            raise StoreError(f"{self.path} cannot be written: {error.strerror}.") from error

    def append(self, lines: Sequence[str]) -> None:
        """Add *lines* and have the disk keep them; all or none."""
        self.lock()
        fd = self._fd
        if fd is None or not lines:
            return
        before = os.fstat(fd).st_size
        try:
            # a torn line stays as it is: what follows begins on a line of its own
            torn = before > 0 and os.pread(fd, 1, before - 1) != b"\n"
            _write(fd, ("\n" * torn + "".join(f"{each}\n" for each in lines)).encode())
            os.fsync(fd)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(fd, before)
            raise StoreError(
                f"{self.path} cannot be written: {error.strerror}. Nothing was added to it."
            ) from error

    def close(self) -> None:
        """Let others write."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _opened(self) -> int:
        new = not self.path.exists()
        fd = os.open(self.path, _FLAGS, PRIVATE_FILE)
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise OSError(0, "it is no plain file")
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.fchmod(fd, PRIVATE_FILE)
            if new:
                _keep_entry(self.path.parent)
        except OSError:
            os.close(fd)
            raise
        return fd


def private_folder(path: Path) -> None:
    """Make the folder with its parents if it is not there, for our eyes only."""
    try:
        path.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path} cannot be used as a folder: {error.strerror}.") from error


def _write(fd: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]


def _keep_entry(folder: Path) -> None:
    """Have the disk keep that there is a new file."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
