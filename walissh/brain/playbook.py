"""Playbooks: what to look at for a kind of question, and what the results mean.

They are data, one YAML file for each area in ``playbooks/``. A playbook names the words
that choose it (zh and en), probes (read-only commands, in variants for machines that lack
a tool), facts drawn from the parsed output, and findings: a condition, the sentence that
says it, the lines that prove it, the probes that follow from it, a fix and a check that
are only ever told as text. Probe and finding names are unique over all files, so that one
playbook can use another's.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import yaml
from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from walissh.brain import condition, parse
from walissh.errors import WalisshError
from walissh.react.turn import Language

Severity = Literal["critical", "warning", "note", "fact"]
Role = Literal["cause", "symptom", "lead", "clear", "fact"]
"""What a finding is for.

``cause`` explains the question and can end the search; ``symptom`` is seen to be wrong;
``lead`` only leads on, and is told as a step on the way to a cause; ``clear`` is a thing
looked at and found in order, told as ruled out; ``fact`` is told when nothing is wrong.
"""
GIVEN_NAMES = frozenset({"ask", "row"})
FACT_NAMES = frozenset({"rows", "exit", "of", "ask"})

_STRICT = ConfigDict(extra="forbid")

T = TypeVar("T")


class PlaybookError(WalisshError):
    """A playbook file breaks the schema or refers to something that is not there."""


def _check_expression(text: str) -> str:
    try:
        condition.names(text)
    except SyntaxError as error:
        raise ValueError(f"not an expression: {text!r}") from error
    return text


def _check_template(text: str) -> str:
    for expression in condition.expressions(text):
        _check_expression(expression)
    return text


def _check_regex(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"not a regular expression: {text!r}") from error
    return text


def _check_parser(name: str) -> str:
    if not parse.has_parser(name):
        raise ValueError(f"jc has no parser {name!r}")
    return name


Expression = Annotated[str, AfterValidator(_check_expression)]
Template = Annotated[str, AfterValidator(_check_template)]
Regex = Annotated[str, AfterValidator(_check_regex)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
FindingName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$")]


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Text:
    """A sentence in both languages; ``{expression}`` is filled in."""

    zh: Template
    en: Template

    def in_language(self, language: Language) -> str:
        """Return the sentence for *language*."""
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Words:
    """What a question says when it is about this.

    zh: regular expressions found anywhere; en: whole words, a plural s allowed.
    """

    zh: tuple[Regex, ...]
    en: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Variant:
    """One way to ask a machine, and how to read its answer.

    *jc* names a parser of that library, *parser* one of ours, *regex* has named groups; with
    none, each line is a row of ``text``. With *sections*, lines ``==> file <==`` as ``tail``
    writes them are no rows: they give the rows after them their field ``file``. Rows that lack
    a field of *need* or fail *keep* are dropped; *fields* adds fields computed from ``row`` and
    ``ask``. *empty* allows an answer without rows.
    """

    run: Template
    jc: Annotated[str, AfterValidator(_check_parser)] | None = None
    parser: Literal["nginx"] | None = None
    regex: Regex | None = None
    sections: bool = False
    others_only: bool = False
    need: tuple[str, ...] = ()
    fields: Mapping[str, Expression] = Field(default_factory=dict)
    keep: Expression | None = None
    empty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Probe:
    """A question to a machine; the first variant that gives a usable answer counts.

    *facts* are computed in order from ``rows``, ``exit``, ``of`` and earlier facts.
    """

    why: Text
    variants: Annotated[tuple[Variant, ...], Field(min_length=1)]
    facts: Mapping[str, Expression] = Field(default_factory=dict)
    timeout_s: Annotated[int, Field(ge=1, le=120)] = 20


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Evidence:
    """Where the proof is: the lines of *probe* that contain *find*, or all of them."""

    probe: Name
    find: Template | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Finding:
    """What results mean; with *each*, once for every ``row`` of that list.

    *next* names the probes that follow from it, run once for each row it holds for (the
    first *limit*). Without *evidence* the row itself is the proof. A cause is *sure* to so
    many percent; it stands above the causes *over*, which then are steps on the way to it.
    """

    severity: Severity
    role: Role | None = None
    sure: Annotated[int, Field(ge=1, le=100)] = 80
    over: tuple[FindingName, ...] = ()
    text: Text
    each: Expression | None = None
    when: Expression = "True"
    evidence: tuple[Evidence, ...] = ()
    next: tuple[Name, ...] = ()
    fix: Text | None = None
    verify: Text | None = None
    limit: Annotated[int, Field(ge=1, le=20)] = 3

    @property
    def part(self) -> Role:
        """What it is for; without a role a fact is a fact and all else a symptom."""
        return self.role or ("fact" if self.severity == "fact" else "symptom")


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Playbook:
    """One area. *start* are its first probes, *also* facts of other playbooks.

    *beside* are playbooks whose first probes go out with its own. *general* ones are chosen
    only when no other fits.
    """

    name: Name
    title: Text
    words: Words
    start: tuple[Name, ...]
    probes: Mapping[Name, Probe] = Field(default_factory=dict)
    findings: Mapping[FindingName, Finding] = Field(default_factory=dict)
    also: tuple[FindingName, ...] = ()
    beside: tuple[Name, ...] = ()
    general: bool = False
    order: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """All playbooks in their order, with every probe and finding by name."""

    playbooks: tuple[Playbook, ...]
    probes: Mapping[str, Probe]
    findings: Mapping[str, Finding]

    @property
    def by_name(self) -> Mapping[str, Playbook]:
        """The playbooks by their names."""
        return {each.name: each for each in self.playbooks}

    def facts_of(self, chosen: Iterable[Playbook]) -> frozenset[str]:
        """Return the names of the facts that *chosen* tell: own ones, and those in ``also``."""
        return frozenset(name for each in chosen for name in (*each.findings, *each.also))

    def with_beside(self, chosen: Iterable[Playbook]) -> tuple[Playbook, ...]:
        """Return *chosen* and what is looked at beside them, each once."""
        books = list(chosen)
        for book in books:
            books += [self.by_name[each] for each in book.beside if self.by_name[each] not in books]
        return tuple(books)


_FILE = TypeAdapter(Playbook)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where it is built


@cache
def built_in() -> Catalogue:
    """Load the playbooks of this package; raises PlaybookError."""
    return load(sorted((Path(__file__).parent / "playbooks").glob("*.yaml")))


def load(paths: Iterable[Path]) -> Catalogue:
    """Read and check playbook files; raises PlaybookError naming file and place."""
    return catalogue(read(path.read_text("utf-8"), path.name) for path in paths)


def read(text: str, source: str) -> Playbook:
    """Read one playbook from YAML; *source* names it in the error."""
    try:
        return _FILE.validate_python(yaml.load(text, _LOADER))  # noqa: S506  a safe loader
    except yaml.YAMLError as error:
        raise PlaybookError(f"{source}: not YAML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(each) for each in first["loc"])
        raise PlaybookError(f"{source}: {place or 'file'}: {first['msg']}") from error


def catalogue(playbooks: Iterable[Playbook]) -> Catalogue:
    """Put playbooks together and check that all they refer to is there."""
    ordered = tuple(sorted(playbooks, key=lambda each: (each.order, each.name)))
    found = Catalogue(
        playbooks=ordered,
        probes=_merge({each.name: each.probes for each in ordered}, "probe"),
        findings=_merge({each.name: each.findings for each in ordered}, "finding"),
    )
    for each in ordered:
        _check_references(each, found)
    return found


def _merge(parts: Mapping[str, Mapping[str, T]], kind: str) -> dict[str, T]:
    merged: dict[str, T] = {}
    for source, part in parts.items():
        for name, value in part.items():
            if name in merged:
                raise PlaybookError(f"{source}: the {kind} {name} is there twice")
            merged[name] = value
    return merged


def _check_references(book: Playbook, found: Catalogue) -> None:
    for name in book.start:
        _require(name in found.probes, book, f"start: no probe {name}")
    for name in book.also:
        _require(name in found.findings, book, f"also: no finding {name}")
    for name in book.beside:
        _require(name in found.by_name, book, f"beside: no playbook {name}")
    for name, probe in book.probes.items():
        _check_probe(book, name, probe)
    for name, finding in book.findings.items():
        _check_finding(book, name, finding, found)


def _check_probe(book: Playbook, name: str, probe: Probe) -> None:
    known = set(FACT_NAMES)
    for fact, expression in probe.facts.items():
        _known(book, f"{name}.{fact}", expression, known)
        known.add(fact)
    for variant in probe.variants:
        for expression in condition.expressions(variant.run):
            _known(book, name, expression, GIVEN_NAMES)
        for expression in (*variant.fields.values(), variant.keep or "True"):
            _known(book, name, expression, GIVEN_NAMES)


def _check_finding(book: Playbook, name: str, finding: Finding, found: Catalogue) -> None:
    known = GIVEN_NAMES | set(found.probes)
    for probe in (*finding.next, *(each.probe for each in finding.evidence)):
        _require(probe in found.probes, book, f"{name}: no probe {probe}")
    for other in finding.over:
        stands = found.findings.get(other)
        _require(stands is not None, book, f"{name}: no finding {other}")
        both = stands is not None and stands.part == finding.part == "cause"
        _require(both, book, f"{name}: over: {name} or {other} is no cause")
    texts = [text for text in (finding.text, finding.fix, finding.verify) if text]
    templates = [each for text in texts for each in (text.zh, text.en)]
    templates += [each.find for each in finding.evidence if each.find]
    inside = [each for template in templates for each in condition.expressions(template)]
    for expression in (finding.each or "True", finding.when, *inside):
        _known(book, name, expression, known)


def _known(book: Playbook, place: str, expression: str, known: Iterable[str]) -> None:
    strange = condition.names(expression) - set(known)
    _require(not strange, book, f"{place}: unknown name {', '.join(sorted(strange))}")


def _require(true: bool, book: Playbook, message: str) -> None:
    if not true:
        raise PlaybookError(f"{book.name}: {message}")
