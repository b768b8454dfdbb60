"""A walk over probes: variants, rows, what could not be seen."""

from collections.abc import Mapping

import pytest

from walissh.brain import condition, playbook
from walissh.brain.condition import Fields
from walissh.brain.parse import PLACE, Place
from walissh.brain.walk import Origin, Result, Walk

BAKERY = """
name: bakery
title: {zh: 面包房, en: bakery}
words: {zh: [面包], en: [bread]}
start: [oven]
probes:
  oven:
    why: {zh: 看炉子, en: look at the oven}
    variants:
      - run: hot --all
        regex: '^(?P<tray>\\w+) (?P<heat>\\d+)$'
        fields: {burnt: row.heat > 250}
        keep: row.tray != 'lid'
      - {run: warm, regex: '^(?P<tray>\\w+)=(?P<heat>\\d+)$'}
    facts:
      hottest: down(rows, 'heat')[0].tray
      above: '[r for r in rows if r.tray != hottest]'
      none: rows[9].tray
  shelf:
    why: {zh: 看架子, en: look at the shelf}
    variants: [{run: 'list {row.tray}', need: [text], empty: true}]
  window:
    why: {zh: 看窗户, en: look at the window}
    variants: [{run: look, regex: '^(?P<who>\\w+)$', empty: true}]
  diary:
    why: {zh: 看日志, en: read the diary}
    variants: [{run: 'tail {row.files}', sections: true, regex: '^(?P<level>[A-Z]+) '}]
"""
PROBES = playbook.catalogue([playbook.read(BAKERY, "bakery")]).probes
HOT = "hot --all"


def walked(results: Mapping[str, Result], *probes: str, origin: Origin | None = None) -> Walk:
    walk = Walk(results, Fields({"words": []}))
    for name in probes or ("oven",):
        walk.visit(name, PROBES[name], origin)
    return walk


def gave(text: str, exit_code: int | None = 0, state: str = "exit 0") -> Result:
    return Result("c1", state, exit_code, text)


def many(of: object, name: str) -> list[Fields]:
    """Return the rows that *of* has under *name*."""
    assert isinstance(of, Fields)
    found = of[name]
    assert isinstance(found, list)
    return found


def rows(walk: Walk, probe: str) -> list[Fields]:
    return many(walk.names()[probe], "rows")


def trays(walk: Walk) -> list[object]:
    return [row["tray"] for row in rows(walk, "oven")]


def test_what_has_no_result_is_ordered_with_its_reason() -> None:
    (order,) = walked({}).orders
    assert (order.probe, order.command, order.variant, order.origin) == ("oven", HOT, 0, None)
    assert order.why.en == "look at the oven"


def test_rows_have_their_fields_and_their_line() -> None:
    walk = walked({HOT: gave("oven of web1\nlow 90\nlid 99\ntop 280\n")})
    (seen,) = walk.seen
    low, top = rows(walk, "oven")
    assert (low["tray"], low["heat"], low["burnt"]) == ("low", 90, False)
    assert (top["burnt"], top[PLACE]) == (True, Place("c1", 4, 4))
    assert seen.names[PLACE] == Place("c1", 2, 4)


@pytest.mark.parametrize(
    "line", ["[... 99999999999 lines left out ...]", "[... 7 error lines of the oven ...]"]
)
def test_a_line_of_the_host_that_looks_like_a_cut_moves_no_line(line: str) -> None:
    (top,) = rows(walked({HOT: gave(f"{line}\ntop 280\n")}), "oven")
    assert top[PLACE] == Place("c1", 2, 2)


def test_facts_build_on_each_other_and_one_that_is_unknown_is_left_out() -> None:
    names = walked({HOT: gave("low 90\ntop 280\n")}).seen[0].names
    assert names["hottest"] == "top"
    assert [row["tray"] for row in many(names, "above")] == ["low"]
    assert "none" not in names


@pytest.mark.parametrize(
    "first",
    [
        gave("bash: hot: command not found\n", 127),
        gave("hot: unrecognized option '--all'\n", 1),
        gave("", 0),
        gave("all is well\n", 0),
    ],
)
def test_the_next_variant_is_asked_where_the_first_gives_nothing_usable(first: Result) -> None:
    (order,) = walked({HOT: first}).orders
    assert (order.command, order.variant) == ("warm", 1)
    assert trays(walked({HOT: first, "warm": gave("top=7\n")})) == ["top"]


