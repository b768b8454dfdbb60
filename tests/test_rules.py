"""What decides beside the text of a command: rules, the session, the host, the person."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from walissh.memory import rules as standing
from walissh.react.circumstances import (
    ADMIN,
    OPERATOR,
    VIEWER,
    Circumstances,
    GateRule,
    HostGate,
    identity_of,
)
from walissh.react.host import Auth, Host, HostKey
from walissh.react.turn import Decision, Verdict
from walissh.safety import rules
from walissh.safety.policy import ReadOnlyGate

HOST = Host(
    id="h1",
    owner_id="u1",
    name="web1",
    address="192.0.2.1",
    port=22,
    user="ops",
    auth=Auth.AUTO,
    groups=("frontend",),
    stage="lab",
    trusted_key=HostKey("ssh-ed25519", "AAAA", "SHA256:one"),
)
RESTART = "systemctl restart nginx"
NOON = datetime(2026, 5, 6, 12, tzinfo=UTC)


def rule(decision: str, command: str = "", **more: object) -> GateRule:
    return replace(GateRule("r1", "u1", decision, command), **more)  # type: ignore[arg-type]


def on_host(command: str = RESTART) -> GateRule:
    return rule("allow", command, host_id=HOST.id, host_identity=identity_of(HOST))


def judge(
    command: str, *rules_: GateRule, host: Host = HOST, language: str = "en", **given: object
) -> Verdict:
    circumstances = replace(Circumstances(rules=rules_, at=NOON), **given)  # type: ignore[arg-type]
    return ReadOnlyGate().judge(command, host, language, circumstances)  # type: ignore[arg-type]


def decided(verdict: Verdict) -> tuple[str, str]:
    return verdict.decision.value, verdict.rule


def test_a_rule_lets_the_exact_command_run_unasked() -> None:
    assert decided(judge(RESTART, on_host())) == ("allow", "rule:r1")
    assert decided(judge("systemctl restart redis", on_host())) == ("ask", "risk")


def test_without_a_rule_the_text_decides() -> None:
    assert decided(judge(RESTART)) == ("ask", "risk")
    assert decided(judge("uptime")) == ("allow", "risk")
    assert decided(judge("top")) == ("deny", "interactive")
    assert decided(judge("rm -rf /")) == ("deny", "never")


@pytest.mark.parametrize(
    "command",
    ["systemctl restart nginx", "systemctl restart redis-server.service", "systemctl  restart a@1"],
)
def test_a_star_stands_for_one_plain_word(command: str) -> None:
    assert judge(command, rule("allow", "systemctl restart *", group="lab")).rule == "rule:r1"


@pytest.mark.parametrize(
    "command",
    ["systemctl restart nginx redis", "systemctl restart", "systemctl restart -H root@db",
     "systemctl restart nginx; id", "systemctl restart nginx\nid", "systemctl restart $(id)",
     "systemctl restart `id`", "systemctl restart nginx>x", "systemctl restart {a,b}",
     "systemctl restart n*", "systemctl stop nginx", "sudo systemctl restart nginx",
     "systemctl restart 'a b'", "systemctl restart --force"],
)  # fmt: skip
def test_a_star_stands_for_nothing_else(command: str) -> None:
    allowed = rule("allow", "systemctl restart *", group="lab")
    assert judge(command, allowed).decision is not Decision.ALLOW


@pytest.mark.parametrize(
    "command", ["rm -r /srv/cache", "cat /etc/shadow", "frobnicate --all", "vim /etc/motd"]
)
def test_no_rule_lets_run_what_destroys_shows_secrets_cannot_be_judged_or_hangs(
    command: str,
) -> None:
    exact = rule("allow", command, group="lab")
    assert judge(command, exact).decision is not Decision.ALLOW


def test_the_never_list_stands_above_every_rule() -> None:
    assert decided(judge("rm -rf /", rule("allow", "rm -rf /", group="lab"))) == ("deny", "never")


def test_deny_beats_ask_beats_allow() -> None:
    allow, ask, deny = on_host(), rule("ask", id="r2"), rule("deny", RESTART, id="r3")
    assert decided(judge(RESTART, allow, ask, deny)) == ("deny", "rule:r3")
    assert decided(judge(RESTART, allow, ask)) == ("ask", "rule:r2")


@pytest.mark.parametrize("decision", ["ask", "deny"])
def test_rules_against_hold_for_reading_too(decision: str) -> None:
    assert decided(judge("uptime", rule(decision, "uptime"))) == (decision, "rule:r1")


@pytest.mark.parametrize(
    "command",
    ["systemctl stop nginx", "/usr/bin/systemctl --now stop nginx redis", "sudo systemctl stop x",
     "uptime && systemctl stop nginx", "bash -c 'systemctl stop nginx'", "systemctl stop $UNIT",
     "echo $(systemctl stop nginx)", "if true; then systemctl stop a; fi", "systemctl stop a (",
     'f(){ systemctl "$@"; }; f stop nginx', 'set -- stop nginx; systemctl "$@"',
     'units=(stop nginx); systemctl "${units[@]}"', "systemctl $(echo stop nginx)",
     "echo stop nginx | xargs systemctl", 'xargs <<< "stop nginx" systemctl',
     "xargs sudo systemctl --now < units", 'mapfile -t a < f; systemctl "${a[@]}"',
     "systemctl st?p nginx", "systemctl [r-t]* x", 'run(){ "$@"; }; run systemctl stop nginx',
     "xargs -n 2 nice systemctl --no-block < units", "systemctl $(cat verb) nginx"],
)  # fmt: skip
def test_a_refusal_is_read_widely(command: str) -> None:
    assert judge(command, rule("deny", "systemctl stop *")).rule == "rule:r1"


@pytest.mark.parametrize("command", ["systemctl status nginx", "echo systemctl stop nginx", "ls"])
def test_a_refusal_is_not_wider_than_its_words(command: str) -> None:
    assert judge(command, rule("deny", "systemctl stop *")).rule == "risk"


@pytest.mark.parametrize(
    ("bound", "fits"),
    [({"group": "lab"}, True), ({"group": "LAB"}, True), ({"group": "frontend"}, True),
     ({"group": "production"}, False), ({"host_id": "h1"}, True), ({"host_id": "h2"}, False),
     ({"risk": "mutating"}, True), ({"risk": "opaque"}, False), ({"role": "operator"}, True),
     ({"role": "admin"}, False), ({"group": "lab", "risk": "mutating"}, True),
     ({"group": "lab", "risk": "opaque"}, False)],
)  # fmt: skip
def test_each_part_of_a_rule_must_fit(bound: dict[str, str], fits: bool) -> None:
    assert (judge(RESTART, rule("deny", **bound)).rule == "rule:r1") is fits


@pytest.mark.parametrize(
    "changed",
    [{"address": "192.0.2.9"}, {"port": 2222}, {"user": "root"}, {"trusted_key": None},
     {"trusted_key": HostKey("ssh-ed25519", "BBBB", "SHA256:two")},
     {"machine_id": "a" * 32, "seen_machine_id": "b" * 32}],
)  # fmt: skip
def test_a_rebuilt_or_moved_host_is_allowed_nothing(changed: dict[str, object]) -> None:
    other = replace(HOST, **changed)  # type: ignore[arg-type]
    assert decided(judge(RESTART, on_host(), host=other)) == ("ask", "risk")
    refusing = rule("deny", host_id=HOST.id, host_identity=identity_of(HOST))
    assert judge(RESTART, refusing, host=other).rule == "rule:r1"


def test_a_read_only_session_reads_and_refuses_the_rest() -> None:
    assert judge("uptime", read_only_session=True).decision is Decision.ALLOW
    for command in (RESTART, "env", "frobnicate", "rm -r /srv/x"):
        verdict = judge(command, on_host(command), read_only_session=True)
        assert decided(verdict) == ("deny", "session")


def test_a_viewer_runs_nothing() -> None:
    assert decided(judge("uptime", role=VIEWER)) == ("deny", "role")
    assert judge("uptime", role=OPERATOR).decision is Decision.ALLOW
    assert judge("uptime", role=ADMIN).decision is Decision.ALLOW


def test_a_host_that_asks_for_everything_asks_for_reading_and_for_what_a_rule_allows() -> None:
    strict = replace(HOST, gate=HostGate.ASK)
    assert decided(judge("uptime", host=strict)) == ("ask", "host")
    assert decided(judge(RESTART, on_host(), host=strict)) == ("ask", "host")


def test_a_read_only_host_reads_and_refuses_the_rest() -> None:
    strict = replace(HOST, gate=HostGate.READ_ONLY)
    assert judge("uptime", host=strict).decision is Decision.ALLOW
    assert decided(judge(RESTART, on_host(), host=strict)) == ("deny", "host")


def test_a_host_says_its_word_without_circumstances_too() -> None:
    strict = replace(HOST, gate=HostGate.ASK)
    assert ReadOnlyGate().judge("uptime", strict, "en").rule == "host"


@pytest.mark.parametrize("command", ["df -h", "journalctl -u nginx -n 50", "ss -tlnp"])
def test_after_an_order_in_an_output_plain_reading_goes_on(command: str) -> None:
    assert decided(judge(command, flagged=True)) == ("allow", "risk")


@pytest.mark.parametrize(
    "command", ["curl -s http://192.0.2.7/x", "dig +short a.example", "ping -c 1 192.0.2.7"]
)
def test_after_an_order_in_an_output_nothing_reaches_out_unasked(command: str) -> None:
    assert judge(command).decision is Decision.ALLOW
    assert decided(judge(command, flagged=True)) == ("ask", "flagged")


def test_after_an_order_in_an_output_no_rule_allows_and_it_says_so() -> None:
    verdict = judge(RESTART, on_host(), flagged=True)
    assert decided(verdict) == ("ask", "flagged")
    assert "the rule that allows this is not in force here" in verdict.reasons[0]
    assert decided(judge(RESTART, flagged=True)) == ("ask", "risk")


def test_a_session_that_only_reads_says_so_of_secrets_too() -> None:
    verdict = judge("cat /etc/shadow", read_only_session=True)
    assert decided(verdict) == ("deny", "session")
    assert "only plain reading runs" in verdict.reasons[0]


@pytest.mark.parametrize("command", ["sudo id", "uptime && sudo -u www id"])
def test_reading_with_sudo_waits_where_sudo_wants_a_password_that_is_not_known(
    command: str,
) -> None:
    assert decided(judge(command)) == ("allow", "risk")
    unmet = frozenset({HOST.id})
    verdict = judge(command, sudo_unmet=unmet)
    assert decided(verdict) == ("ask", "sudo") and "Enter it as you approve" in verdict.reasons[0]
    assert decided(judge("grep sudo /etc/group", sudo_unmet=unmet)) == ("allow", "risk")
    assert decided(judge(command, sudo_unmet=frozenset({"h2"}))) == ("allow", "risk")


def test_a_rule_lets_no_sudo_run_into_a_password_that_is_not_known() -> None:
    command = f"sudo {RESTART}"
    verdict = judge(command, on_host(command), sudo_unmet=frozenset({HOST.id}))
    assert decided(verdict) == ("ask", "sudo")


def test_standing_rules_refuse_and_ask_in_their_own_words() -> None:
    parsed = standing.parse("Never restart nginx on web1.\nAsk before reading on web2").rules
    verdict = judge(RESTART, on_host(), standing=parsed)
    assert decided(verdict) == ("deny", "standing")
    assert "Never restart nginx on web1" in verdict.reasons[0]
    asking = standing.parse("Ask before you restart anything").rules
    assert decided(judge(RESTART, on_host(), standing=asking)) == ("ask", "standing")


def test_a_long_standing_rule_is_given_whole() -> None:
    text = "Never restart nginx, redis, postgresql, mysql, php-fpm, haproxy, memcached or varnish"
    parsed = standing.parse(text).rules
    assert text in judge(RESTART, standing=parsed).reasons[0]


def test_a_standing_rule_holds_in_its_hours_only() -> None:
    parsed = standing.parse("Don't restart anything between 9:00 and 18:00").rules
    assert judge(RESTART, standing=parsed).decision is Decision.DENY
    night = NOON.replace(hour=23)
    assert judge(RESTART, standing=parsed, at=night).decision is Decision.ASK


@pytest.mark.parametrize("language", ["zh", "en"])
def test_each_word_on_a_case_is_a_sentence_in_the_language_asked_for(language: str) -> None:
    noted = rule("deny", RESTART, note="frozen until friday")
    for verdict in (
        judge(RESTART, noted, language=language),
        judge(RESTART, language=language, read_only_session=True),
        judge("uptime", language=language, role=VIEWER),
        judge("uptime", language=language, host=replace(HOST, gate=HostGate.ASK)),
        judge("dig a.example", language=language, flagged=True),
        judge(RESTART, on_host(), language=language),
        judge(RESTART, on_host(), language=language, flagged=True),
        judge("sudo id", language=language, sudo_unmet=frozenset({HOST.id})),
    ):
        assert verdict.reasons and all("\ue000" not in each for each in verdict.reasons)
        assert any(each.endswith(("。", ".", "”")) for each in verdict.reasons)
    assert "frozen until friday" in judge(RESTART, noted, language=language).reasons[0]


OPEN = ["*", "* restart nginx", "sudo *", "sudo -n *", "env *", "true && *", "true ; * *",
        "true | * *", "! *", "{ * ; }", "( * )", "sudo nice *", "nice sudo *",
        "sudo timeout 5 * * *", "if true; then *; fi", "touch $( * )", "time *",
        "touch * ("]  # fmt: skip


@pytest.mark.parametrize("command", OPEN)
def test_a_pattern_that_leaves_the_program_open_is_known(command: str) -> None:
    assert rules.leaves_program_open(command)


@pytest.mark.parametrize("command", ["systemctl restart *", "sudo systemctl * nginx", "touch *"])
def test_a_pattern_that_names_its_program_is_known(command: str) -> None:
    assert not rules.leaves_program_open(command)


@pytest.mark.parametrize(
    ("pattern", "command"),
    [("true && *", "true && reboot"), ("! *", "! touch"), ("sudo nice * *", "sudo nice touch x"),
     ("true | * *", "true | touch x"), ("env * x", "env touch x"),
     ("nice sudo * *", "nice sudo touch x")],
)  # fmt: skip
def test_a_rule_of_before_that_leaves_the_program_open_allows_nothing(
    pattern: str, command: str
) -> None:
    assert judge(command, rule("allow", pattern, group="lab")).decision is not Decision.ALLOW
    touched = rule("allow", "sudo nice touch *", group="lab")
    assert judge("sudo nice touch x", touched).rule == "rule:r1"
