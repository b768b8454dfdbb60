"""What is learned from a turn once it has ended: in the job ``finish``, in nobody's way."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from walissh.memory import sources, standing
from walissh.memory.entry import Memory
from walissh.memory.longterm import LongTermMemory
from walissh.memory.needs import Change, Commands, CoreMemory, History, Hosts, Memories, Said
from walissh.memory.sidepath import SidePath
from walissh.react.host import Host
from walissh.react.turn import CommandRun, Message, Risk, Turn, TurnStatus, compaction_asked

OBSERVED_LINES = 4_000
"""What a command teaches stands in its first lines: versions, tables, settings."""


class Tracker(Protocol):
    """``memory.milestones.MilestoneTracker``."""

    def detect_and_record(
        self,
        turn: Turn,
        runs: Sequence[CommandRun],
        learned: Sequence[Change],
        *,
        asked: str = "",
    ) -> object:
        """Put the marks of an ended turn on the timeline, once; *asked*: what it ended by."""


class Refining(Protocol):
    """``memory.refine.Refiner``."""

    def refine(self, turn: Turn, runs: Sequence[CommandRun], learned: Sequence[Change]) -> None:
        """Have a model look over what *turn* taught, once."""


@dataclass(frozen=True, slots=True)
class Learned:
    """A change that was made before: what it came to, and the entry."""

    kind: str
    memory: Memory | None


@dataclass(frozen=True, slots=True)
class Aftermath:
    """Reads an ended turn again and keeps what it taught. Doing it twice adds nothing.

    Without *concludes* no answer is read for a case: the playbooks only propose a fix, and a
    person confirms what they found.
    """

    longterm: LongTermMemory
    memories: Memories
    core: CoreMemory
    said: Said
    commands: Commands
    history: History
    hosts: Hosts
    tracker: Tracker
    aside: SidePath
    refiner: Refining | None = None
    concludes: bool = True

    def learn(self, turn: Turn) -> bool:
        """Return False if a store was away, so that it must be done again."""
        if compaction_asked(turn.question) is not None:
            return True  # an order to the talk teaches nothing
        read: list[tuple[list[Message], list[CommandRun]]] = []
        there = self.aside.settled("reading the turn", lambda: read.append(self._read(turn)))
        return there and all(self._learn(turn, *each) for each in read)

    def _read(self, turn: Turn) -> tuple[list[Message], list[CommandRun]]:
        return self.history.of_turn(turn.id), self.commands.of_turn(turn.id)

    def _learn(self, turn: Turn, messages: list[Message], runs: list[CommandRun]) -> bool:
        learned: list[Change] = []
        if any(run.is_flagged for run in runs):
            # what was concluded in sight of orders may be what they told it to conclude
            turn, runs = replace(turn, answer=""), [run for run in runs if not run.is_flagged]
        done = [
            self._question(turn, messages, learned),
            self._observations(turn, runs, learned),
            self._inventory(turn, runs, learned),
            self._deeds(turn, messages, runs, learned),
            self._conclusion(turn, messages, runs, learned),
            self.aside.settled("rules", lambda: self._propose_rules(turn, learned)),
            self.aside.settled("index", lambda: self.said.index_turn(turn.id)),
            self.aside.settled(
                "milestones",
                lambda: self.tracker.detect_and_record(
                    replace(turn, answer=sources.without_sources(turn.answer)),
                    runs,
                    learned,
                    asked=turn.asked.text if turn.asked else "",
                ),
            ),
        ]
        if all(done) and self.refiner is not None:
            self.refiner.refine(turn, runs, learned)
        return all(done)

    def _question(self, turn: Turn, messages: list[Message], learned: list[Change]) -> bool:
        question = next((each for each in messages if each.role == "user"), None)
        if question is None:
            return True
        given = turn.remembrance
        read = given is not None and given.recorded
        return self.aside.settled(
            "question",
            lambda: learned.extend(
                self._taught(turn, question)
                if read
                else self.longterm.record_user_message(turn.user_id, question)
            ),
        )

    def _taught(self, turn: Turn, question: Message) -> Sequence[Change]:
        """Return what the first step has kept of the question already."""
        taught = self.memories.taught_by(turn.user_id, question.id)
        return [Learned("added", memory) for memory in taught]

    def _observations(self, turn: Turn, runs: list[CommandRun], learned: list[Change]) -> bool:
        done = [
            self.aside.settled("observation", partial(self._observe, run, learned))
            for run in runs
            if run.went_well
        ]
        return all(done)

    def _observe(self, run: CommandRun, learned: list[Change]) -> None:
        lines = self.commands.read_lines(run.id, 1, OBSERVED_LINES, "")
        output = "\n".join(text for _number, text in lines)
        host = self.hosts.get(run.host_id, run.user_id)
        learned += self.longterm.record_tool_observation(run.user_id, run, output, host)

    def _inventory(self, turn: Turn, runs: list[CommandRun], learned: list[Change]) -> bool:
        return self.aside.settled("inventory", lambda: self._take_stock(turn, runs, learned))

    def _take_stock(self, turn: Turn, runs: list[CommandRun], learned: list[Change]) -> None:
        ids = dict.fromkeys(run.host_id for run in runs)
        found = [self.hosts.get(each, turn.user_id) for each in ids]
        known = [host for host in found if host is not None]
        learned += self.longterm.record_inventory(turn.user_id, known)

    def _deeds(
        self,
        turn: Turn,
        messages: list[Message],
        runs: list[CommandRun],
        learned: list[Change],
    ) -> bool:
        return self.aside.settled(
            "deeds",
            lambda: learned.extend(self.longterm.record_evidence(turn.user_id, runs, messages)),
        )

    def _conclusion(
        self,
        turn: Turn,
        messages: list[Message],
        runs: list[CommandRun],
        learned: list[Change],
    ) -> bool:
        answers = [each for each in messages if each.role == "assistant" and each.content]
        # without a command of its own an answer retells: it is no evidence
        if turn.status is not TurnStatus.DONE or not (turn.answer and answers and runs):
            return True
        if not self.concludes or (turn.diagnosed and not any(map(_is_repair, runs))):
            return True
        return self.aside.settled(
            "conclusion",
            lambda: learned.extend(
                self.longterm.record_assistant_conclusion(
                    turn.user_id,
                    replace(answers[-1], content=sources.own_words(answers[-1].content)),
                    question=turn.question,
                    runs=runs,
                    host=self._only_host(runs),
                )
            ),
        )

    def _propose_rules(self, turn: Turn, learned: Sequence[Change]) -> None:
        """Offer the person to make those wishes standing rules that can bind as such."""
        block = self.core.get(turn.user_id, standing.BLOCK)
        proposed = standing.with_wishes(block.content, [each.memory for each in learned])
        if proposed is not None:
            self.core.propose(
                turn.user_id,
                standing.BLOCK,
                proposed,
                standing.reason(turn.language),
                base_version=block.version,
            )

    def _only_host(self, runs: Sequence[CommandRun]) -> Host | None:
        ids = {run.host_id for run in runs}
        return self.hosts.get(ids.pop(), runs[0].user_id) if len(ids) == 1 else None


def _is_repair(run: CommandRun) -> bool:
    return run.went_well and run.risk is not Risk.READ_ONLY
