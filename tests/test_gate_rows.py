"""What hurts people who let an agent at their servers, one fact each, at the gate itself."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from walissh.react.circumstances import ADMIN, OPERATOR, Circumstances, GateRule
from walissh.react.circumstances import identity_of as identity
from walissh.react.host import Auth, Host, HostKey
from walissh.react.turn import Decision, Risk
from walissh.safety.policy import ReadOnlyGate

HOST = Host(
    id="h1",
    owner_id="u1",
    name="web1",
    address="192.0.2.1",
    port=22,
    user="root",
    auth=Auth.AUTO,
    stage="lab",
    trusted_key=HostKey("ssh-ed25519", "AAAA", "SHA256:one"),
)
AT = datetime(2026, 5, 6, 12, tzinfo=UTC)

DESTROYS = [
    "rm -rf /srv/app",
    "mkfs.xfs /dev/vdc1",
    "dd if=/dev/zero of=/dev/vdb bs=1M count=8",
    "find /var/lib/app -name '*.db' -delete",
    "psql -c 'DROP TABLE orders'",
    "redis-cli FLUSHALL",
    "docker system prune -af --volumes",
    "sudo bash -c 'wipefs -a /dev/vdb'",
    "uptime; lvremove -f vg0/data",
]
LOOKS_LIKE_READING = [
    "ls $(touch /tmp/x)",
    "cat /var/log/app.log > /etc/motd",
    "find /srv -name core -exec unlink {} +",
    "sed -n '1e id' /etc/hosts",
    "git -c core.pager='touch x' log",
    "uptime\ntouch /tmp/x",
    "env LD_PRELOAD=/tmp/x.so ls",
    "awk 'BEGIN { system(\"id\") }'",
    "tar -tf a.tar --checkpoint=1 --checkpoint-action=exec=id",
    "ls `reboot`",
    "sort -o /etc/hosts /etc/hosts",
    "[[ 'a[$(reboot)]' -eq 0 ]]",
    "$EDITOR /etc/hosts",
    "ls (",
    "cat <<E\n$(reboot)\nE",
    "echo x | tee /etc/motd",
]


def allowing(command: str) -> Circumstances:
    """Return circumstances in which every rule that there can be allows *command*."""
    empty = GateRule("r", "u1", "allow", everyone=True)
    on_host = replace(empty, host_id="h1", host_identity=identity(HOST))
    in_lab = replace(empty, group="lab")
    by_text = [replace(each, command=command) for each in (on_host, in_lab)]
    by_risk = [replace(each, risk="destructive") for each in (on_host, in_lab)]
    return Circumstances(role=ADMIN, at=AT, rules=(*by_text, *by_risk))


@pytest.mark.parametrize("command", DESTROYS)
def test_destruction_asks_anew_whoever_asks_and_whatever_allows(command: str) -> None:
    for given in (Circumstances(), Circumstances(role=ADMIN), allowing(command)):
        verdict = ReadOnlyGate().judge(command, HOST, "en", given)
        assert (verdict.risk, verdict.decision) == (Risk.DESTRUCTIVE, Decision.ASK), verdict


@pytest.mark.parametrize("command", LOOKS_LIKE_READING)
def test_what_only_looks_like_reading_never_runs_unasked(command: str) -> None:
    verdict = ReadOnlyGate().judge(command, HOST, "en", Circumstances(role=OPERATOR))
    assert verdict.decision is not Decision.ALLOW, verdict
    assert verdict.risk is not Risk.READ_ONLY, verdict


@pytest.mark.parametrize("command", DESTROYS + LOOKS_LIKE_READING)
def test_an_order_in_an_output_gets_nothing_run_that_was_not_asked_for(command: str) -> None:
    flagged = Circumstances(role=ADMIN, flagged=True)
    assert ReadOnlyGate().judge(command, HOST, "en", flagged).decision is not Decision.ALLOW
