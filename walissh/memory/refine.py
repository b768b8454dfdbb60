"""The one call of a model that may refine what an ended turn taught; off unless asked for.

The rules have learned before it. The model sees no output of a command, its reply is checked
word for word (`refinement`), and whatever fails changes nothing.
"""

import json
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import BoundedSemaphore
from time import monotonic

from walissh.errors import InvalidError, ModelBusyError, ModelRefusedError
from walissh.memory import quote, refinement, sources
from walissh.memory.entry import FACTS, Memory, MemoryState, MemoryType, Op, Origin
from walissh.memory.extract import preferences
from walissh.memory.needs import Change, Model, Refinements, Render
from walissh.memory.refinement import Shown
from walissh.memory.sidepath import SidePath
from walissh.react.turn import CommandRun, Message, Reply, Request, Turn, Usage

logger = logging.getLogger(__name__)

LIMIT_S = 45.0
AT_ONCE = 2
"""So many calls at a time in one process: questions that wait need its threads more."""
LEARNED = 12
STANDING = 8
SAID_CHARS = 2_000
CONCLUDED_CHARS = 3_000
FRAME_TOKENS = 16
"""What a request takes beside its two messages."""
FORM_TOKENS = 40
"""What the reply takes for each memory beside its text."""

_TAUGHT = frozenset({"added", "superseded", "nothing"})
_COUNTS = frozenset({MemoryState.VALID, MemoryState.STALE})
_CONCLUDED = frozenset({Origin.ASSISTANT, Origin.ASSISTANT_HEDGED})


def bound(text: str) -> int:
    """Return about the most tokens that *text* can have: a third of its ASCII, all else."""
    wide = sum(not each.isascii() for each in text)
    return math.ceil((len(text) - wide) / 3) + wide


def gives_orders(run: CommandRun) -> bool:
    """Tell whether the output of *run* gives orders that nobody has called harmless."""
    return run.is_flagged


