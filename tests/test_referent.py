"""What people mean by "the other one", and which program they speak of."""

import pytest

from walissh.react import referent, service
from walissh.react.followed import Meant
from walissh.react.host import Auth, Host


def host(name: str, stage: str = "", *groups: str) -> Host:
    return Host(name, "ann", name, "192.0.2.1", 22, "ops", Auth.AUTO, stage=stage, groups=groups)


TWO = (host("app1"), host("app2"))
THREE = (
    host("app1", "production", "shop"),
    host("app2", "staging", "shop"),
    host("pg1", "production", "database"),
)


def meant(text: str, *recent: str, of: tuple[Host, ...] = THREE) -> tuple[str, ...]:
    """Return what is clearly meant, () for nothing."""
    found = referent.resolve(text, recent, of)
    return found.meant.hosts if found and found.is_clear else ()


def unclear(text: str, *recent: str, of: tuple[Host, ...] = THREE) -> tuple[str, ...]:
    """Return the hosts that it could be, () if no question is put."""
    found = referent.resolve(text, recent, of)
    return found.meant.hosts if found and not found.is_clear else ()


OTHER = [
    "还有另一台呢",
    "另外一台",
    "另外那台也查一下",
    "另一臺呢？",
    "那台呢",
    "那边呢",
    "不是这台",
    "搞错机器了",
    "换另一个机器看看",
    "the other one",
    "And the other one?",
    "what about the other host",
    "same there",
    "and that one?",
    "not this one",
    "wrong server",
    "now the other box please",
    "restart nginx on the other one",
]


@pytest.mark.parametrize("text", OTHER)
def test_of_two_the_other_one_is_meant(text: str) -> None:
    assert meant(text, "app1", of=TWO) == ("app2",)


@pytest.mark.parametrize("text", OTHER)
def test_of_three_the_other_one_is_the_one_that_was_talked_about(text: str) -> None:
    assert meant(text, "app1", "pg1") == ("pg1",)


@pytest.mark.parametrize("text", OTHER)
def test_of_three_it_is_asked_which_one(text: str) -> None:
    assert unclear(text, "app1") == ("app2", "pg1")


@pytest.mark.parametrize(
    "text",
    [
        "这台",
        "看下这台机器的磁盘",
        "刚才那台",
        "本机",
        "this host",
        "reboot it",
        "on the same host",
    ],
)
def test_this_one_is_the_current_one(text: str) -> None:
    assert meant(text, "app2", "pg1") == ("app2",)


@pytest.mark.parametrize(
    "text", ["上一台", "前面那个", "回到之前那台", "the previous one", "back to the earlier host"]
)
def test_the_previous_one_is_the_one_before(text: str) -> None:
    assert meant(text, "app2", "pg1", "app1") == ("pg1",)


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("第一台", ("app1",)),
        ("第 3 台的内存", ("pg1",)),
        ("最后一台", ("pg1",)),
        ("the second host", ("app2",)),
        ("the last server", ("pg1",)),
        ("下一台", ("app2",)),
        ("the next machine", ("app2",)),
    ],
)
def test_ordinals_count_the_hosts_of_the_session(text: str, hosts: tuple[str, ...]) -> None:
    assert meant(text, "app1") == hosts


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("两台都看一下", ("app1", "app2")),
        ("both", ("app1", "app2")),
        ("check both of them", ("app1", "app2")),
        ("这两台有什么区别", ("app1", "app2")),
        ("每台都查一下", ("app1", "app2")),
        ("all hosts please", ("app1", "app2")),
        ("其余的呢", ("app2",)),
        ("the remaining hosts", ("app2",)),
        ("除了这台以外", ("app2",)),
    ],
)
def test_all_of_two_or_the_rest_are_meant(text: str, hosts: tuple[str, ...]) -> None:
    assert meant(text, "app1", of=TWO) == hosts


def test_both_of_three_are_those_talked_about() -> None:
    assert meant("两台都看一下", "pg1", "app1") == ("pg1", "app1")
    assert meant("另外两台也一样处理", "app1") == ("app2", "pg1")
    assert meant("the other two", "app1") == ("app2", "pg1")
    assert meant("两台都看一下", "pg1") == ()


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("预发那台", ("app2",)),
        ("测试那台", ()),
        ("the staging one", ("app2",)),
        ("数据库那台呢", ("pg1",)),
        ("the database one", ("pg1",)),
        ("生产的那几台", ("app1", "pg1")),
        ("the prod ones", ("app1", "pg1")),
        ("shop 那组", ("app1", "app2")),
        ("the other shop server", ("app2",)),
        ("the staging server is slow", ("app2",)),
    ],
)
def test_stages_groups_and_names_tell_which_one(text: str, hosts: tuple[str, ...]) -> None:
    assert meant(text, "app1") == hosts


