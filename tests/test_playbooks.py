"""The playbook files: their schema, their references, and the gate."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.offline_talk import this_machine
from walissh.brain import condition, parse, playbook, walk
from walissh.brain.playbook import Catalogue, Finding, Playbook, PlaybookError, Text
from walissh.react.turn import Risk
from walissh.safety import risk

BUILT_IN = playbook.built_in()
BOOKS = [each.name for each in BUILT_IN.playbooks]
VALUES = {
    "mounted_on": "/",
    "name": "/var/log",
    "unit": "nginx.service",
    "unix": "/run/app.sock",
    "url": "https://shop.example/login?next=%2F",
    "host": "db1.example",
    "ip": "192.0.2.7",
    "user": "www-data",
    "users": ["www-data", "app"],
    "names": ["flock", "jq"],
    "interpreters": ["python3.9", "perl"],
    "zones": ["Asia/Tokyo", "UTC"],
}
FOLDERS = frozenset({"dir", "dirs", "folder", "folders", "parent"})
FILES = frozenset(
    {"conf", "file", "files", "locks", "logs", "path", "paths", "script", "scripts", "own"}
)


class Invented(condition.Fields):
    """A row that has every field."""

    def __getitem__(self, name: str) -> object:
        many = name.endswith("s") or name == "own"
        if name in VALUES:
            return VALUES[name]
        if name in ("of", "sig"):
            return Invented({})
        if name in FOLDERS | FILES:
            path = "/srv/big shop" if name in FOLDERS else "/srv/big shop/it's.conf"
            return [path, "/etc/shop"] if many else path
        return [4711, 12] if many else 4711


def probe_commands(book: Playbook) -> Iterator[tuple[str, str]]:
    """Return the commands of all variants of the probes of *book*, with invented values."""
    row = Invented({})
    for name, probe in book.probes.items():
        commands = walk._commands(probe, row, row)
        assert len(commands) == len(probe.variants), name
        yield from ((f"{name}-{number + 1}", command) for number, command in commands)


SMALL = """
name: tiny
title: {zh: 小, en: tiny}
words: {zh: [小], en: [tiny]}
start: [up]
probes:
  up:
    why: {zh: 看, en: look}
    variants: [{run: uptime, jc: uptime}]
findings:
  tiny.up: {severity: fact, text: {zh: '{up.exit}', en: '{up.exit}'}}
"""


def texts(found: Catalogue) -> list[Text]:
    said = [
        text
        for each in found.findings.values()
        for text in (each.text, each.fix, each.verify)
        if text
    ]
    return [*said, *(each.why for each in found.probes.values())]


def read_small(old: str, new: str) -> Catalogue:
    return playbook.catalogue([playbook.read(SMALL.replace(old, new), "tiny.yaml")])


def causes() -> Mapping[str, Finding]:
    return {name: each for name, each in BUILT_IN.findings.items() if each.part == "cause"}


def test_the_areas_of_an_operator_are_built_in() -> None:
    assert {
        "overview", "services", "cpu", "memory", "disk", "processes", "units", "scripts", "ports",
        "network", "nginx", "http", "tls", "redis", "postgres", "files", "time", "deploy",
    } <= set(BOOKS)  # fmt: skip
    areas = [each for each in BUILT_IN.playbooks if any(name in causes() for name in each.findings)]
    assert len(areas) >= 15
    assert len(causes()) >= 40


@pytest.mark.parametrize("name", BOOKS)
def test_every_probe_runs_unasked(name: str) -> None:
    judged = {
        key: (risk.classify(command), command)
        for key, command in probe_commands(BUILT_IN.by_name[name])
    }
    refused = {
        key: (command, each.reasons)
        for key, (each, command) in judged.items()
        if (each.risk, each.interactive) != (Risk.READ_ONLY, False)
    }
    assert not refused


def read_fields(expression: str) -> set[str]:
    """Return what *expression* reads, as ``row.file``; the two languages of a value are one."""
    tree = ast.parse(condition._source(expression), mode="eval")
    read = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return {re.sub(r"_(?:zh|en)$", "", each) for each in read}


def test_curl_asks_the_very_url_of_the_question() -> None:
    """Without -g, ``http://h/[1-100000]`` would be a hundred thousand requests."""
    asked = [
        part
        for book in BUILT_IN.playbooks
        for _, command in probe_commands(book)
        for part in re.findall(r"\bcurl [^;|]*", command)
        if "http://localhost/" not in part
    ]
    assert len(asked) >= 5
    assert not [each for each in asked if " -g " not in each]


