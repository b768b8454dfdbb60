"""What a command says, on its way from the channel to whoever listens."""

import time
from collections.abc import Callable
from typing import Literal

from walissh.safety.purify import Mouth
from walissh.ssh import remote

StreamName = Literal["stdout", "stderr"]

FLUSH_S = 0.25
_PIECE_BYTES = 64 * 1024
_MAX_NOISE = 64 * 1024


class _Entrance:
    """Drops what a login shell says before the mark; *line* is the rest of its line."""

    def __init__(self, mark: str) -> None:
        self._mark = mark.encode()
        self.noise = bytearray()
        self.line: str | None = None

    def pass_on(self, data: bytes) -> bytes:
        """Return what of *data* is the command's own."""
        if self.line is not None:
            return data
        self.noise += data
        at = self.noise.find(self._mark)
        end = self.noise.find(b"\n", at) if at >= 0 else -1
        if end < 0:
            if at < 0:
                del self.noise[:-_MAX_NOISE]
            return b""
        self.line = self.noise[at + len(self._mark) : end].decode("ascii", "replace")
        rest = bytes(self.noise[end + 1 :])
        self.noise.clear()
        return rest


class Outlet:
    """Takes raw bytes of both streams; gives clean text on, in pieces, soon."""

    def __init__(self, mark: str, encoding: str, on_output: Callable[[str], None]) -> None:
        self._entrances = {"stdout": _Entrance(mark), "stderr": _Entrance(mark)}
        self._mouth = Mouth(encoding)
        self._encoding = encoding
        self._on_output = on_output
        self._pending: list[str] = []
        self._pending_chars = 0
        self._flushed_at = time.monotonic()
        self.received = 0

    @property
    def started(self) -> remote.Started | None:
        """The process, as soon as it has told its id."""
        line = self._entrances["stdout"].line
        return remote.parse_start(line) if line else None

    def noise(self) -> str:
        """Return in clean text what was said instead of a start, at most 500 characters."""
        mouth = Mouth(self._encoding)
        said = b"\n".join(bytes(each.noise) for each in self._entrances.values())
        return (mouth.feed("stdout", said) + mouth.finish()).strip()[-500:]

    def feed(self, stream: StreamName, data: bytes) -> None:
        """Take the next bytes of *stream*."""
        own = self._entrances[stream].pass_on(data)
        if own:
            self.received += len(own)
            self._keep(self._mouth.feed(stream, own))

    def flush_if_due(self) -> None:
        """Give on what has waited long enough, or is enough for a piece."""
        due = time.monotonic() - self._flushed_at >= FLUSH_S
        if self._pending and (due or self._pending_chars >= _PIECE_BYTES):
            self._flush()

    def finish(self) -> None:
        """Give on all that is left, the last unfinished line too."""
        self._keep(self._mouth.finish())
        self._flush()

    def _keep(self, text: str) -> None:
        if text:
            self._pending.append(text)
            self._pending_chars += len(text)

    def _flush(self) -> None:
        text, self._pending, self._pending_chars = "".join(self._pending), [], 0
        for piece in _pieces(text):
            self._on_output(piece)
        self._flushed_at = time.monotonic()


def _pieces(text: str) -> list[str]:
    """Cut into pieces of at most 64 KB as UTF-8."""
    size = _PIECE_BYTES if text.isascii() else _PIECE_BYTES // 4
    return [text[at : at + size] for at in range(0, len(text), size)]
