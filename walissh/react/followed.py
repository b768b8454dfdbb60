"""The values of what is followed from turn to turn: intents, questions, the thread."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from walissh.memory.working import TaskState


class Intent(StrEnum):
    """What a message is meant to do (ancestor: the understanding stage)."""

    DIAGNOSE = "DIAGNOSE"
    EXECUTE = "EXECUTE"
    QUERY = "QUERY"
    CONFIGURE_PREFERENCE = "CONFIGURE_PREFERENCE"
    CONTINUE = "CONTINUE"
    CONFIRM = "CONFIRM"
    CANCEL = "CANCEL"
    CORRECT = "CORRECT"
    CHITCHAT = "CHITCHAT"
    UNSAFE = "UNSAFE"


@dataclass(frozen=True, slots=True)
class Intended:
    """What a message was taken for: by *rule* (its name) or by the model, and how sure (0-1)."""

    intent: Intent
    confidence: float
    by: Literal["rule", "model"]
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the agent asks the person; the next message answers it, by a choice or in words."""

    text: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Meant:
    """What "the other one" and its like stand for: one host, or several that it could be."""

    words: str
    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tracked:
    """The thread of a session, kept between its turns (ancestor: ContextTracker's state).

    *intents* and *hosts* (names) are the last ones, the newest first, so that the first
    host is the current one; *plan* without steps means none. *resume* tells that the
    message at hand takes the open task up again; *meant* is what it refers to by other
    words. *turn_id* is the turn up to which all this has been brought.
    """

    intents: tuple[Intended, ...] = ()
    hosts: tuple[str, ...] = ()
    service: str = ""
    goal: str = ""
    plan: TaskState = field(default_factory=TaskState)
    pending: Asked | None = None
    answered: Asked | None = None
    meant: Meant | None = None
    resume: bool = False
    turn_id: str = ""
    version: int = 0
