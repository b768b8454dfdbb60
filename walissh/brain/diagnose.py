"""From results to findings: the engine that walks a playbook for one host.

It keeps nothing between calls. Given all results so far it says what to ask next and what
is known; what a probe could not see is part of the result, not an error.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from walissh.brain import condition, parse
from walissh.brain.condition import Fields
from walissh.brain.parse import PLACE, Line, Place, Row
from walissh.brain.playbook import Catalogue, Evidence, Finding, Playbook, Probe, Text, Variant
from walissh.react.turn import Language

MAX_COMMANDS: Final = 60
_MAX_LINES_FOUND: Final = 3
_NOT_RUNNABLE: Final = frozenset({126, 127})


@dataclass(frozen=True, slots=True)
class Result:
    """What one command gave on one host; *exit_code* None: it did not end by itself."""

    command_id: str
    state: str
    exit_code: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Order:
    """A command to run; *why* is its reason for the person."""

    probe: str
    variant: int
    command: str
    why: Text
    timeout_s: int


@dataclass(frozen=True, slots=True)
class Unseen:
    """A probe without a usable answer: its last command and what stood in the way.

    *reason* is the tool's or the agent's own words, "" if it simply said nothing usable.
    """

    why: Text
    command: str
    reason: str
    ran: bool


@dataclass(frozen=True, slots=True)
class Told:
    """A finding that holds, in words. *silent* are those commands that proved it by silence."""

    name: str
    severity: str
    text: str
    fix: str
    verify: str
    places: tuple[Place, ...]
    silent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All that is known about one host: what to ask next, what holds, what is unseen."""

    orders: tuple[Order, ...]
    told: tuple[Told, ...]
    unseen: tuple[Unseen, ...]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A usable answer of one probe."""

    probe: str
    command: str
    lines: tuple[Line, ...]
    names: Mapping[str, object]


@dataclass(slots=True)
class _Walk:
    """The state of one walk over the playbooks; lives inside ``diagnose`` only."""

    results: Mapping[str, Result]
    ask: Mapping[str, object]
    seen: list[_Seen] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    unseen: list[Unseen] = field(default_factory=list)
    done: set[tuple[str, ...]] = field(default_factory=set)

    def visit(self, name: str, probe: Probe, of: Row) -> bool:
        """Take *probe* in once for this *of*; False if it was there already."""
        commands = _commands(probe, of)
        key = (name, *(command for _, command in commands))
        if key in self.done or not commands:
            return False
        self.done.add(key)
        self._take(name, probe, of, commands)
        return True

    def _take(self, name: str, probe: Probe, of: Row, commands: list[tuple[int, str]]) -> None:
        reason, ran, command = "", True, ""
        for index, command in commands:
            result = self.results.get(command)
            if result is None:
                self.orders.append(Order(name, index, command, probe.why, probe.timeout_s))
                return
            lines = parse.number_lines(result.text)
            rows = _rows(probe.variants[index], result, lines)
            if rows is not None:
                given = {"of": of, "ask": self.ask}
                names = _namespace(probe, rows, result, lines, given)
                self.seen.append(_Seen(name, command, tuple(lines), names))
                return
            reason, ran = _obstacle(result, lines), result.exit_code is not None
            if not ran:  # denied, cancelled, unreachable: another variant fares no better
                break
        self.unseen.append(Unseen(probe.why, command, reason, ran))

    def names(self) -> dict[str, object]:
        """Return what expressions can read: every seen probe by name, and ``ask``."""
        by_probe: dict[str, list[_Seen]] = {}
        for each in self.seen:
            by_probe.setdefault(each.probe, []).append(each)
        return {"ask": Fields(self.ask), **{name: _joined(runs) for name, runs in by_probe.items()}}


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
    findings = found.findings_of(books)
    walk = _Walk(results, ask)
    for book in books:
        for name in book.start:
            walk.visit(name, found.probes[name], {})
    while _follow(walk, findings, found):
        pass
    told = [each for name, it in findings.items() for each in _tell(walk, name, it, language)]
    room = max(0, MAX_COMMANDS - len(results))
    return Diagnosis(_unique(walk.orders)[:room], tuple(told), tuple(walk.unseen))


def _unique(orders: Iterable[Order]) -> tuple[Order, ...]:
    return tuple({order.command: order for order in orders}.values())


def _commands(probe: Probe, of: Row) -> list[tuple[int, str]]:
    """Return the variants that can be asked here, values of *of* quoted for the shell."""
    filled = (
        (index, condition.fill(variant.run, {"row": of}, lambda value: shlex.quote(str(value))))
        for index, variant in enumerate(probe.variants)
    )
    return [(index, command) for index, command in filled if command is not None]


def _rows(variant: Variant, result: Result, lines: list[Line]) -> list[Row] | None:
    """Return the rows of a usable answer, None if it is not one."""
    useful = parse.without_complaints(lines)
    try:
        rows = _parsed(variant, useful, result.command_id)
    except parse.ParseOutputError:
        return None
    rows = [row for row in (_extended(variant, row) for row in rows) if _kept(variant, row)]
    if rows:
        return rows
    failed = result.exit_code is None or result.exit_code in _NOT_RUNNABLE
    return [] if variant.empty and not failed and not parse.complaint(lines) else None


def _parsed(variant: Variant, lines: list[Line], command_id: str) -> list[Row]:
    if not lines:
        return []
    if variant.jc:
        return parse.by_jc(variant.jc, lines, command_id)
    if variant.regex:
        return parse.by_regex(variant.regex, lines, command_id)
    return parse.by_line(lines, command_id)


def _extended(variant: Variant, row: Row) -> Row:
    wide = dict(row)
    for name, expression in variant.fields.items():
        value = condition.evaluate(expression, {"row": wide})
        wide[name] = None if value is condition.UNKNOWN else value
    return wide


def _kept(variant: Variant, row: Row) -> bool:
    if any(row.get(name) is None for name in variant.need):
        return False
    return variant.keep is None or condition.holds(variant.keep, {"row": row})


def _obstacle(result: Result, lines: list[Line]) -> str:
    if result.exit_code is None:
        return result.state
    return parse.complaint(lines)


def _namespace(
    probe: Probe, rows: list[Row], result: Result, lines: list[Line], given: Mapping[str, object]
) -> Fields:
    """Return what expressions read of one answer; *given* are its ``of`` and ``ask``."""
    names: dict[str, object] = {
        "rows": [Fields({**row, "of": given["of"]}) for row in rows],
        "exit": result.exit_code,
        "of": given["of"],
    }
    for fact, expression in probe.facts.items():
        value = condition.evaluate(expression, {**names, **given})
        if value is not condition.UNKNOWN:
            names[fact] = value
    last = lines[-1].number if lines else 1
    return Fields({**names, PLACE: _span(rows) or Place(result.command_id, 1, last)})


def _span(rows: Iterable[Row]) -> Place | None:
    places = [place for row in rows if isinstance(place := row.get(PLACE), Place)]
    if not places:
        return None
    return Place(
        places[0].command_id,
        min(place.first for place in places),
        max(place.last for place in places),
    )


def _joined(runs: list[_Seen]) -> Fields:
    rows: list[object] = []
    for run in runs:
        part = run.names["rows"]
        rows += part if isinstance(part, list) else []
    return Fields({**runs[-1].names, "rows": rows, "runs": [run.names for run in runs]})


def _follow(walk: _Walk, findings: Mapping[str, Finding], found: Catalogue) -> bool:
    """Take in the probes that follow from what holds; False when there were no new ones."""
    grew = False
    for finding in findings.values():
        if not finding.next:
            continue
        for row in _holding(finding, walk.names()):
            for name in finding.next:
                grew = walk.visit(name, found.probes[name], row) or grew
    return grew


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


def _tell(walk: _Walk, name: str, finding: Finding, language: Language) -> Iterator[Told]:
    names = walk.names()
    for row in _holding(finding, names):
        here = {**names, "row": row}
        text = condition.fill(
            finding.text.in_language(language), here, condition.shown_in(language)
        )
        if text is None:
            continue
        places, silent = _proof(walk, finding, row, here)
        yield Told(
            name=name,
            severity=finding.severity,
            text=text,
            fix=_filled(finding.fix, here, language),
            verify=_filled(finding.verify, here, language),
            places=places,
            silent=silent,
        )


def _filled(text: Text | None, names: Mapping[str, object], language: Language) -> str:
    if text is None:
        return ""
    return condition.fill(text.in_language(language), names, condition.shown_in(language)) or ""


def _proof(
    walk: _Walk, finding: Finding, row: Row, names: Mapping[str, object]
) -> tuple[tuple[Place, ...], tuple[str, ...]]:
    place = row.get(PLACE)
    own = [place] if isinstance(place, Place) else []
    places: list[Place] = [] if finding.evidence else own
    silent: list[str] = []
    for evidence in finding.evidence or _implied(walk, finding, bool(own)):
        for seen in walk.seen:
            if seen.probe == evidence.probe:
                places += _places(seen, evidence, names)
                silent += [] if seen.lines else [seen.command]
    return tuple(dict.fromkeys(places)), tuple(dict.fromkeys(silent))


def _implied(walk: _Walk, finding: Finding, has_own: bool) -> tuple[Evidence, ...]:
    """Without named evidence and a row of its own, the probes it reads are the proof."""
    if has_own:
        return ()
    inside = condition.expressions(finding.text.en)
    read = {name for each in (finding.when, *inside) for name in condition.names(each)}
    known = dict.fromkeys(seen.probe for seen in walk.seen)
    return tuple(Evidence(probe=name) for name in known if name in read)


def _places(seen: _Seen, evidence: Evidence, names: Mapping[str, object]) -> list[Place]:
    whole = seen.names[PLACE]
    if not isinstance(whole, Place):
        return []
    if evidence.find is None or not seen.lines:
        return [whole]
    wanted = condition.fill(evidence.find, names, str)
    hits = [line for line in seen.lines if wanted and wanted in line.text]
    return [Place(whole.command_id, line.number, line.number) for line in hits[:_MAX_LINES_FOUND]]
