"""What counts as a standing instruction of a person, and what only looks like one."""

from collections.abc import Sequence

import pytest

from walissh.memory.entry import Found, MemoryType, Op
from walissh.memory.extract import preferences, scope


def only(text: str) -> Found:
    found = preferences.from_user(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "subject", "value"),
    [
        ("以后执行命令都加 sudo", "sudo", "sudo"),
        ("Prefix every command with sudo from now on", "sudo", "sudo"),
        ("Always answer in Dutch", "output language", "Dutch"),
        ("今后请用日语回复我", "output language", "日语"),
        ("From here on 用中文回答", "output language", "中文"),
        ("Going forward show every time in Asia/Seoul", "time zone", "Asia/Seoul"),
        ("我平时更喜欢用 emacs，别给我开 vi", "editor", "emacs"),
        ("my preferred editor is helix", "editor", "helix"),
        ("看日志最多给我 300 行，往后都这样", "log lines", "300 行"),
        ("Whenever you show logs, 80 lines is enough", "log lines", "80 lines"),
        ("You can call me Kim", "form of address", "Kim"),
        ("docker ps 以后 always 加 --format table", "docker --format", "--format"),
        ("服务挂了先通知我，再动手，这是规矩", "服务挂", "先通知我"),
        ("assume Postgres 16 unless I tell you otherwise", "postgres", "Postgres 16"),
        ("凡涉及删库的操作一律先问我", "delete confirmation", "先问我"),
        ("Never print tokens in the output", "secrets in output", "tokens"),
        ("能不能以后每条命令都给我解释一下参数？", "explanation", "解释"),
        ("Could you please always explain the flags?", "explanation", "flags"),
        ("Three sentences max, every time", "answer length", "Three sentences"),
    ],
)
def test_a_standing_instruction_is_found(text: str, subject: str, value: str) -> None:
    found = only(text)
    assert found.type is MemoryType.USER_PREFERENCE
    assert (found.subject, found.op, found.scope) == (subject, Op.ADD, "global")
    assert value in found.value


TRAPS = {
    "question": [
        "Do you always need root for that?",
        "以后要不要都用 UTC，你觉得呢？",
        "is there a way to always start it at boot",
        "Which shell do you use by default?",
        "我是不是让你以后都用英文来着",
    ],
    "hypothesis": [
        "Suppose every host ran Alpine from now on",
        "假设以后都用 root，会有什么风险",
        "If we always used LVM, resizing would be easier",
        "要是以后换机房，地址肯定要改",
    ],
    "quotation": [
        'The ticket reads "from now on use port 9000"',
        "注释里写着“永远不要删这行”",
        "The banner says: always log out when done",
        "报错提示 always run as root，怎么处理",
        "> always use sudo",
    ],
    "others": [
        "My manager prefers weekly reports",
        "小韩总是忘了关连接",
        "Bob said to always use his script",
        "甲方以后不用这套了",
        "公司规定每次上线都要审批",
    ],
    "default": [
        "postgres 默认用 5432 端口",
        "by default nginx logs to /var/log/nginx",
        "It defaults to 3306, and nothing answers",
    ],
    "idiom": ["never mind", "以后再说吧", "always a pleasure", "永远的神", "never say never"],
    "symptom": [
        "it always returns 504",
        "每次重启都报错",
        "Every time I run apt update it fails",
        "升级以后总是很慢",
        "所有请求都要 3 秒才返回",
    ],
    "once": [
        "这次就别加 sudo 了",
        "just for today use the backup server",
        "until Monday use the old endpoint",
        "从现在起到月底冻结发布",
        "临时把阈值调到 90",
    ],
    "past": [
        "I used to prefer joe",
        "我以前习惯用 emacs",
        "Yesterday it always timed out",
        "还记得上次说以后都用 zstd 吗",
    ],
    "forecast": ["以后这台要下线的", "From now on traffic goes through lb3", "我以后自己来重启"],
    "task": [
        "restart all web hosts",
        "turn off the firewall on all hosts",
        "把端口从 80 改成 8080",
        "Permanently disable swap on db4",
        "set the restart policy to always",
        "List services enabled by default",
        "keep watching until I say otherwise",
        "I prefer to restart it now",
        "别再找了，找到了",
        "Don't worry about it anymore",
    ],
    "pasted": [
        "2025-05-01 12:00:01 WARN always use sudo from now on",
        "```\nalways use sudo\n```",
        "Here is the log:\nalways use sudo\nnever use root",
        "$ echo always use sudo",
    ],
}


@pytest.mark.parametrize("text", [text for texts in TRAPS.values() for text in texts])
def test_what_only_looks_like_an_instruction_is_none(text: str) -> None:
    assert preferences.from_user(text) == []


