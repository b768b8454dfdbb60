"""What a turn is given out of memory: route, preferences in force, ranked hits, a proposal."""

from collections.abc import Sequence
from dataclasses import dataclass

from walissh.memory import choices, proposal, weight
from walissh.memory.entry import (
    UNKNOWN_VERSION,
    Hit,
    Memory,
    MemoryType,
    Place,
    Recollection,
    Route,
    Routing,
)
from walissh.memory.needs import Commands, Memories
from walissh.memory.recall.values import Query
from walissh.memory.router import Router, Signals
from walissh.memory.sidepath import SidePath
from walissh.react.turn import DynamicContext, Message, Turn

HITS = 8
CHOICES = 200
RECENT_QUESTIONS = 2
RECENT_CHARS = 400
RECENT_WEIGHT = 0.3
TASK_MARKS = ("goal_set", "verified", "handed_over")
LONG_TERM = frozenset({Route.LONG_TERM_ONLY, Route.BOTH})


@dataclass(frozen=True, slots=True)
class Recall:
    """Asks the router, then the store."""

    memories: Memories
    commands: Commands
    router: Router
    aside: SidePath
    patience_ms: int

    def recollect(self, context: DynamicContext) -> Recollection:
        """Return what *context*'s turn is given. What cannot be read is left out."""
        turn = context.turn
        version = self.aside.attempt(
            "preference version",
            lambda: self.memories.preference_version(turn.user_id),
            UNKNOWN_VERSION,
        )
        routing = self.aside.attempt("route", lambda: self._route(context), Routing(Route.BOTH))
        weighed = weight.weigh(turn.question)
        preferences = self.in_force(context)
        hits: list[Hit] = []
        if routing.route in LONG_TERM and weighed.factor > 0:
            hits = self.aside.attempt("recall", lambda: self._hits(context, preferences), [])
        return Recollection(
            routing=routing,
            preferences=tuple(preferences),
            hits=tuple(hits),
            weight=weighed.factor,
            proposal=self.aside.attempt("proposal", lambda: self._proposal(context, hits), ""),
            version=version,
            place=place_of(context),
        )

    def _route(self, context: DynamicContext) -> Routing:
        turn = context.turn
        return self.router.decide(
            Signals(
                question=turn.question,
                language=turn.language,
                open_task=_open_task(context),
                follows=_follows(context),
                names_host=any(host.name in turn.question for host in context.hosts),
            )
        )

    def in_force(self, context: DynamicContext) -> list[Memory]:
        """Return the preferences that hold at the hosts at hand, [] if they cannot be read."""
        owner, place = context.turn.user_id, place_of(context)
        return self.aside.attempt(
            "preferences",
            lambda: self.memories.in_force(owner, place, types={MemoryType.USER_PREFERENCE}),
            list[Memory](),
        )

    def _hits(self, context: DynamicContext, preferences: Sequence[Memory]) -> list[Hit]:
        given = {each.id for each in preferences}
        hits = self.memories.recall(
            context.turn.user_id,
            query_of(context),
            k=HITS + len(given),
            patience_ms=self.patience_ms,
        )
        return [hit for hit in hits if hit.memory.id not in given][:HITS]

    def _proposal(self, context: DynamicContext, hits: Sequence[Hit]) -> str:
        names = tuple(host.name for host in context.hosts)
        missing = proposal.missing(context.turn.question, names)
        if missing is None or (missing.points and _follows(context)):
            return ""  # "restart it" after other rounds points at what these were about
        runs = self.commands.recent_of(context.turn.user_id, CHOICES)
        made = (choices.choice(run.command, run.host, run.created_at) for run in runs)
        return proposal.propose(
            missing,
            [hit.memory for hit in hits],
            [each for each in made if each is not None],
            host=context.hosts[0].name if len(context.hosts) == 1 else "",
            language=context.turn.language,
        )


def place_of(context: DynamicContext) -> Place:
    """Return where the question is asked: the hosts at hand, their groups, this task."""
    groups = {group: None for host in context.hosts for group in host.groups}
    return Place(
        hosts=tuple(host.name for host in context.hosts),
        groups=tuple(groups),
        task=context.turn.id,
    )


def query_of(context: DynamicContext) -> Query:
    """Return the question with what it stands in: the thread, and what was asked before.

    The current host of the thread comes first among the hosts at hand.
    """
    names = [host.name for host in context.hosts]
    spoken = [name for name in context.tracked.hosts if name in names]
    return Query(
        context.turn.question,
        context=tuple((text, RECENT_WEIGHT) for text in _around(context)),
        hosts=tuple(dict.fromkeys([*spoken[:1], *names])),
        at=context.turn.created_at,
    )


def _around(context: DynamicContext) -> list[str]:
    """Return the texts around the question, each once: earlier ones, the goal, the service."""
    thread, question = context.tracked, context.turn.question
    earlier = _earlier_questions(context.turn, context.history)
    told = [*earlier, thread.goal[:RECENT_CHARS], thread.service]
    return [text for text in dict.fromkeys(told) if text and text != question]


def _earlier_questions(turn: Turn, history: Sequence[Message]) -> list[str]:
    asked = [each for each in history if each.role == "user" and each.turn_id != turn.id]
    return [each.content[:RECENT_CHARS] for each in asked[-RECENT_QUESTIONS:]]


def _follows(context: DynamicContext) -> bool:
    return any(message.turn_id != context.turn.id for message in context.history)


def _open_task(context: DynamicContext) -> bool:
    """Tell whether the last goal of the talk has not been reached yet."""
    told = [mark.kind for mark in context.milestones if mark.kind in TASK_MARKS]
    return bool(told) and told[-1] == "goal_set"
