"""What the events of a turn carry; pages and API show the same."""

from collections.abc import Callable
from time import monotonic

from walissh.memory.working import TaskState
from walissh.react import texts
from walissh.react.followed import Asked
from walissh.react.parts import Parts
from walissh.react.turn import CommandRun, Turn
from walissh.react.window.summary import Summary

TEXT_EACH_S = 0.06
"""Deltas are gathered for so long: no eye reads faster, and each event is a write."""

HELD_BACK_CHARS = 40
"""So much stays back, cut at a white space: what gives a secret away stands close to it."""


def command(run: CommandRun) -> dict[str, object]:
    """Return a command run as its event carries it."""
    return {
        "turn_id": run.turn_id,
        "id": run.id,
        "host": run.host,
        "host_id": run.host_id,
        "command": run.command,
        "reason": run.reason,
        "risk": run.risk.value,
        "reasons": list(run.reasons),
        "status": run.status.value,
        "exit_code": run.exit_code,
        "error": run.error,
        "phase": run.phase,
        "duration_s": run.duration_s,
        "ended_by": run.ended_by,
        "flags": [{"kind": each.kind, "text": each.text} for each in run.flags],
        "unflagged_by": run.unflagged_by,
    }


def tell_command(parts: Parts, command_id: str) -> CommandRun | None:
    """Publish the present state of a command, and note it in the working memory."""
    run = parts.commands.get(command_id)
    if run is not None:
        parts.mind.track(run)
        parts.publish(run.session_id, "command", command(run))
    return run


def tell_output(parts: Parts, run: CommandRun, text: str, offset: int) -> None:
    """Publish the end of a piece of output that begins at *offset*."""
    live = text[-texts.LIVE_CHARS :]
    place = {"command_id": run.id, "offset": offset + len(text) - len(live)}
    parts.publish(run.session_id, "output", {"turn_id": run.turn_id, **place, "text": live})


def tell_turn(parts: Parts, turn: Turn, note: str = "") -> None:
    """Publish where the turn stands; its end is the event ``done``."""
    data: dict[str, object] = {
        "turn_id": turn.id,
        "status": turn.status.value,
        "step": turn.step,
        "attempt": turn.attempt,
    }
    if note:
        data["note"] = note
    parts.publish(turn.session_id, "status", data)


def tell_end(parts: Parts, turn_id: str) -> None:
    """Publish ``done`` with the turn's final status, answer and error."""
    turn = parts.turns.get(turn_id)
    if turn is not None:
        data = {
            "turn_id": turn.id,
            "status": turn.status.value,
            "answer": turn.answer,
            "error": turn.error,
        }
        parts.publish(turn.session_id, "done", data)


def tell_question(parts: Parts, turn: Turn, asked: Asked) -> None:
    """Publish what the turn ends by asking."""
    data = {"turn_id": turn.id, "text": asked.text, "choices": list(asked.choices)}
    parts.publish(turn.session_id, "question", data)


def tell_plan(parts: Parts, turn: Turn, plan: TaskState) -> None:
    """Publish ``plan``: the steps of the task with their states."""
    parts.publish(turn.session_id, "plan", {"turn_id": turn.id, **planned(plan)})


def tell_compacted(parts: Parts, turn: Turn, summary: Summary) -> None:
    """Publish ``compacted``: up to which message the model is given the summary instead."""
    data = {"turn_id": turn.id, "rounds": summary.rounds, "until": summary.until}
    parts.publish(turn.session_id, "compacted", data)


def planned(plan: TaskState) -> dict[str, object]:
    """Return a plan as its event and the API carry it."""
    steps = [
        {
            "id": each.id,
            "title": each.title,
            "status": each.status.value,
            "after": list(each.after),
            "result": each.result.get("text", ""),
        }
        for each in plan.steps
    ]
    return {"goal": plan.goal, "steps": steps}


def tell_learned(parts: Parts, turn: Turn, *, of: str = "") -> None:
    """Publish ``learned``: the timeline and the memories of a session may be others now.

    *of* is the id of the turn that it was learned of, where that is another one.
    """
    parts.publish(turn.session_id, "learned", {"turn_id": of or turn.id})


class TextFlow:
    """Gathers the deltas of one model call into events.

    The newest words stay back a little, so that *clean* sees a secret together with the
    word that gives it away.
    """

    def __init__(self, parts: Parts, turn: Turn, clean: Callable[[str], str]) -> None:
        self._parts, self._turn, self._clean = parts, turn, clean
        self._text, self._told_at = "", 0.0

    def add(self, delta: str) -> None:
        """Take the next piece of the model's text."""
        self._text += delta
        if monotonic() - self._told_at >= TEXT_EACH_S:
            self._tell(_end_of_words(self._text, len(self._text) - HELD_BACK_CHARS))

    def flush(self) -> None:
        """Publish all that has been gathered."""
        self._tell(len(self._text))

    def _tell(self, chars: int) -> None:
        if chars <= 0:
            return
        data = {
            "turn_id": self._turn.id,
            "step": self._turn.step,
            "attempt": self._turn.attempt,
            "delta": self._clean(self._text[:chars]),
        }
        self._parts.publish(self._turn.session_id, "text", data)
        self._text, self._told_at = self._text[chars:], monotonic()


def _end_of_words(text: str, before: int) -> int:
    """Return the place after the last white space that ends at *before* or sooner."""
    return max(text.rfind(" ", 0, max(before, 0)), text.rfind("\n", 0, max(before, 0))) + 1
