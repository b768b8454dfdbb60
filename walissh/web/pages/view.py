"""What the talk shows: a turn with its thoughts and command cards, made from the stores."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from walissh.react.host import Host
from walissh.react.turn import (
    OPEN_TURN,
    CommandRun,
    CommandStatus,
    Message,
    Session,
    Turn,
    TurnStatus,
)
from walissh.store import commands, history, hosts, memories, outputs
from walissh.web.pages import questions, recalled
from walissh.web.pages.recalled import Learned, Remembered

REFUSED_CALL = "[error:"
"""How the stored answer to a call begins that could not be carried out."""

QUEUED = frozenset({CommandStatus.PROPOSED, CommandStatus.APPROVED})
NEVER_RAN = frozenset({CommandStatus.FAILED})

SHOWN_ELSEWHERE = frozenset({"run_command", "ask_user", "update_plan"})
"""The calls that have a card of their own."""

LIVE_CHARS = 6_000
"""How much of a running command's output the page holds."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an output, counted from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Output:
    """What a card shows of an output: its head, a gap of *skipped* lines, its tail.

    *end* is the offset in characters up to which it was read.
    """

    head: tuple[Line, ...] = ()
    skipped: int = 0
    tail: tuple[Line, ...] = ()
    end: int = 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """A decision that was not taken: *command* is the edit that was typed, None if none."""

    command_id: str
    text: str
    command: str | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """A confirmation that was not taken: of which host, the fix that was typed, and why."""

    turn_id: str
    host: str
    fix: str
    why: str


@dataclass(frozen=True, slots=True)
class Card:
    """One command and what stands around it."""

    run: CommandRun
    stage: str
    output: Output

    @property
    def id(self) -> str:
        """The element's id."""
        return f"command-{self.run.id}"

    @property
    def went_well(self) -> bool:
        """Tell whether it is over and nobody needs to look at it."""
        return self.run.went_well

    @property
    def is_open(self) -> bool:
        """Tell whether all of it is shown: what waits in a queue or says nothing is one line.

        Most commands end within a moment; if each opened for it, the talk would jump. An
        output that gives orders is shown until somebody calls it harmless.
        """
        if self.run.status is CommandStatus.RUNNING:
            return bool(self.output.tail)
        return self.run.is_flagged or (not self.went_well and self.run.status not in QUEUED)

    @property
    def has_run(self) -> bool:
        """Tell whether there may be output: it was started."""
        return self.run.started_at is not None and self.run.status not in NEVER_RAN

    @property
    def needs_host_name(self) -> bool:
        """Tell whether approving it needs the host's name typed."""
        return self.run.risk == "destructive"

    @property
    def sig(self) -> str:
        """A text that changes when the card must be drawn again; output is not in it."""
        run = self.run
        parts = (run.status, run.risk, run.command, run.exit_code, run.error, run.denial)
        return digest(*parts, self.stage, *run.reasons, len(run.flags), run.unflagged_by)


@dataclass(frozen=True, slots=True)
class Thought:
    """What the agent said before it acted; *tools* are its calls that have no card.

    *refused* are the answers to calls that could not be carried out, without their brackets.
    """

    message: Message
    tools: tuple[str, ...]
    refused: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The element's id."""
        return f"message-{self.message.id}"

    @property
    def sig(self) -> str:
        """Messages never change."""
        return "1"


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn as the page shows it; *log* is in the order in which things happened.

    *given* is the turn whose message answered what this one asks, *cases* the ids of the
    memories that its confirmed causes became and that are still there.
    """

    turn: Turn
    log: tuple[Card | Thought, ...]
    partial: str = ""
    remembered: Remembered = field(default_factory=Remembered)
    learned: tuple[Learned, ...] = ()
    given: Turn | None = None
    cases: frozenset[str] = frozenset()

    @property
    def is_flagged(self) -> bool:
        """Tell whether an output gives orders that nobody has called harmless."""
        return any(isinstance(each, Card) and each.run.is_flagged for each in self.log)

    @property
    def cause_sig(self) -> str:
        """A text that changes with the causes and with what became of them."""
        found = self.turn.diagnosed
        return digest(found, sorted(self.cases), self.is_flagged) if found else ""

    @property
    def asks(self) -> bool:
        """Tell whether it asks something that nobody has answered yet."""
        return self.turn.asked is not None and self.given is None

    @property
    def is_open(self) -> bool:
        """Tell whether it goes on."""
        return self.turn.status in OPEN_TURN

    @property
    def waiting(self) -> int:
        """How many of its commands wait for the person."""
        waits = CommandStatus.AWAITING_APPROVAL
        return sum(isinstance(each, Card) and each.run.status is waits for each in self.log)

    @property
    def status_sig(self) -> str:
        """A text that changes when the status line must be drawn again."""
        turn = self.turn
        return digest(
            turn.status,
            turn.step,
            turn.attempt,
            turn.error,
            turn.cancel_requested,
            self.waiting,
            self.asks,
        )

    @property
    def question_sig(self) -> str:
        """A text that changes with what is asked and with the answer given to it."""
        asked = self.turn.asked
        return digest(asked, self.given.id if self.given else "") if asked else ""

    @property
    def taken_sig(self) -> str:
        """A text that changes with what the message was taken for."""
        return digest(self.turn.intended) if self.turn.intended else ""

    @property
    def answer(self) -> str:
        """The answer as it is shown: what it rests on is listed below it."""
        return recalled.without_sources(self.turn)

    @property
    def sources_label(self) -> str:
        """The word before the sources, in the language of the answer."""
        return recalled.sources_label(self.turn.language)

    @property
    def answer_sig(self) -> str:
        """A text that changes with the answer, and with what became of its sources."""
        rests_on = [(each.memory.id, each.memory.state) for each in self.remembered.cited]
        return digest(self.turn.answer, self.partial, rests_on)

    @property
    def learned_sig(self) -> str:
        """A text that changes with what the question taught."""
        return digest([(each.memory.id, each.memory.scope) for each in self.learned])

    @property
    def recalled_sig(self) -> str:
        """A text that changes with what the turn was given and what became of that."""
        given = [(each.memory.id, each.memory.state, each.cited) for each in self.remembered.given]
        return digest(given, self.remembered.routing, self.remembered.proposal)


def of_turns(user_id: str, shown: Sequence[Turn]) -> list[TurnView]:
    """Return these turns of one session, in order and up to its last, with all of each."""
    stages, remembered = stages_of(user_id), recalled.of_turns(shown)
    given = questions.answers_in(shown)
    return [_turn(each, stages, remembered[each.id], given.get(each.id)) for each in shown]


def of_turn(turn: Turn) -> TurnView:
    """Return one turn."""
    remembered = recalled.of_turns([turn])[turn.id]
    return _turn(turn, stages_of(turn.user_id), remembered, questions.answer_to(turn))


def of_command(run: CommandRun) -> Card:
    """Return one card."""
    return card(run, stages_of(run.user_id))


def stages_of(user_id: str) -> dict[str, str]:
    """Return the stage of each host of a person by host id."""
    return {host.id: host.stage for host in hosts.within_reach(user_id)}


def card(run: CommandRun, stages: Mapping[str, str]) -> Card:
    """Return the card of *run*."""
    shown = _live(run) if run.status is CommandStatus.RUNNING else _ended(run)
    return Card(run, stages.get(run.host_id, ""), shown)


def hosts_of(session: Session) -> list[Host]:
    """Return the session's hosts."""
    return hosts.of_session(session)


