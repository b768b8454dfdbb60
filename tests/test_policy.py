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
                                     "ls (", "ls\r", "cat /etc/shadow"])  # fmt: skip
def test_everything_else_waits_for_a_click(command: str) -> None:
    assert decide(command) is Decision.ASK


def test_endless_command_is_refused_with_the_form_that_works() -> None:
    verdict = GATE.judge("top", HOST, "en")
    assert (verdict.decision, verdict.interactive) == (Decision.DENY, True)
    assert "top -b -n 1" in verdict.reasons[0]


@pytest.mark.parametrize("command", ["", " \n\t", "ls\0", "x" * 100_001])
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
     ":(){ :|:& };:", "find / -delete", "chmod -R 777 /", "r\\m -rf '/'"],
)  # fmt: skip
def test_never_list_is_refused(command: str) -> None:
    verdict = GATE.judge(command, HOST, "en")
    assert (verdict.decision, verdict.risk) == (Decision.DENY, Risk.DESTRUCTIVE)


@pytest.mark.parametrize("command", ["rm -rf /srv/cache", "rm -rf /tmp/*", "echo 'rm -rf /'",
                                     "grep -c 'rm -rf /' /var/log/app.log"])  # fmt: skip
def test_never_list_is_not_wider_than_it_says(command: str) -> None:
    assert decide(command) is not Decision.DENY


def test_reasons_come_in_the_language_asked_for() -> None:
    assert GATE.judge("rm x", HOST, "zh").reasons == ("“rm x”会改变这台机器。",)
    assert GATE.judge("rm x", HOST, "en").reasons == ("“rm x” changes the machine.",)
