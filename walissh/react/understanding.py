"""What a message is meant to do: rules first, the model only when no rule is sure.

Ancestor: the understanding stage and its feedback loop. What a person's reactions tell of
earlier decisions lowers the rules that misled, and gives the model examples.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Final

from walissh.clock import Clock
from walissh.errors import ModelError, TurnCancelledError
from walissh.memory.working import StepStatus, is_open
from walissh.react import intent, misled, opinion, paused, plan, signs
from walissh.react.followed import Intended, Tracked
from walissh.react.intent import OpenTask
from walissh.react.misled import Aside, Misleads, Misled, Sign
from walissh.react.needs import Model, Turns
from walissh.react.opinion import Render
from walissh.react.turn import DynamicContext, Message, Reply, Turn, compaction_asked

logger = logging.getLogger(__name__)

LAST_SAID = 6
LIMIT_S: Final = 10.0
BY_MODEL: Final = 0.8
"""How sure a model's word is: more than an unsure rule, less than a plain one."""


@dataclass(frozen=True, slots=True)
class Understanding:
    """The rules, as far as this person's reactions let them be trusted, and a model.

    *model* is None where the brain is no language model: then the rules' best stands.
    """

    misleads: Misleads
    turns: Turns
    aside: Aside
    render: Render
    clock: Clock
    model: Model | None = None
    limit_s: float = LIMIT_S
    elapsed: Callable[[], float] = monotonic

    def intent_of(self, context: DynamicContext) -> Intended:
        """Say what the question of this turn is meant to do, and learn of the one before."""
        known = self._known(context.turn)
        weighed = _weighed(context, known)
        intended = weighed[0]
        if not intent.is_sure(intended) and matters(context):
            intended = self._second(context, weighed, known)
        self.aside.attempt("misread intent", partial(self._learn, context, intended), None)
        return intended

    def misled(self, turn_id: str, sign: Sign) -> None:
        """Note that the person stopped a turn, or denied what it proposed; never fails."""
        self.aside.attempt("misread intent", partial(self._note, turn_id, sign), None)

    # --- what was misread before ------------------------------------------------------

    def _known(self, turn: Turn) -> Sequence[Misled]:
        def read() -> Sequence[Misled]:
            return self.misleads.recent(turn.user_id, now=turn.created_at)

        return self.aside.attempt("misread intents", read, ())

    def _learn(self, context: DynamicContext, intended: Intended) -> None:
        before, now = self.turns.get(context.tracked.turn_id), context.turn
        if before is None or before.intended is None or before.session_id != now.session_id:
            return
        sign = signs.of_next(before, now, intended, context.hosts)
        if sign is not None:
            meant = signs.meant(now.question, intended)
            self._keep(misled.of(before, sign, at=self.clock(), meant=meant))

    def _note(self, turn_id: str, sign: Sign) -> None:
        turn = self.turns.get(turn_id)
        if turn is not None:
            self._keep(misled.of(turn, sign, at=self.clock()))

    def _keep(self, found: Misled | None) -> None:
        if found is not None:
            self.misleads.note(found)

    # --- the model --------------------------------------------------------------------

    def _second(
        self, context: DynamicContext, weighed: Sequence[Intended], known: Sequence[Misled]
    ) -> Intended:
        """Return what the model takes it for; without a usable word the rules' best stands."""
        model = self.model
        if model is None:
            return weighed[0]
        ask = partial(self._ask, model, context, weighed, known)
        return self.aside.attempt("asking for an intent", ask, None) or weighed[0]

    def _ask(
        self,
        model: Model,
        context: DynamicContext,
        weighed: Sequence[Intended],
        known: Sequence[Misled],
    ) -> Intended | None:
        task = task_of(context.tracked)
        asked = opinion.request(context, task, weighed, known, self.render)
        ends, turn = self.elapsed() + self.limit_s, context.turn

        def stopped() -> bool:
            return self.elapsed() > ends or self.turns.is_cancelled(turn.id)

        try:
            reply: Reply = model.complete(asked, on_text=opinion.unheard, cancelled=stopped)
        except (TurnCancelledError, ModelError) as error:
            logger.info("no opinion of a model turn=%s: %s", turn.id, type(error).__name__)
            return None  # too slow, stopped or away: the rules' best stands
        self.turns.add_usage(turn.id, reply.usage)
        found = opinion.read(reply.text)
        return None if found is None else Intended(found, BY_MODEL, "model")


def matters(context: DynamicContext) -> bool:
    """Tell whether it makes a difference what the message is taken for.

    Only with a task open or left, or a question that waits: a first question is answered
    the same whatever it is called, and must not wait for a second call.
    """
    tracked = context.tracked
    if compaction_asked(context.turn.question) is not None:
        return False
    open_or_left = is_open(tracked.plan) or bool(paused.of(tracked.plan))
    return open_or_left or tracked.pending is not None


def task_of(tracked: Tracked) -> OpenTask | None:
    """Return the open task as the rules see it, None if there is none."""
    if not is_open(tracked.plan):
        return None
    done = tuple(each.title for each in tracked.plan.steps if each.status is StepStatus.DONE)
    following = plan.next_step(tracked.plan)
    return OpenTask(tracked.plan.goal, done, following.title if following else "")


def _weighed(context: DynamicContext, known: Sequence[Misled]) -> list[Intended]:
    """Return what it may be, best first; the first one is as sure as the rules are of it."""
    text, said, task = context.turn.question, _said(context), task_of(context.tracked)
    trust = misled.trust(known, context.turn.created_at)
    best = intent.decide(text, said, task, trust=trust)
    others = intent.candidates(text, said, task, trust=trust)
    return [best, *(each for each in others if each.intent is not best.intent)]


def _said(context: DynamicContext) -> list[Message]:
    return [each for each in context.history if each.turn_id != context.turn.id][-LAST_SAID:]