@pytest.mark.parametrize(
    ("text", "scoped"),
    [
        ("Never run a full vacuum on pg3 without telling me", "host:pg3"),
        ("lb1 和 lb2 上的 haproxy 以后只能 reload", "host:lb1,lb2"),
        ("On web1 and web2 always reload instead of restarting", "host:web1,web2"),
        ("As a rule, no topic deletions on the kafka-* hosts", "host:kafka-*"),
        ("记住 web 打头的机器不准动防火墙", "host:web*"),
        ("When it's the payroll box, check twice. Always.", "host:payroll-box"),
        ("On all mongo servers take a snapshot before upgrading, always", "group:mongo"),
        ("生产环境一律只读，别改任何东西", "group:prod"),
        ("staging 环境一律用 ro 账号", "group:staging"),
        ("开发机可以不用问我直接重启，这条长期有效", "group:dev"),
        ("Everywhere except gw2, ask before restarting anything", "all-except:gw2"),
        ("除了 gw2 以外，所有机器都不准改 iptables", "all-except:gw2"),
        ("帮我看下 web2 的内存，另外以后都附上 swap", "global"),
        ("Default to the staging cluster unless I say prod", "global"),
        ("以后默认连 web2", "global"),
        ("以后文件都存成 utf8", "global"),
    ],
)
def test_the_scope_is_the_place_that_is_named(text: str, scoped: str) -> None:
    assert only(text).scope == scoped


@pytest.mark.parametrize(
    ("text", "op", "value"),
    [
        ("不用再加 sudo 了", Op.REPLACE, "不用再加 sudo"),
        ("You don't need to use sudo any more", Op.REPLACE, "sudo"),
        ("之前说保留 30 天的那条作废，改成 60 天", Op.REPLACE, "60 天"),
        ("Forget the gzip rule, use pigz from now on", Op.REPLACE, "pigz"),
        ("把跳板机从 gate1 换成 gate2，以后都走它", Op.REPLACE, "gate2"),
        ("改主意了，以后用 screen", Op.REPLACE, "screen"),
        ("还是用 UTC 吧，以后都这样", Op.REPLACE, "UTC"),
        ("I no longer want the answers in Polish", Op.REMOVE, "answers in Polish"),
        ("Drop the rule about asking before restarts", Op.REMOVE, "asking"),
        ("取消之前那条每次都要备份的规矩", Op.REMOVE, "备份"),
        ("Don't dump whole files any more, a diff will do", Op.ADD, "diff"),
        ("以后删文件都改成移到 /srv/bin", Op.ADD, "/srv/bin"),
    ],
)
def test_negating_replaces_and_withdrawing_removes(text: str, op: Op, value: str) -> None:
    found = only(text)
    assert (found.op, value in found.value) == (op, True)


@pytest.mark.parametrize(
    "texts",
    [
        ("以后执行命令都加 sudo", "不用再加 sudo 了", "no more sudo please"),
        ("Always answer in English", "以后用中文回答", "I no longer want answers in Polish"),
        ("以后看日志给我 200 行", "from now on tail 50 lines of the log"),
        ("以后时间都按北京时间写", "Remember: I want all timestamps in UTC"),
        ("我习惯用 vim", "my default editor is nano"),
        ("Never restart mysqld on db1 without asking", "以后可以直接重启 mysqld"),
        ("以后打包用 zstd", "Let's standardise on xz for archives"),
        ("执行前先给我看命令，以后都这样", "Always show me the command before running it"),
    ],
)
def test_two_wordings_of_one_matter_share_their_subject(texts: Sequence[str]) -> None:
    assert len({only(text).subject for text in texts}) == 1


def test_two_confirmations_of_different_things_are_two_matters() -> None:
    texts = (
        "Always ask before a restart",
        "Never drop a database unless I confirm",
        "升级前都要先问我",
    )
    assert len({only(text).subject for text in texts}) == len(texts)


def test_two_matters_in_one_sentence_are_two_memories() -> None:
    found = preferences.from_user("以后用英文回答，时间都按 UTC 写")
    assert [(each.subject, each.value) for each in found] == [
        ("output language", "英文"),
        ("time zone", "UTC"),
    ]


def test_the_value_is_one_word_where_the_matter_allows_it() -> None:
    assert only("Reply in English from here on").value == "English"
    assert only("Always answer in English, please").value == "English"
    assert only("Forget UTC as I said, use Asia/Tokyo from now on").value == "Asia/Tokyo"
    assert only("Forget the UTC rule, use my own clock from now on").value.startswith("use my")
    assert only("以后不要用英文回答").value == "以后不要用英文回答"


