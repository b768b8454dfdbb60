"""A turn as lines on a terminal."""

import re
from collections.abc import Mapping
from typing import Any

import click

from walissh.memory.working import StepStatus, SubTask, TaskState, progress
from walissh.react import citations
from walissh.react.followed import Asked
from walissh.react.needs import Commands
from walissh.react.turn import OPEN_COMMAND, CommandRun, CommandStatus, Risk, Turn

_OPEN_MARK = re.compile(r"\[{1,2}[^\[\]]{0,60}\]?$")
_NOT_BEGUN = OPEN_COMMAND - {CommandStatus.RUNNING}
RISKS = {
    Risk.READ_ONLY: "only reads",
    Risk.SECRET_EXPOSURE: "may show a secret",
    Risk.MUTATING: "changes something",
    Risk.OPAQUE: "cannot be judged",
    Risk.DESTRUCTIVE: "can destroy data",
}
MAX_TITLE_CHARS = 120
_STEPS = {
    StepStatus.PENDING: "to do",
    StepStatus.RUNNING: "now",
    StepStatus.DONE: "done",
    StepStatus.FAILED: "failed",
    StepStatus.BLOCKED: "blocked",
    StepStatus.SKIPPED: "skipped",
    StepStatus.CANCELLED: "given up",
}


class Transcript:
    """Prints the events of one turn as they are published (`react.needs.Publish`).

    *plan* is the one that the person knows; what changes in it is printed.
    """

    plan = TaskState()

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._step: tuple[object, object] = (0, 0)
        self._said = ""  # by the model in this step, with raw marks
        self._shown = ""  # of it on the terminal, with numbered marks
        self._at_line_start = True
        self._announced: set[str] = set()
        self._closed: set[str] = set()
        self._asked: Asked | None = None

    def __call__(self, session_id: str, name: str, data: Mapping[str, object]) -> None:
        """Print an event."""
        fields: Mapping[str, Any] = data
        match name:
            case "text":
                self._text(fields)
            case "output":
                self._flush(fields["turn_id"])
                self._print(fields["text"])
            case "command":
                self._flush(fields["turn_id"])
                run = self._commands.get(fields["id"])
                if run is not None:
                    self.command(run)
            case "question":
                self._flush(fields["turn_id"])
                self._question(Asked(fields["text"], tuple(fields["choices"])))
            case "plan":
                self._flush(fields["turn_id"])
                self._changes(_plan(fields))
            case "status" if "note" in fields:
                self._line(click.style(fields["note"], dim=True))

    def end(self, turn: Turn) -> None:
        """Print what has not been shown of an ended turn: another process may have had it."""
        self._flush(turn.id)
        for run in self._commands.of_turn(turn.id):
            self.command(run)
        if turn.asked is not None:
            self._question(turn.asked)
        elif turn.answer and self._shown.strip() != turn.answer.strip():
            rest = turn.answer.removeprefix(self._shown)
            self._print(rest if len(rest) < len(turn.answer) else f"\n{turn.answer}")
        self._sources(turn)

    def command(self, run: CommandRun) -> None:
        """Print a command when it begins, and how it ended when it has."""
        if run.status in _NOT_BEGUN:
            return
        if run.id not in self._announced:
            self._announced.add(run.id)
            self._line(click.style(f"{run.host} $ {run.command}", bold=True))
        if run.status not in OPEN_COMMAND and run.id not in self._closed:
            self._closed.add(run.id)
            self._line(_how_it_ended(run))

    def _question(self, asked: Asked) -> None:
        if asked == self._asked:
            return
        self._asked = asked
        self._line("")
        self._line(click.style(f"? {asked.text}", bold=True))
        for number, choice in enumerate(asked.choices, 1):
            self._line(f"  {number}. {choice}")

    def _changes(self, plan: TaskState) -> None:
        """Print what is new in the plan: a line for each step, one for steps still to do."""
        before = {each.id: each for each in self.plan.steps}
        done = progress(plan)
        head = f"[plan {done.settled}/{done.total}]"
        if not before.keys() & {each.id for each in plan.steps}:
            self._line(click.style(f"{head} {plan.goal[:MAX_TITLE_CHARS]}".rstrip(), dim=True))
        for each in plan.steps:
            old = before.get(each.id, SubTask(each.id, each.title))
            if (old.status, old.title) != (each.status, each.title):
                self._line(click.style(f"{head} {_step(each)}", dim=True))
        self.plan = plan

    def _text(self, fields: Mapping[str, Any]) -> None:
        step = (fields["step"], fields["attempt"])
        if step != self._step:
            self._flush(fields["turn_id"])
            self._line("")
            self._step, self._said, self._shown = step, "", ""
        self._said += fields["delta"]
        whole = _OPEN_MARK.sub("", self._said)
        self._show(whole, fields["turn_id"])

    def _flush(self, turn_id: str) -> None:
        if self._said:
            self._show(self._said, turn_id)

    def _show(self, said: str, turn_id: str) -> None:
        text, _ = citations.resolve(said, self._commands.of_turn(turn_id))
        self._print(text[len(self._shown) :])
        self._shown = text

    def _sources(self, turn: Turn) -> None:
        runs = {run.id: run for run in self._commands.of_turn(turn.id)}
        self._line("")
        for each in turn.citations:
            if each.command_id in runs:
                run = runs[each.command_id]
                lines = f"lines {each.first_line}-{each.last_line}"
                self._line(
                    click.style(f"[{each.n}] {run.host} $ {run.command} ({lines})", dim=True)
                )

    def _line(self, text: str) -> None:
        self._print("" if self._at_line_start else "\n")
        if text:
            self._print(f"{text}\n")

    def _print(self, text: str) -> None:
        if text:
            click.echo(text, nl=False)
            self._at_line_start = text.endswith("\n")


def _plan(fields: Mapping[str, Any]) -> TaskState:
    steps = (
        SubTask(
            each["id"],
            each["title"],
            StepStatus(each["status"]),
            tuple(each["after"]),
            {"text": each["result"]},
        )
        for each in fields["steps"]
    )
    return TaskState(fields["goal"], tuple(steps))


def _step(step: SubTask) -> str:
    result = " ".join(str(step.result.get("text") or "").split())
    told = f"{_STEPS[step.status]}: {step.title[:MAX_TITLE_CHARS]}"
    return f"{told} ({result[:MAX_TITLE_CHARS]})" if result else told


def _how_it_ended(run: CommandRun) -> str:
    took = "" if run.duration_s is None else f", {run.duration_s:.1f} s"
    if run.status is CommandStatus.FINISHED and run.exit_code is not None:
        silent = "" if run.output_chars else ", no output"
        text = f"[exit code {run.exit_code}{took}{silent}]"
        return click.style(text, fg="green" if run.went_well else "red")
    reasons = " ".join(run.reasons) if run.status is CommandStatus.REFUSED else ""
    words = " ".join(filter(None, (run.error, run.denial, reasons)))
    ended = f", {run.ended_by}" if run.ended_by else ""
    return click.style(f"[{run.status.value}{ended}{took}] {words}".rstrip(), fg="yellow")
