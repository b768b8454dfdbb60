"""The pieces of a talk that are swapped one by one, each the partial that the page includes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from flask import render_template

from walissh import wiring
from walissh.memory.entry import Memory, Milestone
from walissh.react.host import Host
from walissh.react.turn import CommandRun, Session, Turn, TurnStatus
from walissh.store import commands, memories, milestones, turns
from walissh.web.pages import folded, plans, questions, view
from walissh.web.pages.folded import Folded
from walissh.web.pages.plans import Plan
from walissh.web.pages.view import Card, Doubt, TurnView

SHOWN_MILESTONES = 12
SHOWN_MEMORIES = 8
SHOWN_HOSTS = 5


@dataclass(frozen=True, slots=True)
class Live:
    """The text of a reply that is still coming."""

    turn_id: str = ""
    step: int = -1
    attempt: int = -1
    text: str = ""

    def belongs_to(self, turn: Turn) -> bool:
        """Tell whether *turn* is still at this reply."""
        at = (turn.id, turn.step, turn.attempt)
        return turn.status is TurnStatus.THINKING and at == (self.turn_id, self.step, self.attempt)


@dataclass(frozen=True, slots=True)
class Fragment:
    """One element: *parent* is where it goes when the page does not have it yet.

    *sig* changes when it must be drawn again, so that what a person has opened or typed
    in an unchanged element stays. *after* is the element that it stands right behind,
    None where it stays in its place or goes to the end of its parent.
    """

    id: str
    parent: str
    sig: str
    render: Callable[[], str]
    after: str | None = None

    def data(self) -> dict[str, str]:
        """Return what the page needs to put it in place."""
        told = {"id": self.id, "parent": self.parent, "sig": self.sig, "html": self.render()}
        return told if self.after is None else {**told, "after": self.after}


def of_turn(shown: TurnView, live: Live) -> Iterator[Fragment]:
    """Yield the pieces of one turn in the order in which they stand."""
    turn = shown.turn
    own = f"turn-{turn.id}"
    yield Fragment(own, "turns", "1", lambda: turn_html(shown))
    yield Fragment(f"learned-{turn.id}", own, shown.learned_sig, lambda: learned_html(shown))
    yield Fragment(f"recalled-{turn.id}", own, shown.recalled_sig, lambda: recalled_html(shown))
    yield Fragment(f"taken-{turn.id}", own, shown.taken_sig, lambda: taken_html(shown))
    for entry in shown.log:
        yield Fragment(entry.id, f"log-{turn.id}", entry.sig, _entry(entry))
    yield answer(shown, live)
    yield Fragment(f"cause-{turn.id}", own, shown.cause_sig, lambda: cause_html(shown))
    yield question(shown)
    yield Fragment(f"status-{turn.id}", own, shown.status_sig, lambda: status_html(shown))


def answer(shown: TurnView, live: Live) -> Fragment:
    """Return the answer's element: the final text, or what has come of it."""
    turn = shown.turn
    text = live.text if live.belongs_to(turn) else ""
    sig = f"live-{live.step}-{live.attempt}-{len(text)}" if text else shown.answer_sig
    return Fragment(
        f"answer-{turn.id}",
        f"turn-{turn.id}",
        sig,
        lambda: render_template("talk/_answer.html", turn=shown, live=text, sig=sig),
    )


def question(shown: TurnView) -> Fragment:
    """Return the card of what a turn asks, or of how that was answered."""
    turn = shown.turn
    sig = shown.question_sig
    return Fragment(f"question-{turn.id}", f"turn-{turn.id}", sig, lambda: question_html(shown))


def question_before(turn: Turn) -> Fragment | None:
    """Return the card of the question that the message of *turn* answered, if it did."""
    asking = questions.answered_by(turn)
    return None if asking is None else question(view.of_turn(asking))


def around(session: Session, shown: TurnView | None, known: "Known") -> Iterator[Fragment]:
    """Yield the pieces beside the talk that change with it."""
    plan = known.plan
    yield Fragment("plan", "context", plan.sig, lambda: plan_html(plan))
    yield Fragment("plan-line", "ask-box", plan.sig, lambda: plan_line_html(plan))
    if known.folded is not None:
        yield mark(known.folded)
    state = f"{shown.status_sig if shown else ''}-{_ended(shown)}-{known.sig}"
    yield Fragment("context", "page", state, lambda: context_html(session, known))
    open_turn = shown.turn.id if shown and shown.is_open else ""
    yield Fragment(
        "send",
        "ask",
        open_turn,
        lambda: render_template("talk/_send.html", turn=shown if open_turn else None),
    )


def mark(found: Folded) -> Fragment:
    """Return the mark behind the last turn that was folded for the model."""
    after = f"turn-{found.turn_id}"
    return Fragment("folded", "turns", found.sig, lambda: folded_html(found), after)


