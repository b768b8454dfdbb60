"""From results to a cause: the engine that walks playbooks for one host.

It keeps nothing between calls. Given all results so far it says what to ask next and what
is known: the cause with the steps that led to it, what else is wrong, what was ruled out.
A cause ends the search: then nothing more is asked but what the cause itself asks for.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from walissh.brain import asked, condition
from walissh.brain.condition import Fields
from walissh.brain.parse import PLACE, Place, Row
from walissh.brain.playbook import Catalogue, Evidence, Finding, Playbook, Role, Text
from walissh.brain.walk import START, Order, Origin, Result, Seen, Unseen, Walk
from walissh.react.turn import Language

MAX_COMMANDS: Final = 25
"""So many commands at most where nothing is found to be wrong."""

MAX_IN_TROUBLE: Final = 40
SURE: Final = 90
"""A cause so sure, in percent, ends the search."""

_RESERVED: Final = 5  # commands of each question that only what matters most may ask for
_AT_LIMIT: Final = Text(
    zh="没有查看：一个问题的命令数已到上限",
    en="not looked at: a question may take no more commands",
)
_NO_SYSTEMD = re.compile(r"(?i)not been booted with systemd")
_ABOUT_SYSTEMD = re.compile(r"(?i)systemd|systemctl|journalctl")
_MAX_STEPS: Final = 8
_MAX_LINES_FOUND: Final = 3
_ABOUT_WEIGHT: Final = 8
_MOST_ABOUT: Final = 2
_CHOSEN_WEIGHT: Final = 6

__all__ = ["SURE", "Diagnosis", "Order", "Result", "Told", "Unseen", "diagnose"]


@dataclass(frozen=True, slots=True)
class Told:
    """A finding that holds, in words. *silent* are those commands that proved it by silence.

    *about* counts the words of the question that it is about. *steps* lead to it, first one
    first.
    """

    name: str
    severity: str
    text: str
    fix: str
    verify: str
    places: tuple[Place, ...]
    silent: tuple[str, ...]
    role: Role = "symptom"
    sure: int = 0
    about: int = 0
    steps: tuple["Told", ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All that is known about one host: what to ask next, what holds, what is unseen.

    *causes* are those that bear on the question, best first; *told* are all other findings.
    *answered* counts the probes that gave a usable answer.
    """

    orders: tuple[Order, ...]
    told: tuple[Told, ...]
    unseen: tuple[Unseen, ...]
    causes: tuple[Told, ...] = ()
    answered: int = 0

    @property
    def cause(self) -> Told | None:
        """The cause to name, None if none is known."""
        return self.causes[0] if self.causes else None


@dataclass(slots=True)
class _Reasoning:
    """One diagnosis in the making: the walk, and for which rows each finding holds.

    *books* are the playbooks that the question chose.
    """

    found: Catalogue
    walk: Walk
    language: Language
    words: Sequence[str]
    books: tuple[Playbook, ...]
    holding: dict[str, list[Row]] = field(default_factory=dict)

    @property
    def own(self) -> frozenset[str]:
        """The names of the findings of the chosen playbooks."""
        return frozenset(name for book in self.books for name in book.findings)


def diagnose(
    found: Catalogue,
    chosen: Iterable[Playbook],
    results: Mapping[str, Result],
    *,
    ask: Mapping[str, object],
    language: Language,
) -> Diagnosis:
    """Walk *chosen* with *results* (by command text) and say what is known and what is next."""
    books = tuple(chosen)
    words = ask.get("words", ())
    walk = Walk(results, Fields(ask))
    words = words if isinstance(words, Sequence) else ()
    this = _Reasoning(found, walk, language, words, books)
    for book in found.with_beside(books):
        for name in book.start:
            walk.visit(name, found.probes[name])
    _follow(this)
    told = list(_tell_all(this, books))
    causes = _causes(this, told)
    rest = [_beside(this, each, causes) for each in told if each not in causes]
    near, far = _wanted(this, causes)
    orders = _within(_most(told, this.own) - len(results), near, far)
    blind = _telling(walk)
    unseen = blind if orders else [*blind, *_cut([*near, *far], language)]
    return Diagnosis(orders, tuple(rest), tuple(unseen), causes, len(walk.seen))


def _telling(walk: Walk) -> list[Unseen]:
    """Return what could not be seen, but not that there is no systemd where all else answers.

    A container has none: saying so below each answer would only hide what matters. Who asks
    about systemd is told.
    """
    if not walk.seen or _ABOUT_SYSTEMD.search(str(walk.ask.get("text", ""))):
        return walk.unseen
    return [each for each in walk.unseen if not _NO_SYSTEMD.search(each.reason)]


