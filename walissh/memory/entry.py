"""The values of memory: what a text taught, what is kept, and what was recalled.

Ancestors: the entity LongTermMemory of the AI Shell design and the event of the two-layer
design. A scope is one of ``global``, ``group:NAME``, ``host:NAME`` (several with commas, or
with ``*`` at an end), ``all-except:NAME`` and ``task:ID``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

Channel = Literal["web", "api", "agent"]


class MemoryType(StrEnum):
    """The four kinds of long-term memory."""

    USER_PREFERENCE = "USER_PREFERENCE"
    ENVIRONMENT_FACT = "ENVIRONMENT_FACT"
    SOFTWARE_FACT = "SOFTWARE_FACT"
    TROUBLESHOOTING_CASE = "TROUBLESHOOTING_CASE"


FACTS = frozenset({MemoryType.ENVIRONMENT_FACT, MemoryType.SOFTWARE_FACT})


class Op(StrEnum):
    """What a found memory does to the ones of its subject."""

    ADD = "add"
    REPLACE = "replace"
    REMOVE = "remove"


class Origin(StrEnum):
    """Who says so; how far it is trusted follows from it (``memory.settle``)."""

    USER = "user"
    USER_HEDGED = "user_hedged"
    TOOL = "tool"
    ASSISTANT = "assistant"
    ASSISTANT_HEDGED = "assistant_hedged"
    DOCUMENT = "document"
    INVENTORY = "inventory"
    BEHAVIOUR = "behaviour"


@dataclass(frozen=True, slots=True)
class Found:
    """What extraction found in one text; not stored yet.

    *subject* is a short lower-case name of what it is about ("output language", "redis"),
    *value* what it says of that ("English", "7.0.15"), *content* the clause as a person
    reads it. *symptom*, *cause* and *fix* belong to a case; *worked* is None when the text
    does not tell. *stale_days* says after how long it should be measured again.
    """

    type: MemoryType
    subject: str
    value: str
    content: str
    scope: str = "global"
    op: Op = Op.ADD
    symptom: str = ""
    cause: str = ""
    fix: str = ""
    worked: bool | None = None
    confidence: float = 1.0
    stale_days: int | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """What proves a memory: a message or a command run, and through which channel it came."""

    origin: Origin
    channel: Channel = "agent"
    message_id: str | None = None
    command_id: str | None = None


class MemoryState(StrEnum):
    """Whether a memory counts, and if not, why."""

    VALID = "valid"
    STALE = "stale"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Memory:
    """One entry of the history. *number* grows with each entry and is not for outside.

    *at* is when it was learned, *proved_at* when it was last said or measured again.
    *host_id* binds a fact to its host; *host* is that host's name now, or as it was.
    *shared_with* names the group of people that may read it, "" for its owner alone.
    """

    number: int
    id: str
    owner_id: str
    type: MemoryType
    scope: str
    host_id: str | None
    host: str
    subject: str
    value: str
    content: str
    payload: Mapping[str, object]
    op: Op
    confidence: float
    source: Source
    state: MemoryState
    at: datetime
    proved_at: datetime
    expires_at: datetime | None = None
    stale_days: int | None = None
    superseded_by: str | None = None
    shared_with: str = ""
    recalled_at: datetime | None = None
    recalled_times: int = 0
    helped_times: int = 0

    @property
    def symptom(self) -> str:
        """What was seen, of a case."""
        return str(self.payload.get("symptom", ""))

    @property
    def cause(self) -> str:
        """What was behind it, of a case."""
        return str(self.payload.get("cause", ""))

    @property
    def fix(self) -> str:
        """What was done about it, of a case."""
        return str(self.payload.get("fix", ""))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a question is asked: which scopes hold is told from it."""

    hosts: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    task: str = ""


class Route(StrEnum):
    """Which memory a question needs."""

    NONE = "NONE"
    WORKING_ONLY = "WORKING_ONLY"
    LONG_TERM_ONLY = "LONG_TERM_ONLY"
    BOTH = "BOTH"


@dataclass(frozen=True, slots=True)
class Routing:
    """A decision of the router: *path* names the questions asked and their answers."""

    route: Route
    knowledge: bool = False
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A recalled memory: the higher *score*, the better; *reasons* say why it came."""

    memory: Memory
    score: float
    reasons: tuple[str, ...] = ()


UNKNOWN_VERSION = -1
"""The version of preferences that could not be read."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """All that one step of a turn remembers.

    *preferences* are those in force for the hosts at hand, in every turn; *hits* what the
    question recalled; *weight* (0 to 1) is the share of its budget that memory may take;
    *proposal* a choice of the past to be confirmed ("redis on web1, as last time?"), "" if
    none. *version* changes with each change of a preference; UNKNOWN_VERSION outdates nothing.
    *place* is where the question was asked.
    """

    routing: Routing = field(default_factory=lambda: Routing(Route.NONE))
    preferences: tuple[Memory, ...] = ()
    hits: tuple[Hit, ...] = ()
    weight: float = 1.0
    proposal: str = ""
    version: int = 0
    place: Place = field(default_factory=Place)


@dataclass(frozen=True, slots=True)
class Milestone:
    """A mark on the timeline: what *kind* of thing happened, in *text*, and when."""

    id: str
    kind: str
    text: str
    payload: Mapping[str, object]
    turn_id: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Block:
    """The version in force of one block of core memory; *version* 0 means never written."""

    name: str
    content: str
    version: int
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Proposed:
    """What the model wants kept: the arguments of its tool ``remember``, unchecked."""

    type: str
    subject: str
    content: str