@pytest.mark.parametrize("state", ["denied by the person, not run: no", "failed in phase connect"])
def test_what_did_not_run_is_not_tried_in_another_way(state: str) -> None:
    walk = walked({HOT: gave("", None, state)})
    assert walk.orders == []
    (unseen,) = walk.unseen
    assert (unseen.command, unseen.reason, unseen.ran) == (HOT, state, False)


def test_without_a_usable_answer_the_tools_own_words_are_told() -> None:
    missing = gave("bash: line 1: warm: command not found\n", 127)
    (unseen,) = walked({HOT: gave(""), "warm": missing}).unseen
    assert unseen.reason == "bash: line 1: warm: command not found"
    assert unseen.ran


def test_an_answer_may_be_empty_where_the_probe_says_so() -> None:
    origin = Origin("bakery.top", {"tray": "top"})
    assert walked({"list top": gave("", 1)}, "shelf", origin=origin).seen
    assert not walked({"list top": gave("", 127)}, "shelf", origin=origin).seen
    complained = gave("list: cannot open top: Permission denied\n", 1)
    assert not walked({"list top": complained}, "shelf", origin=origin).seen


def test_words_of_another_kind_and_an_exit_code_are_no_empty_answer() -> None:
    """A login shell that refuses says the same to every command."""
    refused = gave("This account is currently not available.\n", 1)
    (unseen,) = walked({"look": refused}, "window").unseen
    assert unseen.ran
    (nothing,) = walked({"look": gave("nobody there\n")}, "window").seen
    assert nothing.names["rows"] == []


def test_a_probe_is_asked_once_for_each_row_that_leads_to_it() -> None:
    walk = Walk({}, Fields({}))
    asked = [
        walk.visit("shelf", PROBES["shelf"], Origin("bakery.x", {"tray": tray}))
        for tray in ("top", "low", "top")
    ]
    assert asked == [True, True, False]
    assert [each.command for each in walk.orders] == ["list top", "list low"]


def test_a_probe_whose_values_are_unknown_is_not_asked() -> None:
    walk = Walk({}, Fields({}))
    assert not walk.visit("shelf", PROBES["shelf"], Origin("bakery.x", {"tray": None}))
    assert not walk.visit("shelf", PROBES["shelf"])
    assert (walk.orders, walk.unseen) == ([], [])


def test_values_reach_the_shell_quoted_and_lists_one_by_one() -> None:
    walk = Walk({}, Fields({}))
    files = ["/a b.log", "/$(reboot)"]
    walk.visit("diary", PROBES["diary"], Origin("bakery.x", {"files": files}))
    assert walk.orders[0].command == "tail '/a b.log' '/$(reboot)'"


def test_sections_give_their_rows_the_file_and_a_log_may_tell_of_missing_files() -> None:
    text = "==> /a <==\nERROR cp: no.csv: No such file or directory\n==> /b <==\nfine\n"
    origin = Origin("bakery.x", {"files": ["/a", "/b"]})
    walk = walked({"tail /a /b": gave(text)}, "diary", origin=origin)
    first, second = rows(walk, "diary")
    assert (first["file"], first["level"]) == ("/a", "ERROR")
    assert (second["file"], second["level"], second["text"]) == ("/b", None, "fine")


def test_several_runs_of_a_probe_are_joined_and_each_knows_its_origin() -> None:
    results = {"list top": gave("rye\n"), "list low": gave("oat\n")}
    walk = Walk(results, Fields({}))
    for tray in ("top", "low"):
        walk.visit("shelf", PROBES["shelf"], Origin("bakery.x", {"tray": tray}))
    assert [row["text"] for row in rows(walk, "shelf")] == ["rye", "oat"]
    of = [each["of"] for each in (*rows(walk, "shelf"), *many(walk.names()["shelf"], "runs"))]
    assert of == [{"tray": "top"}, {"tray": "low"}] * 2


def test_counts_of_a_pattern_and_braces_of_the_shell_are_no_expressions() -> None:
    command = "grep -oE '[0-9]{2,8}x{3}y{1,}' ${f} {row.file}"
    given = {"row": Fields({"file": "/a"}), "ask": Fields({})}
    filled = condition.fill(command, given, str)
    assert filled == "grep -oE '[0-9]{2,8}x{3}y{1,}' ${f} /a"
