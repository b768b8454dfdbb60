"""A small world for the agent: real stores, scripted model and shell, a queue run by hand."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.fakes import (
    EventList,
    ListQueue,
    NoCache,
    NoLessons,
    ScriptedModel,
    ScriptedShell,
    Snapshots,
    TaskList,
    WordGate,
)
from walissh import wiring
from walissh.clock import utc_now
from walissh.errors import WalisshError
from walissh.memory.milestones import MilestoneTracker
from walissh.memory.router import Router
from walissh.memory.sidepath import SidePath
from walissh.react import agent, compaction, course, decisions, prompt
from walissh.react.gauge import Gauge
from walissh.react.host import Host
from walissh.react.parts import Limits, Parts
from walissh.react.tracker import ContextTracker
from walissh.react.turn import CommandRun, Reply, Session, ToolCall, Turn
from walissh.react.understanding import Understanding
from walissh.store import (
    circumstances,
    commands,
    flags,
    gate_rules,
    history,
    hosts,
    milestones,
    misleads,
    people,
    secrets,
    sessions,
    summaries,
    turns,
)
from walissh.store.hosts import HostDraft


@dataclass
class World:
    """Everything a turn needs; `play` runs queued jobs until none is left."""

    person: people.Person
    host: Host
    session: Session
    model: ScriptedModel
    shell: ScriptedShell
    queue: ListQueue
    events: EventList
    parts: Parts
    tasks: TaskList
    dropped: list[str]
    done: list[tuple[str, object, object]] = field(default_factory=list)

    @classmethod
    def new(cls) -> "World":
        """Make a person `ann` with the host `web1` and an empty session on it."""
        person = people.named("ann")
        host = hosts.add(person.id, HostDraft("web1", "127.0.0.1", "ops"))
        session = sessions.create(person.id, host_ids=[host.id])
        tasks, dropped = TaskList(), list[str]()
        model, shell, queue, events = ScriptedModel([]), ScriptedShell(), ListQueue(), EventList()
        reads = Understanding(misleads, turns, SidePath((), dropped.append), prompt.render, utc_now)
        parts = Parts(
            model=model,
            shell=shell,
            gate=WordGate(),
            circumstance=circumstances,
            rules=gate_rules,
            flags=flags,
            prompt=wiring.prompt(),
            turns=turns,
            commands=commands,
            history=history,
            sessions=sessions,
            hosts=hosts,
            mind=wiring.mind_of(
                tracker=MilestoneTracker(milestones, NoCache()),
                router=Router(Path("/nonexistent"), utc_now),
                working=tasks,
                dropped=dropped.append,
            ),
            tracker=ContextTracker(Snapshots(), turns, reads, commands),
            gauge=Gauge("gpt-4o", NoLessons()),
            summaries=summaries,
            publish=events,
            enqueue=queue,
            clock=utc_now,
            worker="test-worker",
            vault=secrets,
        )
        return cls(person, host, session, model, shell, queue, events, parts, tasks, dropped)

    def limit(self, **limits: int) -> None:
        """Use other limits from now on."""
        self.parts = replace(self.parts, limits=Limits(**limits))

    def script(self, *replies: Reply | WalisshError | str | tuple[ToolCall, ...]) -> None:
        """Say what the model answers: a text, calls, a whole reply or an error."""
        for each in replies:
            if isinstance(each, str):
                self.model.script.append(Reply(each))
            elif isinstance(each, tuple):
                self.model.script.append(Reply("", each))
            else:
                self.model.script.append(each)

    def ask(self, question: str = "why?", *, key: str | None = None) -> Turn:
        """Ask in the session without running anything."""
        return decisions.ask(self.parts, self.session.id, self.person.id, question, key)

    def play(self) -> None:
        """Run the queued jobs, and those that they queue, in order."""
        while self.queue.jobs:
            self.step()

    def step(self) -> None:
        """Run the next queued job."""
        job = self.queue.jobs.pop(0)
        self.done.append(job)
        kind, subject, step = job
        if kind == "think":
            assert isinstance(step, int)
            agent.think(self.parts, str(subject), step)
        elif kind == "act":
            agent.act(self.parts, str(subject))
        elif kind == "compact":
            compaction.ahead(self.parts, str(subject))
        else:
            course.finish(self.parts, str(subject))

    def turn(self, turn: Turn) -> Turn:
        """Return the turn as it is now."""
        found = turns.get(turn.id)
        assert found is not None
        return found

    def runs(self, turn: Turn) -> list[CommandRun]:
        """Return the commands of the turn as they are now."""
        return commands.of_turn(turn.id)

    def approve(self, run: CommandRun, **options: str) -> CommandRun:
        """Approve as the person."""
        return decisions.approve(self.parts, run.id, self.person.id, **options)
