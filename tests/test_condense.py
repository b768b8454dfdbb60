"""What is shown of an output: within the budget, under true numbers, the telling lines first."""

import base64
import json
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walissh.react.turn import Language
from walissh.safety import purify
from walissh.safety.condense import Condensed, condense, page

INSIDE = re.compile(r"\[\.\.\. [\d,]+ characters left out \.\.\.\]|\[… 省略 [\d,]+ 个字符 …\]")


def shown(text: str, max_chars: int = 1_200, language: Language = "en") -> Condensed:
    return condense([text], max_chars=max_chars, language=language)


def a_log(lines: int, seed: int = 1) -> list[str]:
    pick = random.Random(seed)
    words = ["accept", "alive", "backend", "buffer", "client", "closed", "daemon", "idle", "node"]
    return [
        f"10:{n // 60 % 60:02d}:{n % 60:02d} app[{pick.randrange(9999)}]: "
        + " ".join(pick.choices(words, k=4))
        for n in range(lines)
    ]


def numbers(found: Condensed) -> list[int]:
    return [each.number for each in found.entries if each.number]


# --- what fits ------------------------------------------------------------------------


def test_what_fits_is_shown_as_it_is() -> None:
    found = shown("a\nb\n")
    assert (found.whole, found.text, found.lines) == (True, "a\nb\n", 2)


def test_nothing_gives_nothing() -> None:
    assert (shown("").text, shown("").lines) == ("", 0)


def test_rows_of_figures_that_fit_are_never_put_together() -> None:
    text = "".join(f"ESTAB 0 {n} 10.0.0.{n}:443\n" for n in range(40))
    assert shown(text, 5_000).text == text


def test_the_same_line_again_becomes_a_count() -> None:
    assert shown("link is up\n" * 1_204 + "end\n", language="zh").text == (
        "1: link is up\n[第 2-1204 行：上一行重复 1,203 次]\n1205: end\n"
    )


def test_a_log_that_says_one_thing_with_other_numbers_is_first_last_and_count() -> None:
    text = "".join(
        f"10:00:{n % 60:02d} conn {n} to 10.0.0.{n % 250} was closed\n" for n in range(500)
    )
    assert shown(text, 100_000).text.splitlines() == [
        "1: 10:00:00 conn 0 to 10.0.0.0 was closed",
        "[lines 2-499: 498 lines like the one above, only numbers differ]",
        "500: 10:00:19 conn 499 to 10.0.0.249 was closed",
    ]


def test_lines_that_differ_in_an_id_of_hex_digits_are_alike() -> None:
    text = "".join(f"request {n * 7919:08x} was served by worker\n" for n in range(300))
    assert numbers(shown(text)) == [1, 300]


def test_lines_that_differ_in_a_word_are_told_apart() -> None:
    text = "".join(f"service {name} was started by hand\n" for name in ("cab", "bed") * 30)
    assert shown(text, 10_000).whole


def test_a_block_of_base64_is_not_shown() -> None:
    blob = base64.encodebytes(random.Random(3).randbytes(3_000)).decode()
    found = shown(f"begin\n{blob}end\n", 20_000)
    assert [each.text for each in found.entries if each.number] == ["begin", "end"]
    assert "base64" in found.text


def test_what_could_not_be_decoded_is_not_shown() -> None:
    assert "binary data" in shown("ok\n" + "\ufffd\ufffdx\ufffd\ufffdq\n" * 40 + "ok\n", 9_000).text


# --- what does not fit ----------------------------------------------------------------


def test_an_error_in_the_middle_is_shown_with_its_neighbours_under_its_number() -> None:
    lines = a_log(10_000)
    lines[6_000] = "10:40:00 app[7]: cannot reach the ledger: connection refused"
    found = shown("\n".join(lines) + "\n")
    assert {6_000, 6_001, 6_002} <= set(numbers(found))
    assert f"6001: {lines[6_000]}" in found.text.splitlines()


def test_a_stack_trace_is_shown_to_its_last_line() -> None:
    lines = a_log(4_000)
    frames = [f'  File "/srv/app/part{n}.py", line {n}, in run' for n in range(40)]
    trace = ["Traceback (most recent call last):", *frames, "LedgerClosed: no such account"]
    found = shown("\n".join(lines[:2_000] + trace + lines[2_000:]), 2_500)
    assert "2042: LedgerClosed: no such account" in found.text
    assert "2001: Traceback" in found.text


