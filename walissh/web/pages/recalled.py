"""What a turn was given out of memory, as its page shows it: ids become memories again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from walissh.memory import sources
from walissh.memory.entry import Memory, MemoryState, Op, Routing
from walissh.react.turn import Language, Message, Recalled, Turn
from walissh.store import memories


@dataclass(frozen=True, slots=True)
class Given:
    """One memory that a turn was given."""

    memory: Memory
    recalled: Recalled
    cited: bool

    @property
    def is_stale(self) -> bool:
        """Tell whether it should be measured again."""
        return self.memory.state is MemoryState.STALE

    def source(self, language: Language) -> str:
        """Return it as the source of an answer in that language: kind, date, what about.

        Unlike the stored line it is made anew each time, so it may name what it is about.
        """
        memory = self.memory
        name = sources.topic(memory.subject, language) if sources.is_name(memory.subject) else ""
        return sources.source(memory, name, language)

    @property
    def is_wrong(self) -> bool:
        """Tell whether its person has marked it as wrong since."""
        return self.memory.state is MemoryState.WRONG


@dataclass(frozen=True, slots=True)
class Remembered:
    """All that a turn was given, and what its answer *cited*, in the order of the answer.

    What was deleted since is left out.
    """

    given: tuple[Given, ...] = ()
    cited: tuple[Given, ...] = ()
    routing: Routing | None = None
    proposal: str = ""

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks that may stand in the answer and lead somewhere."""
        return tuple(each.recalled.mark for each in self.given if each.recalled.mark)


def of_turns(shown: Sequence[Turn]) -> Mapping[str, Remembered]:
    """Return what each turn was given by turn id; the turns are of one person."""
    wanted = {
        each.memory_id: None
        for turn in shown
        if turn.remembrance
        for each in turn.remembrance.recalled
    }
    found = memories.of_ids(list(wanted), shown[0].user_id) if wanted else []
    by_id = {each.id: each for each in found}
    return {turn.id: _of_turn(turn, by_id) for turn in shown}


def without_sources(turn: Turn) -> str:
    """Return the answer without its last line of sources: the page lists them by itself.

    The line as it was written may name what was deleted or measured again since.
    """
    cites = turn.remembrance is not None and turn.remembrance.cited
    return sources.without_sources(turn.answer) if cites else turn.answer


@dataclass(frozen=True, slots=True)
class Learned:
    """What a question taught; *new* is false if it only said again what was known."""

    memory: Memory
    new: bool


def learned(turn: Turn, messages: Sequence[Message]) -> tuple[Learned, ...]:
    """Return what counts of that which the question of *turn* taught."""
    question = next((each for each in messages if each.role == "user"), None)
    if question is None:
        return ()
    found = memories.taught_by(turn.user_id, question.id)
    return tuple(
        Learned(each, each.at >= (question.created_at or turn.created_at))
        for each in found
        if each.op is not Op.REMOVE
    )


def sources_label(language: Language) -> str:
    """Return the word that stands before the sources of an answer in that language."""
    return "依据：" if language == "zh" else "Based on:"


def _of_turn(turn: Turn, by_id: Mapping[str, Memory]) -> Remembered:
    kept = turn.remembrance
    if kept is None:
        return Remembered()
    given = tuple(
        Given(by_id[each.memory_id], each, each.memory_id in kept.cited)
        for each in kept.recalled
        if each.memory_id in by_id
    )
    by_memory = {each.memory.id: each for each in given}
    cited = tuple(by_memory[each] for each in kept.cited if each in by_memory)
    return Remembered(given, cited, kept.routing, kept.proposal)