def test_only_the_rule_is_kept_beside_a_task_or_a_one_off() -> None:
    texts = {
        "Check /var on fs2 please, and from now on include inode usage": "from now on include",
        "就这次用 root，平时默认用 deploy": "平时默认用 deploy",
        "Skip the backup this once, but normally always take one": "normally always take one",
        "以后都用中文回答，好吗？": "以后都用中文回答",
    }
    for text, kept in texts.items():
        assert only(text).content.startswith(kept)


def test_items_under_a_heading_of_rules_are_rules() -> None:
    text = "From now on:\n- answer in English\n- show 20 lines of the logs\n\nrestart nginx"
    found = preferences.from_user(text)
    assert [each.subject for each in found] == ["output language", "log lines"]


def test_a_habit_counts_for_less_than_an_order() -> None:
    assert only("I prefer short answers").confidence < only("Always answer briefly").confidence


SECRETS = [
    ("记住密码是 8841", "password", "8841"),
    ("Remember my API key: DEMO-KEY-12ab-none", "api key", "DEMO-KEY"),
    ("from now on use token zz-demo-99-none", "token", "zz-demo"),
    ("记一下，vpn 口令 Pine4pple-demo", "password", "Pine4pple"),
    ("the db password for analytics is rosebud, remember it", "password", "rosebud"),
    ("我的 sudo 密码 Fake#Pw1 你存一下", "password", "Fake#Pw1"),
    ("以后 sudo 密码就是 tulip", "password", "tulip"),
    ("记住口令 tulip", "password", "tulip"),
    ("Always connect as etl_ro; the password is Grape-fake-5", "password", "Grape"),
    ("From now on log in as etl_ro (password Grape-fake-5)", "password", "Grape"),
    ("以后用 etl_ro 账号连数据库，密码 Grape-fake-5", "password", "Grape"),
    ("From now on use postgres://app:Grape5@db1/main", "secret", "Grape5"),
]


@pytest.mark.parametrize(("text", "kind", "secret"), SECRETS)
def test_a_secret_is_refused_by_its_kind_and_never_kept(text: str, kind: str, secret: str) -> None:
    assert preferences.refusal(text) == kind
    assert secret not in repr(preferences.from_user(text))


def test_the_account_told_beside_a_secret_is_kept() -> None:
    for text, _, _ in SECRETS[8:11]:
        assert "etl_ro" in only(text).value


def test_a_secret_told_in_one_sentence_is_kept_out_of_another() -> None:
    text = "The password is Grape-fake-5. Always greet me with Grape-fake-5"
    assert preferences.from_user(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "以后不要在日志里打印 token",
        "remember to rotate the password monthly",
        "the password is hunter9, log in and check",
        "Always mask passwords",
        "restart nginx",
    ],
)
def test_talk_about_secrets_is_not_refused(text: str) -> None:
    assert preferences.refusal(text) is None


@pytest.mark.parametrize(
    ("text", "is_once"),
    [
        ("这次就用 root 吧", True),
        ("just this once, skip the tests", True),
        ("本次变更不用审批", True),
        ("Use root this one time, otherwise it's always ops", True),
        ("不光这次，以后都用 root", False),
        ("Always answer in English", False),
        ("from today on use UTC", False),
    ],
)
def test_a_one_off_is_told_apart(text: str, is_once: bool) -> None:
    assert preferences.once(text) is is_once


def test_a_rule_before_and_after_a_long_paste_is_found() -> None:
    paste = "2025-05-01 12:00:01 INFO always use sudo\n" * 20_000
    found = preferences.from_user(f"以后都用中文回答\n{paste}From now on report times in UTC")
    assert [each.subject for each in found] == ["output language", "time zone"]


@pytest.mark.parametrize(
    "text", ["", "\n\n", "，。；", "以后", "always", '"' * 5000, "a " * 50_000]
)
def test_text_that_says_nothing_teaches_nothing(text: str) -> None:
    assert preferences.from_user(text) == []


def test_a_named_choice_is_no_scope() -> None:
    assert scope.of("connect to db2 by default") == "global"
    assert scope.of("on db2 use nft") == "host:db2"


@pytest.mark.parametrize(
    "said",
    [
        "https://desk.example.com/a always ends in a 502 after a short wait, why?",
        "The export page always times out.",
        "grafana always shows yesterday's data",
    ],
)
def test_how_a_thing_behaves_is_no_preference(said: str) -> None:
    assert preferences.from_user(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "换了新网关以后，积分服务 points 一直 502，重启 nginx 都没用，请查查为什么",
        "The nightly import always stops halfway and never sends a mail, please find out why",
    ],
)
def test_a_report_of_trouble_teaches_no_preference(said: str) -> None:
    assert preferences.from_user(said) == []


def test_an_order_beside_a_report_of_trouble_counts() -> None:
    said = "积分服务一直 502，请查查为什么。以后都用中文回答。"
    assert [each.content for each in preferences.from_user(said)] == ["以后都用中文回答"]