def new_turn_html(turn: Turn) -> str:
    """Return a turn that was just asked, and what it changes around: send, question before."""
    shown = view.of_turn(turn)
    send = render_template("talk/_send.html", turn=shown if shown.is_open else None, oob=True)
    asking = questions.answered_by(turn)
    card = "" if asking is None else question_html(view.of_turn(asking), oob=True)
    return turn_html(shown) + send + card


def turn_html(shown: TurnView) -> str:
    """Return a whole turn."""
    return render_template("talk/_turn.html", turn=shown, live="")


def cause_html(shown: TurnView, doubt: Doubt | None = None) -> str:
    """Return the causes that a turn names, to be confirmed; *doubt*: why one was not."""
    return render_template("talk/_cause.html", turn=shown, doubt=doubt)


def recalled_html(shown: TurnView, *, opened: bool = False) -> str:
    """Return what a turn was given out of memory; *opened*: with its fold open."""
    return render_template("talk/_recalled.html", turn=shown, opened=opened)


def taken_html(shown: TurnView) -> str:
    """Return what the message of a turn was taken for."""
    return render_template("talk/_taken.html", turn=shown)


def question_html(shown: TurnView, *, oob: bool = False) -> str:
    """Return what a turn asks; *oob*: to be put in its place by htmx."""
    return render_template("talk/_question.html", turn=shown, oob=oob)


def plan_html(plan: Plan) -> str:
    """Return the plan with its steps."""
    return render_template("talk/_plan.html", plan=plan)


def plan_line_html(plan: Plan) -> str:
    """Return how far the plan is, in one line."""
    return render_template("talk/_plan_line.html", plan=plan)


def folded_html(found: Folded) -> str:
    """Return the mark with what the summary keeps."""
    return render_template("talk/_folded.html", folded=found)


def learned_html(shown: TurnView, undone: Memory | None = None) -> str:
    """Return what the question of a turn taught, and what of it was just *undone*."""
    return render_template("talk/_learned.html", turn=shown, undone=undone)


def answer_html(shown: TurnView) -> str:
    """Return the final answer with its sources."""
    return render_template("talk/_answer.html", turn=shown, live="", sig=shown.answer_sig)


def status_html(shown: TurnView) -> str:
    """Return the line that says where a turn stands."""
    return render_template("talk/_status.html", turn=shown)


def card_html(card: Card, refusal: view.Refusal | None = None) -> str:
    """Return a command's card, with a decision that was not taken."""
    return render_template("talk/_card.html", card=card, refusal=refusal)


def context_html(session: Session, known: "Known") -> str:
    """Return the column beside the talk."""
    return render_template("talk/_context.html", context=context(session, known))


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a session: its timeline and what is remembered of its hosts, newest
    first; its plan; and what of it was folded.
    """

    milestones: tuple[Milestone, ...]
    remembered: tuple[Memory, ...]
    plan: Plan
    folded: Folded | None

    @property
    def sig(self) -> str:
        """A text that changes with the timeline and with what is remembered."""
        remembered = [(each.id, each.state) for each in self.remembered]
        return view.digest([each.id for each in self.milestones], remembered)


@dataclass(frozen=True, slots=True)
class Context:
    """The column beside the talk."""

    session: Session
    hosts: tuple[Host, ...]
    running: tuple[CommandRun, ...]
    prompt_tokens: int
    completion_tokens: int
    known: Known


def context(session: Session, known: Known | None = None) -> Context:
    """Return what stands beside the talk: what runs, where, and what it has taken."""
    mine = turns.of_session(session.id)
    active = commands.active(session.user_id)
    return Context(
        session=session,
        hosts=tuple(view.hosts_of(session)),
        running=tuple(each for each in active if each.session_id == session.id),
        prompt_tokens=sum(each.usage.prompt_tokens for each in mine),
        completion_tokens=sum(each.usage.completion_tokens for each in mine),
        known=known or known_of(session),
    )


def known_of(session: Session) -> Known:
    """Return what is known of a session."""
    marks = milestones.recent(session.id, session.user_id, SHOWN_MILESTONES)
    found = [
        memory
        for host_id in session.host_ids[:SHOWN_HOSTS]
        for memory in memories.page(
            session.user_id, host_id=host_id, limit=SHOWN_MEMORIES, before=None
        ).items
    ]
    newest = sorted(found, key=lambda each: -each.number)[:SHOWN_MEMORIES]
    plan = plans.of_thread(wiring.parts().tracker.threads.load(session.id, session.user_id))
    return Known(tuple(marks), tuple(newest), plan, folded.of_session(session))


def _entry(entry: Card | view.Thought) -> Callable[[], str]:
    if isinstance(entry, Card):
        return lambda: card_html(entry)
    return lambda: render_template("talk/_thought.html", thought=entry)


def _ended(shown: TurnView | None) -> str:
    if shown is None:
        return ""
    return view.digest(*(each.sig for each in shown.log if isinstance(each, Card)))
