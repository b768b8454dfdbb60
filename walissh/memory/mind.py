"""All of memory as a turn meets it: before a step, on a tool call, and after the end."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from walissh.clock import Clock
from walissh.errors import NotFoundError
from walissh.memory import outdated, proposed, providers, sentences, tasks, used
from walissh.memory.aftermath import Aftermath
from walissh.memory.confirmed import Answered, Confirming
from walissh.memory.entry import (
    UNKNOWN_VERSION,
    Block,
    Hit,
    Memory,
    MemoryState,
    Milestone,
    Proposed,
    Recollection,
)
from walissh.memory.extract import pref_secrets
from walissh.memory.longterm import LongTermMemory
from walissh.memory.needs import Commands, CoreMemory, Memories, Said, Turns, Working
from walissh.memory.recall.values import Query
from walissh.memory.recollect import Recall
from walissh.memory.sidepath import SidePath
from walissh.memory.working import PLAN
from walissh.react.turn import (
    OPEN_TURN,
    CommandRun,
    DynamicContext,
    Message,
    Recalled,
    Remembrance,
    Turn,
    compaction_asked,
)

SEARCH_HITS = 10
MILESTONES = 12
COUNTS = frozenset({MemoryState.VALID, MemoryState.STALE})
CHANGES = frozenset({"added", "superseded", "removed"})
"""What a write may come to that changes what is in force."""
PROOF_LINES = 2_000
_ANSWERS = {
    "nothing": "[not kept: it was kept before, or the person called it wrong]",
    "kept": "[not kept in force: what is known now outweighs it]",
    "refreshed": "[kept before; its date is renewed]",
}


class Marks(Protocol):
    """The timeline of a session."""

    def recent(self, session_id: str, user_id: str, limit: int) -> Sequence[Milestone]:
        """Return the newest marks, oldest first."""


@dataclass(frozen=True, slots=True)
class Mind:
    """What the agent asks of memory (`react.needs.Mind`). No call of it breaks a turn."""

    longterm: LongTermMemory
    memories: Memories
    recall: Recall
    core: CoreMemory
    marks: Marks
    said: Said
    turns: Turns
    commands: Commands
    working: Working
    aftermath: Aftermath
    confirming: Confirming
    aside: SidePath
    clock: Clock
    patience_ms: int

    # --- before a step ----------------------------------------------------------------

    def prepare(self, context: DynamicContext) -> DynamicContext:
        """Return *context* with what this step remembers.

        The first step keeps the person's standing instructions before it recalls, so that
        "from now on" holds at once. Later steps are given the same, unless a preference
        changed.
        """
        turn = context.turn
        context = replace(context, core=self._core(turn), milestones=self._milestones(turn))
        recorded = self._is_recorded(turn) or self._record_question(context)
        recollection = self._same(context) or self.recall.recollect(context)
        known = turn.remembrance is not None and turn.remembrance.version == recollection.version
        # a store that is locked is waited for once in a step: the next one notes what is missing
        if recorded and not known:
            self._note(turn, recollection, recorded=recorded)
        self._note_task(context)
        return replace(context, recollection=recollection)

    def is_outdated(self, turn: Turn, given: Recollection | None = None) -> bool:
        """Tell whether a preference that holds for *turn* changed since it was given its own.

        *given*: what this step was given, which may be newer than the turn's row.
        """
        known = turn.remembrance if given is None else remembrance_of(given, recorded=True)
        if known is None or known.version == UNKNOWN_VERSION:
            return False
        changed = self._version(turn.user_id, known.version) != known.version
        return changed and self._is_touched(turn.user_id, known)

    def _is_touched(self, user_id: str, given: Remembrance) -> bool:
        return self.aside.attempt(
            "preferences in force",
            lambda: outdated.is_touched(self.memories, user_id, given),
            False,
        )

    def _version(self, user_id: str, otherwise: int) -> int:
        return self.aside.attempt(
            "preference version", lambda: self.memories.preference_version(user_id), otherwise
        )

    def _core(self, turn: Turn) -> tuple[Block, ...]:
        blocks = self.aside.attempt("core", lambda: self.core.current(turn.user_id), list[Block]())
        return tuple(blocks)

    def _milestones(self, turn: Turn) -> tuple[Milestone, ...]:
        def recent() -> Sequence[Milestone]:
            return self.marks.recent(turn.session_id, turn.user_id, MILESTONES)

        return tuple(self.aside.attempt("milestones", recent, ()))

    @staticmethod
    def _is_recorded(turn: Turn) -> bool:
        return turn.remembrance is not None and turn.remembrance.recorded

    def _record_question(self, context: DynamicContext) -> bool:
        question = question_of(context.turn, context.history)
        if compaction_asked(context.turn.question) is not None or _is_chosen(context):
            return True  # an order to the talk, or the agent's own words: they teach nothing
        return question is None or self.aside.settled(
            "question",
            lambda: self.longterm.record_user_message(
                context.turn.user_id, question, patience_ms=self.patience_ms
            ),
        )

    def _same(self, context: DynamicContext) -> Recollection | None:
        """Return what the turn was given before, as it reads now; None if it must be anew."""
        turn, given = context.turn, context.turn.remembrance
        if given is None:
            return None
        version = self._version(turn.user_id, given.version)
        if version != given.version and (
            given.version == UNKNOWN_VERSION or self._is_touched(turn.user_id, given)
        ):
            return None
        ids = [each.memory_id for each in given.recalled]
        found = self.aside.attempt(
            "recalled", lambda: self.memories.of_ids(ids, turn.user_id), list[Memory]()
        )
        by_id = {memory.id: memory for memory in found if memory.state in COUNTS}
        there = [each for each in given.recalled if each.memory_id in by_id]
        return Recollection(
            routing=given.routing,
            preferences=tuple(self.recall.in_force(context)),
            hits=tuple(
                Hit(by_id[each.memory_id], each.score, each.reasons)
                for each in there
                if not each.preference
            ),
            weight=given.weight,
            proposal=given.proposal,
            version=version,
            place=given.place,
        )

    def _note(self, turn: Turn, recollection: Recollection, *, recorded: bool) -> None:
        given = remembrance_of(recollection, recorded=recorded)
        self.aside.attempt("remembrance", lambda: self.turns.remember(turn, given), False)
        recalled = (*recollection.preferences, *(hit.memory for hit in recollection.hits))
        before = turn.remembrance.recalled if turn.remembrance else ()
        known = {each.memory_id for each in before}
        ids = [memory.id for memory in recalled if memory.id not in known]
        if ids:
            now = self.clock()
            self.aside.settled(
                "recall count",
                lambda: self.memories.note_recalled(ids, turn.user_id, now, self.patience_ms),
            )

    def _note_task(self, context: DynamicContext) -> None:
        turn = context.turn
        state = {
            "goal": turn.question[:500],
            "step": str(turn.step),
            "status": turn.status.value,
            "hosts": ",".join(host.name for host in context.hosts),
        }
        self.aside.settled(
            "working memory",
            lambda: self.working.set_task_state(turn.user_id, turn.session_id, turn.id, state),
        )

    def track(self, run: CommandRun) -> None:
        """Note in the working memory how far a command of a task is."""
        self.aside.settled("working memory", lambda: self._follow(run))

    def _follow(self, run: CommandRun) -> None:
        # a task that is not there has ended, or was not used for an hour
        with contextlib.suppress(NotFoundError):
            self.working.change(
                run.user_id, run.session_id, run.turn_id, lambda state: tasks.followed(state, run)
            )

    # --- on a tool call ---------------------------------------------------------------

    def remember(self, context: DynamicContext, proposal: Proposed, host: str) -> str:
        """Keep what the model proposes, if it rests on something; say what came of it."""
        if host and all(each.name != host for each in context.hosts):
            return f"[not kept: there is no host named {host!r} in this session]"
        return self.aside.attempt(
            "remember",
            lambda: self._propose(context, proposal, host),
            "[not kept: the memory cannot be written now]",
        )

    def _propose(self, context: DynamicContext, proposal: Proposed, host: str) -> str:
        checked = proposed.check(proposal, self._grounds(context), host)
        if isinstance(checked, str):
            return f"[not kept: {checked}]"
        proof = checked.proof
        name = host or (proof.host if proof else "")
        change = self.longterm.propose(
            context.turn.user_id,
            checked.found,
            host=next((each for each in context.hosts if each.name == name), None),
            command_id=proof.id if proof else None,
            patience_ms=self.patience_ms,
        )
        if change.memory is not None and change.kind in CHANGES:
            self._note_own(context.turn, change.memory)
        return _ANSWERS.get(change.kind, "[kept]")

    def _note_own(self, turn: Turn, memory: Memory) -> None:
        """Note that *turn* itself had this kept: it outdates nothing of it."""

        def note() -> None:
            now = self.turns.get(turn.id)
            if now is not None and now.remembrance is not None:
                given = now.remembrance
                self.turns.remember(turn, replace(given, own=(*given.own, memory.id)))

        self.aside.settled("remembrance", note)

    def _grounds(self, context: DynamicContext) -> proposed.Grounds:
        """Return what this turn shows; earlier words were read when they were said."""
        runs, turn_id = context.commands, context.turn.id
        mine = (each for each in context.history if each.turn_id == turn_id)
        return proposed.Grounds(
            said=[] if _is_chosen(context) else [m.content for m in mine if m.role == "user"],
            runs=runs,
            outputs=[self._output(run) for run in runs],
        )

    def _output(self, run: CommandRun) -> str:
        lines = self.commands.read_lines(run.id, 1, PROOF_LINES, "")
        return "\n".join(text for _number, text in lines)

    def confirmed(self, turn: Turn) -> Answered | None:
        """Keep the diagnosis that the message of *turn* only confirms; None if it says more."""
        return self.aside.attempt("confirmation", lambda: self.confirming.by_words(turn), None)

    def search(self, user_id: str, query: str) -> list[Message]:
        """Return what was said about *query* in all talks of this person, best first."""
        return self.aside.attempt(
            "search", lambda: self.said.search(user_id, Query(query), k=SEARCH_HITS), []
        )

    # --- after the end ----------------------------------------------------------------

    def with_sources(self, context: DynamicContext, answer: str) -> str:
        """Return *answer* with a last line that names the memories behind it, if any.

        A secret that the person asked to remember was not kept: that is said too.
        """
        line = self.aside.attempt("sources", lambda: self._sources(context, answer), "")
        turn = context.turn
        refused = self.aside.attempt("refusal", lambda: pref_secrets.refusal(turn.question), None)
        notice = sentences.refused(refused, turn.language) if refused else ""
        return "\n\n".join(part for part in (answer, notice, line) if part)

    def _sources(self, context: DynamicContext, answer: str) -> str:
        memories = used.of_answer(answer, context.recollection, context.commands)
        if not memories:
            return ""
        self.aside.settled("cited", lambda: self._note_cited(context, memories))
        return providers.sources_line(memories, context.turn.language)

    def _note_cited(self, context: DynamicContext, memories: Sequence[Memory]) -> None:
        turn = context.turn
        given = remembrance_of(context.recollection, recorded=self._is_recorded(turn))
        self.turns.remember(turn, replace(given, cited=tuple(memory.id for memory in memories)))

    def credit(self, turn: Turn) -> None:
        """Count for the memories that the ended turn's answer rests on that they helped."""
        cited = turn.remembrance.cited if turn.remembrance else ()
        if cited:
            self.aside.settled(
                "help count", lambda: self.memories.mark_helped(list(cited), turn.user_id)
            )

    def release(self, turn: Turn) -> None:
        """Forget the working memory of a turn that has ended."""
        self.aside.settled(
            "working memory",
            lambda: self.working.clear_task(turn.user_id, turn.session_id, turn.id),
        )

    def tidy(self) -> None:
        """Forget the working memory of turns whose end nobody told (a process was killed)."""
        self.aside.settled(
            "working memory",
            lambda: self.working.clear_orphans(lambda key: self._is_open(key.task)),
        )

    def _is_open(self, turn_id: str) -> bool:
        if turn_id == PLAN:
            return True  # it goes with its end, or an hour unused
        turn = self.turns.get(turn_id)
        return turn is not None and turn.status in OPEN_TURN

    def learn(self, turn_id: str) -> bool:
        """Do the after-work of an ended turn; False if it must be done again later."""
        turn = self.turns.get(turn_id)
        if turn is None:
            return True
        self.release(turn)
        return self.aftermath.learn(turn)


def question_of(turn: Turn, history: Sequence[Message]) -> Message | None:
    """Return the stored message that asked *turn*'s question."""
    mine = (each for each in history if each.turn_id == turn.id and each.role == "user")
    return next(mine, None)


def _is_chosen(context: DynamicContext) -> bool:
    """Tell whether the message is a choice that the agent offered: not the person's words."""
    asked = context.tracked.answered
    return asked is not None and context.turn.question.strip() in asked.choices


def remembrance_of(recollection: Recollection, *, recorded: bool) -> Remembrance:
    """Return *recollection* as it is kept with the turn: ids, not texts."""
    by_id = {memory_id: mark for mark, memory_id in providers.marks(recollection).items()}
    recalled = [
        Recalled(each.id, 1.0, ("preference in force",), by_id.get(each.id, ""), preference=True)
        for each in recollection.preferences
    ] + [
        Recalled(hit.memory.id, hit.score, hit.reasons, by_id.get(hit.memory.id, ""))
        for hit in recollection.hits
    ]
    return Remembrance(
        routing=recollection.routing,
        recalled=tuple(recalled),
        weight=recollection.weight,
        proposal=recollection.proposal,
        version=recollection.version,
        recorded=recorded,
        place=recollection.place,
    )