def test_one_of_several_of_a_kind_is_asked_for() -> None:
    assert unclear("生产那台", "app2") == ("app1", "pg1")
    assert unclear("restart the prod one") == ("app1", "pg1")


@pytest.mark.parametrize(
    "text",
    [
        "app 的磁盘还剩多少",
        "why is nginx slow",
        "另一个方案是什么",
        "另一个配置文件在哪里",
        "the other config file",
        "another question",
        "如果另一台也挂了怎么办",
        "我们上周又买了另外一台",
        "both services are down",
        "把剩下的做完",
        "do the rest",
        "第一个报错是什么意思",
        "the last log line",
        "上一个命令的输出",
        "that one is a bug in the old release, they told me so last week, ignore what it says",
        "the prod server",
        "restart it",
        "他说“另一台呢”是什么意思",
        "generic",
        "",
    ],
)
def test_what_stands_by_itself_points_at_nothing_and_asks_nothing(text: str) -> None:
    assert referent.resolve(text, ("app1",), THREE) is None


def test_the_one_that_is_not_meant_is_passed_over() -> None:
    assert meant("不是这台，是数据库那台", "app1") == ("pg1",)
    assert meant("别动那台，看这台", "app2", "app1") == ("app2",)
    assert meant("not this one, the staging one", "app1") == ("app2",)


def test_with_one_host_there_is_no_other_and_nothing_to_ask() -> None:
    one = (host("app1"),)
    for text in OTHER:
        found = referent.resolve(text, ("app1",), one)
        assert found is None or found.meant.hosts == ("app1",)


def test_hosts_that_left_the_session_are_not_meant() -> None:
    assert meant("the previous one", "app1", "old9", "pg1") == ("pg1",)


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("第二个", ("pg1",)),
        ("2", ("pg1",)),
        ("the first", ("app2",)),
        ("后面那个", ("pg1",)),
        ("the former", ("app2",)),
        ("预发的", ("app2",)),
        ("database", ("pg1",)),
        ("都看看", ("app2", "pg1")),
        ("both please", ("app2", "pg1")),
        ("第九个", ()),
    ],
)
def test_an_answer_points_in_fewer_words(text: str, hosts: tuple[str, ...]) -> None:
    found = referent.resolve(text, (), THREE[1:], answers=True)
    assert (found.meant.hosts if found else ()) == hosts


def test_the_question_names_the_words_and_offers_the_hosts() -> None:
    unsure = Meant("另一台", ("app2", "pg1"))
    assert referent.question(unsure, "zh").choices == ("app2", "pg1")
    assert "另一台" in referent.question(unsure, "zh").text
    assert "the other one" in referent.question(Meant("the other one", ()), "en").text


def test_a_question_has_ten_choices_at_most() -> None:
    many = tuple(f"app{n}" for n in range(30))
    assert len(referent.question(Meant("that one", many), "en").choices) == 10


# --- programs and services ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("nginx 又报 504 了", "nginx"),
        ("why is Postgres so slow today", "postgresql"),
        ("k8s 的节点掉了", "kubernetes"),
        ("es 集群变黄", "elasticsearch"),
        ("重启支付服务", "支付服务"),
        ("麻烦查一下库存服务为什么超时", "库存服务"),
        ("把 order-api 回滚", "order-api"),
        ("the ledger service is down", "ledger"),
        ("systemctl reload haproxy", "haproxy"),
        ("journalctl -u sshd.service -n 50", "sshd"),
        ("docker logs --tail 20 shop-worker", "shop-worker"),
        ("foo-sync.service keeps failing", "foo-sync"),
        ("資料庫和 Redis 哪個慢", "redis"),
        ("数据库连不上", "数据库"),
        ("the load balancer drops requests", "load balancer"),
    ],
)
def test_programs_are_named_as_people_name_them(text: str, name: str) -> None:
    assert service.named(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "这台机器很慢",
        "hello",
        "服务器负载高",
        "这个服务挂了",
        "服务质量不好",
        "/etc/nginx/nginx.conf",
        "",
    ],
)
def test_where_no_program_is_named_there_is_none(text: str) -> None:
    assert service.named(text) == ""


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("后一台", ("app2",)),
        ("两个 shop 都重启", ("app1", "app2")),
        ("both shops", ("app1", "app2")),
        ("之前看过的那台", ("pg1",)),
        ("换一台试试", ("pg1",)),
        ("另一台是不是也这样", ("pg1",)),
        ("not that one", ("pg1",)),
    ],
)
def test_further_ways_to_point(text: str, hosts: tuple[str, ...]) -> None:
    recent = ("app1",) if "shop" in text else ("app1", "pg1")
    assert meant(text, *recent) == hosts