def _most(told: Iterable[Told], own: Iterable[str]) -> int:
    """Return how many commands a question may take: more where what it is about is wrong."""
    wrong = (each for each in told if each.role in ("symptom", "cause") and each.severity != "note")
    return MAX_IN_TROUBLE if any(_bears(each, own) for each in wrong) else MAX_COMMANDS


def _beside(this: _Reasoning, told: Told, causes: Iterable[Told]) -> Told:
    """Return *told* as what it is beside *causes*: what they stand above is a mere symptom."""
    lesser = {name for each in causes for name in this.found.findings[each.name].over}
    return replace(told, role="symptom", sure=0) if told.name in lesser else told


def _wanted(this: _Reasoning, causes: Iterable[Told]) -> tuple[list[Order], list[Order]]:
    """Return what to ask next: what matters most, and all else.

    Most matters what the chosen playbooks want, then what those beside them want and what
    follows from a critical finding. Once a cause is known, only what it asks for is wanted.
    """
    orders = _merged(this.walk.orders)
    known = {each.name for each in causes if each.sure >= SURE}
    if known:
        return [each for each in orders if each.wanted_by & known], []
    mine = this.own | {START}
    also = {name for book in this.found.with_beside(this.books) for name in book.findings}
    also |= {n for n, each in this.found.findings.items() if each.severity == "critical"}
    first = [each for each in orders if each.wanted_by & mine]
    rest = [each for each in orders if not each.wanted_by & mine]
    near = [each for each in rest if each.wanted_by & also]
    return [*first, *near], [each for each in rest if not each.wanted_by & also]


def _merged(orders: Iterable[Order]) -> list[Order]:
    """Return *orders* with each command once, wanted by all that want it."""
    merged: dict[str, Order] = {}
    for each in orders:
        one = merged.setdefault(each.command, each)
        merged[each.command] = replace(one, wanted_by=one.wanted_by | each.wanted_by)
    return list(merged.values())


def _within(left: int, near: Sequence[Order], far: Sequence[Order]) -> tuple[Order, ...]:
    """Return at most *left* of *near* and *far*; the last few are kept for what is near."""
    kept = _RESERVED + len(near) if near else 0
    return (*near, *far[: max(0, left - kept)])[: max(0, left)]


def _cut(orders: Iterable[Order], language: Language) -> list[Unseen]:
    """Return what the limit kept from being asked, once for each probe: it is told as unseen."""
    by_probe = {order.probe: order for order in orders}
    reason = _AT_LIMIT.in_language(language)
    return [Unseen(each.why, each.command, reason, ran=False) for each in by_probe.values()]


def _follow(this: _Reasoning) -> None:
    """Take in the probes that follow from what holds, until there are no new ones."""
    walk, fresh = this.walk, None
    while fresh is None or fresh:
        before = len(walk.seen)
        for name, finding in this.found.findings.items():
            if fresh is None or _reads(finding) & fresh:
                this.holding[name] = _holding(finding, walk.names())
                _visit_next(this, name, finding)
        fresh = {each.probe for each in walk.seen[before:]}


def _visit_next(this: _Reasoning, name: str, finding: Finding) -> None:
    for row in this.holding[name]:
        for probe in finding.next:
            this.walk.visit(probe, this.found.probes[probe], Origin(name, row))


def _reads(finding: Finding) -> frozenset[str]:
    return condition.all_names((finding.each or "True", finding.when))


def _holding(finding: Finding, names: Mapping[str, object]) -> list[Row]:
    """Return the rows for which *finding* holds; one empty row if it has no *each*."""
    if finding.each is None:
        return [{}] if condition.holds(finding.when, names) else []
    rows = condition.evaluate(finding.each, names)
    if not isinstance(rows, list):
        return []
    each = (row if isinstance(row, Mapping) else {"value": row} for row in rows)
    kept = (row for row in each if condition.holds(finding.when, {**names, "row": row}))
    return [row for row, _ in zip(kept, range(finding.limit), strict=False)]


def _tell_all(this: _Reasoning, books: Sequence[Playbook]) -> Iterator[Told]:
    facts = this.found.facts_of(books)
    for name, finding in this.found.findings.items():
        if finding.part in ("fact", "clear") and name not in facts:
            continue
        for row in this.holding.get(name, ()):
            told = _told(this, name, row)
            if told is not None:
                yield replace(told, steps=_steps(this, told, row))


