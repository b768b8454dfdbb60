"""What the prompt says of memory: preferences in force, what was recalled, core memory, marks.

Ancestor: LongTermMemoryProvider of order 25. All texts are data of the person's own making
or of machines: each stands between borders on lines of its own, and raises no approval.
"""

import json
import re
from dataclasses import dataclass
from datetime import datetime

from walissh.clock import Clock, utc_now
from walissh.memory import core, quote
from walissh.memory.entry import (
    FACTS,
    Memory,
    MemoryState,
    MemoryType,
    Origin,
    Recollection,
)
from walissh.memory.needs import Render
from walissh.memory.sources import sources_line, without_sources
from walissh.react.turn import DynamicContext, Language, Section

__all__ = [
    "CoreMemoryProvider",
    "LongTermMemoryProvider",
    "MilestonesProvider",
    "cited",
    "marks",
    "sources_line",
    "without_marks",
    "without_sources",
]

BUDGET_CHARS = 6_000
PREFERENCES_CHARS = 16_000
"""All preferences together: more would crowd out the question."""
PREFERENCE_CHARS = 500
MEMORY_CHARS = 1_000
OVERHEAD_CHARS = 60
"""What a recalled memory takes beside its text: mark, kind, host, date."""

_CITED = re.compile(r"[\[［【]\s*(m\d{1,3}(?:\s*[,，、;；]\s*m\d{1,3})*)\s*[\]］】]", re.I)
_KINDS = {
    MemoryType.USER_PREFERENCE: ("偏好", "preference"),
    MemoryType.ENVIRONMENT_FACT: ("环境事实", "environment fact"),
    MemoryType.SOFTWARE_FACT: ("软件事实", "software fact"),
    MemoryType.TROUBLESHOOTING_CASE: ("故障案例", "troubleshooting case"),
}
_OUTCOMES = {
    True: ("有效", "it worked"),
    False: ("无效", "it did not work"),
    None: ("修复未确认", "the fix is not confirmed"),
}
_NARROWNESS = {"task": 4, "host": 3, "group": 2, "all-except": 1}


@dataclass(frozen=True, slots=True)
class Entry:
    """A recalled memory as its template shows it; *age* is "" unless it is stale."""

    mark: str
    kind: str
    host: str
    date: str
    text: str
    age: str

    @property
    def line(self) -> str:
        """Return it on one line, its mark first."""
        head = " · ".join(each for each in (self.kind, self.host, self.date) if each)
        return f"[{self.mark}] {head}: {self.text}" + (f" ({self.age})" if self.age else "")


class LongTermMemoryProvider:
    """What is remembered for this question; the person's preferences come first, always."""

    order = 25
    budget_tokens = 10_000

    def __init__(
        self, render: Render, *, budget_chars: int = BUDGET_CHARS, clock: Clock = utc_now
    ) -> None:
        self._render = render
        self._budget_chars = budget_chars
        self._clock = clock

    def provide(self, context: DynamicContext) -> Section | None:
        """Return the section, None if there is neither preference, memory nor proposal."""
        given, language = context.recollection, context.turn.language
        marked = {memory_id: mark for mark, memory_id in marks(given, self._budget_chars).items()}
        shown = _binding(given)
        preferences = [_preference(each, marked[each.id]) for each in shown]
        now = self._clock()
        entries = [
            _entry(each, marked[each.id], language, now).line
            for each in _recalled(given, self._budget_chars)
        ]
        if not (preferences or entries or given.proposal):
            return None
        text = self._render(
            "memory",
            language,
            preferences=quote.fenced("preferences", "\n".join(preferences)) if preferences else "",
            left_out=len(_distinct(given)) - len(shown),
            memories=quote.fenced("memory", "\n".join(entries)) if entries else "",
            proposal=quote.line(given.proposal, PREFERENCE_CHARS),
        )
        return Section("长期记忆" if language == "zh" else "Long-term memory", text)


class CoreMemoryProvider:
    """The blocks of core memory that hold something."""

    order = 20
    budget_tokens = 3_000

    def __init__(self, render: Render) -> None:
        self._render = render

    def provide(self, context: DynamicContext) -> Section | None:
        """Return the section, None if every block is empty."""
        language = context.turn.language
        blocks = [
            (core.title(each.name, language), quote.fenced("core", _core_text(each.content)))
            for each in context.core
            if each.content.strip()
        ]
        if not blocks:
            return None
        title = "核心记忆" if language == "zh" else "Core memory"
        return Section(title, self._render("core", language, blocks=blocks))


class MilestonesProvider:
    """What happened in this session so far."""

    order = 30
    budget_tokens = 2_000

    def __init__(self, render: Render) -> None:
        self._render = render

    def provide(self, context: DynamicContext) -> Section | None:
        """Return the section, None if nothing is on the timeline."""
        language = context.turn.language
        lines = [
            f"{mark.at:%Y-%m-%d %H:%M} {quote.line(mark.text, PREFERENCE_CHARS)}"
            for mark in context.milestones
        ]
        if not lines:
            return None
        title = "里程碑" if language == "zh" else "Milestones"
        fenced = quote.fenced("milestones", "\n".join(lines))
        return Section(title, self._render("milestones", language, marks=fenced))


# --- marks in an answer -------------------------------------------------------------------


