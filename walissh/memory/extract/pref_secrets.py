"""Secrets in what a person writes: seen so that they are kept out, and the refusal explained.

Unlike in the output of a program, a secret in talk needs no sign before it ("记住密码是 123",
"the password is swordfish"). Talk about secrets ("never print passwords") holds none.
"""

import re
from typing import Final

from walissh.memory.extract import phrases
from walissh.safety import redact


def kind_told(text: str) -> str | None:
    """Return the kind of secret ("password", "token", …) that *text* tells, else None."""
    told = phrases.pattern("secrets.told").search(text)
    if told:
        return _kind(told[0])
    spans = redact.spans(text)
    return spans[0].kind if spans else None


def refusal(text: str) -> str | None:
    """Return the kind of secret that the person asks to remember, None if none is asked.

    "记住密码是 …", "remember the token …", "my sudo password is …, keep it". A password told
    for the task at hand alone is not asked to be remembered.
    """
    for line in (" ".join(each.split()) for each in text[:_MAX_CHARS].splitlines()[:_MAX_LINES]):
        if phrases.found("secrets.keep", line):
            kind = kind_told(line) or _asked_for(line)
            if kind:
                return kind
    return None


def without(clause: str) -> str | None:
    """Return *clause* cut before the secret that it tells, None if nothing else is in it.

    "log in as app with password …" keeps "log in as app"; a clause about the secret itself
    ("use token …") holds nothing that may be kept.
    """
    if kind_told(clause) is None:
        return clause
    clause = " ".join(clause.split())  # the patterns take their time with runs of blanks
    told = phrases.pattern("secrets.told").search(clause)
    joined = phrases.pattern("secrets.joint").search(clause[: told.start()]) if told else None
    head = clause[: joined.start()].rstrip(" ,，;；") if joined else ""
    return head if phrases.found("secrets.account", head) and kind_told(head) is None else None


def values(text: str) -> frozenset[str]:
    """Return the secrets that *text* tells, so that nothing kept says one of them again."""
    head = text[:_MAX_CHARS]
    matches = phrases.pattern("secrets.told").finditer(head)
    told = {words[-1].strip(".!?()") for match in matches if (words := _WORDS.findall(match[0]))}
    told |= {head[span.start : span.end] for span in redact.spans(head)}
    return frozenset(each for each in told if len(each) >= _SHORTEST)


def _asked_for(line: str) -> str | None:
    asked = phrases.pattern("secrets.asked").search(line)
    return _kind(asked[0]) if asked else None


def _kind(words: str) -> str:
    return next(
        (name for name in _KINDS if phrases.found(f"secrets.kinds.{name}", words)), "secret"
    )


_MAX_CHARS: Final = 4_000
_MAX_LINES: Final = 30
_SHORTEST: Final = 3
_KINDS: Final = ("api key", "private key", "passphrase", "token", "password", "key")
_WORDS: Final = re.compile(r"[^\s\"'“”‘’「」`,，。；;:：=\u4e00-\u9fff]+")
