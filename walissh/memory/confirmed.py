"""A diagnosis that a person confirms becomes a case; without that nothing of it is one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final, Protocol

from walissh.errors import ConflictError, InvalidError
from walissh.memory import confirming, sentences
from walissh.memory.entry import Channel, Found, Memory, MemoryType, Origin, Source
from walissh.memory.extract import pref_secrets
from walissh.memory.extract.cases import STALE_DAYS
from walissh.memory.needs import Commands, History, Hosts, Memories
from walissh.react.diagnosed import Diagnosed
from walissh.react.host import Host
from walissh.react.turn import CommandRun, Risk, Turn, TurnStatus

LOOK_BACK: Final = 3
"""So many turns lie at most between a diagnosis and the words that confirm it: the repair."""

HIDDEN: Final = "‹secret›"

_CODE = re.compile(r"`+")
_NAME_PARTS = re.compile(r"[._]+")
_COUNT = re.compile(
    r"(?<![\w:.,/-])(?<!port )(?<!ports )(?<!端口 )(?<!端口)"
    r"\d[\d.,]*(?:\s?[KMGTP]i?B?|\s?%)?(?![\w:/-])",
    re.I,
)


class Turns(Protocol):
    """``store.turns``."""

    def of_session(self, session_id: str) -> list[Turn]:
        """Return the turns of a session, oldest first."""


class Diagnoses(Protocol):
    """``store.diagnoses``."""

    def confirm(self, turn_id: str, user_id: str, host: str, memory_id: str) -> None:
        """Note that the case was kept, once; raises ConflictError if it was noted before."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a message that confirms is answered with, and the turn that it confirms."""

    text: str
    turn_id: str


@dataclass(frozen=True, slots=True)
class Confirming:
    """Keeps a confirmed diagnosis as a case of its host."""

    memories: Memories
    turns: Turns
    diagnoses: Diagnoses
    commands: Commands
    history: History
    hosts: Hosts

    def confirm(self, turn: Turn, channel: Channel, *, host: str = "", fix: str = "") -> Memory:
        """Keep what *turn* found on *host* as a case, with the *fix* that was really made.

        Without *fix* it is the one that was proposed, which worked only if something was run
        for it. Raises ConflictError if there is nothing
        to confirm (any more) or the turn met orders in an output, InvalidError if the host
        must be named or the text holds a secret.
        """
        found = _meant(turn.diagnosed, host)
        runs = self.commands.of_turn(turn.id)
        if any(run.is_flagged for run in runs):
            raise ConflictError(
                "An output of this turn gives orders, so nothing is learned from it. Call them"
                " harmless first if they are."
            )
        source = Source(
            Origin.USER, channel, message_id=self._answer(turn), command_id=_command(found)
        )
        on = self._host(turn, found, runs)
        is_made = bool(fix.strip()) or self._was_repaired(turn)
        case = self._as_known(turn.user_id, case_of(found, fix, is_made=is_made), on)
        kept = self.memories.add_or_update(turn.user_id, case, source, host=on)
        if kept.memory is None:
            raise ConflictError("Nothing waits to be confirmed here (any more).")
        # the case first: if this ends here, confirming again finds it and adds nothing
        self.diagnoses.confirm(turn.id, turn.user_id, found.host, kept.memory.id)
        return kept.memory

    def _was_repaired(self, turn: Turn) -> bool:
        """Tell whether something was changed soon after *turn*, as a repair does."""
        talk = self.turns.of_session(turn.session_id)
        at = next((n for n, each in enumerate(talk) if each.id == turn.id), len(talk))
        after = takewhile(lambda each: not each.diagnosed, talk[at + 1 : at + 1 + LOOK_BACK])
        return any(self._changed_something(each) for each in after)

    def _as_known(self, owner_id: str, case: Found, host: Host | None) -> Found:
        """Return *case* in the words of the same one that is known, which is then no other.

        They are the same if only counts and process ids differ; ports and versions are names.
        """
        if host is None:
            return case
        known = self.memories.newest(owner_id, case.subject, type=case.type, host_id=host.id)
        if known is None or _uncounted(known.cause) != _uncounted(case.cause):
            return case
        fix = known.fix if _uncounted(known.fix) == _uncounted(case.fix) else case.fix
        content = _content(case.symptom, known.cause, fix)
        return replace(case, value=known.value, cause=known.cause, fix=fix, content=content)

    def by_words(self, turn: Turn) -> Answered | None:
        """Do what the message of *turn* says if it only confirms the diagnosis before it.

        None for any other message.
        """
        if confirming.read(turn.question) is None:
            return None
        before = self._diagnosed_before(turn)
        if before is None:
            return None
        said = confirming.read(turn.question, [each.host for each in before.diagnosed])
        return None if said is None else self._by_words(turn, before, said)

    def _by_words(self, turn: Turn, before: Turn, said: confirming.Said) -> Answered:
        of_host = [each for each in before.diagnosed if said.host in ("", each.host)]
        waiting = [each for each in of_host if each.confirmed_at is None]
        if len(waiting) > 1:
            names = [each.host for each in waiting]
            return Answered(sentences.which_host(names, turn.language), before.id)
        if waiting:
            try:
                self.confirm(before, "agent", host=waiting[0].host, fix=said.fix)
            except (ConflictError, InvalidError):
                return Answered(sentences.not_confirmed(turn.language), before.id)
        cause = (waiting or of_host)[0].cause
        return Answered(sentences.confirmed(cause, said.fix, turn.language), before.id)

    def _diagnosed_before(self, turn: Turn) -> Turn | None:
        """Return the turn that *turn* may confirm: the last one, or that before the repair."""
        talk = self.turns.of_session(turn.session_id)
        at = next((n for n, each in enumerate(talk) if each.id == turn.id), 0)
        for each in reversed(talk[max(0, at - 1 - LOOK_BACK) : at]):
            if each.diagnosed:
                return each
            if each.status is not TurnStatus.DONE or not self._goes_with_it(each):
                return None
        return None

    def _goes_with_it(self, turn: Turn) -> bool:
        """Tell whether something was changed in it, as a repair does, or it confirmed already."""
        if confirming.read(turn.question) is not None:
            return True
        # what only looked belongs to another question, whose cause was never found
        return self._changed_something(turn)

    def _changed_something(self, turn: Turn) -> bool:
        return any(
            run.went_well and (turn.is_order or run.risk is not Risk.READ_ONLY)
            for run in self.commands.of_turn(turn.id)
        )

    def _answer(self, turn: Turn) -> str | None:
        said = [each for each in self.history.of_turn(turn.id) if each.role == "assistant"]
        return said[-1].id if said else None

    def _host(self, turn: Turn, found: Diagnosed, runs: Sequence[CommandRun]) -> Host | None:
        """Return the host it was found on, by the id in the journal; None if it is gone."""
        host_id = next((run.host_id for run in runs if run.host == found.host), "")
        return self.hosts.get(host_id, turn.user_id)


