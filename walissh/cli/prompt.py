"""``walissh prompt SESSION TEXT``: what the model would be sent for a text now.

The turn is begun as ever (`agent.open_turn`), on stand-ins that read and never write: nothing
is stored or counted, no model is asked, no host is touched.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import click

from walissh.cli.opened import opened, owner
from walissh.errors import InvalidError, NotFoundError

if TYPE_CHECKING:  # loaded when it is needed: `walissh --help` looks at every command
    from datetime import datetime

    from walissh.memory.mind import Mind
    from walissh.react.followed import Intended, Tracked
    from walissh.react.gauge import Window
    from walissh.react.misled import Misleads, Misled
    from walissh.react.needs import History, Turns, Understanding
    from walissh.react.needs import Mind as NeededMind
    from walissh.react.parts import Parts
    from walissh.react.prompt import Built
    from walissh.react.turn import DynamicContext, Message, Session, Turn

RULER = "-" * 88
KEPT_FIRST = (
    "The text holds a standing wish: when it is sent, that is kept first, and stands in the"
    " long-term memory of this prompt too."
)
ASKED_FIRST = "The person would be asked first, and no model: {}"
NO_MODEL = "No model is asked for /compact: it folds what was said before, and says so."


@click.command()
@click.argument("session")
@click.argument("text")
@click.option("--user", "person", metavar="NAME", help="Whose session; without: the admin's.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def prompt(session: str, text: str, person: str | None, as_json: bool) -> None:
    """Print what would be sent to the model for TEXT in SESSION now, with its tokens.

    Nothing is stored or counted, no model is asked, no host is touched.
    """
    from walissh.react.turn import compaction_asked
    from walissh.store import sessions

    with opened():
        talk = sessions.get(session, owner(person).id)
        if talk is None:
            raise NotFoundError("There is no such session. Its id stands in the page's address.")
        if compaction_asked(text) is not None:
            raise InvalidError(NO_MODEL)
        preview = _preview(talk, text)
    for note in preview.notes:
        click.echo(note, err=True)
    click.echo(json.dumps(_object(preview), ensure_ascii=False) if as_json else _page(preview))


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be sent, and what a person should know beside it."""

    built: "Built"
    window: "Window"
    model: str
    notes: tuple[str, ...]


def _preview(talk: "Session", text: str) -> Preview:
    from walissh import wiring
    from walissh.react import agent

    parts = wiring.parts()
    turn = _turn(parts, talk, text)
    context = agent.open_turn(_reading(parts, turn), turn)
    window = parts.gauge.window()
    built = parts.prompt.build(context, window)
    return Preview(built, window, parts.gauge.model, tuple(_notes(context)))


def _turn(parts: "Parts", talk: "Session", text: str) -> "Turn":
    """Return the turn that the text would open."""
    from walissh.react import language
    from walissh.react.turn import Turn, TurnStatus, Usage
    from walissh.store.database import new_id

    question = text.replace("\0", "").replace("\r\n", "\n")
    if not question.strip():
        raise InvalidError("The text is empty. Write a question.")
    return Turn(
        id=new_id(),
        session_id=talk.id,
        user_id=talk.user_id,
        status=TurnStatus.THINKING,
        step=0,
        attempt=1,
        language=language.detect(question, parts.language),
        question=question,
        answer="",
        error="",
        citations=(),
        usage=Usage(),
        cancel_requested=False,
        created_at=parts.clock(),
        finished_at=None,
        not_before=None,
    )


def _notes(context: "DynamicContext") -> Iterator[str]:
    from walissh.memory.extract import preferences

    if preferences.from_user(context.turn.question):
        yield KEPT_FIRST
    if context.tracked.pending is not None:
        yield ASKED_FIRST.format(context.tracked.pending.text)


# --- what reads and never writes ------------------------------------------------------


def _reading(parts: "Parts", turn: "Turn") -> "Parts":
    tracker = replace(
        parts.tracker,
        threads=_Threads(),
        turns=cast("Turns", _Turns(parts.tracker.turns)),
        understanding=_understanding(parts.tracker.understanding),
    )
    return replace(
        parts,
        history=_History(parts.history, turn),
        tracker=tracker,
        mind=cast("NeededMind", _Mind(cast("Mind", parts.mind))),
    )


def _understanding(real: "Understanding") -> "Understanding":
    """Return it with no model and nothing to learn; with the rules alone it is as it is."""
    from walissh.react.understanding import Understanding

    if isinstance(real, Understanding):
        return replace(real, model=None, misleads=_Misleads(real.misleads))
    return real


