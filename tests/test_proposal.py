"""What an order leaves out is proposed when the past leaves no doubt."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from walissh.memory.entry import Memory, MemoryState, MemoryType, Op, Origin, Source
from walissh.memory.proposal import Choice, Missing, choice, missing, propose

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RESTART = Missing("restart", ("service", "host"))


def past(*services: str, host: str = "web1", action: Any = "restart") -> list[Choice]:
    return [
        Choice(action, each, host, NOON + timedelta(hours=number))
        for number, each in enumerate(services)
    ]


def memory(kind: MemoryType, subject: str, value: str = "", **more: Any) -> Memory:
    fields: dict[str, Any] = {
        "number": 1,
        "id": "m1",
        "owner_id": "ann",
        "type": kind,
        "scope": "global",
        "host_id": None,
        "host": "",
        "subject": subject,
        "value": value,
        "content": f"{subject} {value}",
        "payload": {},
        "op": Op.ADD,
        "confidence": 1.0,
        "source": Source(Origin.USER),
        "state": MemoryState.VALID,
        "at": NOON,
        "proved_at": NOON,
    }
    return Memory(**{**fields, **more})


def proposed(
    question: str, *choices: Choice, memories: list[Memory] | None = None, host: str = "web1"
) -> str:
    found = missing(question, ["web1", "web2"])
    assert found is not None
    return propose(found, memories or [], list(choices), host=host, language="en")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("restart the service", RESTART),
        ("Could you please restart the daemon?", RESTART),
        ("重启服务", RESTART),
        ("帮我把那个进程重启一下吧", RESTART),
        ("重启", RESTART),
        ("restart the app on web1", Missing("restart", ("service",), host="web1")),
        ("重启 web1 上的服务", Missing("restart", ("service",), host="web1")),
        ("reload varnish", Missing("reload", ("host",), service="varnish")),
        ("重启 varnish 服务", Missing("restart", ("host",), service="varnish")),
        ("停掉应用", Missing("stop", ("service", "host"))),
        ("tail the logs", Missing("logs", ("service", "host"))),
        ("看下 web2 的日志", Missing("logs", ("service",), host="web2")),
        ("看下 varnish 的日志", Missing("logs", ("host",), service="varnish")),
        ("reboot the machine", Missing("reboot", ("host",))),
        ("重启一下那台机器", Missing("reboot", ("host",))),
        ("back up the config", Missing("backup", ("path",))),
        ("bounce it", Missing("restart", ("service", "host"), points=True)),
        ("按老规矩重启服务", Missing("restart", ("service", "host"), latest=True)),
        ("restart the service as last time", Missing("restart", ("service", "host"), latest=True)),
    ],
)
def test_an_order_tells_what_it_leaves_out(question: str, expected: Missing) -> None:
    assert missing(question, ["web1", "web2"]) == expected


@pytest.mark.parametrize(
    "question",
    [
        "restart varnish on web1",
        "重启 web1 的 varnish",
        "restart web1",
        "服务重启了吗",
        "stop",
        "停",
        "",
        "why did the service restart?",
        "how do I restart the service",
        "restart all services",
        "看下磁盘",
        "show disks",
        "把支付服务重启",
        "restart the service " * 30,
        "did you restart it",
    ],
)
def test_what_is_whole_or_no_order_leaves_nothing_out(question: str) -> None:
    assert missing(question, ["web1", "web2"]) is None


def test_without_known_hosts_a_name_with_a_number_is_one() -> None:
    assert missing("restart the app on edge7") == Missing("restart", ("service",), host="edge7")
    assert missing("restart edge7") is None


@pytest.mark.parametrize(
    ("command", "action", "service"),
    [
        ("systemctl restart exim4", "restart", "exim4"),
        ("sudo -n systemctl --no-block reload exim4.service", "reload", "exim4"),
        ("service exim4 restart", "restart", "exim4"),
        ("/etc/init.d/exim4 stop", "stop", "exim4"),
        ("docker restart shop-api", "restart", "shop-api"),
        ("docker compose -f /srv/shop.yml up -d shop-api", "start", "shop-api"),
        ("kubectl -n shop rollout restart deployment/cart", "restart", "cart"),
        ("kubectl rollout restart deploy cart -n shop", "restart", "cart"),
        ("nginx -t && nginx -s reload", "reload", "nginx"),
        ("systemctl restart exim4 && systemctl status exim4", "restart", "exim4"),
        ("timeout 30 supervisorctl restart mailer", "restart", "mailer"),
        ("journalctl -u exim4 -n 50 --no-pager", "logs", "exim4"),
        ("docker logs -f --tail 100 shop-api", "logs", "shop-api"),
        ("sudo reboot", "reboot", ""),
        ("shutdown -r now", "reboot", ""),
    ],
)
def test_a_past_command_tells_what_was_chosen(command: str, action: Any, service: str) -> None:
    assert choice(command, "web1", NOON) == Choice(action, service, "web1", NOON)


@pytest.mark.parametrize(
    "command",
    [
        "systemctl status exim4",
        "systemctl restart a b",
        "systemctl restart a; systemctl stop b",
        "",
        "echo 'systemctl restart exim4'",
        'systemctl restart "$unit"',
        "systemctl daemon-reload",
        "ssh web2 systemctl restart exim4",
        "'open",
        "kill -9 33",
        "shutdown -h now",
        "x" * 9000,
    ],
)
def test_a_command_without_one_plain_choice_tells_none(command: str) -> None:
    assert choice(command, "web1", NOON) is None


def test_three_like_choices_leave_no_doubt() -> None:
    assert proposed("restart the service", *past("redis", "redis", "redis")) == (
        "Restart redis on web1, as last time?"
    )


def test_the_proposal_is_in_the_language_of_the_question() -> None:
    said = propose(RESTART, [], past("redis", "redis", "redis"), host="", language="zh")
    assert said == "重启 web1 上的 redis，和上次一样？"


def test_two_choices_are_too_few() -> None:
    assert proposed("restart the service", *past("redis", "redis")) == ""


def test_nine_of_ten_are_enough_and_eight_are_not() -> None:
    assert "redis" in proposed("restart the service", *past(*["redis"] * 9, "nginx"))
    assert proposed("restart the service", *past(*["redis"] * 8, "nginx", "php")) == ""


def test_the_same_service_elsewhere_is_another_choice() -> None:
    choices = past("redis", "redis") + past("redis", "redis", host="web2")
    assert propose(RESTART, [], choices, host="", language="en") == ""


def test_choices_of_another_action_or_host_do_not_count() -> None:
    assert proposed("restart the service", *past("redis", "redis", "redis", host="web2")) == ""
    stopped = past("redis", "redis", "redis", action="stop")
    assert proposed("restart the service", *stopped) == ""


def test_as_last_time_means_the_latest_choice() -> None:
    choices = past("redis", "redis", "nginx")
    assert proposed("restart the service as last time", *choices) == (
        "Restart nginx on web1, as last time?"
    )


def test_a_missing_host_is_proposed_where_several_are_at_hand() -> None:
    said = proposed("restart redis", *past("redis", "redis", "redis"), host="")
    assert said == "Restart redis on web1, as last time?"


def test_with_one_host_at_hand_no_host_is_missing() -> None:
    assert proposed("restart redis", *past("redis", "redis", "redis")) == ""


def test_a_machine_is_proposed_from_reboots_alone() -> None:
    assert proposed("reboot the machine", *past("redis", "redis", "redis"), host="") == ""
    reboots = past("", "", "", action="reboot")
    assert proposed("reboot the machine", *reboots, host="") == "Reboot web1, as last time?"


def test_one_preference_fills_in_the_service() -> None:
    said = memory(MemoryType.USER_PREFERENCE, "service to restart", "billing-api")
    assert proposed("restart the service", memories=[said]) == (
        "Restart billing-api on web1, is that right?"
    )


def test_two_preferences_that_differ_leave_a_doubt() -> None:
    kind = MemoryType.USER_PREFERENCE
    said = [memory(kind, "restart", "billing-api"), memory(kind, "restart", "cart-api")]
    assert proposed("restart the service", memories=said) == ""


def test_a_case_fills_in_what_mended_it() -> None:
    case = memory(
        MemoryType.TROUBLESHOOTING_CASE, "504", host="web1", payload={"fix": "重启了 varnish"}
    )
    assert "Restart varnish on web1" in proposed("restart the service", memories=[case])


def test_the_only_program_known_of_a_host_is_proposed() -> None:
    fact = memory(MemoryType.SOFTWARE_FACT, "varnish", "7.4", host="web1")
    assert "Restart varnish on web1" in proposed("restart the service", memories=[fact])
    other = memory(MemoryType.SOFTWARE_FACT, "exim4", "4.97", host="web1")
    assert proposed("restart the service", memories=[fact, other]) == ""


@pytest.mark.parametrize(
    "more",
    [
        {"state": MemoryState.SUPERSEDED},
        {"host": "web2"},
        {"scope": "host:web2"},
        {"scope": "all-except:web*"},
        {"subject": "language", "content": "answer in English"},
        {"value": "after 22:00"},
    ],
)
def test_a_memory_that_does_not_hold_here_proposes_nothing(more: dict[str, Any]) -> None:
    fields = {"subject": "service to restart", "value": "billing-api", **more}
    said = memory(MemoryType.USER_PREFERENCE, **fields)
    assert proposed("restart the service", memories=[said]) == ""


def test_a_backup_goes_where_the_person_wants_it() -> None:
    said = memory(MemoryType.USER_PREFERENCE, "backup folder", "/srv/copies")
    assert proposed("back up the config", memories=[said]) == (
        "Back up to /srv/copies on web1, is that right?"
    )


def test_nothing_known_proposes_nothing() -> None:
    assert proposed("restart the service") == ""
