"""Lines of the person that bind: what is made into a rule, what is not, and what falls under it."""

from datetime import UTC, datetime

import pytest

from walissh.memory import rules
from walissh.memory.rules import Effect, StandingRule, Target

MONDAY_10 = datetime(2025, 1, 6, 10, tzinfo=UTC)
MONDAY_18 = datetime(2025, 1, 6, 18, tzinfo=UTC)
SATURDAY_10 = datetime(2025, 1, 4, 10, tzinfo=UTC)


def rule(line: str, **options: object) -> StandingRule:
    parsed = rules.parse(line, **options)  # type: ignore[arg-type]
    assert len(parsed.rules) == 1 and not parsed.unbound, parsed
    return parsed.rules[0]


@pytest.mark.parametrize(
    ("line", "effect", "actions", "targets", "hosts"),
    [
        ("never reload squid on gw4", "never", ("reload",), ["squid"], ("gw4",)),
        ("Do not stop or restart vsftpd", "never", ("stop", "restart"), ["vsftpd"], ()),
        ("chronyd must not be stopped on ntp1", "never", ("stop",), ["chronyd"], ("ntp1",)),
        ("no restarts of tomcat on app*", "never", ("restart",), ["tomcat"], ("app*",)),
        ("/srv/scans is off limits", "never", ("change",), ["/srv/scans"], ()),
        ("hands off the firewall on edge2", "never", ("change",), ["firewall"], ("edge2",)),
        ("never power off nas7", "never", ("reboot",), [], ("nas7",)),
        ("never run `nft flush ruleset`", "never", ("run",), ["nft flush ruleset"], ()),
        ("ask me before upgrading grafana", "ask", ("upgrade",), ["grafana"], ()),
        ("never restart grafana without my approval", "ask", ("restart",), ["grafana"], ()),
        ("restart squid only with my ok", "ask", ("restart",), ["squid"], ()),
        ("treat vault* as read-only", "only_read", (), [], ("vault*",)),
        ("hosts starting with edge are read-only", "only_read", (), [], ("edge*",)),
        ("不要停 mail1 上的 postfix", "never", ("stop",), ["postfix"], ("mail1",)),
        ("mail1 的 dovecot 不准重启", "never", ("restart",), ["dovecot"], ("mail1",)),
        ("严禁删除 /srv/scans 下的文件", "never", ("delete",), ["/srv/scans"], ()),
        ("重启 squid 前先跟我确认", "ask", ("restart",), ["squid"], ()),
        ("未经我同意不得升级内核", "ask", ("upgrade",), ["kernel"], ()),
        ("edge 开头的主机只能看不能改", "only_read", (), [], ("edge*",)),
        ("cache 组一律只读", "only_read", (), [], ("group:cache",)),
        ("别关 mail1 的机器", "", (), [], ()),
    ],
)
def test_a_line_becomes_a_rule(
    line: str, effect: str, actions: tuple[str, ...], targets: list[str], hosts: tuple[str, ...]
) -> None:
    if not effect:
        assert rules.parse(line).unbound
        return
    made = rule(line)
    assert (made.effect, made.actions, made.hosts) == (effect, actions, hosts)
    assert [each.name for each in made.targets] == targets


@pytest.mark.parametrize(
    "line",
    [
        "answer in Danish",
        "never mind",
        "never answer without checking",
        "no need to restart squid",
        "should we never restart squid?",
        "The admins never restart squid",
        "my boss said to never restart squid",
        "never restart squid while a backup runs",
        "if it is slow, never restart squid",
        "never restart squid this time",
        "never reboot this machine",
        "never restart squid between 9 and 18 Middle/Earth",
        "回答要用中文",
        "不要忘了重启 squid",
        "这次不要重启 squid",
        "如果负载高就不要重启 squid",
        "为什么不能重启 squid",
        "他说不要重启 squid",
        "不要用 root 登录",
        "修改配置前先备份",
    ],
)
def test_what_is_not_understood_in_full_binds_nothing_and_is_said(line: str) -> None:
    parsed = rules.parse(line)
    assert not parsed.rules
    assert [each.text for each in parsed.unbound] == [line]
    assert line in rules.explain(parsed.unbound[0], "en")
    assert line in rules.explain(parsed.unbound[0], "zh")


