"""The playbook files: their schema, their references, and the gate."""

import re
import shlex

import pytest

from walissh.brain import condition, playbook
from walissh.brain.playbook import Catalogue, PlaybookError, Text
from walissh.react.turn import Risk
from walissh.safety import risk

BUILT_IN = playbook.built_in()
VALUES = {
    "mounted_on": "/",
    "name": "/var/log",
    "unit": "nginx.service",
    "path": "/etc/ssl/site.crt",
    "unix": "/run/app.sock",
    "origin": "http://127.0.0.1:9000",
}


def filled(run: str) -> str:
    """Return the command of a probe with a value in the place of each expression."""
    for expression in condition.expressions(run):
        value = VALUES.get(expression.rpartition(".")[2], "4711")
        run = run.replace(f"{{{expression}}}", shlex.quote(value))
    return run


COMMANDS = {
    f"{name}-{number}": filled(variant.run)
    for name, probe in BUILT_IN.probes.items()
    for number, variant in enumerate(probe.variants, 1)
}
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


def test_six_areas_are_built_in() -> None:
    names = {each.name for each in BUILT_IN.playbooks}
    assert names == {"overview", "cpu", "memory", "disk", "ports", "nginx"}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_every_probe_runs_unasked(command: str) -> None:
    judged = risk.classify(command)
    assert (judged.risk, judged.interactive) == (Risk.READ_ONLY, False), judged.reasons


def test_both_languages_say_the_same_values() -> None:
    for text in texts(BUILT_IN):
        zh, en = (sorted(set(condition.expressions(each))) for each in (text.zh, text.en))
        assert [each for each in zh if not each.startswith("code(")] == [
            each for each in en if not each.startswith("code(")
        ]


def test_chinese_texts_are_chinese_and_english_ones_are_not() -> None:
    chinese = re.compile(r"[\u4e00-\u9fff]")
    for text in texts(BUILT_IN):
        assert chinese.search(text.zh) or not re.search(r"[a-z]{3} [a-z]{3}", text.zh), text.zh
        assert not chinese.search(text.en), text.en


def test_every_finding_of_a_playbook_can_get_its_probes() -> None:
    for book in BUILT_IN.playbooks:
        findings = BUILT_IN.findings_of([book]).values()
        there = {*book.start, *(name for each in findings for name in each.next)}
        for each in findings:
            read = condition.names(each.when) | condition.names(each.each or "True")
            assert read - {"row", "ask"} <= there, (book.name, each.text.en)


def test_a_small_playbook_is_read() -> None:
    assert list(read_small("", "").findings) == ["tiny.up"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("severity: fact", "severity: loud", "tiny.yaml: findings.tiny.up.severity"),
        ("start: [up]", "start: [down]", "start: no probe down"),
        ("jc: uptime", "jc: uptimes", "jc has no parser"),
        ("'{up.exit}', en", "'{up.exit +}', en", "not an expression"),
        ("'{up.exit}', en", "'{down.exit}', en", "unknown name down"),
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


def test_a_probe_that_may_find_nothing_does_not_end_as_a_failure() -> None:
    quiet = re.compile(r"\| (head|tail) -n \d+$|^tail |^LC_ALL=C systemctl --failed")
    runs = [
        variant.run
        for probe in playbook.built_in().probes.values()
        for variant in probe.variants
        if variant.empty
    ]
    assert runs
    assert not [run for run in runs if not quiet.search(run)]


def test_a_name_used_twice_is_refused() -> None:
    small = playbook.read(SMALL, "tiny.yaml")
    other = playbook.read(SMALL.replace("name: tiny", "name: other"), "other.yaml")
    with pytest.raises(PlaybookError, match="there twice"):
        playbook.catalogue([small, other])


def test_what_is_not_there_is_never_true() -> None:
    for expression in ("gone.rows", "row.gone > 1", "row.none > 1", "1 / row.zero", "row.s + 1"):
        assert not condition.holds(expression, {"row": {"none": None, "zero": 0, "s": "a"}})


def test_expressions_reach_nothing_of_python() -> None:
    for expression in ("().__class__", "open('/etc/passwd')", "__import__('os')", "row.__class__"):
        assert condition.evaluate(expression, {"row": {}}) is condition.UNKNOWN


@pytest.mark.parametrize(
    ("kib", "words"), [(0, "0 KiB"), (1536, "1.5 MiB"), (200 * 1024, "200 MiB"), (2**40, "1.0 PiB")]
)
def test_sizes_are_readable(kib: int, words: str) -> None:
    assert condition.size(kib) == words
