"""The gate's decisions."""

import pytest

from walissh.react.host import Auth, Host
from walissh.react.needs import Gate
from walissh.react.turn import (
    Decision,
    Risk,
)
from walissh.safety.policy import ReadOnlyGate

HOST = Host(
    id="h1", owner_id="u1", name="web1", address="192.0.2.1", port=22, user="root", auth=Auth.AUTO
)
GATE: Gate = ReadOnlyGate()


def decide(command: str) -> Decision:
    return GATE.judge(command, HOST, "en").decision


def test_reading_command_runs_at_once() -> None:
    assert decide("systemctl status nginx --no-pager") is Decision.ALLOW


@pytest.mark.parametrize("command", ["systemctl restart nginx", "rm -rf /srv/x", "frobnicate",
     "env",
                                     "ls (", "ls\u200b", "cat /etc/shadow"])  # fmt: skip
def test_everything_else_waits_for_a_click(command: str) -> None:
    assert decide(command) is Decision.ASK


def test_endless_command_is_refused_with_the_form_that_works() -> None:
    verdict = GATE.judge("top", HOST, "en")
    assert (verdict.decision, verdict.interactive) == (Decision.DENY, True)
    assert "top -b -n 1" in verdict.reasons[0]


@pytest.mark.parametrize(
    "command",
    [
        "",
        " \n\t",
        "ls\0",
        "x" * 100_001,
        "touch /tmp/a\rreboot",
        "touch /tmp/a\u202eb",
        "ls\x1b[2K",
        "ls \u2066x\u2069",
        "echo 'a\x85b'",
        "ls\U000e0041",
    ],
)
def test_what_cannot_be_run_is_refused_in_words(command: str) -> None:
    verdict = GATE.judge(command, HOST, "zh")
    assert verdict.decision is Decision.DENY
    assert verdict.reasons[0]


@pytest.mark.parametrize(
    "command",
    ["rm -rf /", "rm -fr /*", "sudo rm -rf /", "sudo -n bash -c 'rm -rf /'",
    "rm -r -f --no-preserve-root /",
     "uptime; rm -rf /etc", "/bin/rm -rf / ", "rm -rf ~", "mkfs.ext4 /dev/sda",
     "dd if=x of=/dev/sda",
     ":(){ :|:& };:", "find / -delete", "chmod -R 777 /", "r\\m -rf '/'",
     "cat x > /dev/sda", "cat x >| /dev/nvme0n1p2", "echo b > /proc/sysrq-trigger",
     "echo c | sudo tee /proc/sysrq-trigger", "sudo sh -c 'cat image > /dev/vda1'",
     "cd / && rm -rf *", "cd /; sudo rm -rf ./*", "cd /usr/local/.. && rm -rf .",
     "cd / && cd etc && rm -rf *", "bash -c 'cd /var && rm -fr *'", "rm -rf /srv/../",
     "cd && rm -rf *", "cd / && bash -c 'rm -rf usr'", "zcat i.gz | tee /dev/sda",
     "cp image /dev/sda", "mkfs.ext4 /dev/sda1", "mkfs -t xfs /dev/nvme0n1p1",
     "wipefs --all /dev/vda", "dd if=/dev/zero of=/dev/sda2 bs=1M", "shred -n 1 /dev/sda3",
     "sgdisk --zap-all /dev/sda", "parted -s /dev/vda mklabel gpt", "{ zcat a; } > /dev/sda",
     "cryptsetup -q luksFormat /dev/sda2 key", "exec 3<> /dev/sda"],
)  # fmt: skip
def test_never_list_is_refused(command: str) -> None:
    verdict = GATE.judge(command, HOST, "en")
    assert (verdict.decision, verdict.risk) == (Decision.DENY, Risk.DESTRUCTIVE)


@pytest.mark.parametrize("command", ["rm -rf /srv/cache", "rm -rf /tmp/*", "echo 'rm -rf /'",
    "cat x > /tmp/sda", "cp /dev/sda image", "dd if=/dev/sda of=image", "cd /srv && rm -rf *",
    "cd / && cd /tmp && rm -rf *", "mkfs.ext4 /dev/sdb1", "cd / && rm -rf srv/old",
    "wipefs /dev/sda", "cd $DIR && rm -rf *", "cat < /dev/sda",
    "cd /etc && rm -rf nginx", "echo > /dev/null",
    "rm -rf ../*", "cd /home && rm -rf ann", "tee /tmp/dev/sda", "sgdisk -p /dev/sda",
                                     "grep -c 'rm -rf /' /var/log/app.log"])  # fmt: skip
def test_never_list_is_not_wider_than_it_says(command: str) -> None:
    assert decide(command) is not Decision.DENY


def test_reasons_come_in_the_language_asked_for() -> None:
    assert GATE.judge("rm x", HOST, "zh").reasons == ("“rm x”会改变这台机器。",)
    assert GATE.judge("rm x", HOST, "en").reasons == ("“rm x” changes the machine.",)
