"""What one round tells that must outlive it, by rules: from its marks and from its words."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from walissh.react import language, observation
from walissh.react.turn import Message, ToolCall, compaction_asked
from walissh.react.window import names, questions, sentences, wording
from walissh.react.window.summary import Note, Summary

LINE_CHARS: Final = 80
MAX_MARKED: Final = 6
"""A marked message of more sentences is looked through for those of the kind."""
MAX_NOTE_CHARS: Final = 240
MAX_COMMAND_CHARS: Final = 200
MANY_HOSTS: Final = 20
SAYS_SOMETHING: Final = 5

_DENIED = re.compile(
    r"^\[command \S+ on (?P<host>\S+): denied by the person, not run: (?P<reason>.*)\]$", re.M
)
_EXIT = re.compile(r"^\[command \S+ on \S+: exit (?P<code>\d+)\b", re.M)
_RAN_ON = re.compile(r"^\[command \S+ on (?P<host>\S+): ", re.M)
_REQUEST = re.compile(
    r"\b(?:can|could|would|will) (?:you|we)\b|^(?:请|麻烦)"
    r"|(?:可以|能|能不能)(?:帮|给|把|让)",
    re.I,
)
_VALUE = re.compile(r"(?<![A-Za-z0-9_-])\d[\d.:,]*\s?(?:%|[A-Za-z]{1,4})?(?![\w-])|\d[:：]\d\d")
_OFFER = re.compile(
    r"\b(?:shall|should|may|can) i\b|\b(?:do|would) you (?:want|like|prefer)\b|\bwant me to\b"
    r"|\banything else\b|要我|需要我|是否(?:需要|要|继续|同意)|要不要|还有(?:什么|其他)",
    re.I,
)
_MARKS: Final[Mapping[str, str]] = {
    "goal": "goals",
    "refusal": "refusals",
    "rule": "rules",
    "question": "questions",
    "open_question": "questions",
}


@dataclass(slots=True)
class _Heap:
    """What has been found so far in one round."""

    pinned: dict[str, list[str]] = field(
        default_factory=lambda: {"goals": [], "refusals": [], "rules": [], "questions": []}
    )
    hosts: list[str] = field(default_factory=list)
    notes: dict[str, list[Note]] = field(
        default_factory=lambda: {
            "said": [],
            "decisions": [],
            "findings": [],
            "done": [],
            "paths": [],
        }
    )
    rest: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)

    def note(self, kind: str, text: str, weight: int) -> None:
        """Add a note; a long one keeps its beginning."""
        self.notes[kind].append(Note(shortened(text, MAX_NOTE_CHARS), weight))


def glean(
    messages: Sequence[Message],
    *,
    first: bool = False,
    hosts: Sequence[str] = (),
    line_chars: int = LINE_CHARS,
) -> Summary:
    """Return what one round (question first) tells, as the summary of this round alone.

    *first*: it opens the talk, so its question is a goal. *hosts* are known already.
    """
    if messages and compaction_asked(messages[0].content) is not None:
        return Summary(rounds=1, until=messages[-1].id)  # an order to the talk says nothing in it
    heap = _Heap()
    answers = [each.content for each in messages if each.role == "assistant"]
    _from_calls(heap, messages)
    for message in messages:
        heap.hosts += _texts(message.meta, "host")
        if message.role == "user":
            _from_person(heap, message, answers, [*hosts, *heap.hosts])
        elif message.role == "assistant":
            _from_agent(heap, message)
        elif message.role == "tool":
            heap.notes["paths"] += names.paths_shown(message.content)
    if first and messages and not heap.pinned["goals"]:
        _open_talk(heap, messages[0])
    return _told(heap, messages, line_chars)


def _told(heap: _Heap, messages: Sequence[Message], line_chars: int) -> Summary:
    line = _line(heap, line_chars)
    return Summary(
        goals=tuple(heap.pinned["goals"]),
        hosts=tuple(dict.fromkeys(heap.hosts)),
        refusals=tuple(heap.pinned["refusals"]),
        rules=tuple(heap.pinned["rules"]),
        questions=tuple(heap.pinned["questions"]),
        said=tuple(heap.notes["said"]),
        decisions=tuple(heap.notes["decisions"]),
        findings=tuple(heap.notes["findings"]),
        done=tuple(heap.notes["done"]),
        paths=tuple(heap.notes["paths"]),
        lines=(line,) if line else (),
        rounds=1,
        until=messages[-1].id if messages else "",
    )


def _open_talk(heap: _Heap, message: Message) -> None:
    said = [each for each in sentences.sentences(message.content) if not questions.asks(each)]
    heap.pinned["goals"] += said[:2] or sentences.sentences(message.content)[:1]


# --- the person ---------------------------------------------------------------------------


def _from_person(
    heap: _Heap, message: Message, answers: Sequence[str], hosts: Sequence[str]
) -> None:
    said = sentences.sentences(message.content)
    named = names.hosts(message.content)
    heap.hosts += named if len(named) <= MANY_HOSTS else []
    hosts = [*hosts, *named]
    kinds = {sentence: _kind(sentence) for sentence in said}
    for mark in _MARKS:
        heap.pinned[_MARKS[mark]] += _marked(message, mark, kinds)
    marked = {text for texts in heap.pinned.values() for text in texts}
    for sentence, kind in kinds.items():
        if sentence in marked:
            continue
        if kind == "questions" and not _open(sentence, answers, hosts, alone=len(kinds) == 1):
            continue
        if kind:
            heap.pinned[kind].append(sentence)
        elif not _noted(heap, sentence, extra=2):
            _keep_said(heap, sentence)
    heap.notes["paths"] += [Note(path, 6) for path in names.paths_told(message.content)]


def _keep_said(heap: _Heap, sentence: str) -> None:
    """Keep what tells something; a request to look at a thing goes with the round's line."""
    tells = names.points(sentence) >= SAYS_SOMETHING and wording.is_prose(sentence)
    if tells and not wording.kind("looking").says(wording.unquoted(sentence)):
        heap.note("said", sentence, 5)
    else:
        heap.rest.append(sentence)


