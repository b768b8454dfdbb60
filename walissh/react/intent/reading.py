"""A message as it is read: its plain form, its clauses, and what is left without manners."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from walissh.react.intent import lexicon, spelling

HEAD_CHARS: Final = 400
TAIL_CHARS: Final = 160
"""Only the two ends of a long message are looked at: between them is what was pasted."""
MAX_CLAUSES: Final = 12

_EDGE = " \t.,;:!?。，；：！？、~～…—-"
_CLAUSE = re.compile(
    r"(?:[,;!?，。；！？\n]|\.(?=\s|$)|…|—|(?<!\d)[:：](?=\s)"
    r"|\s(?:and then|then|but|because|so that)\s)+"
)
_QUOTED = re.compile(r"\"[^\"\n]{2,200}\"|「[^」\n]{1,200}」|『[^』\n]{1,200}』|《[^》\n]{1,80}》")
_PICTURES = re.compile(r"[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d\s]+$")
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: *text* in plain form, *bare* without manners, *asked* with a question mark."""

    text: str
    bare: str
    asked: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A whole message; *raw* is as written (two ends of a long one), *said* has no quotations."""

    raw: str
    text: str
    said: str
    bare: str
    clauses: tuple[Clause, ...]
    asked: bool
    cut: bool

    @property
    def han(self) -> bool:
        """Tell whether there is any Chinese in it."""
        return _HAN.search(self.text) is not None

    def words(self) -> int:
        """Count English words, and Chinese characters as half a word each."""
        return len(re.findall(r"[a-z0-9_./'-]+", self.text)) + len(_HAN.findall(self.text)) // 2


@lru_cache(maxsize=64)
def read(text: str) -> Reading:
    """Return how *text* is read; of a text of any length the same small effort."""
    cut = len(text) > HEAD_CHARS + TAIL_CHARS
    raw = f"{text[:HEAD_CHARS]}\n{text[-TAIL_CHARS:]}" if cut else text
    lined = "\n".join(spelling.plain(_spoken(line)) for line in raw.splitlines()[:60])
    form = " ".join(lined.split())
    said = _QUOTED.sub(" ", form).strip() or form
    return Reading(
        raw=raw,
        text=form,
        said=said,
        bare=bare(said),
        clauses=tuple(_clauses(_QUOTED.sub(" ", lined))),
        asked=form.rstrip(" .~!！…").endswith(("?", "？")),
        cut=cut,
    )


def _spoken(line: str) -> str:
    """Return *line* without the pictures at its end, unless they are all it says."""
    return _PICTURES.sub("", line) or line


@lru_cache(maxsize=256)
def bare(text: str) -> str:
    """Return *text* without greetings, pleases and thanks around it, unless that is all."""
    text = text.strip(_EDGE)
    for _ in range(8):
        shorter = _off_the_end(_off_the_front(text))
        if shorter == text:
            break
        text = shorter
    return text


def _off_the_front(text: str) -> str:
    found = lexicon.first("before", text)
    return (found and text[found.end() :].strip(_EDGE)) or text


def _off_the_end(text: str) -> str:
    found = lexicon.last("after", text)
    return (found and text[: found.start()].strip(_EDGE)) or text


def _clauses(text: str) -> Iterator[Clause]:
    at = 0
    for number, mark in enumerate(_CLAUSE.finditer(text + "\n")):
        clause = text[at : mark.start()].strip()
        at = mark.end()
        if clause and number < MAX_CLAUSES:
            yield Clause(clause, bare(clause), "?" in mark[0] or "？" in mark[0])
