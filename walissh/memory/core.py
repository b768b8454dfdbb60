"""Core memory: a few short named blocks that are in every prompt, and what may stand in them."""

import re
from dataclasses import dataclass
from datetime import datetime

from walissh.errors import InvalidError
from walissh.memory.extract import pref_secrets
from walissh.react.turn import Language
from walissh.safety import redact

MAX_CHARS = 2_000

BLOCKS = ("me", "fleet", "rules")
"""The blocks in the order in which they are shown."""

_TITLES: dict[str, tuple[str, str]] = {
    "me": ("关于我", "About me"),
    "fleet": ("关于我的机器", "About my fleet"),
    "rules": ("常备规则", "Standing rules"),
}
_NUL = "The text holds a NUL character, which cannot be stored. Remove it."


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a block: in force once confirmed, until a later one is.

    *by* is a person's id or "agent"; *reason* says why it was proposed. One with neither
    *confirmed_at* nor *rejected_at* waits for the person.
    """

    block: str
    version: int
    content: str
    by: str
    reason: str
    at: datetime
    confirmed_at: datetime | None
    rejected_at: datetime | None

    @property
    def waits(self) -> bool:
        """Tell whether the person has still to decide on it."""
        return self.confirmed_at is None and self.rejected_at is None


def title(block: str, language: Language) -> str:
    """Return the heading of a block."""
    return _TITLES[block][0 if language == "zh" else 1]


def checked(content: str) -> str:
    """Return *content* as it is kept: line ends as ``\\n``, no blanks at the ends.

    Raises InvalidError for a text that is too long, that no database takes, or that holds
    a secret.
    """
    if "\0" in content:
        raise InvalidError(_NUL, field="content")
    if re.search(r"[\ud800-\udfff]", content):
        raise InvalidError("The text is not valid Unicode.", field="content")
    text = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", content)
    text = "\n".join(line.rstrip() for line in text.split("\n")).strip()
    _check_size(text)
    _check_secrets(text)
    return text


def _check_size(text: str) -> None:
    if len(text) > MAX_CHARS:
        raise InvalidError(
            f"The text has {len(text)} characters; a block of core memory has at most"
            f" {MAX_CHARS}. Shorten it, for it is part of every request.",
            field="content",
        )


def _check_secrets(text: str) -> None:
    line = _line_of_secret(text)
    if line:
        raise InvalidError(
            f"Line {line} holds a secret, which core memory never keeps. Nothing was saved."
            " Remove it and save again; secrets of a host belong on its host page.",
            field="content",
        )


def _line_of_secret(text: str) -> int:
    """Return the number of the first line that tells a secret, 0 if none does."""
    shown = [text.count("\n", 0, span.start) + 1 for span in redact.spans(text)[:1]]
    lines = enumerate(text.split("\n"), 1)
    told = [number for number, line in lines if pref_secrets.kind_told(line)]
    return min([*shown, *told], default=0)
