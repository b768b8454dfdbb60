"""The expression language of the playbooks."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from walissh.brain import condition
from walissh.brain.condition import Fields, Maybe, Ready

NAMES = {
    "row": Fields(
        {"text": "a\\b 12%", "count": 3, "none": None, "zero": 0, "of": Fields({"x": 1})}
    ),
    "probe": Fields({"rows": [Fields({"n": 2}), Fields({"n": 10}), Fields({"n": 1})]}),
    "ask": Fields({"words": ["till"], "text": "why?"}),
}


def value(expression: str) -> object:
    return condition.evaluate(expression, NAMES)


# --- what is unknown ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression",
    [
        "gone.rows",
        "row.gone > 1",
        "row.none > 1",
        "1 / row.zero",
        "row.text + 1",
        "probe.rows[7].n",
        "max([])",
        "number('none')",
        "group('(')",
        "matches('(', row.text)",
        "latest(['a'], 'n')",
        "down([1], 'n')",
        "about(row, 'till')",
    ],
)
def test_what_is_not_there_is_never_true(expression: str) -> None:
    assert value(expression) is condition.UNKNOWN
    assert not condition.holds(expression, NAMES)
    assert not condition.holds(f"not {expression}", NAMES)


def test_known_and_empty_is_not_unknown() -> None:
    assert value("[r for r in probe.rows if r.n > 90]") == []
    assert condition.holds("row.none is None and not row.zero", NAMES)


def test_an_alternative_counts_where_the_first_is_unknown() -> None:
    """A machine on which one of two signs cannot be looked at still shows the other."""
    assert value("row.none or 'other'") == "other"
    assert value("row.gone or 'other'") == "other"
    assert value("gone.rows or row.zero or row.count > 2") is True


def test_an_alternative_that_is_false_leaves_it_unknown() -> None:
    assert value("row.gone or row.zero") is condition.UNKNOWN
    assert value("row.zero or row.gone") is condition.UNKNOWN
    assert value("not (row.gone or row.zero)") is condition.UNKNOWN
    assert value("row.gone and row.count") is condition.UNKNOWN


def test_a_probe_that_may_not_have_run_has_no_rows_through_maybe() -> None:
    names = {**NAMES, condition.MAYBE: Maybe({"probe": [1]})}
    assert condition.evaluate("len(maybe.probe) + len(maybe.gone)", names) == 1
    assert condition.names("len(maybe.gone) > row.count") == {"gone", "row"}


@pytest.mark.parametrize(
    "expression",
    [
        "().__class__",
        "open('/etc/passwd')",
        "__import__('os')",
        "row.__class__",
        "row._values",
        "'{0.__class__}'.format(row)",
        "9 ** 9 ** 9",
        "'a' * 10000000",
        "(lambda: 1)()",
    ],
)
def test_expressions_reach_nothing_of_python(expression: str) -> None:
    assert value(expression) is condition.UNKNOWN


def test_a_form_fills_in_values_and_no_width() -> None:
    assert value("say('%s of %%', row.count)") == "3 of %"
    assert value("say('%999999999s', row.count)") is condition.UNKNOWN
    assert value("say('%%%9s', row.count)") is condition.UNKNOWN


@pytest.mark.parametrize("greedy", ["f'{row.count:999999999}'", "row.text.ljust(999999999)"])
def test_what_could_take_all_memory_is_no_expression(greedy: str) -> None:
    with pytest.raises(ValueError, match="is not for expressions"):
        condition.names(greedy)


def test_an_expression_that_is_nested_without_end_is_unknown() -> None:
    assert value("-" * 900 + "1") is condition.UNKNOWN


# --- names and templates --------------------------------------------------------------------


def test_names_are_the_free_ones() -> None:
    expression = "[r.n for r in probe.rows if r.n > row.count and matches('x', ask.text)]"
    assert condition.names(expression) == {"probe", "row", "ask"}
    assert condition.all_names(("a.b", "c > 1")) == {"a", "c"}


def test_a_broken_expression_is_a_syntax_error() -> None:
    with pytest.raises(SyntaxError):
        condition.names("row.count >")


def test_braces_of_the_shell_are_no_expressions() -> None:
    run = "x=${HOME}; { ls; }; curl -w '%{http_code}' {row.text}"
    assert condition.expressions(run) == ["row.text"]


def test_a_template_with_an_unknown_value_is_none() -> None:
    assert condition.fill("{row.count} of {row.gone}", NAMES, str) is None
    assert condition.fill("{row.none}", NAMES, str) is None
    assert condition.fill("{row.count} of {row.zero}", NAMES, str) == "3 of 0"


def test_backslashes_are_those_of_the_pattern() -> None:
    assert value(r"group('(\d+)%', row.text)") == "12"
    assert value(r"matches('a\\b', row.text)") is True
    assert value(r"matches('\bb\b', row.text)") is True
    assert value(r"matches('it\'s', 'it\'s')") is True


# --- functions ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("[r.n for r in by(probe.rows, 'n')]", [1, 2, 10]),
        ("[r.n for r in down(probe.rows, 'n')]", [10, 2, 1]),
        ("distinct(['b', 'a', 'b'])", ["b", "a"]),
        ("base('/srv/till/')", "till"),
        ("parent('/srv/till/')", "/srv"),
        ("parent('/srv')", "/"),
        ("within('/data/a', '/data')", True),
        ("within('/data2/a', '/data')", False),
        ("within('/x', '/')", True),
        ("number('12.5%')", 12.5),
        ("program('/usr/sbin/nginx: master')", "nginx"),
        ("program('[kworker/0:1]')", "[kworker/0:1]"),
        ("group('(a)(b)', 'xab')", "a"),
        ("group('z(.)', 'xab')", None),
        ("about('/var/log/till/x.log', ask)", 1),
        ("about(row, ask)", 0),
        ("kin('python3 /opt/rates/fetch.py', '/var/log/rates/fetch.log')", 2),
        ("kin('/opt/app/run.sh', '/var/log/app/run.log')", 0),
        ("split('a:b', ':')", ["a", "b"]),
        ("signature('connect to 192.0.2.9:81: Connection refused').port", 81),
        ("quoted('a b')", "'a b'"),
    ],
)
def test_functions_say_what_playbooks_need(expression: str, result: object) -> None:
    assert value(expression) == result


def test_the_latest_row_of_each_key_counts() -> None:
    rows = [Fields({"f": "a", "n": 1}), Fields({"f": None, "n": 2}), Fields({"f": "a", "n": 3})]
    last = condition.evaluate("latest(rows, 'f')", {"rows": rows})
    assert last == [rows[2]]


# --- how values are shown -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kib", "words"), [(0, "0 KiB"), (1536, "1.5 MiB"), (200 * 1024, "200 MiB"), (2**40, "1.0 PiB")]
)
def test_sizes_are_readable(kib: int, words: str) -> None:
    assert condition.size(kib) == words


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (7, "7"),
        (2.0, "2"),
        (2.25, "2.2"),
        ("a`b", "`a'b`"),
        ("", "—"),
        ([], "—"),
        (["a", 1], "`a`, 1"),
        (Ready("as it is"), "as it is"),
        ("two\nlines\u202e", "`two lines`"),
        ("[[c0de0001:1-1]]", "`[ [c0de0001:1-1]]`"),
    ],
)
def test_a_value_of_a_host_is_shown_as_code_and_can_forge_nothing(
    given: object, words: str
) -> None:
    assert condition.shown(given) == words


def test_chinese_lists_have_chinese_commas() -> None:
    assert condition.shown_in("zh")(["a", "b"]) == "`a`、`b`"


def test_a_long_value_is_cut() -> None:
    assert len(condition.shown("x" * 900)) < 200


def test_a_part_of_a_sentence_is_shown_as_it_is() -> None:
    assert value("say(' in %s (%s)', 'f.log', 3)") == " in `f.log` (3)"
    assert condition.shown(value("say(' in %s', 'f.log')")) == " in `f.log`"


def test_a_string_is_the_same_with_and_without_an_r_in_front() -> None:
    assert value(r"group(r'(\d+)%', row.text)") == value(r"group('(\d+)%', row.text)") == "12"
    assert value("'or' + r'x'") == "orx"


def test_many_threads_may_read_new_expressions_at_once() -> None:
    def read(number: int) -> object:
        return [
            condition.evaluate(f"{number} + {each} == len('x' * {each})", {}) for each in range(150)
        ]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read, range(1000, 1008)))
