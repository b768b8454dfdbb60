"""Stored text as data for the model: between borders that it cannot forge or leave.

The border is told from the text itself, so that the same memory gives the same prompt,
and no text can hold the digest of what it is part of.
"""

import hashlib
import re
import unicodedata

from walissh.safety import purify

TITLES = (
    "长期记忆",
    "核心记忆",
    "任务状态",
    "里程碑",
    "主机",
    "知识库",
    "历史摘要",
    "長期記憶",
    "核心記憶",
    "任務狀態",
    "主機",
    "知識庫",
    "歷史摘要",
    "Long-term memory",
    "Core memory",
    "Task state",
    "Milestones",
    "Hosts",
    "Knowledge",
    "Summary so far",
)
_BLANK = r"[\s\u00ad\u180e\u200b-\u200f\u2060\ufeff]"
_HYPHEN = r"[-_\u2010-\u2015\u2043\u2212]"


def _any_spelling(title: str) -> str:
    """Return a pattern of *title* with any blanks and hyphens; Han may stand apart."""
    if not title.isascii():
        return f"{_BLANK}*".join(title)
    return title.replace("-", f"(?:{_BLANK}*{_HYPHEN}{_BLANK}*|{_BLANK}+)").replace(
        " ", f"(?:{_BLANK}|{_HYPHEN})*"
    )


_SPEAKING = re.compile(
    rf"[\[【〔〖⟦〚](?=(?:{_BLANK}|[*_#`~])*(?:"
    + "|".join(map(_any_spelling, TITLES))
    + rf"|USER{_BLANK}*_{_BLANK}*PREFERENCE|command\s|m\d))",
    re.I,
)
_RUN = re.compile(r"[<＜‹«]{3,}|[>＞›»]{3,}")


def fenced(kind: str, text: str) -> str:
    """Return *text* between borders named *kind*; it is made harmless first with `line`."""
    border = hashlib.sha256(f"{kind}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"<<<{kind} {border}\n{text}\n{kind} {border}>>>"


def line(text: str, max_chars: int) -> str:
    """Return *text* on one line that cannot pose as a border, a section, or a mark."""
    return harmless(" ".join(purify.clean(_short(text, max_chars)).split()))


def block(text: str, max_chars: int) -> str:
    """Return *text* with its lines, none of which can pose as something else."""
    lines = purify.clean(_short(text, max_chars)).split("\n")
    return "\n".join(harmless(each) for each in lines).strip("\n")


def harmless(text: str) -> str:
    """Return *text* with what looks like a border, a section's title or a mark blunted."""
    blunt = _RUN.sub(lambda run: ("(" if run[0][0] in "<＜‹«" else ")") * len(run[0]), text)
    # found in the folded text, which is as long: full-width letters read the same
    speaking = {found.start() for found in _SPEAKING.finditer(_folded(blunt))}
    return "".join("(" if at in speaking else each for at, each in enumerate(blunt))


def _folded(text: str) -> str:
    """Return *text* with each character in its plain form, where that is one character."""
    if text.isascii():
        return text
    plain = (unicodedata.normalize("NFKC", each) for each in text)
    return "".join(new if len(new) == 1 else old for old, new in zip(text, plain, strict=True))


def _short(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else text[: max_chars - 1] + "…"
