"""Shell syntax and wrappers: what hides in them asks, what only reads does not."""

from pathlib import Path

import pytest

from walissh.react.turn import Risk
from walissh.safety import risk

HERE = Path(__file__).parent


def lines(name: str) -> list[str]:
    """Return the command lines of a file; headings and blank lines are not among them."""
    found = (HERE / name).read_text("utf-8").splitlines()
    return [line for line in found if line and not line.startswith("#")]


def asks(command: str) -> bool:
    judged = risk.classify(command)
    return judged.risk is not Risk.READ_ONLY or judged.interactive


@pytest.mark.parametrize("command", lines("shell_asks.txt"))
def test_what_hides_in_the_syntax_of_the_shell_asks(command: str) -> None:
    assert asks(command)


@pytest.mark.parametrize("command", lines("wrapper_asks.txt"))
def test_what_a_wrapper_starts_asks(command: str) -> None:
    assert asks(command)


@pytest.mark.parametrize("command", lines("shell_reads.txt"))
def test_everyday_lines_of_the_shell_need_no_click(command: str) -> None:
    judged = risk.classify(command)
    assert (judged.risk, judged.interactive) == (Risk.READ_ONLY, False), judged.reasons


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