@dataclass(frozen=True, slots=True)
class Refiner:
    """Asks once for each turn, within *limit_tokens* for the question and its reply.

    *flagged* tells whether a run's output was found to give orders: then neither what it
    proved nor the answer is shown. *count* returns the tokens of a text.
    """

    model: Model
    render: Render
    refinements: Refinements
    aside: SidePath
    limit_tokens: int
    flagged: Callable[[CommandRun], bool] = gives_orders
    limit_s: float = LIMIT_S
    count: Callable[[str], int] = bound
    free: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(AT_ONCE))

    def refine(self, turn: Turn, runs: Sequence[CommandRun], learned: Sequence[Change]) -> None:
        """Refine what *turn* taught, if it taught something; whatever fails is only counted."""
        self.aside.attempt("refining", lambda: self._refine(turn, runs, learned), None)

    def _refine(self, turn: Turn, runs: Sequence[CommandRun], learned: Sequence[Change]) -> None:
        shown = self._shown(turn, runs, learned)
        if not shown.learned:
            return
        request = self._request(turn, shown)
        room = self._room(request)
        needed = sum(self.count(each.content) + FORM_TOKENS for each in shown.learned.values())
        if room < needed and shown.standing:
            shown = replace(shown, standing={})
            request = self._request(turn, shown)
            room = self._room(request)
        if room < needed:
            self.aside.dropped("refining, over its limit of tokens")
            return
        if not self.free.acquire(blocking=False):
            self.aside.dropped("refining, too many at once")
            return
        try:
            self._ask_once(turn, request, shown, room)
        finally:
            self.free.release()

    def _room(self, request: Request) -> int:
        """Return the tokens that are left for the reply."""
        asked = sum(self.count(each.content) for each in request.messages)
        return self.limit_tokens - FRAME_TOKENS - asked

    # --- what is shown ----------------------------------------------------------------

    def _shown(self, turn: Turn, runs: Sequence[CommandRun], learned: Sequence[Change]) -> Shown:
        flagged = {run.id for run in runs if self.flagged(run)}
        taught = [each for each in _taught(turn, learned) if _is_clean(each, flagged)][:LEARNED]
        ids = {each.id for each in taught}
        standing = [each for each in self._standing(turn, taught) if each.id not in ids]
        # of use for cases alone, and the only place where a host may speak
        speaks = any(each.type is MemoryType.TROUBLESHOOTING_CASE for each in taught)
        return Shown(
            learned={f"n{number}": each for number, each in enumerate(taught, 1)},
            standing={f"s{number}": each for number, each in enumerate(standing[:STANDING], 1)},
            said=turn.question[:SAID_CHARS],
            concluded=sources.own_words(turn.answer)[:CONCLUDED_CHARS] if speaks else "",
        )

    def _standing(self, turn: Turn, taught: Sequence[Memory]) -> list[Memory]:
        """Return what else counts of the same subjects; never what a person wrote by hand."""
        found = [
            other
            for each in taught
            for other in self.refinements.beside(turn.user_id, each, STANDING)
            if other.state in _COUNTS and _may_change(other)
        ]
        return list({each.id: each for each in found}.values())

    def _request(self, turn: Turn, shown: Shown) -> Request:
        parts = [
            quote.fenced("said", quote.block(shown.said, SAID_CHARS)),
            quote.fenced("concluded", quote.block(shown.concluded, CONCLUDED_CHARS)),
            quote.fenced("learned", _listed(shown.learned)),
            quote.fenced("standing", _listed(shown.standing)),
        ]
        system = Message("system", self.render("refine", turn.language))
        return Request((system, Message("user", "\n\n".join(parts))), (), (), turn.language)

    # --- the call ---------------------------------------------------------------------

    def _ask_once(self, turn: Turn, request: Request, shown: Shown, room: int) -> None:
        # counted before it is spent: a killed process must not make it free
        reserved = Usage(self.limit_tokens - room, room)
        if not self.refinements.claim(turn.id, reserved):
            return
        reply = self._complete(turn, replace(request, reply_tokens=room), room, reserved)
        done, refused = refinement.checked(refinement.read(reply.text), shown)
        for why in refused:
            logger.info("refinement refused turn=%s: %s", turn.id, why)
            self.aside.dropped("refinement refused")
        if done:
            self.refinements.apply(turn.user_id, done)

    def _complete(self, turn: Turn, request: Request, room: int, reserved: Usage) -> Reply:
        come: list[str] = []
        ends = monotonic() + self.limit_s

        def enough() -> bool:
            return monotonic() > ends or self.count("".join(come)) > room

        try:
            reply = self.model.complete(request, on_text=come.append, cancelled=enough)
        except (ModelBusyError, ModelRefusedError) as error:
            if not error.partial:
                self.refinements.correct(turn.id, reserved, Usage())
            raise
        self.refinements.correct(turn.id, reserved, self._spent(reply, reserved))
        if self.count(reply.text) > room:
            raise InvalidError("The reply is longer than the limit of tokens allows.")
        return reply

    def _spent(self, reply: Reply, reserved: Usage) -> Usage:
        counted = reply.usage
        if counted.prompt_tokens or counted.completion_tokens:
            return counted
        return Usage(reserved.prompt_tokens, self.count(reply.text))


def _taught(turn: Turn, learned: Sequence[Change]) -> list[Memory]:
    """Return what this turn added; said again or withdrawn is nothing new."""
    found = [each.memory for each in learned if each.kind in _TAUGHT and each.memory is not None]
    mine = [
        each
        for each in found
        if each.owner_id == turn.user_id
        and each.state in _COUNTS
        and _may_change(each)
        # what was measured is out of an output, and there is nothing to say better
        and each.type not in FACTS
    ]
    return list({each.id: each for each in mine}.values())


def _may_change(memory: Memory) -> bool:
    return memory.op is not Op.REMOVE and memory.source.channel == "agent"


def _is_clean(memory: Memory, flagged: set[str]) -> bool:
    """Tell whether nothing that gives orders is behind *memory*."""
    if flagged and (memory.source.command_id in flagged or memory.source.origin in _CONCLUDED):
        return False
    is_wish = memory.type is MemoryType.USER_PREFERENCE
    return is_wish or not preferences.from_user(memory.content)


def _listed(memories: Mapping[str, Memory]) -> str:
    return "\n".join(
        json.dumps(
            {
                "id": handle,
                "type": each.type.value,
                "scope": each.scope,
                "host": quote.line(each.host, 100),
                "subject": quote.line(each.subject, 200),
                "content": quote.line(each.content, 1_000),
            },
            ensure_ascii=False,
        )
        for handle, each in memories.items()
    )
