"""What a question leaves alone: a fact must share something with what is asked."""

import pytest

from tests.notes import CASE, FACT, PREFERENCE, SOFTWARE, Note, note, recalled
from walissh.memory.entry import MemoryType
from walissh.memory.recall import aim
from walissh.memory.recall.values import Query

HOST = "this-machine"


def fact(subject: str, value: str) -> Note:
    return note(f"{subject}: {value}", FACT, HOST, subject=subject)


def program(name: str, version: str) -> Note:
    return note(f"{name} {version}", SOFTWARE, HOST, subject=name)


HELD = (
    fact("cpu count", "2"),
    fact("memory total", "16283656 kB"),
    fact("swap total", "1048572 kB"),
    fact("disk /", "/dev/vda on /"),
    fact("disk /boot", "/dev/vda15 on /boot"),
    fact("kernel", "6.1.0-18-amd64"),
    fact("os", "Debian GNU/Linux 12"),
    fact("hostname", HOST),
    fact("time zone", "Etc/UTC"),
    fact("path redis", "/usr/bin/redis-server"),
    fact("path nginx", "/usr/sbin/nginx"),
    fact("address eth0", "10.1.2.3/24"),
    fact("default gateway", "10.1.2.1"),
    fact("port 22", "sshd"),
    fact("port 80", "nginx"),
    fact("virtualization", "kvm"),
    program("redis", "7.0.15"),
    program("nginx", "1.22.1"),
    program("python3", "3.11.2"),
    program("openssl", "3.0.11"),
    note("nginx answers 502: redis was out of clients; maxclients raised", CASE, HOST),
    note("备份没执行，cron 服务被停；重新启用后正常", CASE, HOST),
    note("以后执行命令都加 sudo", PREFERENCE),
    note("Answer in English", PREFERENCE),
    note("never restart mysql in office hours", PREFERENCE),
)


def told(question: str) -> list[str]:
    return recalled(question, *HELD, k=8, hosts=(HOST,))


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Which services listen on which ports?", ("port",)),
        ("哪些服务监听哪些端口", ("port",)),
        ("看下 redis 状态", ("redis",)),
        ("How full are the disks?", ("disk",)),
        ("磁盘还剩多少", ("disk",)),
        ("这台机器内存够不够", ("memory", "swap")),
        ("nginx 报 502 怎么办", ("nginx",)),
        ("why does nginx answer 502?", ("nginx",)),
        ("上次那个 502 是怎么解决的？", ("502",)),
        ("which processes use most cpu", ("cpu",)),
        ("这台机器是什么系统", ("os", "kernel")),
        ("备份有没有跑", ("备份",)),
        ("can this host reach the internet", ("gateway", "address")),
    ],
)
def test_little_but_what_is_asked_for_comes_back(question: str, wanted: tuple[str, ...]) -> None:
    found = told(question)
    beside = [text for text in found if not any(word in text for word in wanted)]
    assert len(beside) <= 2


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("看下 redis 状态", "redis 7.0.15"),
        ("看下 redis 状态", HELD[20].text),
        ("Which services listen on which ports?", "port 80: nginx"),
        ("磁盘还剩多少", "disk /: /dev/vda on /"),
        ("上次那个 502 是怎么解决的？", HELD[20].text),
        ("备份有没有跑", HELD[21].text),
    ],
)
def test_what_is_asked_for_comes_back(question: str, wanted: str) -> None:
    assert wanted in told(question)


@pytest.mark.parametrize(
    "question",
    [
        "How is the machine doing?",
        "机器负载怎么样",
        "who is logged in",
        "谁登录了",
        "开机多久了",
        "list the docker containers",
        "what packages can be upgraded",
    ],
)
def test_the_host_at_hand_makes_nothing_relevant(question: str) -> None:
    assert len(told(question)) <= 1


def test_a_program_in_the_name_of_its_host_is_still_asked_for() -> None:
    vault = note("vault 1.15.4", SOFTWARE, "vault-1", subject="vault")
    count = note("cpu count: 4", FACT, "vault-1", subject="cpu count")
    assert recalled("vault version", vault, count) == [vault.text]


def test_one_character_in_common_makes_nothing_relevant() -> None:
    assert recalled("状态？", note("症状：信发不出", CASE)) == []


def test_a_named_host_tells_what_is_of_the_kind_asked_for() -> None:
    squid = note("squid 6.1", SOFTWARE, "fox4")
    assert recalled("fox4 上的 flurbel 是什么版本", squid, note("short answers", PREFERENCE)) == [
        squid.text
    ]


# --- what a question is after ----------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("which release is the mailer", SOFTWARE),
        ("邮件网关是几点几的", SOFTWARE),
        ("is the kernel of fox2 recent enough", SOFTWARE),
        ("邮件网关升到几了", SOFTWARE),
        ("which mailer is it", SOFTWARE),
        ("how did we calm the alarms", CASE),
        ("which cable broke the uplink", CASE),
        ("摄像头断线后来怎么弄好的", CASE),
        ("why is the sensor mute", CASE),
        ("传感器断线，在网关上改了什么", CASE),
        ("信箱满了，被谁塞的", CASE),
        ("the lock was gone, who held it", CASE),
        ("how should branches be called", PREFERENCE),
        ("动机床之前要先做什么", PREFERENCE),
        ("may you reboot at night", PREFERENCE),
        ("may I touch the milling machine", PREFERENCE),
        ("is it fine to work on it today", PREFERENCE),
        ("周四能重启网关吗", PREFERENCE),
        ("what do I say about tabs", PREFERENCE),
        ("where does the mailer keep its queue", FACT),
        ("传感器网关在哪台", FACT),
        ("who looks after the scanners", FACT),
        ("what feeds the display", FACT),
    ],
)
def test_a_question_tells_which_kind_answers_it(question: str, kind: MemoryType) -> None:
    assert kind in aim.take(Query(question), ()).kinds


def test_a_plain_what_is_no_fact_where_something_else_is_meant() -> None:
    assert aim.take(Query("what version is the mailer"), ()).kinds == {SOFTWARE}


def test_a_host_at_hand_is_not_named() -> None:
    goal = aim.take(Query("看下磁盘", hosts=("fox2",)), ("fox2",))
    assert (goal.named, goal.hosts) == (frozenset(), frozenset({"fox2"}))


@pytest.mark.parametrize("question", ["may I see passwords in your replies", "有什么规矩我该知道"])
def test_a_question_for_a_rule_finds_rules_that_say_it_otherwise(question: str) -> None:
    assert recalled(question, note("mask every credential", PREFERENCE), k=8)


def test_no_rule_comes_for_a_question_that_is_for_none() -> None:
    assert recalled("which cable was loose", note("mask every credential", PREFERENCE), k=8) == []


def test_the_form_of_an_answer_decides_between_two_that_share_the_word() -> None:
    held = (
        note("dump repository is https://vault-9.example.net/dumps", FACT, "ware-2"),
        note("dumps of ware-2 run at 03:40", FACT, "ware-2"),
    )
    assert recalled("ware-2 几点 dump", *held, k=1) == ["dumps of ware-2 run at 03:40"]


def test_a_question_that_says_version_is_for_no_other_fact() -> None:
    assert aim.take(Query("valkey 版本多少"), ()).kinds == {MemoryType.SOFTWARE_FACT}
