"""What a line shows counts whatever else the line does."""

import pytest

from walissh.react.circumstances import Circumstances, GateRule
from walissh.react.host import Auth, Host
from walissh.react.turn import Decision, Risk
from walissh.safety import risk
from walissh.safety.policy import ReadOnlyGate
from walissh.store.commands import identity_of

HOST = Host("h", "p", "web1", "192.0.2.1", 22, "ops", Auth.KEY)
SHOWN = (
    "touch /tmp/x; cat /etc/shadow",
    "cat /etc/shadow | tee /tmp/o",
    "touch x && kubectl get secret db -o yaml",
    "bash -c 'touch x; cat /root/.ssh/id_rsa'",
)


@pytest.mark.parametrize("command", SHOWN)
def test_a_change_on_the_line_does_not_hide_that_it_shows_credentials(command: str) -> None:
    judged = risk.classify(command)
    assert judged.risk is Risk.MUTATING
    assert judged.exposes
    assert len(judged.reasons) > 1  # both what it changes and what it shows


@pytest.mark.parametrize("command", SHOWN)
def test_no_rule_lets_a_line_run_that_shows_credentials_too(command: str) -> None:
    rule = GateRule("r", "p", "allow", host_id="h", host_identity=identity_of(HOST))
    verdict = ReadOnlyGate().judge(command, HOST, "en", Circumstances(rules=(rule,)))
    assert verdict.decision is Decision.ASK


def test_a_line_that_only_changes_something_exposes_nothing() -> None:
    assert not risk.classify("touch /tmp/x; cat /etc/hostname").exposes
