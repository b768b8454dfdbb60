"""What is about to be remembered, checked: its sizes, its text, and that it holds no secret.

From a person a text that breaks a rule is refused; from the agent it is cut or blanked, for
nobody is there to shorten it.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from walissh.errors import InvalidError
from walissh.memory.entry import FACTS, Found, MemoryType, Origin, Source
from walissh.memory.extract import pref_secrets
from walissh.memory.settle import Claim
from walissh.safety import redact

SUBJECT_CHARS = 200
VALUE_CHARS = 2_000
CONTENT_CHARS = 4_000
SCOPE_CHARS = 400
SIZES = {
    "subject": SUBJECT_CHARS,
    "value": VALUE_CHARS,
    "content": CONTENT_CHARS,
    "symptom": VALUE_CHARS,
    "cause": VALUE_CHARS,
    "fix": VALUE_CHARS,
}
TOLD = "‹secret›"
_MEASURED = (Origin.TOOL, Origin.INVENTORY)
"""What these say is output, where a secret has a sign before it."""
_CASE = ("symptom", "cause", "fix")
_SCOPE = re.compile(r"global!?|(?:host|group|all-except|task):\S.*")
# what no text needs, and PostgreSQL, a page or a terminal may trip over
_HIDDEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A checked entry: *command* is the text of the command that proved it, "" if none."""

    found: Found
    source: Source
    at: datetime
    host_id: str | None = None
    host: str = ""
    command: str = ""
    expires_at: datetime | None = None
    shared_with: str = ""

    def claim(self) -> Claim:
        """Return it as ``memory.settle`` weighs it."""
        return Claim(
            op=self.found.op,
            at=self.at,
            type=self.found.type,
            origin=self.source.origin,
            text=self.found.content,
            subject=self.found.subject,
            value=self.found.value,
            host=self.host or None,
            scope=self.found.scope,
            expires_at=self.expires_at,
        )

    def payload(self) -> dict[str, object]:
        """Return what is kept beside the columns."""
        kept: dict[str, object] = {"command": self.command} if self.command else {}
        if self.found.type is MemoryType.TROUBLESHOOTING_CASE:
            kept |= {name: getattr(self.found, name) for name in _CASE}
            kept["worked"] = self.found.worked
        return kept


def checked(found: Found, source: Source, host: str = "") -> Found:
    """Return what was found on *host* as it may be stored; raises InvalidError."""
    texts = {name: plain(getattr(found, name)) for name in SIZES}
    texts = _fitted(texts, source.origin) if source.channel == "agent" else _required(texts)
    if not texts["subject"] or not (texts["content"] or texts["value"]):
        raise InvalidError(
            "A memory needs a subject and a text. Nothing was kept.", field="content"
        )
    subject = texts["subject"]
    return replace(
        found,
        subject=subject.lower() if found.type is MemoryType.SOFTWARE_FACT else subject,
        value=texts["value"],
        content=texts["content"] or texts["value"],
        symptom=texts["symptom"],
        cause=texts["cause"],
        fix=texts["fix"],
        scope=_scope(found, host),
        confidence=min(max(found.confidence, 0.0), 1.0),
        stale_days=found.stale_days if found.stale_days and found.stale_days > 0 else None,
    )


def scope(text: str) -> str:
    """Return a scope in its one spelling: names in order, no blanks; raises InvalidError."""
    kind, colon, names = plain(text).partition(":")
    listed = sorted({name.strip() for name in names.split(",") if name.strip()})
    spelled = f"{kind.strip().lower()}{colon}{','.join(listed)}"
    if not _SCOPE.fullmatch(spelled) or len(spelled) > SCOPE_CHARS:
        raise InvalidError(
            f"{text[:80]!r} is no scope. Use global, host:NAME, group:NAME or all-except:NAME.",
            field="scope",
        )
    return spelled


def _scope(found: Found, host: str) -> str:
    """Bind a rule for a host to its name, a fact by the host's id alone, which outlives it."""
    spelled, here = scope(found.scope), f"host:{host}"
    if host and found.type in FACTS and spelled == here:
        return "global"
    is_rule = found.type is MemoryType.USER_PREFERENCE
    return here if host and is_rule and spelled == "global" else spelled


def plain(text: str) -> str:
    """Return *text* without characters that cannot be seen, and without blanks around."""
    return _HIDDEN.sub("", unicodedata.normalize("NFC", text.replace("\r\n", "\n"))).strip()


def hide_secrets(text: str) -> str:
    """Return *text* with a mark in the place of each secret."""
    return redact.redact(text)


def same_value(one: str, other: str) -> bool:
    """Tell whether two values say the same, up to case, blanks and final marks."""
    return _folded(one) == _folded(other)


def _folded(value: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", value).casefold().split()).strip(" .。!！;；")


def _fitted(texts: dict[str, str], origin: Origin) -> dict[str, str]:
    if _holds_secret(texts):
        texts = {name: hide_secrets(text) for name, text in texts.items()}
    if origin not in _MEASURED:
        texts = {name: _without_told(text) for name, text in texts.items()}
    return {name: text[: SIZES[name]].strip() for name, text in texts.items()}


def _without_told(text: str) -> str:
    for secret in sorted(pref_secrets.values(text), key=len, reverse=True):
        text = text.replace(secret, TOLD)
    return text


def _required(texts: dict[str, str]) -> dict[str, str]:
    for name, text in texts.items():
        if len(text) > SIZES[name]:
            raise InvalidError(
                f"The {name} has {len(text):,} characters; at most {SIZES[name]:,} are kept."
                " Nothing was stored. Say it shorter.",
                field=name,
            )
    # most hold none, and one look at all of them is enough
    if _holds_secret(texts) or any(map(pref_secrets.kind_told, _lines(texts))):
        for name, text in texts.items():
            if _tells_secret(text):
                raise _secret(name)
    for name in ("value", "content"):
        if pref_secrets.is_value_of(texts["subject"], texts[name]):
            raise _secret(name)
    return texts


def _secret(name: str) -> InvalidError:
    return InvalidError(
        f"The {name} holds a password, key or token. Nothing was stored: memory never"
        " keeps secrets. Say it without the secret.",
        field=name,
    )


def _tells_secret(text: str) -> bool:
    """Tell whether a person's text holds a secret; in talk it needs no sign before it."""
    if redact.spans(text):
        return True
    return any(pref_secrets.kind_told(line) for line in text.split("\n"))


def _holds_secret(texts: Mapping[str, str]) -> bool:
    """Tell whether any text may hold a secret: most hold none, and one look is enough."""
    told = "\n".join(dict.fromkeys(filter(None, texts.values())))
    return hide_secrets(told) != told


def _lines(texts: Mapping[str, str]) -> Iterable[str]:
    """Return the different lines of all texts; of a preference several say the same."""
    return dict.fromkeys(line for text in texts.values() for line in text.split("\n") if line)