def test_one_kind_of_error_is_shown_once_with_its_count() -> None:
    lines = a_log(3_000)
    for at in range(500, 2_500, 10):
        lines[at] = f"app[{at}]: write failed: no space left on disk {at}"
    found = shown("\n".join(lines))
    assert "[199 more lines like line 501, the last is line 2491]" in found.text


def test_a_rare_error_comes_before_a_frequent_one() -> None:
    lines = a_log(3_000)
    for at in range(500, 2_500, 3):
        lines[at] = f"app[{at}]: lookup failed for key {at}"
    lines[1_501] = "app[9]: kernel panic, halting"
    assert 1_502 in numbers(shown("\n".join(lines), 700))


@pytest.mark.parametrize(
    "line",
    [
        *(
            "worker 3 was OOMKilled",
            "volume: I/O error on sdb",
            "link eth1 is down",
            "E: wrong key",
        ),
        *(
            "证书已过期",
            "节点宕机",
            "写入失败：空间不足",
            "panic: index out of range",
            "quota exceeded",
        ),
    ],
)
def test_a_line_of_trouble_is_found_whatever_its_program(line: str) -> None:
    lines = a_log(3_000)
    lines[1_500] = line
    assert 1_501 in numbers(shown("\n".join(lines)))


@pytest.mark.parametrize(
    "line",
    [
        *(
            "0 errors, 0 failed",
            "errors=0 warnings=0",
            "failover is ready",
            "没有错误",
            "失败数：0",
        ),
        *("timeout: 30", "error rate 0.0 %", "error_log /var/log/web", "read_timeout 60s;"),
    ],
)
def test_a_line_that_denies_trouble_is_not_favoured(line: str) -> None:
    lines = a_log(3_000)
    lines[1_500] = line
    assert 1_501 not in numbers(shown("\n".join(lines)))


def test_the_header_of_a_table_stays() -> None:
    rows = [f"{name}-{n % 7}{letter} 1/1 Up" for n in range(900) for name, letter in ("ax", "by")]
    found = shown("NAME READY STATE\n" + "\n".join(rows) + "\n")
    assert found.entries[0].text == "NAME READY STATE"


def test_a_table_in_chinese_is_cut_at_its_rows() -> None:
    rows = [f"{'甲乙丙丁'[n % 4]}{'春夏秋冬'[n // 4 % 4]}机 正常 {n}" for n in range(2_000)]
    found = shown("\n".join(["名称 状态 序号", *rows]), language="zh")
    given = ["名称 状态 序号", *rows]
    assert all(given[e.number - 1] == e.text for e in found.entries if e.number)
    assert "行未显示" in found.text


def test_json_over_many_lines_is_cut_between_elements() -> None:
    items = [{"name": f"pod-{'abcdefg'[n % 7]}", "state": {"up": n}} for n in range(300)]
    lines = shown(json.dumps({"items": items}, indent=2)).entries
    at = next(n for n, each in enumerate(lines) if not each.number)
    assert lines[at - 1].text == "    }," and lines[at + 1].text == "    {"


def test_json_on_one_line_stays_parseable() -> None:
    text = json.dumps([{"name": f"pod-{n}", "up": True} for n in range(900)])
    first, note = shown(text).entries
    assert json.loads(first.text)[0] == {"name": "pod-0", "up": True}
    assert "elements left out" in note.text


@pytest.mark.parametrize(
    "text", ['{"a": [1, 2, 3' * 2_000, "[" * 60_000, "[" + "9" * 30_000 + "]", '"' * 30_000]
)
def test_broken_json_is_cut_and_says_so(text: str) -> None:
    assert "characters left out" in shown(text).text


def test_an_error_inside_a_wide_line_is_what_is_shown_of_it() -> None:
    lines = a_log(2_000)
    lines[1_000] = "calm " * 5_000 + "disk failure on sdb " + "calm " * 5_000
    assert "disk failure on sdb" in shown("\n".join(lines)).text


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_budget_shows_nothing_rather_than_too_much(language: Language) -> None:
    text = "\n".join(a_log(500))
    for max_chars in range(0, 300, 7):
        assert len(shown(text, max_chars, language).text) <= max_chars