def marks(recollection: Recollection, budget_chars: int = BUDGET_CHARS) -> dict[str, str]:
    """Return the id of the memory behind each mark that the model was shown, in order.

    Preferences come first, then what was recalled: ``{"m1": id, "m2": id}``.
    """
    shown = _shown(recollection, budget_chars)
    return {f"m{number}": memory.id for number, memory in enumerate(shown, 1)}


def cited(
    answer: str, recollection: Recollection, budget_chars: int = BUDGET_CHARS
) -> list[Memory]:
    """Return the memories that *answer* names by their marks, in that order, each once."""
    shown = _shown(recollection, budget_chars)
    numbers = [
        int(number) for group in _CITED.findall(answer) for number in re.findall(r"\d+", group)
    ]
    return [shown[n - 1] for n in dict.fromkeys(numbers) if 0 < n <= len(shown)]


def without_marks(answer: str) -> str:
    """Return *answer* without the marks, for a reader who sees its sources in a line below."""
    return re.sub(rf"[ \t]*{_CITED.pattern}", "", answer, flags=re.I)


# --- one memory ---------------------------------------------------------------------------


def _shown(recollection: Recollection, budget_chars: int) -> list[Memory]:
    return [*_binding(recollection), *_recalled(recollection, budget_chars)]


def _distinct(recollection: Recollection) -> list[Memory]:
    return list({each.id: each for each in recollection.preferences}.values())


def _binding(recollection: Recollection) -> list[Memory]:
    """Return the preferences that there is room for, in their order; the weightiest have it."""
    distinct = _distinct(recollection)
    room, kept = PREFERENCES_CHARS, set[str]()
    for each in sorted(distinct, key=_weight, reverse=True):
        room -= len(_preference(each, "m0000")) + 1
        if room < 0:
            break
        kept.add(each.id)
    return [each for each in distinct if each.id in kept]


def _weight(preference: Memory) -> tuple[bool, int, datetime]:
    """Weigh what was said outright over a guess, then the narrower scope, then the newer."""
    kind = preference.scope.partition(":")[0]
    explicit = preference.source.origin is Origin.USER
    return explicit, _NARROWNESS.get(kind, 0), preference.at


def _recalled(recollection: Recollection, budget_chars: int) -> list[Memory]:
    """Return what of the hits fits the budget, best first; the preferences are apart."""
    room = int(budget_chars * min(max(recollection.weight, 0.0), 1.0))
    seen = {each.id for each in _binding(recollection)}
    chosen: list[Memory] = []
    for hit in recollection.hits:
        cost = len(_text(hit.memory, "en")) + OVERHEAD_CHARS  # the longer language
        if hit.memory.id not in seen and cost <= room:
            seen.add(hit.memory.id)
            chosen.append(hit.memory)
            room -= cost
    return chosen


def _preference(memory: Memory, mark: str) -> str:
    fields = {
        "subject": quote.line(memory.subject, PREFERENCE_CHARS),
        "value": quote.line(memory.value, PREFERENCE_CHARS),
        "scope": quote.line(memory.scope, PREFERENCE_CHARS),
        "content": quote.line(memory.content, PREFERENCE_CHARS),
        "since": f"{memory.at:%Y-%m-%d}",
        "mark": mark,
    }
    return f"[USER_PREFERENCE: {json.dumps(fields, ensure_ascii=False)}]"


def _entry(memory: Memory, mark: str, language: Language, now: datetime) -> Entry:
    return Entry(
        mark=mark,
        kind=_KINDS[memory.type][0 if language == "zh" else 1],
        host=quote.line(memory.host, 60),
        date=_date(memory),
        text=_text(memory, language),
        age=_age(memory, language, now),
    )


def _text(memory: Memory, language: Language) -> str:
    """Return what a memory says, with the parts of a case that its clause leaves out."""
    parts = [memory.content]
    is_zh = language == "zh"
    cause, fix, colon = ("原因", "修复", "：") if is_zh else ("cause", "fix", ": ")
    for name, part in ((cause, memory.cause), (fix, memory.fix)):
        if part and part not in memory.content:
            parts.append(f"{name}{colon}{part}")
    worked = memory.payload.get("worked")
    if memory.fix:
        parts.append(_OUTCOMES[worked if isinstance(worked, bool) else None][0 if is_zh else 1])
    if memory.type in FACTS and memory.value and memory.value not in memory.content:
        parts.append(f"{memory.subject}: {memory.value}")
    return quote.line(("；" if is_zh else "; ").join(parts), MEMORY_CHARS)


def _date(memory: Memory) -> str:
    at = memory.proved_at if memory.type in FACTS else memory.at
    return f"{at:%Y-%m-%d}"


def _age(memory: Memory, language: Language, now: datetime) -> str:
    days = max((now - memory.proved_at).days, 0)
    limit = memory.stale_days
    old = memory.type in FACTS and limit is not None and days >= limit
    if memory.state is not MemoryState.STALE and not old:
        return ""
    if language == "zh":
        return f"测于 {memory.proved_at:%Y-%m-%d}，已过 {days} 天：采用前请重新检查"
    return (
        f"measured {memory.proved_at:%Y-%m-%d}, {days} days ago: check again before relying on it"
    )


def _core_text(content: str) -> str:
    return quote.block(content, core.MAX_CHARS)