def test_hours_and_days_are_read_in_both_languages() -> None:
    english = rule("never restart squid on gw4 on weekdays between 9:00 and 18:00")
    chinese = rule("工作日 9 点到 18 点不要重启 gw4 的 squid")
    assert english.windows == chinese.windows == (rules.Window(540, 1080, frozenset(range(5))),)
    assert chinese.holds(MONDAY_10)
    assert not chinese.holds(MONDAY_18)
    assert not chinese.holds(SATURDAY_10)


def test_hours_run_over_midnight() -> None:
    night = rule("晚上 10 点到早上 6 点不要重启 squid")
    assert night.holds(datetime(2025, 1, 6, 23, tzinfo=UTC))
    assert night.holds(datetime(2025, 1, 6, 5, 59, tzinfo=UTC))
    assert not night.holds(datetime(2025, 1, 6, 6, tzinfo=UTC))


@pytest.mark.parametrize(
    "line",
    [
        "only restart squid on Sundays",
        "squid 只能在周日重启",
        "never restart squid except on Sundays",
    ],
)
def test_only_in_some_hours_means_never_outside_them(line: str) -> None:
    made = rule(line)
    assert made.holds(SATURDAY_10)
    assert not made.holds(datetime(2025, 1, 5, 10, tzinfo=UTC))


def test_hours_are_those_of_the_named_zone() -> None:
    made = rule("北京时间 9:00 到 18:00 不要重启 squid")
    assert made.holds(datetime(2025, 1, 6, 2, tzinfo=UTC))
    assert not made.holds(datetime(2025, 1, 6, 12, tzinfo=UTC))


def test_hours_without_a_zone_are_those_of_the_person() -> None:
    made = rule("never restart squid before 6:00", zone="America/New_York")
    assert made.zone == "America/New_York"
    assert made.holds(datetime(2025, 1, 6, 10, tzinfo=UTC))


@pytest.mark.parametrize(
    "command",
    [
        "sudo systemctl restart mysql",
        "service mysqld restart",
        "docker compose restart mysql",
        "bash -c 'systemctl re\"start\" mariadb'",
        "systemctl stop mysql && systemctl start mysql",
        "pkill -9 mysqld",
        "shutdown -r now",
        "mysqladmin shutdown",
    ],
)
def test_a_restart_is_seen_in_all_its_shapes(command: str) -> None:
    assert rule("never restart mysql on db1").applies(command, "db1")


@pytest.mark.parametrize(
    "command",
    [
        "systemctl restart nginx",
        "systemctl reload mysql",
        "systemctl restart mysql-exporter",
        "rm /srv/old/mysql.sql",
    ],
)
def test_what_the_rule_does_not_speak_of_is_left_alone(command: str) -> None:
    assert not rule("never restart mysql on db1").applies(command, "db1")


def test_a_command_that_only_reads_breaks_no_rule_about_changes() -> None:
    made = rule("never restart mysql on db1")
    assert not made.applies("grep restart /var/log/mysql.log", "db1", read_only=True)


def test_a_rule_about_reading_holds_for_commands_that_only_read() -> None:
    assert rule("never read /srv/payroll").applies("cat /srv/payroll/a", "x1", read_only=True)


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf /data/x",
        "cd /data && rm -rf *",
        "chmod -R 777 /",
        "rm -rf /da*",
        "rm -rf /srv/../data",
        "cp a /data/{b,c}",
        "echo x >/data/y",
    ],
)
def test_a_path_is_seen_under_above_and_behind_patterns(command: str) -> None:
    assert rule("never touch /data on nas1").applies(command, "nas1")


@pytest.mark.parametrize("command", ["rm -rf /database", "rm /srv/data/x", "touch /home/data"])
def test_another_path_is_left_alone(command: str) -> None:
    assert not rule("never touch /data on nas1").applies(command, "nas1")


