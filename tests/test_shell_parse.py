"""Taking command lines apart with the real parser."""

import threading

import pytest

from walissh.safety import shell


def programs(command: str) -> list[str | None]:
    return [each.words[0].literal for each in shell.parse(command).commands if each.words]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("a; b && c || d", ["a", "b", "c", "d"]),
        ("a | b |& c", ["a", "b", "c"]),
        ("(a; { b; })", ["a", "b"]),
        ("echo $(a `b`)", ["echo", "a", "b"]),
        ("cat <(a) > >(b)", ["cat", "a", "b"]),
        ("for i in $(a); do b; done", ["b", "a"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("while a; do b; done", ["a", "b"]),
        ("case $(a) in x) b;; esac", ["a", "b"]),
        ("f() { a; }; f", ["a"]),
        ("x=$(a) b", ["b", "a"]),
        ('echo "${x:-$(a)}"', ["echo", "a"]),
        ("[[ -f $(a) ]] && (( $(b) ))", ["a", "b"]),
        ("time a & b", ["a", "b"]),
        ("a\nb", ["a", "b"]),
    ],
)
def test_every_simple_command_is_found(command: str, expected: list[str]) -> None:
    assert sorted(map(str, programs(command))) == sorted(expected)


def test_command_inside_a_here_document_is_found() -> None:
    assert programs("cat <<END\n$(reboot)\nEND") == ["cat", "reboot"]


def test_quoted_here_document_runs_nothing() -> None:
    assert programs("cat <<'END'\n$(reboot)\nEND") == ["cat"]


@pytest.mark.parametrize("spelling", ["'r'm", '"r"m', "r\\m", "r''m", "$'rm'"])
def test_quotes_do_not_hide_a_program(spelling: str) -> None:
    assert programs(f"{spelling} x") == ["rm"]


@pytest.mark.parametrize("word", ["$x", "${x}y", "`a`", "${x:-y}", "$'\\xe9'", "$((1))"])
def test_word_that_depends_on_the_run_is_not_literal(word: str) -> None:
    assert shell.parse(f"echo {word}").commands[0].words[1].literal is None


def test_redirections_keep_their_targets() -> None:
    redirects = shell.parse("a >x 2>&1 <y").commands[0].redirects
    assert [(r.op, r.fd, r.target and r.target.literal) for r in redirects] == [
        (">", "", "x"),
        (">&", "2", "1"),
        ("<", "", "y"),
    ]


def test_redirection_of_a_block_is_found() -> None:
    line = shell.parse("{ a; } > x")
    assert [r.op for each in line.commands for r in each.redirects] == [">"]


def test_loop_values_are_known_and_what_is_unsure_has_none() -> None:
    line = shell.parse("for i in a b; do x $i; done; y=$(z)")
    assert dict(line.values) == {"i": ("a", "b"), "y": (shell.SPLIT,)}


@pytest.mark.parametrize(
    ("command", "construct"),
    [
        ("true && f() { a; }", "FuncDecl"),
        ("ls() { a; }", "FuncDecl"),
        ("let 'a[$(b)]=1'", "arithmetic"),
        ("declare -i x=1", "declare …"),
        ("export PATH=/tmp", "export PATH"),
        ("echo $((x))", "arithmetic"),
        ("[[ 'a[$(b)]' -eq 0 ]]", "test"),
        ("[[ -v 'a[$(b)]' ]]", "test"),
        ('echo "${x@P}"', "expansion"),
        ("coproc a", "CoprocClause"),
        ("for ((i=x;;)); do a; done", "arithmetic"),
        ("a[$x]=1", "index"),
    ],
)
def test_construct_that_the_parts_do_not_tell_is_named(command: str, construct: str) -> None:
    assert construct in shell.parse(command).odd


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("ls\rrm x", "control"),
        ("ls\0", "control"),
        ("\x1b[2Jls", "control"),
        ("ls \u202e x", "invisible"),
        ("l\u200bs", "invisible"),
        ("ls\u00a0-l", "invisible"),
        ("\u0441at x", "lookalike"),
        ("ls (", "syntax"),
        ("echo 'x", "syntax"),
        ("x" * 100_001, "too_long"),
        ("错" * 40_000, "too_long"),
        ("(" * 10_000, "too_deep"),
        ("echo \ud800", "control"),
    ],
)
def test_unreadable_line_says_why(command: str, fault: str) -> None:
    assert shell.parse(command).fault == fault


def test_chinese_text_is_readable() -> None:
    assert shell.parse("grep '错误' /var/log/app.log").fault == ""


def test_parsing_from_many_threads_gives_the_same() -> None:
    found: list[list[str | None]] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(programs(f"echo {n} | cat")))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["echo", "cat"]] * 8
