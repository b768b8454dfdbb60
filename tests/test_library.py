"""The playbooks of a home: what works is there, what is wrong is named and left out."""

import logging
import os
from pathlib import Path

import pytest

from tests.cli import CommandLine
from walissh.brain import library, playbook
from walissh.brain.library import Library
from walissh.brain.playbook import PlaybookError
from walissh.config import Settings
from walissh.react.turn import Risk
from walissh.safety import risk
from walissh.service import checks

BOOK = """
name: NAME
title: {zh: 甲, en: the NAME}
words: {zh: [甲], en: [NAME]}
start: [NAME_up]
probes:
  NAME_up:
    why: {zh: 看, en: look}
    variants: [{run: uptime}]
findings:
  NAME.up_fact: {severity: fact, text: {zh: 行, en: 'It is {NAME_up.exit}.'}}
"""


def book(name: str, *changes: tuple[str, str]) -> str:
    text = BOOK.replace("NAME", name)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / library.FOLDER).mkdir()
    return tmp_path / library.FOLDER


def put(folder: Path, **texts: str) -> Library:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    return library.load(folder)


def names(found: Library) -> set[str]:
    return {each.book.name for each in found.own}


BUILT_IN = playbook.built_in()


def test_without_a_folder_there_are_the_built_in_ones(tmp_path: Path) -> None:
    found = library.load(tmp_path / "none")
    assert found.catalogue is BUILT_IN and not found.own and not found.problems


def test_own_ones_stand_beside_the_built_in_ones(folder: Path) -> None:
    found = put(folder, shop=book("shop"), bank=book("bank"))
    assert names(found) == {"shop", "bank"} and not found.problems
    assert {"shop_up", "bank_up", *BUILT_IN.probes} == set(found.catalogue.probes)


def test_an_own_one_may_use_probes_of_another_whatever_their_order(folder: Path) -> None:
    uses = book("aaa", ("start: [aaa_up]", "start: [aaa_up, zzz_up, load]"))
    found = put(folder, aaa=uses, zzz=book("zzz", ("start: [zzz_up]", "start: [aaa_up]")))
    assert names(found) == {"aaa", "zzz"} and not found.problems


