"""What memory needs from outside, as small protocols that the stores satisfy."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from walissh.memory.entry import (
    Block,
    Found,
    Hit,
    Memory,
    MemoryType,
    Milestone,
    Place,
    Source,
)
from walissh.memory.recall.values import Query
from walissh.memory.refinement import Refined
from walissh.memory.working import TaskState
from walissh.react.host import Host
from walissh.react.turn import (
    CommandRun,
    Language,
    Message,
    Remembrance,
    Reply,
    Request,
    Turn,
    Usage,
)


class Change(Protocol):
    """What a write came to: *kind* is added, refreshed, superseded, removed, kept, nothing."""

    @property
    def kind(self) -> str:
        """Say what happened."""

    @property
    def memory(self) -> Memory | None:
        """Return the entry that was written or refreshed."""


class Memories(Protocol):
    """``store.memories`` (ancestor: ILongTermMemoryRepository)."""

    def add_or_update(
        self,
        owner_id: str,
        found: Found,
        source: Source,
        *,
        host: Host | None = None,
        at: datetime | None = None,
        expires_at: datetime | None = None,
        shared_with: str = "",
        patience_ms: int | None = None,
    ) -> Change:
        """Keep what was found; the same fact again only refreshes it."""

    def add_all(
        self,
        owner_id: str,
        found: Sequence[Found],
        source: Source,
        *,
        host: Host | None = None,
        at: datetime | None = None,
        patience_ms: int | None = None,
    ) -> Sequence[Change]:
        """Keep all that one text taught, in one transaction."""

    def newest(
        self,
        owner_id: str,
        subject: str,
        *,
        type: MemoryType = MemoryType.USER_PREFERENCE,
        host_id: str | None = None,
    ) -> Memory | None:
        """Return the newest entry that counts of exactly this subject, and of this host."""

    def in_force(
        self, reader_id: str, place: Place, *, types: Collection[MemoryType]
    ) -> list[Memory]:
        """Return the winner of each subject at *place*."""

    def recall(
        self, reader_id: str, query: Query, *, k: int, patience_ms: int | None = None
    ) -> list[Hit]:
        """Return at most *k* memories that bear on *query*, best first."""

    def taught_by(self, owner_id: str, message_id: str) -> list[Memory]:
        """Return what counts of that which this message taught."""

    def of_ids(self, ids: Sequence[str], reader_id: str) -> list[Memory]:
        """Return those that are there and within reach, in the order of *ids*."""

    def note_recalled(
        self, ids: Sequence[str], owner_id: str, at: datetime, patience_ms: int | None = None
    ) -> None:
        """Count that they were recalled."""

    def mark_helped(self, ids: Sequence[str], owner_id: str) -> None:
        """Count that an answer rested on those that are the owner's own."""

    def preference_version(self, user_id: str) -> int:
        """Return the number of the last change of a preference of this person."""

    def preference_changes(self, user_id: str, since: int) -> Collection[str]:
        """Return the kinds of the changes of preferences after number *since*."""


class CoreMemory(Protocol):
    """``store.core_memory``."""

    def get(self, user_id: str, block: str) -> Block:
        """Return a block as it is in force."""

    def propose(
        self,
        user_id: str,
        block: str,
        content: str,
        reason: str,
        *,
        base_version: int | None = None,
    ) -> object:
        """Add a version that waits for the person."""

    def current(self, user_id: str) -> list[Block]:
        """Return the blocks in force."""


class Milestones(Protocol):
    """``memory.milestones.MilestoneTracker``."""

    def recent(self, session_id: str, user_id: str, limit: int) -> Sequence[Milestone]:
        """Return the newest marks of a session, oldest first."""


class Said(Protocol):
    """``store.said``: what was said in all talks of a person."""

    def index_turn(self, turn_id: str) -> int:
        """Make the question and the answer of an ended turn findable, once."""

    def search(self, user_id: str, query: Query, *, k: int) -> list[Message]:
        """Return at most *k* messages of this person's talks, best first."""


class Turns(Protocol):
    """``store.turns`` as memory uses it."""

    def get(self, turn_id: str) -> Turn | None:
        """Return the turn, None if it is gone."""

    def remember(self, turn: Turn, given: Remembrance) -> bool:
        """Note what the turn was given."""


class Commands(Protocol):
    """``store.commands`` as memory uses it."""

    def recent_of(self, user_id: str, limit: int) -> list[CommandRun]:
        """Return the last runs of this person that ended well, newest first."""

    def of_turn(self, turn_id: str, step: int | None = None) -> list[CommandRun]:
        """Return the turn's runs in the order proposed."""

    def read_lines(
        self, command_id: str, first: int, count: int, grep: str
    ) -> list[tuple[int, str]]:
        """Return numbered lines of its output."""


class History(Protocol):
    """``store.history`` as memory uses it."""

    def of_turn(self, turn_id: str) -> list[Message]:
        """Return the messages of one turn, oldest first."""


class Hosts(Protocol):
    """``store.hosts`` as memory uses it."""

    def get(self, host_id: str, owner_id: str) -> Host | None:
        """Return the host if it is within this person's reach."""


class Model(Protocol):
    """A brain (``react.needs.Model``): one attempt at one request."""

    def complete(
        self, request: Request, *, on_text: Callable[[str], None], cancelled: Callable[[], bool]
    ) -> Reply:
        """Answer *request*; raises ModelError, TurnCancelledError once *cancelled* is true."""


class Render(Protocol):
    """Renders ``templates/prompts/<name>_<language>.txt`` (``react.prompt.render``)."""

    def __call__(self, name: str, language: Language, **values: object) -> str:
        """Return the text; an unknown value is an error."""


class Refinements(Protocol):
    """``store.refinements``."""

    def claim(self, turn_id: str, reserved: Usage) -> bool:
        """Take the one call of a turn and count *reserved* with it; False if it was taken."""

    def correct(self, turn_id: str, reserved: Usage, spent: Usage) -> None:
        """Count *spent* instead of what was reserved."""

    def beside(self, owner_id: str, memory: Memory, limit: int) -> list[Memory]:
        """Return what else counts of this type, scope, host and subject, newest first."""

    def apply(self, owner_id: str, changes: Sequence[Refined]) -> list[Memory]:
        """Write what still fits; return the new entries."""


class TaskKey(Protocol):
    """Whose task it is, in which talk, and its id."""

    @property
    def task(self) -> str:
        """The id: of the turn."""


class Working(Protocol):
    """``store.working`` (ancestor: WorkingMemory)."""

    def set_task_state(
        self, user: str, session: str, task: str, fields: Mapping[str, object]
    ) -> None:
        """Set some fields of a task."""

    def change(
        self, user: str, session: str, task: str, step: Callable[[TaskState], TaskState]
    ) -> TaskState:
        """Apply *step* to the task as it is now; raises NotFoundError if there is none."""

    def clear_task(self, user: str, session: str, task: str) -> bool:
        """Forget a task that has ended."""

    def clear_orphans(self, is_open: Callable[[TaskKey], bool]) -> int:
        """Forget the tasks that are not open any more; return how many."""
