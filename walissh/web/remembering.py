"""What a person says to be remembered, as the stores take it; page and interface share it."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from walissh.errors import InvalidError, NotFoundError
from walissh.memory import intake, questions, rules
from walissh.memory.entry import FACTS, Channel, Found, Memory, MemoryType, Origin, Source
from walissh.memory.extract import cases, preferences
from walissh.memory.intake import Intake
from walissh.memory.rules import Parsed
from walissh.react.host import Host
from walissh.safety import redact
from walissh.store import hosts, memories

SUBJECT_CHARS = 60
WISH = MemoryType.USER_PREFERENCE
CASE = MemoryType.TROUBLESHOOTING_CASE

_SAYS = r"(?:[\s:：=]|\b(?:version|is|runs|at)\b|版本|是|为)"
_VERSION = re.compile(rf"(?P<name>\D{{1,60}}?){_SAYS}*v?(?P<value>\d[\w.+~-]*)", re.I)
_IS = re.compile(
    r"(?P<name>.{1,60}?)\s*(?:[:：=]|\b(?:is|are|runs|has)\b|是|为)\s*(?P<value>.+)", re.I
)


def said(text: str, kind: MemoryType | None = None) -> list[Found]:
    """Return what a person wrote down, named as if it had come up in a talk.

    Where they chose no *kind*, or a wish, the rules tell what it is; what no rule
    understands is kept as it stands, under its first words. Raises InvalidError for a
    question, for that teaches nothing.
    """
    wishes = wished(text) if kind in (None, WISH) else []
    if wishes:
        return wishes
    cases_told = cases.from_assistant(text) if kind in (None, WISH, CASE) else []
    if len(cases_told) == 1:
        return [replace(cases_told[0], content=text)]
    _refuse_question(text)
    return [as_it_stands(text, kind or WISH)]


def wished(text: str) -> list[Found]:
    """Return the standing instructions in *text*; a lone one keeps the words around it."""
    found = preferences.from_user(text)
    return [replace(found[0], content=text)] if len(found) == 1 else found


def as_it_stands(text: str, kind: MemoryType) -> Found:
    """Return *text* as a memory of that kind; of a fact its name and its value are told apart."""
    if kind in FACTS:
        pattern = _VERSION if kind is MemoryType.SOFTWARE_FACT else _IS
        found = pattern.match(text) or _IS.match(text)
        if found is not None:
            return Found(kind, subject_of(found["name"]), found["value"].rstrip(" .。"), text)
    return Found(kind, subject_of(text), text, text, symptom=text if kind is CASE else "")


def subject_of(text: str) -> str:
    """Return a name for a text that brings none: its first words."""
    return " ".join(text.split())[:SUBJECT_CHARS].strip().lower()


def tell(
    person_id: str, text: str, where: str, channel: Channel, kind: MemoryType | None = None
) -> list[memories.Change]:
    """Keep what a person wrote down; *where* is a host's name or id, a scope, or "".

    Raises InvalidError if it says nothing that can be kept, NotFoundError for the host.
    """
    if not text:
        raise InvalidError("There is nothing to remember. Write a sentence.", field="content")
    refuse_secrets(text)
    group = where.startswith("group:")
    named = "" if group or where == "global" else where.removeprefix("host:")
    host = host_meant(named, person_id)
    scope = where if group else ""
    return [_keep(person_id, each, host, scope, channel) for each in said(text, kind)]


def _keep(
    person_id: str, found: Found, host: Host | None, scope: str, channel: Channel
) -> memories.Change:
    if found.type in FACTS and host is None:
        raise InvalidError(
            "A fact is of one host. Nothing was stored. Choose the host beside the text.",
            field="host",
        )
    if found.type is WISH and found.scope == "global" and host is not None:
        scope = f"host:{host.name}"
    found = replace(found, scope=scope) if scope and found.scope == "global" else found
    bound = None if found.type is WISH else host
    return memories.add_or_update(person_id, found, by_person(channel), host=bound)


def _refuse_question(text: str) -> None:
    if questions.asks(text):
        raise InvalidError(
            "This is a question, and teaches nothing. Nothing was stored. Ask it in a session,"
            " or say what shall be remembered.",
            field="content",
        )


def refuse_task(scope: str) -> None:
    """Raise InvalidError for the scope of one task: only a talk knows its tasks."""
    if scope.strip().lower().partition(":")[0].strip() == "task":
        raise InvalidError(
            f"{scope[:80]!r} is no scope. Use global, host:NAME, group:NAME or all-except:NAME.",
            field="scope",
        )


def by_person(channel: Channel) -> Source:
    """Return the source of what a person says outside of a talk."""
    return Source(Origin.USER, channel)


def refuse_secrets(*texts: str) -> None:
    """Raise InvalidError that says why if one of *texts* holds a secret."""
    for text in texts:
        found = redact.spans(text)
        kind = found[0].kind if found else preferences.refusal(text)
        if kind:
            raise InvalidError(
                f"The text holds a secret ({kind}), and memory keeps none. Nothing was stored."
                " Leave the secret out; those of a host belong on its host page.",
                field="content",
            )


def host_meant(name_or_id: str, person_id: str) -> Host | None:
    """Return the person's host of that id or name, None for ""; else NotFoundError."""
    if not name_or_id:
        return None
    found = hosts.get(name_or_id, person_id) or hosts.find(name_or_id, person_id)
    if found is None:
        raise NotFoundError("There is no such host.")
    return found


def mine(memory_id: str, person_id: str) -> Memory:
    """Return a memory that the person may read; raises NotFoundError."""
    found = memories.get(memory_id, person_id)
    if found is None:
        raise NotFoundError("There is no such memory. It may have been deleted.")
    return found


def rules_of(text: str, person_id: str) -> Parsed:
    """Return the standing rules in a text, by the names of the person's hosts and groups."""
    reach = hosts.within_reach(person_id)
    known = {name for host in reach for name in (host.name, *host.groups)}
    return rules.parse(text, known=known)


def lines_of(person_id: str) -> Iterator[str]:
    """Yield all that a person owns as JSON lines."""
    for each in memories.export(person_id):
        yield json.dumps(each, ensure_ascii=False) + "\n"


def lines_in(data: bytes) -> list[bytes]:
    """Return the lines of a file; raises InvalidError if none of them is text."""
    lines = data.split(b"\n")
    if not any(map(_is_text, lines)):
        raise InvalidError("The file is not text in UTF-8. Nothing was taken.")
    return lines


def take_in(person_id: str, data: bytes, channel: Channel) -> Intake:
    """Take in the lines of an export; raises InvalidError if it is no text at all."""
    return intake.take_in(memories, person_id, lines_in(data), channel)


def _is_text(line: bytes) -> bool:
    try:
        return "\0" not in line.decode()
    except UnicodeDecodeError:
        return False