def _kind(sentence: str) -> str:
    """Return the pinned field that a person's sentence belongs to, "" for none."""
    seen = wording.unquoted(sentence)
    asked = questions.asks(sentence)
    if asked and not _REQUEST.search(seen):
        return "questions"
    for kind, name in (("refusal", "refusals"), ("rule", "rules"), ("goal", "goals")):
        if wording.kind(kind).says(seen):
            return name
    if asked:  # a request in the form of a question is none, once it was answered
        return ""
    return "questions" if wording.kind("open").says(seen) else ""


def _marked(message: Message, mark: str, kinds: Mapping[str, str]) -> list[str]:
    """Return what a marked message holds of the kind: all its own sentences if it is short."""
    value = message.meta.get(mark)
    if isinstance(value, str) and value.strip():
        return [value.strip()]
    if value is not True:
        return []
    of_kind = [each for each, kind in kinds.items() if kind == _MARKS[mark]]
    if of_kind and len(kinds) > MAX_MARKED:
        return of_kind
    loose = [each for each, kind in kinds.items() if kind in ("", _MARKS[mark])]
    return loose or [*kinds] or [shortened(message.content, 2 * MAX_NOTE_CHARS)]


def _open(question: str, answers: Sequence[str], hosts: Sequence[str], *, alone: bool) -> bool:
    """Tell whether a question was left open; one that stood *alone* got the reply it asked for."""
    share = questions.DIRECTLY if alone else questions.IN_PASSING
    return questions.tells_apart(question, hosts) and not questions.answered(
        question, answers, hosts, share=share
    )


# --- the agent ----------------------------------------------------------------------------


def _from_agent(heap: _Heap, message: Message) -> None:
    for sentence in filter(wording.is_prose, sentences.sentences(message.content)):
        if questions.asks(sentence):
            if not _OFFER.search(sentence) and questions.tells_apart(sentence, heap.hosts):
                heap.pinned["questions"].append(sentence)
        elif not _noted(heap, sentence, extra=0):
            heap.replies.append(sentence)
    heap.notes["paths"] += [Note(path, 5) for path in names.paths_told(message.content)]


def _noted(heap: _Heap, sentence: str, *, extra: int) -> bool:
    """Note a sentence as finding, decision or deed; False if it is none of them."""
    seen = wording.unquoted(sentence)
    if wording.kind("done").says(seen):
        heap.note("done", sentence, 3 + extra)
    elif wording.kind("decision").says(seen):
        heap.note("decisions", sentence, 4 + extra)
    elif (weight := _finding_weight(seen)) > (2 if extra else 0):
        heap.note("findings", sentence, min(weight + (extra if weight > 3 else 0), 9))
        return weight > 2
    else:
        return False
    return True


