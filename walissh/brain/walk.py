"""A walk over probes with the results so far: what was seen, what to ask next.

A probe is asked once for each row that leads to it; where it came from is kept, so that a
cause can be told with the steps that led to it. What a probe could not see is part of the
walk, not an error.
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from walissh.brain import condition, nginx_conf, parse, processes
from walissh.brain.condition import Fields
from walissh.brain.parse import PLACE, Line, Place, Row
from walissh.brain.playbook import Probe, Text, Variant

START: Final = ""
"""What stands for the question itself among the findings that want a command."""

_NOT_RUNNABLE: Final = frozenset({126, 127})


@dataclass(frozen=True, slots=True)
class Result:
    """What one command gave on one host; *exit_code* None: it did not end by itself."""

    command_id: str
    state: str
    exit_code: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Origin:
    """The finding, and the row of it, from which a probe followed."""

    finding: str
    row: Row


@dataclass(frozen=True, slots=True)
class Order:
    """A command to run; *why* is its reason for the person, *origin* None: a first probe.

    *wanted_by* names all findings from which it follows, not only the first one, and `START`.
    """

    probe: str
    variant: int
    command: str
    why: Text
    timeout_s: int
    origin: Origin | None = None
    wanted_by: frozenset[str] = frozenset()


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
class Seen:
    """A usable answer of one probe."""

    probe: str
    command: str
    command_id: str
    lines: tuple[Line, ...]
    names: Mapping[str, object]
    origin: Origin | None


@dataclass(slots=True)
class Walk:
    """The state of one walk; lives inside ``diagnose`` only.

    *done* has the place in *orders* of what a probe waits for, None if it waits for nothing.
    """

    results: Mapping[str, Result]
    ask: Fields
    seen: list[Seen] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    unseen: list[Unseen] = field(default_factory=list)
    done: dict[tuple[str, ...], int | None] = field(default_factory=dict)
    _names: dict[str, object] = field(default_factory=dict)
    _named: int = -1

    def visit(self, name: str, probe: Probe, origin: Origin | None = None) -> bool:
        """Take *probe* in once for this *origin*; False if it was there already."""
        commands = _commands(probe, origin.row if origin else {}, self.ask)
        if not commands:
            return False
        key = (name, *(command for _, command in commands))
        is_new = key not in self.done
        if is_new:
            self.done[key] = self._take(name, probe, commands, origin)
        at = self.done[key]
        if at is not None:
            wants = origin.finding if origin else START
            order = self.orders[at]
            self.orders[at] = replace(order, wanted_by=order.wanted_by | {wants})
        return is_new

    def _take(
        self,
        name: str,
        probe: Probe,
        commands: Sequence[tuple[int, str]],
        origin: Origin | None,
    ) -> int | None:
        """Take in what is known; return the place in *orders* of what is to be run first."""
        reason, ran, command = "", True, ""
        for index, command in commands:
            result = self.results.get(command)
            if result is None:
                order = Order(name, index, command, probe.why, probe.timeout_s, origin)
                self.orders.append(order)
                return len(self.orders) - 1
            lines = parse.number_lines(result.text)
            given = {"of": origin.row if origin else {}, "ask": self.ask}
            rows = _rows(probe.variants[index], result, lines, given)
            if rows is not None:
                names = _namespace(probe, rows, result, lines, given)
                self.seen.append(
                    Seen(name, command, result.command_id, tuple(lines), names, origin)
                )
                return None
            reason, ran = _obstacle(result, lines), result.exit_code is not None
            if not ran:  # denied, cancelled, unreachable: another variant fares no better
                break
        self.unseen.append(Unseen(probe.why, command, reason, ran))
        return None

    def names(self) -> Mapping[str, object]:
        """Return what expressions can read: every seen probe by name, and ``ask``."""
        if self._named != len(self.seen):
            by_probe: dict[str, list[Seen]] = {}
            for each in self.seen:
                by_probe.setdefault(each.probe, []).append(each)
            joined = {name: _joined(runs) for name, runs in by_probe.items()}
            maybe = condition.Maybe({name: each["rows"] for name, each in joined.items()})
            self._names = {**joined, "ask": self.ask, condition.MAYBE: maybe}
            self._named = len(self.seen)
        return self._names


def _commands(probe: Probe, of: Row, ask: Fields) -> list[tuple[int, str]]:
    """Return the variants that can be asked here, values of *of* quoted for the shell."""
    given = {"row": of, "ask": ask}
    filled = (
        (index, condition.fill(variant.run, given, _quoted))
        for index, variant in enumerate(probe.variants)
    )
    return [(index, command) for index, command in filled if command is not None]


def _quoted(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(shlex.quote(str(each)) for each in value)
    return shlex.quote(str(value))


def _rows(
    variant: Variant, result: Result, lines: list[Line], given: Mapping[str, object]
) -> list[Row] | None:
    """Return the rows of a usable answer, None if it is not one."""
    useful = (
        parse.without_own_complaints(lines, variant.run)
        if variant.sections
        else parse.without_complaints(lines)
    )
    try:
        rows = _parsed(variant, useful, result.command_id)
    except parse.ParseOutputError:
        return None
    if useful and not rows and result.exit_code:
        return None  # it says something else: a shell that refuses, a password that expired
    wide = (_extended(variant, row, given) for row in rows)
    rows = [row for row in wide if _kept(variant, row, given)]
    if rows:
        return rows
    failed = result.exit_code is None or result.exit_code in _NOT_RUNNABLE
    complained = len(useful) < sum(bool(line.text.strip()) for line in lines)
    return [] if variant.empty and not failed and not complained else None


def _parsed(variant: Variant, lines: list[Line], command_id: str) -> list[Row]:
    if not lines:
        return []
    if variant.jc:
        return parse.by_jc(variant.jc, lines, command_id)
    if variant.parser:
        return nginx_conf.by_config(lines, command_id)
    if variant.sections:
        return parse.by_section(variant.regex, lines, command_id)
    if variant.regex:
        rows = parse.by_regex(variant.regex, lines, command_id)
        return processes.of_others(rows) if variant.others_only else rows
    return parse.by_line(lines, command_id)


def _extended(variant: Variant, row: Row, given: Mapping[str, object]) -> Row:
    wide = dict(row)
    for name, expression in variant.fields.items():
        value = condition.evaluate(expression, {**given, "row": wide})
        wide[name] = None if value is condition.UNKNOWN else value
    return wide


def _kept(variant: Variant, row: Row, given: Mapping[str, object]) -> bool:
    if any(row.get(name) is None for name in variant.need):
        return False
    return variant.keep is None or condition.holds(variant.keep, {**given, "row": row})


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


def _joined(runs: Sequence[Seen]) -> Fields:
    rows: list[object] = []
    for run in runs:
        part = run.names["rows"]
        rows += part if isinstance(part, list) else []
    return Fields({**runs[-1].names, "rows": rows, "runs": [run.names for run in runs]})
