"""What the flow of a talk teaches (ancestor: LongTermMemoryService).

Rules alone decide; no model is asked, and nothing that a host printed is ever followed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from walissh.memory import evidence
from walissh.memory.entry import Found, MemoryType, Op, Origin, Source
from walissh.memory.extract import cases, facts, preferences
from walissh.memory.needs import Change, Memories
from walissh.react.host import Host
from walissh.react.turn import CommandRun, CommandStatus, Message, Risk

SYMPTOM_CHARS = 200


@dataclass(frozen=True, slots=True)
class LongTermMemory:
    """Finds what is worth keeping and hands it to the store."""

    memories: Memories

    def record_user_message(
        self, owner_id: str, message: Message, *, patience_ms: int | None = None
    ) -> Sequence[Change]:
        """Keep the standing instructions in what a person wrote.

        A secret that they asked to remember is not kept: `pref_secrets.refusal` tells.
        """
        source = Source(Origin.USER, message_id=message.id or None)
        found = preferences.from_user(message.content)
        return self._keep(owner_id, found, source, at=message.created_at, patience_ms=patience_ms)

    def record_tool_observation(
        self, owner_id: str, run: CommandRun, output: str, host: Host | None
    ) -> Sequence[Change]:
        """Keep the facts that the purified *output* of a command proves of its host.

        Nothing of a command that failed, and nothing when the host is out of reach.
        """
        if host is None or run.status is not CommandStatus.FINISHED:
            return []
        found = facts.from_tool(output, command=run.command, host=run.host, rc=run.exit_code)
        source = Source(Origin.TOOL, command_id=run.id)
        return self._keep(owner_id, found, source, host=host, at=run.finished_at)

    def record_assistant_conclusion(
        self,
        owner_id: str,
        answer: Message,
        *,
        question: str,
        runs: Sequence[CommandRun],
        host: Host | None,
    ) -> Sequence[Change]:
        """Keep the case that an answer closes: symptom, cause, fix, and whether it worked.

        *host* is the one that all *runs* were on, None if there were several.
        """
        source = Source(Origin.ASSISTANT, message_id=answer.id or None)
        found = [_complete(each, question, runs) for each in cases.from_assistant(answer.content)]
        return self._keep(owner_id, found, source, host=host, at=answer.created_at)

    def record_evidence(
        self, owner_id: str, runs: Sequence[CommandRun], messages: Sequence[Message]
    ) -> Sequence[Change]:
        """Keep what a person's edits and denials tell of how they want things done."""
        source = Source(Origin.BEHAVIOUR)
        return [
            self.memories.add_or_update(
                owner_id, found, replace(source, command_id=run.id), at=run.finished_at
            )
            for run, found in evidence.of_decisions(runs, evidence.asked_for(messages))
        ]

    def record_inventory(self, owner_id: str, hosts: Sequence[Host]) -> Sequence[Change]:
        """Keep what the list of servers itself says of them, where it says something new."""
        return [
            change
            for host in hosts
            for found in evidence.of_inventory(host)
            if not self._is_known(owner_id, found, host)
            for change in self._keep(owner_id, [found], Source(Origin.INVENTORY), host=host)
        ]

    def _is_known(self, owner_id: str, found: Found, host: Host) -> bool:
        newest = self.memories.newest(owner_id, found.subject, type=found.type, host_id=host.id)
        return newest is not None and newest.value == found.value

    def _keep(
        self,
        owner_id: str,
        found: Sequence[Found],
        source: Source,
        *,
        host: Host | None = None,
        at: datetime | None = None,
        patience_ms: int | None = None,
    ) -> Sequence[Change]:
        if not found:
            return []
        return self.memories.add_all(
            owner_id, found, source, host=host, at=at, patience_ms=patience_ms
        )

    def propose(
        self,
        owner_id: str,
        found: Found,
        *,
        host: Host | None,
        command_id: str | None,
        patience_ms: int,
    ) -> Change:
        """Keep what the model proposes and `memory.proposed` has checked."""
        preference = found.type is MemoryType.USER_PREFERENCE
        origin = Origin.USER_HEDGED if preference else Origin.ASSISTANT
        source = Source(origin, command_id=command_id)
        return self.memories.add_or_update(
            owner_id, found, source, host=host, patience_ms=patience_ms
        )


def warm_up() -> None:
    """Compile the rules now, not in somebody's first turn: a second of patterns."""
    for said in ("以后都用 UTC", "这里没有规矩，只是说一句话", "show both sizes in one form"):
        preferences.from_user(said)
    cases.from_assistant("The cause was found. It was fixed.")
    facts.from_tool("1.0", command="true --version", rc=0)


def _complete(found: Found, question: str, runs: Sequence[CommandRun]) -> Found:
    symptom = found.symptom or question.strip()[:SYMPTOM_CHARS]
    worked = found.worked if found.worked is not None else _fix_succeeded(runs)
    return replace(found, symptom=symptom, worked=worked, op=Op.ADD)


def _fix_succeeded(runs: Sequence[CommandRun]) -> bool | None:
    """Tell whether the last change exited with 0; None if nothing was changed."""
    changes = [
        run
        for run in runs
        if run.risk in (Risk.MUTATING, Risk.DESTRUCTIVE) and run.status is CommandStatus.FINISHED
    ]
    return changes[-1].went_well if changes else None