def case_of(found: Diagnosed, fix: str = "", *, is_made: bool = True) -> Found:
    """Return the case that *found* is once it is confirmed; *fix* as made, "": as proposed.

    Unless it *is_made* nobody knows whether the fix works.
    """
    symptom, cause = _plain(found.symptom), _plain(found.cause)
    fix = fix.strip() or _plain(found.fix)
    return Found(
        type=MemoryType.TROUBLESHOOTING_CASE,
        subject=_NAME_PARTS.sub(" ", found.finding),
        value=cause,
        content=_content(symptom, cause, fix),
        symptom=symptom,
        cause=cause,
        fix=fix,
        worked=True if is_made else None,
        confidence=1.0,
        stale_days=STALE_DAYS,
    )


def _content(*parts: str) -> str:
    return " → ".join(filter(None, parts))


def _uncounted(text: str) -> str:
    """Return *text* without its counts: what is measured is never the same twice."""
    return _COUNT.sub("#", " ".join(text.split()))


def _meant(found: Sequence[Diagnosed], host: str) -> Diagnosed:
    waiting = [e for e in found if host in ("", e.host) and e.confirmed_at is None]
    if not waiting:
        raise ConflictError("Nothing waits to be confirmed here (any more).")
    if len(waiting) > 1:
        raise InvalidError(
            "Causes were found on several hosts. Nothing was kept. Say which host it was.",
            field="host",
        )
    return waiting[0]


def _command(found: Diagnosed) -> str | None:
    return found.places[0].command_id if found.places else None


def _plain(text: str) -> str:
    """Return *text* without marks of code, and with nothing that could be a secret told."""
    for secret in sorted(pref_secrets.values(text), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _CODE.sub("", text)