def _turn(
    turn: Turn, stages: Mapping[str, str], remembered: Remembered, given: Turn | None
) -> TurnView:
    runs = commands.of_turn(turn.id)
    log: list[Card | Thought] = []
    partial = ""
    step = 0
    messages = history.of_turn(turn.id)
    for message, refused in _with_refused(messages):
        if message.meta.get("partial"):
            partial = message.content
        elif message.tool_calls:
            step += 1
            log += _thought(message, refused)
            log += [card(run, stages) for run in runs if run.step == step]
    shown = {each.run.id for each in log if isinstance(each, Card)}
    log += [card(run, stages) for run in runs if run.id not in shown]
    failed = turn.status is TurnStatus.FAILED
    learned = recalled.learned(turn, messages)
    partial = partial if failed else ""
    return TurnView(turn, tuple(log), partial, remembered, learned, given, _cases(turn))


def _cases(turn: Turn) -> frozenset[str]:
    ids = [each.memory_id for each in turn.diagnosed if each.memory_id]
    return frozenset(each.id for each in memories.of_ids(ids, turn.user_id)) if ids else frozenset()


def _with_refused(messages: Sequence[Message]) -> list[tuple[Message, tuple[str, ...]]]:
    """Return what the agent said, each with the errors that its calls were answered by."""
    said: list[tuple[Message, tuple[str, ...]]] = []
    for each in messages:
        if each.role == "assistant":
            said.append((each, ()))
        elif each.role == "tool" and each.content.startswith(REFUSED_CALL) and said:
            message, refused = said.pop()
            why = each.content.removeprefix(REFUSED_CALL).removesuffix("]").strip()
            said.append((message, (*refused, why)))
    return said


def _thought(message: Message, refused: tuple[str, ...]) -> list[Thought]:
    tools = tuple(each.name for each in message.tool_calls if each.name not in SHOWN_ELSEWHERE)
    silent = not (message.content.strip() or tools or refused)
    return [] if silent else [Thought(message, tools, refused)]


def _live(run: CommandRun) -> Output:
    """Return the end of an output that still grows."""
    total = outputs.read(run.id, 0, 1).total
    piece = outputs.read(run.id, max(0, total - LIVE_CHARS), LIVE_CHARS)
    whole_lines = piece.text.partition("\n")[2] if piece.offset else piece.text
    tail = tuple(Line(0, text) for text in lines_of(whole_lines))
    return Output(tail=tail, end=piece.offset + len(piece.text))


def _ended(run: CommandRun) -> Output:
    head = lines_of(run.output_head)
    tail = lines_of(run.output_tail)
    if run.output_chars <= len(run.output_head) + len(run.output_tail):
        head, tail = lines_of(run.output_head + run.output_tail), []
    elif len(tail) > 1:
        tail = tail[1:]  # its first line is most often cut
    first = run.output_lines - len(tail) + 1
    return Output(
        head=tuple(Line(n, text) for n, text in enumerate(head, 1)),
        skipped=max(0, first - len(head) - 1) if tail else 0,
        tail=tuple(Line(n, text) for n, text in enumerate(tail, first)),
        end=run.output_chars,
    )


def lines_of(text: str) -> list[str]:
    """Return the lines of an output, counted as the store counts them."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def digest(*parts: object) -> str:
    """Return a short text that is the same for the same parts."""
    return f"{zlib.crc32(repr(parts).encode('utf-8', 'surrogatepass')):08x}"
