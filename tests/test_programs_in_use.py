"""What the programs of networks, containers, clouds and clusters are told to do, line by line.

``programs_in_use.txt`` holds a risk and a command on each line; * marks what would not end.
"""

from pathlib import Path

import pytest

from walissh.safety import risk

LINES = [
    tuple(line.split(": ", 1))
    for line in Path(__file__).with_name("programs_in_use.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize(("told", "command"), LINES, ids=[command for _, command in LINES])
def test_a_program_is_judged_by_what_it_is_told_to_do(told: str, command: str) -> None:
    judged = risk.classify(command)
    assert judged.risk.value + "*" * judged.interactive == told, judged.reasons


def test_no_command_stands_twice() -> None:
    assert len({command for _, command in LINES}) == len(LINES)
