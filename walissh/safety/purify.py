"""The mouth: what comes from a host becomes clean text here, before anything else sees it.

Decoded, control sequences and hidden characters gone, secrets redacted; fenced and cut
for the model. The result depends on the bytes alone, never on how they arrived.
"""

from typing import Literal

from walissh.safety import decode, redact
from walissh.safety.fence import cut, fence
from walissh.safety.redact import Span, spans

__all__ = ["Mouth", "Span", "clean", "cut", "fence", "spans"]

Stream = Literal["stdout", "stderr"]


class Mouth:
    """Purifies both streams of one command; *encoding* is the host's own."""

    def __init__(self, encoding: str) -> None:
        self._streams = {"stdout": _Stream(encoding), "stderr": _Stream(encoding)}

    def feed(self, stream: Stream, data: bytes) -> str:
        """Return the clean whole lines that *data* completes on *stream*, "" if none."""
        return self._streams[stream].feed(data)

    def finish(self) -> str:
        """Return what is left of both streams; a last line may lack its newline."""
        out, err = (self._streams[name].finish() for name in ("stdout", "stderr"))
        return f"{out}\n{err}" if out and err and not out.endswith("\n") else out + err


def clean(text: str) -> str:
    """Return *text* as a Mouth would give it: for texts of models and of errors."""
    lines, rest = decode.take_lines(text)
    redactor = redact.Redactor()
    head, tail = _lines(lines, redactor), _lines([rest], redactor)
    return _joined(head) + (tail[0] if tail else "")


class _Stream:
    def __init__(self, encoding: str) -> None:
        self._decoder = decode.decoder(encoding)
        self._redactor = redact.Redactor()
        self._rest: list[str] = []
        self._waiting = 0

    def feed(self, data: bytes) -> str:
        return self._take(self._decoder.decode(data))

    def finish(self) -> str:
        whole = self._take(self._decoder.decode(b"", final=True))
        last = _lines(["".join(self._rest)], self._redactor) if self._rest else []
        self._rest = []
        return whole + (last[0] if last else "")

    def _take(self, text: str) -> str:
        if not text:
            return ""
        self._rest.append(text)
        self._waiting += len(text)
        if "\n" not in text and self._waiting <= decode.MAX_LINE:
            return ""
        lines, rest = decode.take_lines("".join(self._rest))
        self._rest, self._waiting = [rest] if rest else [], len(rest)
        return _joined(_lines(lines, self._redactor))


def _joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n" if lines else ""


def _lines(lines: list[str], redactor: redact.Redactor) -> list[str]:
    plain = [line if decode.is_plain(line) else decode.plain_line(line) for line in lines]
    return redact.lines(plain, redactor)