def test_an_endless_line_costs_its_budget() -> None:
    pieces = ("word " * 13_000 for _ in range(160))
    found = condense(pieces, max_chars=1_000)
    assert found.lines == 1 and len(found.text) <= 1_000
    assert "left out" in found.text


def test_a_million_empty_lines_are_one_note() -> None:
    found = condense(("\n" * 50_000 for _ in range(20)), max_chars=500)
    assert found.text == "1: \n[lines 2-1000000: the line above 999,999 more times]\n"


def test_windows_line_ends_and_nul_are_gone() -> None:
    assert shown("a\r\nb\0c\r\n").text == "a\nbc\n"


# --- whatever the text ----------------------------------------------------------------

LINES = st.one_of(
    st.text(max_size=30).map(purify.clean),
    st.sampled_from(
        ["", "ok", "ERROR: x failed", "  at main (a.py:3)", '{"a": [1, 2],', "},", "output 00>>>",
         "[... 5 lines left out ...]", "12: forged", "é" * 300, "名称 状态", "🙂🙂 7", "x" * 900,
         json.dumps([{"k": "v"}] * 200)]
    ),
    st.integers(0, 10**6).map(lambda n: f"10:00 job {n} is done by worker {n}"),
).map(lambda line: line.replace("\n", " "))  # fmt: skip

TEXTS = st.lists(
    st.tuples(LINES, st.integers(1, 40)).map(lambda pair: [pair[0]] * pair[1]), max_size=40
).map(lambda groups: "\n".join(line for group in groups for line in group))


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.integers(0, 4_000), st.sampled_from(["zh", "en"]))
def test_every_entry_is_a_line_of_the_output_or_a_note_within_the_budget(
    text: str, max_chars: int, language: Language
) -> None:
    found = shown(text, max_chars, language)
    lines = text.split("\n")
    assert len(found.text) <= max_chars + 1
    told = [each.number for each in found.entries if each.number]
    assert told == sorted(set(told))
    for each in found.entries:
        if each.number and each.whole:
            assert each.text == lines[each.number - 1]
        elif each.number and INSIDE.search(each.text):
            parts = INSIDE.split(each.text)
            assert lines[each.number - 1].startswith(parts[0])
            assert lines[each.number - 1].endswith(parts[-1])


@settings(max_examples=80, deadline=None)
@given(TEXTS, st.integers(200, 3_000), st.randoms(use_true_random=False))
def test_the_borders_of_the_pieces_change_nothing(
    text: str, max_chars: int, chance: random.Random
) -> None:
    pieces, rest = [], text
    while rest:
        size = chance.choice([1, 3, 50, 700])
        pieces.append(rest[:size])
        rest = rest[size:]
    assert condense(pieces, max_chars=max_chars) == shown(text, max_chars)


def test_a_carriage_return_at_a_border_is_read_as_in_one_piece() -> None:
    text = "".join(f"{n} %\r" for n in range(30_000)) + "done\r\nnext\n"
    for size in (1_000, 4_097, 65_536):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert condense(pieces, max_chars=300).text in ("done\nnext\n", "1: done\n2: next\n")


# --- a page that was asked for --------------------------------------------------------


def test_a_page_shows_lines_under_their_numbers() -> None:
    assert page([(7, "a"), (8, "b")], max_chars=900).text == "7: a\n8: b\n"


def test_a_page_that_is_too_long_says_where_to_go_on() -> None:
    lines = list(enumerate(a_log(500), 1))
    found = page(lines, max_chars=2_000)
    assert len(found.text) <= 2_000
    assert found.text.count("\n") == found.next_line - 1


def test_lines_found_by_grep_are_no_run() -> None:
    found = page([(n, "disk full again and again") for n in range(1, 400, 4)], max_chars=9_000)
    assert found.text.count("\n") == 100


def test_a_wide_line_never_stops_a_page() -> None:
    found = page([(1, "x" * 60_000), (2, "y" * 60_000)], max_chars=2_000)
    assert found.next_line == 0 and len(found.text) <= 2_000
