"""What the agent works with, handed in by the composition root."""

from dataclasses import dataclass

from walissh.clock import Clock
from walissh.react.flagging import Flags
from walissh.react.gauge import Gauge
from walissh.react.needs import (
    Circumstance,
    Commands,
    Enqueue,
    Gate,
    History,
    Hosts,
    Mind,
    Model,
    Publish,
    Sessions,
    Shell,
    Summaries,
    Turns,
)
from walissh.react.prompt import Prompt
from walissh.react.ruling import Rules
from walissh.react.tracker import ContextTracker
from walissh.react.turn import (
    Language,
)
from walissh.safety.withhold import OPEN_VAULT, Vault


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a turn may go, and how long an approval is waited for.

    *attempts* counts the tries of one model call.
    """

    steps: int = 30
    attempts: int = 4
    command_s: int = 3600
    approval_s: int = 24 * 3600


@dataclass(frozen=True, slots=True)
class Parts:
    """The model, the shell, the gate, the stores, and the ways to tell and to queue.

    *writer* is the model if it can write summaries: the playbooks cannot.
    """

    model: Model
    shell: Shell
    gate: Gate
    circumstance: Circumstance
    rules: Rules
    flags: Flags
    prompt: Prompt
    turns: Turns
    commands: Commands
    history: History
    sessions: Sessions
    hosts: Hosts
    mind: Mind
    tracker: ContextTracker
    gauge: Gauge
    summaries: Summaries
    publish: Publish
    enqueue: Enqueue
    clock: Clock
    worker: str
    writer: Model | None = None
    language: Language = "en"
    limits: Limits = Limits()
    vault: Vault = OPEN_VAULT