def test_a_line_break_in_a_name_makes_no_row_of_its_own() -> None:
    """Its path would be read with sudo by the next probe."""
    found = [
        part
        for book in BUILT_IN.playbooks
        for _, command in probe_commands(book)
        for part in re.findall(r"\bfind [^|]*?-printf [^|;]*%p", command)
    ]
    assert len(found) >= 6
    assert not [each for each in found if "*[[:cntrl:]]*" not in each]


SECRETIVE = [
    "/opt/app/secrets/app.log", "/home/ann/.ssh/x.log", "/opt/a/.env.log", "/home/ann/id_rsa.log",
    "/opt/a/secret.log", "/opt/a/credentials.log", "/etc/ssl/private/a.log", "/opt/a/.my.cnf.log",
]  # fmt: skip


def test_a_log_whose_name_sounds_secret_is_left_out() -> None:
    probe = BUILT_IN.probes["log_files"]
    kept = [probe.variants[0].keep, probe.variants[1].keep]
    paths = [*SECRETIVE, "/var/log/secretary/app.log"]
    for each in kept:
        assert each is not None
        left = [path for path in paths if condition.holds(each, {"row": {"path": path}})]
        assert left == ["/var/log/secretary/app.log"]


def test_a_line_of_a_file_is_never_a_header(tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    log.write_text("ERROR one\n==> /opt/shop/shop.log <==\nx\r==> /opt/shop/shop.log <==\n")
    row = condition.Fields({"files": [str(log)]})
    probe = BUILT_IN.probes["log_last"]
    [(_, command)] = walk._commands(probe, row, row)
    lines = parse.number_lines(this_machine(command).output)
    rows = parse.by_section(None, lines, "c1")
    assert {each["file"] for each in rows} == {str(log)}


def test_lines_of_files_are_marked_under_headers() -> None:
    """A line ``==> other.log <==`` in a log would put the next ones on another program."""
    reads = re.compile(r"""\btail -n \d+ (?:-- )?(?:"\$|\{)""")
    bare = [
        name
        for name, probe in BUILT_IN.probes.items()
        for each in probe.variants
        if each.sections and reads.search(each.run) and "sed 's/==>/ ==>/g'" not in each.run
    ]
    assert not bare


def test_both_languages_say_the_same_values() -> None:
    for text in texts(BUILT_IN):
        zh, en = (
            {field for each in condition.expressions(said) for field in read_fields(each)}
            for said in (text.zh, text.en)
        )
        assert zh == en, text


def test_chinese_texts_are_chinese_and_english_ones_are_not() -> None:
    chinese = re.compile(r"[\u4e00-\u9fff]")
    for text in texts(BUILT_IN):
        said = re.sub(r"\{[^{}]+\}|`[^`]+`", " ", text.zh)
        assert chinese.search(said) or not re.search(r"[a-z]{3} [a-z]{3}", said), text.zh
        assert not chinese.search(text.en), text.en


def test_a_text_says_what_is_so_and_no_list_of_possibilities() -> None:
    hedge = re.compile(
        r"possible causes?|possibly because|may be caused|可能的?原因|可能是因为", re.I
    )
    assert not [each for each in texts(BUILT_IN) if hedge.search(each.zh + each.en)]


def test_every_cause_has_its_proof_its_remedy_and_a_check() -> None:
    assert not [
        name
        for name, each in causes().items()
        if each.fix is None or each.verify is None or not (each.evidence or each.each)
    ]


@cache
def needed(name: str) -> frozenset[str]:
    """Return the probes without which the finding *name* says nothing."""
    finding = BUILT_IN.findings[name]
    inside = condition.expressions(finding.text.en)
    read = {
        probe
        for each in (finding.each or "True", finding.when, *inside)
        for probe in condition.names(re.sub(r"\bmaybe\.\w+", "None", each))
    }
    return frozenset(read) - {"row", "ask"}


def reached(book: Playbook) -> set[str]:
    """Return the probes that can be asked when *book* is chosen."""
    there = {name for each in BUILT_IN.with_beside([book]) for name in each.start}
    fresh = there
    while fresh:
        fresh = {
            probe
            for name, each in BUILT_IN.findings.items()
            if needed(name) <= there
            for probe in each.next
        } - there
        there = there | fresh
    return there


def test_every_finding_of_a_playbook_can_get_its_probes() -> None:
    for book in BUILT_IN.playbooks:
        there = reached(book)
        missing = {name: needed(name) - there for name in book.findings}
        assert not {name: each for name, each in missing.items() if each}, book.name


def test_every_probe_is_asked_by_something() -> None:
    asked = {probe for each in BUILT_IN.findings.values() for probe in each.next}
    asked |= {probe for each in BUILT_IN.playbooks for probe in each.start}
    assert set(BUILT_IN.probes) <= asked


def test_no_more_than_the_limit_is_asked_before_anything_is_known() -> None:
    for book in BUILT_IN.playbooks:
        first = {name for each in BUILT_IN.with_beside([book]) for name in each.start}
        assert len(first) <= 16, book.name


def test_no_two_causes_stand_over_each_other() -> None:
    for name, each in causes().items():
        assert not [other for other in each.over if name in BUILT_IN.findings[other].over]


def test_a_small_playbook_is_read() -> None:
    assert list(read_small("", "").findings) == ["tiny.up"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("severity: fact", "severity: loud", "tiny.yaml: findings.tiny.up.severity"),
        ("start: [up]", "start: [down]", "start: no probe down"),
        ("jc: uptime", "jc: uptimes", "jc has no parser"),
        ("'{up.exit}', en", "'{up.exit +}', en", "not an expression"),
        ("'{up.exit}', en", "'{cellar.exit}', en", "unknown name cellar"),
        ("severity: fact", "severity: fact, over: [tiny.down]", "no finding tiny.down"),
        ("severity: fact", "severity: fact, sure: 101", "sure"),
        ("start: [up]", "start: [up]\nbeside: [cellar]", "no playbook cellar"),
        ("start: [up]", "start: [up]\nalso: [tiny.gone]", "no finding tiny.gone"),
        ("run: uptime", "run: 'uptime {cellar.x}'", "unknown name cellar"),
        ("start: [up]", "start: [up]\nstrat: [up]", "strat"),
        ("title: {zh: 小, en: tiny}", "title: {zh: 小}", "title.en"),
        ("name: tiny", "name: Tiny!", "name"),
        ("jc: uptime", "regex: '('", "not a regular expression"),
        ("variants: [{run: uptime, jc: uptime}]", "variants: []", "variants"),
        ("severity: fact", "severity: fact, next: [down]", "no probe down"),
        ("name: tiny", "name: [", "not YAML"),
    ],
)
def test_a_mistake_is_named_with_its_place(old: str, new: str, message: str) -> None:
    with pytest.raises(PlaybookError, match=re.escape(message)):
        read_small(old, new)


def test_a_name_used_twice_is_refused() -> None:
    small = playbook.read(SMALL, "tiny.yaml")
    other = playbook.read(SMALL.replace("name: tiny", "name: other"), "other.yaml")
    with pytest.raises(PlaybookError, match="there twice"):
        playbook.catalogue([small, other])
