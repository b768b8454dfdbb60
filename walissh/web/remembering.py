"""What a person says to be remembered, as the stores take it; page and interface share it."""

import json
from collections.abc import Iterator
from dataclasses import replace

from walissh.errors import InvalidError, NotFoundError
from walissh.memory import rules
from walissh.memory.entry import Channel, Found, Memory, MemoryType, Origin, Source
from walissh.memory.extract import preferences
from walissh.memory.rules import Parsed
from walissh.react.host import Host
from walissh.safety import redact
from walissh.store import hosts, memories

SUBJECT_CHARS = 60


def said(text: str) -> Found:
    """Return the preference that a person wrote down, named as if it had come up in a talk.

    What no rule understands is kept as it stands, under its first words.
    """
    found = preferences.from_user(text)
    if len(found) == 1:
        return replace(found[0], content=text)
    return Found(MemoryType.USER_PREFERENCE, subject_of(text), text, text)


def subject_of(text: str) -> str:
    """Return a name for a text that brings none: its first words."""
    return " ".join(text.split())[:SUBJECT_CHARS].strip().lower()


def tell(person_id: str, text: str, host_name: str, channel: Channel) -> memories.Change:
    """Keep a standing instruction of a person, for one of their hosts if one is named.

    Raises InvalidError if it says nothing or holds a secret, NotFoundError for the host.
    """
    if not text:
        raise InvalidError("There is nothing to remember. Write a sentence.", field="content")
    refuse_secrets(text)
    host, found = host_meant(host_name, person_id), said(text)
    if host is not None and found.scope == "global":
        found = replace(found, scope=f"host:{host.name}")
    return memories.add_or_update(person_id, found, by_person(channel))


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


def lines_in(data: bytes) -> list[str]:
    """Return the lines of a file; raises InvalidError if it is no text."""
    try:
        return data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise InvalidError("The file is not text in UTF-8. Nothing was taken.") from error
