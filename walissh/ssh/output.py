"""What a command says, on its way from the channel to whoever listens."""

import time
from collections import deque
from collections.abc import Callable
from typing import Literal

from walissh.safety.purify import Mouth
from walissh.ssh import askpass, remote

StreamName = Literal["stdout", "stderr"]

FLUSH_S = 0.25
_PIECE_BYTES = 64 * 1024
_MAX_NOISE = 64 * 1024
_MAX_ASIDE = 96  # a mark, two process ids and what is between them
_MIN_HIDDEN = 4
HIDDEN = "‹sudo password›"
"""What stands in an output for the password that was handed to sudo."""


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


class _Asides:
    """Takes out of a stream what the starting shell says to us in between, a line each time."""

    def __init__(self, mark: str) -> None:
        self._mark = (mark + askpass.PREFIX).encode()
        self._held = b""
        self.lines: deque[str] = deque()

    def pass_on(self, data: bytes) -> bytes:
        """Return what of *data* is the command's own; what may be half an aside waits."""
        data, own = self._held + data, bytearray()
        while (at := data.find(self._mark)) >= 0:
            told = at + len(self._mark)
            end = data.find(b"\n", told, at + _MAX_ASIDE)
            if end >= 0:
                line = data[told - len(askpass.PREFIX) : end]
                self.lines.append(line.decode("ascii", "replace"))
                own += data[:at]
            elif len(data) - at < _MAX_ASIDE:
                break  # the rest of it is still to come
            else:
                end = told - 1  # it only begins like one
                own += data[:told]
            data = data[end + 1 :]
        kept = self._begun(data)
        self._held = data[kept:]
        return bytes(own + data[:kept])

    def rest(self) -> bytes:
        """Return what waited in vain."""
        held, self._held = self._held, b""
        return held

    def _begun(self, data: bytes) -> int:
        """Return where an aside begins that is not whole yet; the length if none does."""
        at = data.find(self._mark)
        if at >= 0:
            return at
        at = data.find(self._mark[:1], max(0, len(data) - len(self._mark)))
        while at >= 0 and not self._mark.startswith(data[at:]):
            at = data.find(self._mark[:1], at + 1)
        return at if at >= 0 else len(data)


class Outlet:
    """Takes raw bytes of both streams; gives clean text on, in pieces, soon.

    With *hidden*, a password that is handed over on the way: the asides of the starting shell
    are taken out, and so is the password, should the command print it.
    """

    def __init__(
        self,
        mark: str,
        encoding: str,
        on_output: Callable[[str], None],
        *,
        hidden: str | None = None,
        mouth: Mouth | None = None,
    ) -> None:
        self._entrances = {"stdout": _Entrance(mark), "stderr": _Entrance(mark)}
        self._asides = None if hidden is None else _Asides(mark)
        self._hidden = hidden if hidden and len(hidden) >= _MIN_HIDDEN else ""
        self._mouth = mouth or Mouth(encoding)
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

    def asked(self) -> str | None:
        """Return what the starting shell said next (see ``askpass``), None if nothing."""
        return self._asides.lines.popleft() if self._asides and self._asides.lines else None

    def noise(self) -> str:
        """Return in clean text what was said instead of a start, at most 500 characters."""
        mouth = Mouth(self._encoding)
        said = b"\n".join(bytes(each.noise) for each in self._entrances.values())
        return (mouth.feed("stdout", said) + mouth.finish()).strip()[-500:]

    def feed(self, stream: StreamName, data: bytes) -> None:
        """Take the next bytes of *stream*."""
        own = self._entrances[stream].pass_on(data)
        if stream == "stderr" and self._asides and own:
            own = self._asides.pass_on(own)
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
        if self._asides:
            self._keep(self._mouth.feed("stderr", self._asides.rest()))
        self._keep(self._mouth.finish())
        self._flush()

    def _keep(self, text: str) -> None:
        if self._hidden:
            text = text.replace(self._hidden, HIDDEN)
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
