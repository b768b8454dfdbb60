"""Fakes written by hand: a model and a shell that play a script, a gate that looks it up."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from walissh.errors import ShellError, WalisshError
from walissh.memory.entry import Milestone
from walissh.memory.working import TaskState
from walissh.react.circumstances import Circumstances
from walissh.react.followed import Tracked
from walissh.react.gauge import Learned
from walissh.react.host import Host
from walissh.react.turn import (
    CommandRun,
    Decision,
    Exit,
    Language,
    Reply,
    Request,
    Risk,
    ToolCall,
    Turn,
    Usage,
    Verdict,
)
from walissh.store import tracked
from walissh.store.working import TaskKey


def call(command: str, host: str = "web1", call_id: str = "c1", **more: object) -> ToolCall:
    """Return a call of run_command."""
    arguments = {"host": host, "command": command, "reason": "to see", **more}
    return ToolCall(call_id, "run_command", json.dumps(arguments))


@dataclass
class ScriptedModel:
    """Gives its replies in order; an error in the script is raised."""

    script: list[Reply | WalisshError]
    name: str = "scripted"
    requests: list[Request] = field(default_factory=list)
    before_reply: Callable[[], None] | None = None

    def complete(
        self, request: Request, *, on_text: Callable[[str], None], cancelled: Callable[[], bool]
    ) -> Reply:
        self.requests.append(request)
        step = self.script.pop(0)
        if self.before_reply:
            self.before_reply()
        if isinstance(step, WalisshError):
            raise step
        on_text(step.text)
        return replace(step, usage=Usage(10, 5))


@dataclass
class ScriptedShell:
    """Maps a command to its output and exit code, or to an error; counts what ran."""

    outputs: Mapping[str, tuple[str, int] | ShellError] = field(default_factory=dict)
    ran: list[tuple[str, str]] = field(default_factory=list)
    checks: Mapping[str, ShellError] = field(default_factory=dict)

    def run(
        self,
        run_id: str,
        host_id: str,
        command: str,
        *,
        limit_s: int,
        on_output: Callable[[str], None],
        cancelled: Callable[[], bool],
        revision: int | None = None,
    ) -> Exit:
        self.ran.append((host_id, command))
        result = self.outputs.get(command, (f"{command}\n", 0))
        if isinstance(result, ShellError):
            raise result
        text, code = result
        if text:
            on_output(text)
        if cancelled():
            return Exit(None, "cancelled")
        return Exit(code, "exited")

    def check(self, host_id: str) -> None:
        if host_id in self.checks:
            raise self.checks[host_id]


class WordGate:
    """Judges by the first word: `rm` destroys, `touch` changes, `vi` is refused."""

    risks: Mapping[str, tuple[Risk, Decision]] = {
        "rm": (Risk.DESTRUCTIVE, Decision.ASK),
        "touch": (Risk.MUTATING, Decision.ASK),
        "vi": (Risk.READ_ONLY, Decision.DENY),
    }

    def judge(
        self,
        command: str,
        host: Host,
        language: Language,
        circumstances: Circumstances | None = None,
    ) -> Verdict:
        word = command.partition(" ")[0]
        risk, decision = self.risks.get(word, (Risk.READ_ONLY, Decision.ALLOW))
        return Verdict(risk, decision, (f"{word}: {risk}",), rule="risk")


@dataclass
class ListQueue:
    """An `Enqueue` that keeps the jobs for the test to run."""

    jobs: list[tuple[str, object, object]] = field(default_factory=list)

    def think(self, turn: Turn) -> None:
        self.jobs.append(("think", turn.id, turn.step))

    def act(self, run: CommandRun) -> None:
        self.jobs.append(("act", run.id, None))

    def finish(self, turn_id: str) -> None:
        self.jobs.append(("finish", turn_id, None))

    def compact(self, turn_id: str) -> None:
        self.jobs.append(("compact", turn_id, None))


@dataclass
class EventList:
    """A `Publish` that keeps the events."""

    events: list[tuple[str, Mapping[str, object]]] = field(default_factory=list)

    def __call__(self, session_id: str, name: str, data: Mapping[str, object]) -> None:
        self.events.append((name, data))

    def named(self, name: str) -> Sequence[Mapping[str, object]]:
        return [data for each, data in self.events if each == name]


class NoCache:
    """A cache of milestones that holds nothing."""

    def get(self, session_id: str, user_id: str) -> list[Milestone] | None:
        return None

    def put(self, session_id: str, user_id: str, marks: Sequence[Milestone]) -> None:
        pass

    def fill(self, session_id: str, user_id: str, marks: Sequence[Milestone]) -> None:
        pass


class NoLessons:
    """Knows nothing of any model."""

    def of_model(self, model: str) -> Learned:
        return Learned()

    def keep(self, model: str, learned: Learned) -> None:
        pass


class Snapshots:
    """The thread of a session with no Redis: the snapshots of the database alone."""

    def load(self, session_id: str, user_id: str) -> Tracked | None:
        return tracked.snapshot(session_id, user_id)

    def save(self, session_id: str, user_id: str, thread: Tracked) -> Tracked:
        return tracked.keep(session_id, user_id, thread) or thread

    def cache(self, session_id: str, user_id: str, thread: Tracked) -> None:
        pass

    def forget(self, session_id: str, user_id: str) -> None:
        pass


@dataclass
class TaskList:
    """Working memory in a dict, by task."""

    tasks: dict[str, TaskState] = field(default_factory=dict)

    def set_task_state(
        self, user: str, session: str, task: str, fields: Mapping[str, object]
    ) -> None:
        old = self.tasks.get(task, TaskState())
        self.tasks[task] = replace(old, notes={**old.notes, **fields})

    def change(
        self, user: str, session: str, task: str, step: Callable[[TaskState], TaskState]
    ) -> TaskState:
        self.tasks[task] = step(self.tasks[task])
        return self.tasks[task]

    def clear_task(self, user: str, session: str, task: str) -> bool:
        return self.tasks.pop(task, None) is not None

    def clear_orphans(self, is_open: Callable[[TaskKey], bool]) -> int:
        gone = [task for task in self.tasks if not is_open(TaskKey("", "", task))]
        for task in gone:
            del self.tasks[task]
        return len(gone)
