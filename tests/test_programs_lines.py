"""The list of programs on whole lines: what must ask, and what may run without a click."""

from pathlib import Path

import pytest

from walissh.react.turn import Risk
from walissh.safety import risk, table

HERE = Path(__file__).parent
ASKS = (HERE / "programs_asks.txt").read_text("utf-8").splitlines()
READS = (HERE / "programs_reads.txt").read_text("utf-8").splitlines()
# programs that are listed with what they change, and whose bare use only reads
BARE_READS = frozenset(
    (HERE / "programs_bare.txt").read_text("utf-8").split()
)  # fmt: skip


def runs_unasked(command: str) -> bool:
    judged = risk.classify(command)
    return judged.risk is Risk.READ_ONLY and not judged.interactive


@pytest.mark.parametrize("command", ASKS)
def test_a_second_use_behind_a_reading_one_asks(command: str) -> None:
    assert not runs_unasked(command)


@pytest.mark.parametrize("command", READS)
def test_a_plain_look_runs_without_a_click(command: str) -> None:
    assert runs_unasked(command)


def test_each_program_whose_bare_use_reads_though_others_change_was_looked_at() -> None:
    reads = {
        name
        for name, rule in table.rules().items()
        if rule.risk not in {None, Risk.READ_ONLY}
        for args in ((), ("x",), ("/x", "y"))
        if not table.read(rule, args, fed=True).code
    }
    assert sorted(reads - BARE_READS) == []


@pytest.mark.parametrize(
    "command",
    [
        "> /var/log/mail.log",
        ": > /var/log/app/access.log",
        "echo > /var/log/btmp",
        "cat /dev/null > /var/log/lastlog",
        "echo 'eve::0:0::/root:/bin/sh' >> /etc/passwd",
        "echo 'eve ALL=(ALL) ALL' >> /etc/sudoers.d/eve",
        "sed -i '/x/d' /etc/fstab",
        "mount --bind /dev/null /etc/passwd",
        "nginx -s quit",
        "zfs destroy -v tank/x",
        "wipefs -a /dev/sdq",
        "ss -K dst 10.1.0.0/16",
        "gluster volume stop gv3",
    ],
)
def test_what_cannot_be_taken_back_is_called_destructive(command: str) -> None:
    assert risk.classify(command).risk is Risk.DESTRUCTIVE
