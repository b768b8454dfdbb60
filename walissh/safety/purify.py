"""The mouth: what comes from a host becomes clean text here, before anything else sees it.

Decoded, control sequences and hidden characters gone, secrets redacted; fenced and cut
for the model. The result depends on the bytes alone, never on how they arrived.
"""

from typing import Literal

from walissh.safety import decode, redact
from walissh.safety.fence import cut, fence
from walissh.safety.placeholders import UNNUMBERED, Names
from walissh.safety.redact import More, Span, spans

__all__ = ["Mouth", "Span", "clean", "cut", "fence", "spans"]

Stream = Literal["stdout", "stderr"]


class Mouth:
    """Purifies both streams of one command; *encoding* is the host's own.

    *names* numbers the secrets, *more* finds those that the command gives away.
    """

    def __init__(self, encoding: str, names: Names = UNNUMBERED, more: More | None = None) -> None:
        self._streams = {
            name: _Stream(encoding, redact.Redactor(names, more)) for name in ("stdout", "stderr")
        }

    def feed(self, stream: Stream, data: bytes) -> str:
        """Return the clean whole lines that *data* completes on *stream*, "" if none."""
        return self._streams[stream].feed(data)

    def finish(self) -> str:
        """Return what is left of both streams; a last line may lack its newline."""
        out, err = (self._streams[name].finish() for name in ("stdout", "stderr"))
        return f"{out}\n{err}" if out and err and not out.endswith("\n") else out + err


def clean(text: str, names: Names = UNNUMBERED) -> str:
    """Return *text* as a Mouth would give it: for texts of models and of errors."""
    lines, rest = decode.take_lines(text)
    return redact.whole(_plain([*lines, rest]), redact.Redactor(names))


class _Stream:
    def __init__(self, encoding: str, redactor: redact.Redactor) -> None:
        self._decoder = decode.decoder(encoding)
        self._redactor = redactor
        self._rest: list[str] = []
        self._waiting = 0

    def feed(self, data: bytes) -> str:
        return self._take(self._decoder.decode(data))

    def finish(self) -> str:
        whole = self._take(self._decoder.decode(b"", final=True))
        (rest,) = _plain(["".join(self._rest)])
        self._rest = []
        return whole + self._redactor.last(rest)

    def _take(self, text: str) -> str:
        if not text:
            return ""
        self._rest.append(text)
        self._waiting += len(text)
        if "\n" not in text and self._waiting <= decode.MAX_LINE:
            return ""
        lines, rest = decode.take_lines("".join(self._rest))
        self._rest, self._waiting = [rest] if rest else [], len(rest)
        clean = self._redactor.lines(_plain(lines))
        return "\n".join(clean) + "\n" if clean else ""


def _plain(lines: list[str]) -> list[str]:
    return [line if decode.is_plain(line) else decode.plain_line(line) for line in lines]