def _finding_weight(seen: str) -> int:
    """Return how much a sentence tells: a cause most, then trouble, then a bare value."""
    value = _VALUE.search(seen) is not None
    if len(seen) > wording.MAX_CHARS:
        return 0
    cause, trouble = wording.kind("cause").says(seen), wording.kind("trouble").says(seen)
    if not cause and wording.kind("calm").says(seen):
        return 0
    weight = 3 * cause + 2 * trouble + 2 * value
    return max(weight - 2 * (len(seen) > MAX_NOTE_CHARS), 0)


# --- calls and results --------------------------------------------------------------------


def _from_calls(heap: _Heap, messages: Sequence[Message]) -> None:
    results = {each.tool_call_id: each for each in messages if each.role == "tool"}
    question = next((each.content for each in messages if each.role == "user"), "")
    for message in messages:
        for call in message.tool_calls:
            _from_call(heap, call, results.get(call.id), zh=language.detect(question, "en") == "zh")


def _from_call(heap: _Heap, call: ToolCall, result: Message | None, *, zh: bool) -> None:
    given = _arguments(call.arguments)
    where = [*names.arguments_text(given, "host"), *names.arguments_text(given, "hosts")]
    command = " ".join(names.arguments_text(given, "command"))
    shown = result.content if result else ""
    heap.hosts += where or _RAN_ON.findall(shown[:2_000])
    heap.notes["paths"] += [Note(path, 3) for path in names.paths_told(command)]
    place = ", ".join(where)
    heap.pinned["refusals"] += _denials(result, command, place, zh=zh) if result else []
    denied = bool(result and result.meta.get("denied"))
    if (
        command
        and not denied
        and _may_have_run(shown)
        and wording.kind("changing").says(command[: wording.MAX_CHARS])
    ):
        heap.note("done", f"{place}: {shortened(command, MAX_COMMAND_CHARS)}{_outcome(result)}", 4)


def _may_have_run(shown: str) -> bool:
    """Tell whether a result says anything else than that its command never ran."""
    blocks = observation.blocks(shown)
    if blocks:
        return not all(observation.never_ran(each.state) for each in blocks)
    return not shown.startswith("[error: ")


def _denials(result: Message, command: str, place: str, *, zh: bool) -> Iterator[str]:
    """Give one sentence for each host on which the person denied the command."""
    said = [(found["host"], found["reason"]) for found in _DENIED.finditer(result.content)]
    if not said and result.meta.get("denied"):
        said = [(place, str(result.meta.get("reason") or ""))]
    for host, reason in said:
        if zh:
            yield f"在 {host} 上拒绝执行：{command}" + (f"（{reason}）" if reason else "")
        else:
            yield f"denied on {host}: {command}" + (f" ({reason})" if reason else "")


def _outcome(result: Message | None) -> str:
    if result is None:
        return ""
    code = result.meta.get("exit_code")
    found = _EXIT.search(result.content)
    code = found["code"] if code is None and found else code
    return "" if code is None else f" -> exit {code}"


def _arguments(raw: str) -> Mapping[str, object]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _texts(meta: Mapping[str, object], name: str) -> list[str]:
    return names.arguments_text(meta, name)


# --- one line for the round ---------------------------------------------------------------


def _line(heap: _Heap, line_chars: int) -> Note | None:
    """Return what is not kept elsewhere in at most *line_chars*, None if there is nothing."""
    asked = max(heap.rest, key=_told_by, default="")
    answer = max(heap.replies[:3], key=_told_by, default="")
    if not (asked or answer) or line_chars < 1:
        return None
    weight = 2 if _told_by(asked) else 1
    if not answer or len(asked) + 6 > line_chars:
        return Note(shortened(asked or answer, line_chars), weight)
    return Note(shortened(f"{asked} → {answer}" if asked else answer, line_chars), weight)


def _told_by(sentence: str) -> int:
    words = names.rare(sentence)
    return 2 * len(names.identifiers(words)) + len(words)


def shortened(text: str, max_chars: int) -> str:
    """Return *text* on one line in at most *max_chars*, the end left out if need be."""
    text = " ".join(text.split())
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"


def without_answered(summary: Summary, said: Iterable[str]) -> Summary:
    """Return the summary without the open questions that one of the texts answers."""
    texts = [each for each in said if each]
    kept = tuple(
        each for each in summary.questions if not questions.answered(each, texts, summary.hosts)
    )
    return replace(summary, questions=kept) if kept != summary.questions else summary
