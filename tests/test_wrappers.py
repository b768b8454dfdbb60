"""Shell syntax and wrappers: what hides in them asks, what only reads does not."""

from pathlib import Path

import pytest

from walissh.react.turn import Risk
from walissh.safety import risk

HERE = Path(__file__).parent


def kinds(name: str) -> dict[str, list[str]]:
    """Return the command lines of a file by their heading; ⏎ stands for a line break."""
    parts = (HERE / name).read_text("utf-8").split("\n## ")[1:]
    named = [part.partition("\n") for part in parts]
    return {kind: rest.replace("⏎", "\0").splitlines() for kind, _, rest in named}


def judged(name: str, kind: str) -> dict[str, risk.Judgement]:
    found = [line.replace("\0", "\n") for line in kinds(name)[kind] if line]
    return {line: risk.classify(line) for line in found}


def runs(judgement: risk.Judgement) -> bool:
    return judgement.risk is Risk.READ_ONLY and not judgement.interactive


def asks(command: str) -> bool:
    return not runs(risk.classify(command))


@pytest.mark.parametrize("kind", kinds("shell_asks.txt"))
def test_what_hides_in_the_syntax_of_the_shell_asks(kind: str) -> None:
    assert [line for line, told in judged("shell_asks.txt", kind).items() if runs(told)] == []


@pytest.mark.parametrize("kind", kinds("wrapper_asks.txt"))
def test_what_a_wrapper_starts_asks(kind: str) -> None:
    assert [line for line, told in judged("wrapper_asks.txt", kind).items() if runs(told)] == []


@pytest.mark.parametrize("kind", kinds("shell_reads.txt"))
def test_everyday_lines_of_the_shell_need_no_click(kind: str) -> None:
    asked = {line: told for line, told in judged("shell_reads.txt", kind).items() if not runs(told)}
    assert asked == {}


def test_a_substitution_in_a_here_document_is_judged() -> None:
    assert asks("cat <<END\n${x:=$(reboot)}\nEND")


def test_a_script_in_a_here_document_is_named_by_what_it_destroys() -> None:
    assert risk.classify("sh <<'END'\nrm -rf /srv\nEND").risk is Risk.DESTRUCTIVE


def test_wrappers_nested_beyond_the_limit_are_opaque() -> None:
    assert risk.classify("nice " * 12 + "uptime").risk is Risk.OPAQUE


@pytest.mark.parametrize(
    "command", ["ls &>/dev/null", "[[ -f x ]]", "echo $'a\\'b'", "cat <(ls)", "ls |& cat"]
)
def test_what_other_shells_read_otherwise_is_opaque_for_sh(command: str) -> None:
    assert risk.classify(command, "sh").risk is Risk.OPAQUE


def test_what_all_shells_read_alike_is_read_for_sh() -> None:
    for command in ("df -h | tail -n 3", "for i in 1 2; do date; done", "ls > /dev/null 2>&1"):
        assert risk.classify(command, "sh").risk is Risk.READ_ONLY


def test_lines_before_one_that_cannot_be_parsed_are_judged() -> None:
    assert risk.classify("rm -rf /srv\n)").risk is Risk.DESTRUCTIVE