@pytest.mark.parametrize(
    "command",
    ["apt-get install -y tree", "dnf install tree", "pip install x", "rpm -ivh x.rpm", "npm i x"],
)
def test_installing_is_seen_with_every_manager(command: str) -> None:
    made = rule("ask before installing packages on web*")
    assert made.effect is Effect.ASK
    assert made.applies(command, "web7")
    assert not made.applies(command, "db1")


def test_an_upgrade_of_everything_is_one_of_what_the_rule_names() -> None:
    made = rule("never upgrade openssl")
    assert made.applies("apt-get -y upgrade", "x1")
    assert not made.applies("apt-get install tree", "x1")


def test_flags_of_a_command_are_found_in_any_spelling() -> None:
    made = rule("never run rm -rf")
    assert made.applies("rm -r -f /tmp/x", "x1")
    assert not made.applies("rm -f /tmp/x", "x1")


def test_only_read_rules_out_whatever_is_not_read_only() -> None:
    made = rule("prod 开头的机器一律只读")
    assert made.applies("touch /tmp/x", "prod-web1")
    assert not made.applies("uptime", "prod-web1", read_only=True)
    assert not made.applies("touch /tmp/x", "dev-web1")


def test_a_group_and_a_bare_name_of_a_group_are_heeded() -> None:
    assert rule("never restart squid on the web group").applies("restart squid", "a", ["web"])
    assert rule("never restart squid on web").applies("restart squid", "a", ["web"])
    assert not rule("never restart squid on web").applies("restart squid", "a", ["db"])


def test_a_host_left_out_is_left_out() -> None:
    made = rule("除了 db1 以外的机器不要装软件包")
    assert not made.applies("apt install x", "db1")
    assert made.applies("apt install x", "db2")


def test_production_is_told_by_group_and_by_name() -> None:
    made = rule("生产环境不要改防火墙规则")
    assert made.applies("ufw allow 80", "a1", ["production"])
    assert made.applies("ufw allow 80", "prod-a1")
    assert not made.applies("ufw allow 80", "a1")


def test_several_rules_in_one_line_keep_their_place() -> None:
    parsed = rules.parse("on lb1: never reload haproxy; never delete /etc/haproxy")
    assert [each.hosts for each in parsed.rules] == [("lb1",), ("lb1",)]


def test_the_known_part_of_a_text_binds_and_the_rest_is_said() -> None:
    parsed = rules.parse("# my rules\n- never reboot nas7\n\n2. be polite\n")
    assert [each.text for each in parsed.rules] == ["never reboot nas7"]
    assert [each.text for each in parsed.unbound] == ["be polite"]


def test_a_known_host_is_told_from_a_program() -> None:
    assert rule("never restart ledger").targets == (Target("name", "ledger"),)
    assert rule("never restart ledger", known=["Ledger"]).hosts == ("ledger",)


def test_a_rule_that_asks_forbids_nothing() -> None:
    asks = rule("ask me before rebooting nas7")
    never = rule("never reboot nas7")
    facts = {"command": "reboot", "host": "nas7", "at": MONDAY_10, "read_only": False}
    assert not rules.forbids(asks, **facts)  # type: ignore[arg-type]
    assert rules.forbids(never, **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "piece", ["restart, ", "不要", "(", "web1, ", "需要", "全都", "ever again ", "所有 a 的机器"]
)
def test_a_hostile_line_is_read_to_its_end(piece: str) -> None:
    line = piece * (rules.MAX_LINE_CHARS // len(piece))
    assert not rules.parse(f"{line}x").rules


@pytest.mark.parametrize("piece", ["mysql-", "/a{", "apt -y ", "systemctl ", "dd "])
def test_a_hostile_command_is_judged_at_all(piece: str) -> None:
    made = rules.parse("never restart mysql\nnever touch /data\nnever upgrade kernels").rules
    assert len([each.applies(piece * 1000, "x1") for each in made]) == 3


def test_a_command_too_long_to_read_falls_under_every_rule() -> None:
    assert rule("never restart mysql").applies("true " * 2000, "x1")
