"""What the pure core needs from outside, as small protocols.

The stores, the drivers and the queue satisfy them; some are modules. The ancestors are the
repositories and services of the AI Shell design (IChatHistoryRepository and the rest).
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from walissh.errors import ShellError
from walissh.memory.entry import Proposed, Recollection
from walissh.react.circumstances import Circumstances
from walissh.react.followed import Asked, Intended, Tracked
from walissh.react.host import Host
from walissh.react.misled import Sign
from walissh.react.turn import (
    Citation,
    CommandRun,
    DynamicContext,
    Exit,
    Language,
    Message,
    Proposal,
    Reply,
    Request,
    Session,
    Turn,
    TurnStatus,
    Usage,
    Verdict,
)
from walissh.react.window.summary import Summary


class Model(Protocol):
    """A brain: a server over HTTP, or the playbooks."""

    @property
    def name(self) -> str:
        """The model's name as shown to people."""

    def complete(
        self,
        request: Request,
        *,
        on_text: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> Reply:
        """Answer *request*, giving text to *on_text* as it comes.

        Raises ModelBusyError, ModelRefusedError, ContextTooLongError, ModelError, or
        TurnCancelledError soon after *cancelled* turns true. Makes one attempt only:
        the retry policy is the agent's.
        """


class Shell(Protocol):
    """The only road to a host."""

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
        """Run *command*, giving purified whole lines to *on_output* as they come.

        With *revision*, only if the host still is as it was then. On the limit, on cancel
        and on too much output the remote process group is ended. Raises ShellError.
        """

    def check(self, host_id: str) -> None:
        """Connect, verify the key, log in, run ``true``; raises ShellError."""


class Gate(Protocol):
    """The one gate that every command passes (``safety.policy``)."""

    def judge(
        self,
        command: str,
        host: Host,
        language: Language,
        circumstances: Circumstances | None = None,
    ) -> Verdict:
        """Say what *command* may do and whether it runs, waits or is refused.

        Without *circumstances* only the text of the command and the host's own word count.
        """


class Circumstance(Protocol):
    """``store.circumstances``: what besides a command's text decides about it, as of now."""

    def of_turn(self, turn: Turn, session: Session) -> Circumstances:
        """Return who asks, in what kind of session, and the rules that are in force."""


class Turns(Protocol):
    """``store.turns``: guarded moves of a turn; each call is one transaction."""

    def ask(
        self,
        session_id: str,
        user_id: str,
        content: str,
        language: Language,
        *,
        key: str | None = None,
    ) -> Turn:
        """Store the message and open its turn; NotFoundError, ConflictError, InvalidError."""

    def get(self, turn_id: str) -> Turn | None:
        """Return the turn, None if it is gone."""

    def claim(self, turn_id: str, step: int, worker: str) -> Turn | None:
        """Move queued -> thinking for *worker*; None if another had it or it moved on."""

    def record_reply(
        self,
        turn: Turn,
        reply: Reply,
        proposals: Sequence[Proposal],
        answers: Mapping[str, str],
        tracked: Tracked | None = None,
    ) -> list[CommandRun] | None:
        """Store the assistant's message, its commands and the ready *answers* to its calls.

        *answers* maps call id to the text of its tool message; the thread of the session
        is *tracked* from then on. Turn: step + 1, acting or
        awaiting_approval. None if the turn is no longer thinking at this step (cancelled,
        swept): then nothing is stored.
        """

    def record_answer(self, turn: Turn, reply: Reply, citations: Sequence[Citation]) -> bool:
        """Store the final message and close the turn as done; False if it moved on."""

    def record_question(
        self,
        turn: Turn,
        reply: Reply,
        asked: Asked,
        answers: Mapping[str, str],
        tracked: Tracked,
    ) -> bool:
        """Store the reply and what it asks the person, and close the turn as done.

        *answers* maps each call of the reply to its tool message. False if it moved on.
        """

    def note_intent(self, turn: Turn, intended: Intended) -> bool:
        """Note what the message of a turn was taken for."""

    def record_failure(self, turn: Turn, error: str, partial: str) -> bool:
        """Close the turn as failed, keeping *partial* text as a marked message."""

    def break_off(self, turn_id: str, step: int, worker: str, error: str) -> bool:
        """Close as failed the step that *worker* claimed; False if it is no longer its own."""

    def postpone(self, turn: Turn, until: datetime, note: str) -> bool:
        """Move thinking -> queued, not to be claimed before *until*."""

    def resume(self, turn_id: str, step: int, results: Mapping[str, str]) -> Turn | None:
        """Store tool messages and move acting -> queued, once no command is open.

        *results* maps call id to the text of its tool message. None if a command is still
        open or another job did it first.
        """

    def close(
        self, turn_id: str, status: TurnStatus, error: str, results: Mapping[str, str]
    ) -> bool:
        """End an open turn as cancelled, interrupted or failed, with its tool messages.

        False if a command is still open or the turn had ended.
        """

    def refresh(self, turn_id: str) -> Turn | None:
        """Set acting or awaiting_approval by which commands are open; return the turn."""

    def request_cancel(self, turn_id: str, user_id: str) -> Turn:
        """Note that its person wants it stopped, and cancel what has not started."""

    def is_cancelled(self, turn_id: str) -> bool:
        """Tell whether its person asked to stop it, or it is gone."""

    def add_usage(self, turn_id: str, usage: Usage) -> None:
        """Count with the turn what was spent for it beside its answer."""

    def settle(self, turn_id: str) -> bool:
        """Note that the after-work of an ended turn is done; False if it was already."""


class Commands(Protocol):
    """``store.commands``: the journal; each call is one transaction under a guard."""

    def get(self, command_id: str) -> CommandRun | None:
        """Return the run, None if it is gone."""

    def of_person(self, command_id: str, user_id: str) -> CommandRun:
        """Return the run if it is this person's; raises NotFoundError."""

    def of_turn(self, turn_id: str, step: int | None = None) -> list[CommandRun]:
        """Return the turn's runs in the order proposed, of one step if given."""

    def approve(self, command_id: str, actor: str, command: str) -> CommandRun:
        """Approve exactly *command*; ConflictError if decided or edited meanwhile."""

    def deny(self, command_id: str, actor: str, reason: str) -> CommandRun:
        """Deny it with words for the agent; ConflictError if it was decided before."""

    def edit(self, command_id: str, actor: str, command: str, verdict: Verdict) -> CommandRun:
        """Replace the text of a waiting command, judged again; it still waits."""

    def claim(self, command_id: str, worker: str) -> CommandRun | None:
        """Move approved -> running; None if it is not approved (any more)."""

    def append_output(self, command_id: str, text: str) -> int:
        """Store the next piece of purified output; return the offset where it begins."""

    def expire(self, command_id: str, why: str = "") -> bool:
        """Record that what waited or was approved is void: *why*, "" if nobody decided."""

    def finish(self, command_id: str, worker: str, result: Exit) -> bool:
        """Record the end: finished, or cancelled when it ended so."""

    def fail(self, command_id: str, worker: str, error: str, phase: str) -> bool:
        """Record that it never ran."""

    def lose(self, command_id: str, error: str) -> bool:
        """Record that its outcome is unknown."""

    def read_text(self, command_id: str, offset: int, limit: int) -> str:
        """Return at most *limit* characters of its output from *offset*, "" past its end."""

    def read_lines(
        self, command_id: str, first: int, count: int, grep: str
    ) -> list[tuple[int, str]]:
        """Return numbered lines of its output from *first* (from 1), at most *count*."""


class History(Protocol):
    """``store.history`` (ancestor: IChatHistoryRepository)."""

    def get_recent_messages(
        self, session_id: str, limit: int, *, user_id: str, before_turn: str | None = None
    ) -> list[Message]:
        """Return the last *limit* messages of this session and owner, oldest first.

        With *before_turn*, only those that were there when that turn began.
        """

    def of_turn(self, turn_id: str) -> list[Message]:
        """Return the messages of one turn, oldest first."""

    def since(
        self,
        session_id: str,
        after_id: str,
        *,
        user_id: str,
        limit: int,
        before_turn: str | None = None,
    ) -> list[Message]:
        """Return the newest *limit* messages after that one, oldest first; "" means all."""


class Summaries(Protocol):
    """``store.summaries``: what left the window of a session."""

    def load(self, session_id: str, user_id: str) -> Summary:
        """Return the summary, an empty one if nothing was folded."""

    def save(self, session_id: str, user_id: str, new: Summary) -> bool:
        """Keep it unless another has folded more."""


class Sessions(Protocol):
    """``store.sessions``."""

    def get(self, session_id: str, user_id: str) -> Session | None:
        """Return the session if it is this person's."""

    def name_if_unnamed(self, session_id: str, title: str) -> None:
        """Give an untitled session its title."""


class Hosts(Protocol):
    """``store.hosts`` as the agent uses it."""

    def within_reach(self, owner_id: str) -> list[Host]:
        """Return this person's servers by name."""

    def record_check(self, host_id: str, error: ShellError | None) -> None:
        """Keep how the last contact went."""

    def of_session(self, session: Session) -> list[Host]:
        """Return the session's hosts that are within its owner's reach."""

    def get(self, host_id: str, owner_id: str) -> Host | None:
        """Return the host if it is within this person's reach."""


class Threads(Protocol):
    """``store.tracked``: the thread of a session, in Redis with a snapshot in the database."""

    def load(self, session_id: str, user_id: str) -> Tracked | None:
        """Return the thread as it was kept last; None if it never was."""

    def save(self, session_id: str, user_id: str, tracked: Tracked) -> Tracked:
        """Keep it: in the database first, then in Redis; return it with its new version."""

    def cache(self, session_id: str, user_id: str, tracked: Tracked) -> None:
        """Bring the copy in Redis up to what the database holds; best effort."""

    def forget(self, session_id: str, user_id: str) -> None:
        """Drop the copy of a session that was deleted; best effort."""


class Understanding(Protocol):
    """``react.understanding``: rules first, the model only when no rule is sure."""

    def intent_of(self, context: DynamicContext) -> Intended:
        """Say what the question of this turn is meant to do; never raises for a model."""

    def misled(self, turn_id: str, sign: Sign) -> None:
        """Note that a turn's question was taken wrongly, as *sign* tells; never fails."""


class Confirmed(Protocol):
    """What a message that only confirms is answered with (``memory.confirmed``)."""

    @property
    def text(self) -> str:
        """The answer."""

    @property
    def turn_id(self) -> str:
        """The turn whose diagnosis it is about."""


class Mind(Protocol):
    """Memory as a turn meets it (``memory.mind``). No call of it breaks or delays a turn."""

    def prepare(self, context: DynamicContext) -> DynamicContext:
        """Return *context* with all that this step remembers."""

    def is_outdated(self, turn: Turn, given: Recollection | None = None) -> bool:
        """Tell whether a preference that holds for *turn* changed since it was given its own.

        *given*: what this step was given, which may be newer than the turn's row.
        """

    def remember(self, context: DynamicContext, proposal: Proposed, host: str) -> str:
        """Keep what the model proposes, if it rests on something; say what came of it."""

    def confirmed(self, turn: Turn) -> Confirmed | None:
        """Keep the diagnosis that the message of *turn* only confirms; None if it says more."""

    def search(self, user_id: str, query: str) -> Sequence[Message]:
        """Return what was said about *query* in all talks of this person, best first."""

    def with_sources(self, context: DynamicContext, answer: str) -> str:
        """Return *answer* with a last line that names the memories behind it, if any."""

    def track(self, run: CommandRun) -> None:
        """Note in the working memory how far a command of a task is."""

    def release(self, turn: Turn) -> None:
        """Forget the working memory of a turn that has ended."""

    def credit(self, turn: Turn) -> None:
        """Count for the memories that the ended turn's answer rests on that they helped."""

    def tidy(self) -> None:
        """Forget the working memory of turns whose end nobody told (a process was killed)."""

    def learn(self, turn_id: str) -> bool:
        """Do the after-work of an ended turn; False if it must be done again later."""


class Publish(Protocol):
    """``stream.append``: best effort; a lost event is rebuilt from the database."""

    def __call__(self, session_id: str, name: str, data: Mapping[str, object]) -> None:
        """Append the event *name* (status, text, command, output, plan, question,
        compacted, learned, done)."""


class Enqueue(Protocol):
    """``store.queue``: put the next step in the queue; what fails is left to upkeep."""

    def think(self, turn: Turn) -> None:
        """Queue the next model call of *turn*."""

    def act(self, run: CommandRun) -> None:
        """Queue one approved command."""

    def finish(self, turn_id: str) -> None:
        """Queue the after-work of an ended turn."""

    def compact(self, turn_id: str) -> None:
        """Queue the folding of what is old in a turn's session; may be lost."""