@dataclass(frozen=True, slots=True)
class _History:
    """What was said, and the text as if it were said now."""

    real: "History"
    turn: "Turn"

    def get_recent_messages(
        self, session_id: str, limit: int, *, user_id: str, before_turn: str | None = None
    ) -> "list[Message]":
        return self.real.get_recent_messages(session_id, limit, user_id=user_id)

    def since(
        self,
        session_id: str,
        after_id: str,
        *,
        user_id: str,
        limit: int,
        before_turn: str | None = None,
    ) -> "list[Message]":
        return self.real.since(session_id, after_id, user_id=user_id, limit=limit)

    def of_turn(self, turn_id: str) -> "list[Message]":
        from walissh.react.turn import Message

        turn = self.turn
        return [Message("user", turn.question, turn_id=turn.id, created_at=turn.created_at)]


class _Threads:
    """The thread as the database has it; a new one goes on to the prompt alone."""

    def load(self, session_id: str, user_id: str) -> "Tracked | None":
        from walissh.store import tracked

        return tracked.snapshot(session_id, user_id)

    def save(self, session_id: str, user_id: str, tracked: "Tracked") -> "Tracked":
        return tracked

    def cache(self, session_id: str, user_id: str, tracked: "Tracked") -> None:
        """Copy it nowhere."""

    def forget(self, session_id: str, user_id: str) -> None:
        """Drop nothing."""


@dataclass(frozen=True, slots=True)
class _Turns:
    """Of the turns only what a tracker uses."""

    real: "Turns"

    def get(self, turn_id: str) -> "Turn | None":
        return self.real.get(turn_id)

    def note_intent(self, turn: "Turn", intended: "Intended") -> bool:
        return True


@dataclass(frozen=True, slots=True)
class _Misleads:
    """The signs that a person gave so far."""

    real: "Misleads"

    def note(self, misled: "Misled") -> bool:
        return False

    def recent(self, user_id: str, *, now: "datetime") -> "list[Misled]":
        return self.real.recent(user_id, now=now)


@dataclass(frozen=True, slots=True)
class _Mind:
    """Of memory only what a prompt is given, with nothing noted of it."""

    real: "Mind"

    def prepare(self, context: "DynamicContext") -> "DynamicContext":
        from walissh.memory.mind import MILESTONES
        from walissh.store import milestones

        turn = context.turn
        context = replace(
            context,
            core=tuple(self.real.core.current(turn.user_id)),
            milestones=tuple(milestones.recent(turn.session_id, turn.user_id, MILESTONES)),
        )
        return replace(context, recollection=self.real.recall.recollect(context))


# --- as it is printed -----------------------------------------------------------------


def _page(preview: Preview) -> str:
    return "\n".join([*_table(preview), *_sent(preview.built)])


def _table(preview: Preview) -> Iterator[str]:
    built, window = preview.built, preview.window
    yield "  order   tokens  section"
    for order, title, tokens in _sections(preview):
        yield f"{order:>7}  {tokens:>7,}  {title}"
    yield f"    all  {built.tokens:>7,}  of {window.tokens:,} for {preview.model}"


def _sections(preview: Preview) -> Iterator[tuple[str, str, int]]:
    """Yield order, title and tokens of each part; together they are what is sent."""
    from walissh.react.window import render

    built, counter = preview.built, preview.window.counter
    request, section = built.request, built.fitted.section
    rows = [
        (str(share.order), share.section.title or "instructions", share.tokens)
        for share in built.shares
    ]
    if section:
        title = render.TITLES[request.language]
        rows.append(("40", title, counter.text(f"[{title}]\n{section}")))
    talk = request.messages[1:]
    rows.append(("50", f"history ({len(talk)} messages)", sum(map(counter.message, talk))))
    rows.append(("-", f"tools ({len(request.tools)})", counter.tools(request.tools)))
    yield from rows
    yield "-", "frame", built.tokens - sum(tokens for _order, _title, tokens in rows)


def _sent(built: "Built") -> Iterator[str]:
    for message in built.request.messages:
        of = f" {message.tool_call_id}" if message.tool_call_id else ""
        yield f"\n{RULER}\n{message.role}{of}\n{RULER}\n{message.content}"
        for call in message.tool_calls:
            yield f"[call {call.id}: {call.name} {call.arguments}]"
    yield f"\n{RULER}\ntools\n{RULER}"
    for tool in built.request.tools:
        schema = json.dumps(tool.parameters, ensure_ascii=False, default=dict)
        yield f"{tool.name}: {tool.description}\n  {schema}"


def _object(preview: Preview) -> dict[str, object]:
    from walissh.brain import openai_request

    body = openai_request.body("", preview.built.request, temperature=None, left_out={"stream"})
    return {
        "model": preview.model,
        "messages": body["messages"],
        "tools": body.get("tools", []),
        "sections": [
            {"order": int(order) if order.isdigit() else None, "title": title, "tokens": tokens}
            for order, title, tokens in _sections(preview)
        ],
        "tokens": preview.built.tokens,
        "window_tokens": preview.window.tokens,
        "notes": list(preview.notes),
    }
