"""The composition root: the only place that names concrete parts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from flask import Flask, current_app

from walissh.brain.late import LateModel
from walissh.clock import utc_now
from walissh.config import Settings
from walissh.identity import worker_name
from walissh.memory.aftermath import Aftermath
from walissh.memory.confirmed import Confirming
from walissh.memory.longterm import LongTermMemory
from walissh.memory.milestones import MilestoneTracker
from walissh.memory.mind import Mind
from walissh.memory.needs import Working
from walissh.memory.providers import (
    CoreMemoryProvider,
    LongTermMemoryProvider,
    MilestonesProvider,
)
from walissh.memory.recollect import Recall
from walissh.memory.refine import Refiner
from walissh.memory.router import OWN_FILE, Router
from walissh.memory.sidepath import SidePath
from walissh.memory.synonyms import SynonymsFile
from walissh.react import offered, plugins
from walissh.react.gauge import Gauge
from walissh.react.needs import Model
from walissh.react.parts import Limits, Parts
from walissh.react.prompt import ContextProvider, HostsProvider, Prompt, SystemProvider, render
from walissh.react.task_state import TaskStateProvider
from walissh.react.tracker import ContextTracker
from walissh.react.understanding import Understanding
from walissh.safety.policy import ReadOnlyGate
from walissh.ssh.pool import Pool
from walissh.ssh.run import SshShell
from walissh.store import (
    circumstances,
    commands,
    core_memory,
    database,
    diagnoses,
    flags,
    gate_rules,
    history,
    hosts,
    memories,
    milestones,
    misleads,
    refinements,
    said,
    seal,
    secrets,
    sessions,
    summaries,
    turns,
)
from walissh.store.database import MEMORY_PATIENCE_MS
from walissh.store.dropped import Dropped
from walissh.store.milestone_cache import MilestoneCache
from walissh.store.model_lessons import ModelLessons
from walissh.store.postings import OWN_WORDS
from walissh.store.queue import JOB_ENDS, JobQueue, connect, connect_briefly
from walissh.store.tracked import TrackedSessions
from walissh.store.working import WorkingMemory
from walissh.stream import Stream

OFFLINE = "offline"
"""The name of the playbooks among the models."""


@dataclass(frozen=True, slots=True)
class _Installed:
    settings: Settings
    parts: Parts
    stream: Stream
    queue: JobQueue


def install(app: Flask, settings: Settings) -> None:
    """Put the parts into *app*; opens no connection."""
    secret = seal.secret_key(settings)
    app.config["SECRET_KEY"] = seal.derive(secret, "cookies")
    app.config["WALISSH_SEAL_KEY"] = seal.derive(secret, "secrets at rest")
    database.init_app(app, settings)
    stream = Stream.connect(settings)
    queue = JobQueue(connect(settings))
    app.extensions[OWN_WORDS] = SynonymsFile(settings.home / "synonyms.yaml")
    remembers = mind(settings)
    parts = build(settings, stream, queue, remembers)
    app.extensions["walissh"] = _Installed(settings, parts, stream, queue)


def build(settings: Settings, stream: Stream, queue: JobQueue, mind: Mind) -> Parts:
    """Return the parts that the settings ask for."""
    return Parts(
        model=LateModel(lambda: model(settings)),
        shell=SshShell(
            Pool(),
            hosts,
            output_limit_mb=settings.output_limit_mb,
            names_of=secrets.names_of_command,
        ),
        gate=ReadOnlyGate(),
        circumstance=circumstances,
        rules=gate_rules,
        flags=flags,
        prompt=prompt(plugins.load(plugins.found(), aside(settings)), playbooks(settings)),
        turns=turns,
        commands=commands,
        history=history,
        sessions=sessions,
        hosts=hosts,
        mind=mind,
        tracker=tracker(settings),
        gauge=gauge(settings),
        summaries=summaries,
        publish=stream.append,
        enqueue=queue,
        clock=utc_now,
        worker=worker_name(),
        writer=LateModel(lambda: model_server(settings)) if settings.uses_openai else None,
        language=settings.lang or "en",
        limits=Limits(
            steps=settings.step_limit,
            command_s=settings.command_limit_s,
            approval_s=settings.approval_limit_s,
        ),
        vault=secrets,
    )


def prompt(
    more: Sequence[ContextProvider] = (), playbooks: offered.Titles = offered.no_playbooks
) -> Prompt:
    """Return the sections of the system message, ours and *more*, in their order."""
    return Prompt.of(
        [
            SystemProvider(),
            HostsProvider(),
            TaskStateProvider(),
            CoreMemoryProvider(render),
            LongTermMemoryProvider(render),
            MilestonesProvider(render),
            *more,
        ],
        playbooks,
    )


def playbooks(settings: Settings) -> offered.Titles:
    """Return what names the playbooks that a model may run; they are loaded when asked for."""
    if not settings.uses_openai:
        return offered.no_playbooks  # the offline brain chooses by itself

    @cache
    def titles() -> Mapping[str, str]:
        from walissh.brain import library

        books = library.of(settings.home).catalogue.playbooks
        return {each.name: each.title.en for each in books}

    return titles


def aside(settings: Settings) -> SidePath:
    """Return what runs the plugins: one that fails is logged and counted."""
    return SidePath(JOB_ENDS, Dropped(connect_briefly(settings)))


def tracker(settings: Settings) -> ContextTracker:
    """Return what follows the thread of a session, with its working copy on Redis."""
    connection = connect_briefly(settings)
    threads = TrackedSessions(connection, WorkingMemory(connection))
    reads = understanding(settings, Dropped(connection))
    return ContextTracker(threads, turns, reads, commands)


def understanding(settings: Settings, dropped: Callable[[str], None]) -> Understanding:
    """Return what reads a message; the playbooks are no second opinion."""
    return Understanding(
        misleads=misleads,
        turns=turns,
        aside=SidePath(JOB_ENDS, dropped),
        render=render,
        clock=utc_now,
        model=LateModel(lambda: model_server(settings)) if settings.uses_openai else None,
    )


def gauge(settings: Settings) -> Gauge:
    """Return what measures for the configured model."""
    return Gauge(
        settings.model if settings.uses_openai else OFFLINE,
        ModelLessons(connect_briefly(settings)),
        configured_tokens=settings.context_tokens,
        strategy=settings.context_strategy,
        line_chars=settings.summary_chars,
    )


def mind(settings: Settings) -> Mind:
    """Return all of memory, with its working part and its counters on Redis."""
    connection = connect_briefly(settings)
    dropped = Dropped(connection)
    return mind_of(
        tracker=MilestoneTracker(milestones, MilestoneCache(connection)),
        router=Router(settings.home / OWN_FILE, utc_now),
        working=WorkingMemory(connection),
        dropped=dropped,
        refiner=refiner(settings, dropped),
        concludes=settings.uses_openai,
    )


def refiner(settings: Settings, dropped: Callable[[str], None]) -> Refiner | None:
    """Return what refines memories by a model; None unless tokens are given for it."""
    if not settings.refine_tokens or not settings.uses_openai:
        return None  # the playbooks refine nothing
    from walissh.react.window import tokens  # its vocabularies are heavy

    return Refiner(
        model=LateModel(lambda: model_server(settings)),
        render=render,
        refinements=refinements,
        aside=SidePath(JOB_ENDS, dropped),
        limit_tokens=settings.refine_tokens,
        count=tokens.counter(settings.model).text,
    )


def mind_of(
    *,
    tracker: MilestoneTracker,
    router: Router,
    working: Working,
    dropped: Callable[[str], None],
    refiner: Refiner | None = None,
    concludes: bool = True,
) -> Mind:
    """Return memory on the stores of the database, and what is given.

    *concludes* tells whether the brain repairs by itself and may report a case.
    """
    aside = SidePath(JOB_ENDS, dropped)
    longterm = LongTermMemory(memories)
    return Mind(
        longterm=longterm,
        memories=memories,
        recall=Recall(memories, commands, router, aside, MEMORY_PATIENCE_MS),
        core=core_memory,
        marks=tracker,
        said=said,
        turns=turns,
        commands=commands,
        working=working,
        aftermath=Aftermath(
            longterm,
            memories,
            core_memory,
            said,
            commands,
            history,
            hosts,
            tracker,
            aside,
            refiner,
            concludes,
        ),
        confirming=confirming(),
        aside=aside,
        clock=utc_now,
        patience_ms=MEMORY_PATIENCE_MS,
    )


def confirming() -> Confirming:
    """Return what keeps a confirmed diagnosis as a case."""
    return Confirming(memories, turns, diagnoses, commands, history, hosts)


def model(settings: Settings) -> Model:
    """Return the brain that the settings ask for; loads no other: they are heavy."""
    from walissh.brain import library

    catalogue = library.of(settings.home).catalogue
    if not settings.uses_openai:
        from walissh.brain.offline import OfflineBrain

        return OfflineBrain(catalogue)
    from walissh.brain.run_playbook import WithPlaybooks

    return WithPlaybooks(model_server(settings), catalogue)


def model_server(settings: Settings) -> Model:
    """Return the configured model server alone."""
    from walissh.brain.openai_chat import OpenAIChat

    return OpenAIChat(
        settings.model,
        api_key=settings.openai_api_key,
        base_url=settings.openai_base_url or None,
        temperature=settings.temperature,
        first_token_limit_s=settings.first_token_limit_s,
    )


def parts() -> Parts:
    """Return the parts of the current app."""
    return _installed().parts


def stream() -> Stream:
    """Return the event stream of the current app."""
    return _installed().stream


def queue() -> JobQueue:
    """Return the job queue of the current app."""
    return _installed().queue


def settings() -> Settings:
    """Return the settings of the current app."""
    return _installed().settings


def _installed() -> _Installed:
    installed: _Installed = current_app.extensions["walissh"]
    return installed
