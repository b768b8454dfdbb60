"""ContextTracker: the thread of a session, followed from message to message.

Ancestor: ContextTracker, which was in RAM. Here its state is a value, `Tracked`; where it is
kept is the store's affair. When it was lost it is rebuilt from the tables.
"""

from dataclasses import dataclass, replace

from walissh.memory.working import is_open
from walissh.react import rebuilding, referent, service, thread, undertaken, unfinished
from walissh.react.followed import Asked, Intended, Intent, Tracked
from walissh.react.intent import is_sure
from walissh.react.needs import Commands, Threads, Turns, Understanding
from walissh.react.referent import Reference
from walissh.react.tools import Outcome
from walissh.react.turn import DynamicContext, compaction_asked

LAST_INTENTS = 20


@dataclass(frozen=True, slots=True)
class ContextTracker:
    """Follows the thread; *understanding* says what a message is meant to do.

    *commands* is the journal: it tells how what was run for a step of the plan ended.
    """

    threads: Threads
    turns: Turns
    understanding: Understanding
    commands: Commands

    def follow(self, context: DynamicContext) -> DynamicContext:
        """Return *context* with the thread, brought up to the turn's question once.

        The thread is *pending* now only if the message could mean several hosts: then the
        person is to be asked, and no model.
        """
        turn = context.turn
        kept = self.threads.load(turn.session_id, turn.user_id)
        if kept is None:
            kept = rebuilding.rebuilt(context, self.turns, self.commands)
        if compaction_asked(turn.question) is not None:
            aside = replace(kept, pending=None, answered=None, resume=False)
            return replace(context, tracked=self._told(aside))
        if kept.turn_id != turn.id:
            before = replace(context, tracked=self._really_asked(kept))
            intended = turn.intended or self.understanding.intent_of(before)
            self.turns.note_intent(turn, intended)
            tracked = taken_up(before, intended)
            kept = self.threads.save(turn.session_id, turn.user_id, tracked)
            context = replace(context, turn=replace(turn, intended=intended))
        return replace(context, tracked=self._told(kept))

    def _really_asked(self, kept: Tracked) -> Tracked:
        """Drop a question that was never put: its turn was stopped before."""
        last = self.turns.get(kept.turn_id) if kept.pending else None
        return kept if last is None or last.asked else replace(kept, pending=None)

    def _told(self, tracked: Tracked) -> Tracked:
        return replace(tracked, plan=undertaken.told(tracked.plan, self.commands.of_turn))


def taken_up(context: DynamicContext, intended: Intended) -> Tracked:
    """Return the thread after the question of this turn."""
    kept, turn = context.tracked, context.turn
    named = thread.named(turn.question, context.hosts)
    reference = None if named else _reference(context, intended)
    of_service = service.named(turn.question)
    if intended.intent is Intent.CONFIGURE_PREFERENCE and is_sure(intended):
        of_service = ""  # a rule about nginx is no talk about nginx
    own = {host.name.lower() for host in context.hosts}
    of_service = "" if of_service in own else of_service
    said = thread.Said(
        turn.question,
        intended,
        refers=reference is not None,
        elsewhere=bool(named) and named[0] != next(iter(kept.hosts), ""),
        service=of_service,
        cut_off=unfinished.is_cut_off(context),
    )
    turned = thread.turned(kept, said)
    goes_on = intended.intent in thread.GOES_ON or bool(kept.pending)
    return replace(
        turned,
        intents=(intended, *kept.intents)[:LAST_INTENTS],
        hosts=_hosts(kept, named, reference),
        service=of_service or kept.service,
        pending=_question(context, reference),
        answered=kept.pending,
        meant=reference.meant if reference else None,
        resume=goes_on and is_open(turned.plan),
        turn_id=turn.id,
    )


def _reference(context: DynamicContext, intended: Intended) -> Reference | None:
    """Return what the question points at by other words than names."""
    kept, text, hosts = context.tracked, context.turn.question, context.hosts
    wrong = thread.named(text, hosts, negated=True)
    if wrong and intended.intent is Intent.CORRECT:
        recent = tuple(dict.fromkeys([*wrong, *kept.hosts]))
        return referent.resolve(text, recent, hosts) or referent.another(wrong[0], recent, hosts)
    if kept.pending is None:
        return referent.resolve(text, kept.hosts, hosts)
    offered = [host for host in hosts if host.name in kept.pending.choices]
    if len(offered) != len(kept.pending.choices) or not offered:
        return None  # "the second one" is a choice, and no host
    return referent.resolve(text, kept.hosts, offered, answers=True)


def _hosts(kept: Tracked, named: list[str], reference: Reference | None) -> tuple[str, ...]:
    pointed = reference.meant.hosts if reference and reference.is_clear else ()
    return tuple(dict.fromkeys([*named, *pointed, *kept.hosts]))[: thread.LAST_HOSTS]


def _question(context: DynamicContext, reference: Reference | None) -> Asked | None:
    if reference is None or reference.is_clear:
        return None
    return referent.question(reference.meant, context.turn.language)


def acted(tracked: Tracked, outcome: Outcome) -> Tracked:
    """Return the thread after the calls of a reply: the hosts used, the plan kept.

    The commands are noted in the step of the plan that they are run for.
    """
    used = [each.host.name for each in outcome.proposals]
    plan = tracked.plan if outcome.plan is None else outcome.plan
    return replace(
        tracked,
        hosts=tuple(dict.fromkeys([*reversed(used), *tracked.hosts]))[: thread.LAST_HOSTS],
        plan=undertaken.noted(plan, outcome.proposals, tracked.turn_id),
        version=tracked.version + 1,
    )