WRONG = {
    "yaml": (book("shop", ("title:", "title: {{")), "not YAML"),
    "schema": (book("shop", ("severity: fact", "severity: bad")), "severity"),
    "field": (book("shop", ("start:", "colour: red\nstart:")), "colour"),
    "expression": (book("shop", ("{shop_up.exit}", "{shop_up..exit}")), "not an expression"),
    "reference": (book("shop", ("start: [shop_up]", "start: [nowhere]")), "no probe nowhere"),
    "playbook": (book("shop", ("name: shop\n", "name: disk\n")), "the playbook disk is there"),
    "probe": (book("shop", ("shop_up", "load")), "the probe load is there already"),
    "list": ("- a\n- b\n", "shop.yaml"),
    "empty": ("", "shop.yaml"),
    "date": (book("shop", ("en: look", "en: 2026-02-31")), "shop.yaml"),
    "number": (book("shop", ("en: look", "en: " + "9" * 6000)), "shop.yaml"),
    "deep": ("name: " + "[" * 5000, "shop.yaml"),
    "deep expression": (book("shop", ("{shop_up.exit}", "{" + "-" * 20000 + "1}")), "shop.yaml"),
    "cycle": ("name: &a [*a]\n", "20000 values"),
    "bomb": (
        "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)),
        "20000 values",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_one_is_named_and_left_out_and_all_others_work(folder: Path, kind: str) -> None:
    text, words = WRONG[kind]
    found = put(folder, shop=text, bank=book("bank"))
    (problem,) = found.problems
    assert problem.path == folder / "shop.yaml"
    assert problem.why.startswith("shop.yaml: ") and words in problem.why
    assert names(found) == {"bank"}


def test_of_two_with_one_name_the_first_file_has_it(folder: Path) -> None:
    found = put(folder, a=book("shop"), b=book("shop"))
    assert [each.path.name for each in found.own] == ["a.yaml"]
    assert [each.why for each in found.problems] == [
        "b.yaml: the playbook shop is there already, in a.yaml"
    ]


def test_one_that_needs_a_wrong_one_is_left_out_with_it(folder: Path) -> None:
    uses = book("aaa", ("start: [aaa_up]", "start: [zzz_up]"))
    broken = book("zzz", ("start: [zzz_up]", "start: [nowhere]"))
    found = put(folder, aaa=uses, zzz=broken, bank=book("bank"))
    assert names(found) == {"bank"}
    assert {each.path.name for each in found.problems} == {"aaa.yaml", "zzz.yaml"}


def test_what_cannot_be_read_as_text_is_named(folder: Path) -> None:
    (folder / "big.yaml").write_bytes(b"#" * 10_000_000)
    (folder / "latin.yaml").write_bytes(b"name: caf\xe9\n")
    (folder / "gone.yaml").symlink_to(folder / "nowhere")
    (folder / "folder.yaml").mkdir()
    os.mkfifo(folder / "pipe.yaml")
    found = put(folder, bank=book("bank"))
    assert names(found) == {"bank"}
    assert sorted(each.why for each in found.problems) == [
        "big.yaml: larger than 256 KiB",
        "folder.yaml: not a file",
        "gone.yaml: cannot be read: No such file or directory",
        "latin.yaml: not UTF-8 at byte 9",
        "pipe.yaml: not a file",
    ]


def test_other_files_and_no_folder_at_all_are_passed_over(folder: Path) -> None:
    (folder / "README.md").write_text("mine")
    assert not put(folder).problems
    (problem,) = library.load(folder / "README.md").problems
    assert "cannot be read" in problem.why


def test_each_process_logs_what_it_left_out_once(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put(folder, shop=book("shop", ("severity: fact", "severity: bad")))
    with caplog.at_level(logging.WARNING):
        assert library.of(folder.parent) is library.of(folder.parent)
    (line,) = [each.getMessage() for each in caplog.records]
    assert "shop.yaml: " in line and "severity" in line


def test_a_file_is_checked_as_if_it_were_in_the_folder(folder: Path, tmp_path: Path) -> None:
    put(folder, bank=book("bank"), shop=book("shop"))
    draft = tmp_path / "shop.yaml"
    draft.write_text(book("shop", ("start: [shop_up]", "start: [shop_up, bank_up]")), "utf-8")
    assert library.check(draft, folder).name == "shop"
    draft.write_text(book("bank"), "utf-8")
    with pytest.raises(PlaybookError, match=r"shop\.yaml: the playbook bank is there already"):
        library.check(draft, folder)


# --- on the command line ---------------------------------------------------------------


def test_the_list_tells_own_ones_and_what_was_left_out(folder: Path) -> None:
    put(folder, shop=book("shop"), bad="name: [")
    result = CommandLine(folder.parent).run("playbook", "list")
    assert result.code == 0 and "shop\town\t1\tthe shop\n" in result.out
    assert "disk\tbuilt-in\t" in result.out and "left out: bad.yaml: not YAML" in result.err


def test_one_is_shown_in_the_language_of_the_installation(folder: Path) -> None:
    put(folder, shop=book("shop"))
    command_line = CommandLine(folder.parent)
    english = command_line.run("playbook", "show", "shop").out
    assert "shop: the shop (" in english and "    uptime\n" in english
    assert "shop.up_fact (fact): It is {shop_up.exit}." in english
    assert "shop: 甲" in command_line.run("playbook", "show", "shop", WALISSH_LANG="zh").out
    missing = command_line.run("playbook", "show", "bakery")
    assert missing.code == 1 and "walissh playbook list" in missing.err


def test_a_draft_with_a_command_that_changes_something_is_told_of(
    folder: Path, tmp_path: Path
) -> None:
    draft = tmp_path / "draft.yaml"
    draft.write_text(book("shop", ("run: uptime", "run: touch /tmp/x")), "utf-8")
    told = CommandLine(folder.parent).run("playbook", "check", str(draft))
    assert told.code == 1 and "shop: the gate would ask about `touch /tmp/x`" in told.err


def test_a_draft_that_is_in_the_folder_needs_but_a_restart(folder: Path) -> None:
    put(folder, shop=book("shop"))
    told = CommandLine(folder.parent).run("playbook", "check", str(folder / "shop.yaml"))
    assert told.code == 0 and "restart walissh up" in told.out


def test_a_draft_is_checked_with_an_exit_code(folder: Path, tmp_path: Path) -> None:
    draft = tmp_path / "draft.yaml"
    command_line = CommandLine(folder.parent)
    draft.write_text(book("shop"), "utf-8")
    good = command_line.run("playbook", "check", str(draft))
    assert good.code == 0 and "1 probe, 1 finding." in good.out and str(folder) in good.out
    draft.write_text(book("shop", ("severity: fact", "severity: bad")), "utf-8")
    wrong = command_line.run("playbook", "check", str(draft))
    assert (wrong.code, wrong.out) == (1, "") and "draft.yaml: " in wrong.err


def test_the_doctor_names_what_was_left_out(folder: Path) -> None:
    put(folder, shop=book("shop", ("start: [shop_up]", "start: [nowhere]")))
    found = checks.playbooks(Settings(home=folder.parent))
    assert not found.ok and "shop.yaml: start: no probe nowhere" in found.text
    put(folder, shop=book("shop"))
    assert checks.playbooks(Settings(home=folder.parent)).text.endswith("1 are your own")


def test_the_example_of_the_documentation_works_and_only_reads(folder: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "playbooks.md").read_text("utf-8")
    example = page.split("```yaml\n")[1].split("```")[0]
    found = put(folder, backups=example)
    assert names(found) == {"backups"} and not found.problems
    for probe in found.own[0].book.probes.values():
        for variant in probe.variants:
            assert risk.classify(variant.run).risk is Risk.READ_ONLY