def _told(this: _Reasoning, name: str, row: Row) -> Told | None:
    finding = this.found.findings[name]
    here = {**this.walk.names(), "row": row}
    text = _filled(finding.text, here, this.language)
    if not text:
        return None
    places, silent = _proof(this.walk, finding, row, here)
    return Told(
        name=name,
        severity=finding.severity,
        text=text,
        fix=_filled(finding.fix, here, this.language),
        verify=_filled(finding.verify, here, this.language),
        places=places,
        silent=silent,
        role=finding.part,
        sure=finding.sure,
        about=asked.concern(" ".join([text, *_strings(row)]), this.words),
    )


def _strings(row: Row) -> list[str]:
    return [value for value in row.values() if isinstance(value, str)]


def _filled(text: Text | None, names: Mapping[str, object], language: Language) -> str:
    if text is None:
        return ""
    return condition.fill(text.in_language(language), names, condition.shown_in(language)) or ""


def _steps(this: _Reasoning, told: Told, row: Row) -> tuple[Told, ...]:
    """Return what led to *told*, from the first step on."""
    steps: list[Told] = []
    origin = _origin(this.walk, told, row)
    while origin is not None and len(steps) < _MAX_STEPS:
        step = _told(this, origin.finding, origin.row)
        if step is None or any(each.text == step.text for each in steps):
            break
        if step.places or step.silent:  # what only repeats the question is no step
            steps.append(step)
        origin = _origin(this.walk, step, origin.row)
    return tuple(reversed(steps))


def _origin(walk: Walk, told: Told, row: Row) -> Origin | None:
    """Return where the last of the answers that prove *told* came from."""
    own = row.get(PLACE)
    ids = [place.command_id for place in told.places]
    ids = [own.command_id, *ids] if isinstance(own, Place) else ids
    by_id = {each.command_id: each for each in walk.seen if each.origin}
    by_id |= {each.command: each for each in walk.seen if each.origin}
    return next((by_id[each].origin for each in (*ids, *told.silent) if each in by_id), None)


def _causes(this: _Reasoning, told: Iterable[Told]) -> tuple[Told, ...]:
    """Return the causes that bear on the question, best first."""
    own = this.own
    causes = [each for each in told if each.role == "cause" and _bears(each, own)]
    lesser = {name for each in causes for name in this.found.findings[each.name].over}
    best = [each for each in causes if each.name not in lesser]
    ranked = sorted(best, key=lambda each: -_weight(each, own))
    return tuple({each.text: each for each in reversed(ranked)}.values())[::-1]


def _bears(told: Told, own: Iterable[str]) -> bool:
    """Tell whether a finding has to do with the question at all."""
    return bool(told.name in own or told.steps or told.about)


def _weight(told: Told, own: Iterable[str]) -> int:
    near = max([told.about, *(each.about for each in told.steps)])
    chosen = _CHOSEN_WEIGHT if told.name in own else 0
    return told.sure + _ABOUT_WEIGHT * min(near, _MOST_ABOUT) + chosen


def _proof(
    walk: Walk, finding: Finding, row: Row, names: Mapping[str, object]
) -> tuple[tuple[Place, ...], tuple[str, ...]]:
    place = row.get(PLACE)
    own = [place] if isinstance(place, Place) else []
    places: list[Place] = own
    silent: list[str] = []
    for evidence in finding.evidence or _implied(walk, finding, bool(own)):
        for seen in walk.seen:
            if seen.probe == evidence.probe:
                places = [*places, *_places(seen, evidence, names)]
                silent += [] if seen.lines else [seen.command]
    return tuple(dict.fromkeys(places)), tuple(dict.fromkeys(silent))


def _implied(walk: Walk, finding: Finding, has_own: bool) -> tuple[Evidence, ...]:
    """Without named evidence and a row of its own, the probes it reads are the proof."""
    if has_own:
        return ()
    inside = condition.expressions(finding.text.en)
    read = {name for each in (finding.when, *inside) for name in condition.names(each)}
    known = dict.fromkeys(seen.probe for seen in walk.seen)
    return tuple(Evidence(probe=name) for name in known if name in read)


def _places(seen: Seen, evidence: Evidence, names: Mapping[str, object]) -> list[Place]:
    whole = seen.names[PLACE]
    if not isinstance(whole, Place):
        return []
    if evidence.find is None or not seen.lines:
        return [whole]
    wanted = condition.fill(evidence.find, names, str)
    hits = [line for line in seen.lines if wanted and wanted in line.text]
    return [Place(whole.command_id, line.number, line.number) for line in hits[:_MAX_LINES_FOUND]]
