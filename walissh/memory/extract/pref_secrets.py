"""Secrets in what a person writes: seen so that they are kept out, and the refusal explained.

Unlike in the output of a program, a secret in talk needs no sign before it ("记住密码是 123",
"the password is swordfish"). Talk about secrets ("never print passwords") holds none.
"""

import re
from collections.abc import Iterator
from typing import Final

from walissh.memory.extract import phrases
from walissh.safety import placeholders, redact


def kind_told(text: str) -> str | None:
    """Return the kind of secret ("password", "token", …) that *text* tells, else None.

    One that was hidden before, and left its placeholder, was told all the same.
    """
    hidden = placeholders.kinds(text)
    if hidden:
        return hidden[0]
    told = next(_told(text), None)
    if told:
        return _kind(told[0])
    spans = redact.spans(text)
    return spans[0].kind if spans else None


def is_value_of(label: str, value: str) -> bool:
    """Tell whether *value* is the secret that *label* names ("root password", "plum-7788")."""
    labels = phrases.pattern("words.secret").finditer(label.strip())
    named = any(match.end() == len(label.strip()) for match in labels)
    return named and phrases.pattern("words.opaque").fullmatch(value.strip()) is not None


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
        return None if phrases.found("secrets.spoken", clause) else clause
    # a hidden secret is read as what it was, so that the same grammar finds where it stands
    clause = placeholders.MARK.sub(_STAND_IN, clause)
    clause = " ".join(clause.split())  # the patterns take their time with runs of blanks
    told = next(_told(clause), None)
    joined = phrases.pattern("secrets.joint").search(clause[: told.start()]) if told else None
    head = clause[: joined.start()].rstrip(" ,，;；") if joined else ""
    return head if phrases.found("secrets.account", head) and kind_told(head) is None else None


def values(text: str) -> frozenset[str]:
    """Return the secrets that *text* tells, so that nothing kept says one of them again.

    Of those that were hidden before, the placeholders.
    """
    hidden = frozenset(found[0] for found in placeholders.MARK.finditer(text))
    text = placeholders.MARK.sub(" ", text)
    return hidden | frozenset(
        value
        for start in range(0, min(len(text), _MOST_CHARS), _MAX_CHARS)
        for value in _values(text[max(start - _OVERLAP, 0) : start + _MAX_CHARS])
    )


def _values(head: str) -> frozenset[str]:
    told = {_value(match[0]).strip(".!?()") for match in _told(head)}
    phrased = phrases.pattern("secrets.spoken").finditer(head)
    told |= {_CLAUSE.split(head[match.end() :], maxsplit=1)[0].strip() for match in phrased}
    told |= {head[span.start : span.end] for span in redact.spans(head)}
    return frozenset(each for each in told if len(each) >= _SHORTEST)


def _told(text: str) -> Iterator[re.Match[str]]:
    """Yield what tells a secret; most texts name none, and one look is enough for these."""
    if phrases.found("secrets.hint", text):
        yield from phrases.pattern("secrets.told").finditer(text)


def _value(told: str) -> str:
    """Return what of a telling is the secret: its last word, or the one before "as password"."""
    words: list[str] = _WORDS.findall(told) or [""]
    if phrases.pattern("words.secret").fullmatch(words[-1]):
        opaque = phrases.pattern("words.opaque").search(told)
        return str(opaque[0]) if opaque else ""
    return words[-1]


def _asked_for(line: str) -> str | None:
    asked = phrases.pattern("secrets.asked").search(line)
    return _kind(asked[0]) if asked else None


def _kind(words: str) -> str:
    return next(
        (name for name in _KINDS if phrases.found(f"secrets.kinds.{name}", words)), "secret"
    )


_MAX_CHARS: Final = 4_000
_MOST_CHARS: Final = 20_000
_OVERLAP: Final = 200
"""A secret may stand where two pieces meet."""
_MAX_LINES: Final = 30
_SHORTEST: Final = 3
_STAND_IN: Final = "Xk7m2Qp9"
_KINDS: Final = ("api key", "private key", "passphrase", "token", "password", "key")
_WORDS: Final = re.compile(r"[^\s\"'“”‘’「」`,，。；;:：=\u4e00-\u9fff]+")
_CLAUSE: Final = re.compile(r"""[\n"'”’」`,，.。;；!！]""")
