"""Stored text as data for the model: between borders that it cannot forge or leave.

The border is told from the text itself, so that the same memory gives the same prompt,
and no text can hold the digest of what it is part of.
"""

import hashlib
import re

from walissh.safety import purify

TITLES = (
    "长期记忆",
    "核心记忆",
    "任务状态",
    "里程碑",
    "主机",
    "知识库",
    "历史摘要",
    "Long-term memory",
    "Core memory",
    "Task state",
    "Milestones",
    "Hosts",
    "Knowledge",
    "Summary so far",
)
_SPEAKING = re.compile(
    r"[\[［【〔](?=\s*(?:" + "|".join(TITLES) + r"|USER_PREFERENCE|command\s|m\d))", re.I
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
    return _SPEAKING.sub("(", blunt)


def _short(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else text[: max_chars - 1] + "…"
