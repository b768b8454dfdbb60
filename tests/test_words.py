"""What words a text is found by, and what else these may be called."""

from pathlib import Path

import pytest

from walissh.errors import InvalidError
from walissh.memory import synonyms, words
from walissh.memory.stem import stem
from walissh.memory.synonyms import Synonyms, SynonymsFile


@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("restarting", "restart"),
        ("restarts", "restart"),
        ("connections", "connect"),
        ("queries", "queri"),
        ("stopped", "stop"),
        ("caused", "caus"),
        ("happiness", "happi"),
        ("relational", "relat"),
        ("controlling", "control"),
        ("redis", "redis"),
        ("status", "status"),
        ("froze", "freez"),
        ("sky", "sky"),
        ("db1", "db1"),
    ],
)
def test_a_word_loses_its_ending(word: str, root: str) -> None:
    assert stem(word) == root


def test_forms_of_a_word_are_one_term() -> None:
    assert len({stem(word) for word in ("compress", "compressed", "compresses")}) == 1


def test_chinese_is_cut_into_characters_and_pairs() -> None:
    assert words.terms("磁盘满") == ["磁", "磁盘", "盘", "盘满", "满"]


def test_words_that_say_nothing_are_left_out() -> None:
    assert words.terms("what is it that you have") == []
    assert "的" not in words.terms("机器的内核")


def test_a_pair_may_span_a_word_that_says_nothing() -> None:
    assert "机器" in words.terms("机器的内核")


def test_a_path_is_a_term_as_a_whole_and_in_parts() -> None:
    terms = words.terms("see /srv/shop/app.conf")
    assert {"srv/shop/app.conf", "srv", "shop", "app", "conf"} <= {*terms}


def test_a_setting_is_found_by_its_parts() -> None:
    assert {"send", "timeout"} <= {*words.terms("send_timeout")}


def test_a_version_is_found_by_its_leading_numbers() -> None:
    assert {"3.4.17", "3.4"} <= {*words.terms("valkey 3.4.17")}


def test_a_host_name_stays_whole() -> None:
    assert "edge-07" in words.terms("edge-07 is slow")


def test_a_name_of_several_capitals_is_found_by_its_parts() -> None:
    assert {"oomkil", "oom", "kill"} <= {*words.terms("OOMKilled")}


def test_full_width_letters_are_the_same_letters() -> None:
    assert words.terms("ＮＧＩＮＸ") == words.terms("nginx")


def test_an_owner_is_the_same_word() -> None:
    assert words.terms("Maria's") == words.terms("Maria") == words.terms("Maria’s")


def test_terms_are_counted() -> None:
    assert words.counted("disk, disks and DISK")["disk"] == 3


def test_a_huge_text_is_known_by_both_its_ends() -> None:
    text = "beginning " + "x" * 5_000_000 + " finish"
    found = words.terms(text)
    assert {"begin", "finish"} <= {*found}
    assert sum(map(len, found)) < 2 * words.MAX_CHARS


def test_no_term_is_longer_than_the_index_takes() -> None:
    assert max(map(len, words.terms("a" * 9000 + "/" + "b" * 9000))) <= words.MAX_TERM_CHARS


@pytest.mark.parametrize("text", ["", "   ", "\x00\x01", "\ud800", "！？。", "@@@ ### ''", "'s"])
def test_a_text_without_words_has_no_terms(text: str) -> None:
    assert words.terms(text) == []


def test_no_term_looks_like_a_mark() -> None:
    assert not [term for term in words.terms("mail me @ops or ops@example.com") if term[0] == "@"]


# --- synonyms -------------------------------------------------------------------------


def _found(question: str, text: str, lexicon: Synonyms | None = None) -> bool:
    held = {*words.terms(text)}
    concepts = (lexicon or synonyms.standard()).concepts(question)
    return any({*phrase} <= held for each in concepts for phrase in each.phrases)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("上次内存不足怎么办的", "the collector was out of memory"),
        ("who ate all the memory", "catalog 把内存吃光"),
        ("连接数满了", "FATAL: sorry, too many clients already"),
        ("硬盘没有空间了，磁盘满", "write failed: no space left on device"),
        ("disk full again", "根分区磁盘写满"),
        ("证书什么时候到期", "the certificate of the shop is renewed in May"),
        ("how do I restart it", "先平滑重载，不行再重启"),
        ("备份在几点", "the nightly dump starts at three"),
        ("防火墙放行了吗", "iptables drops what is not listed"),
        ("ssh 端口", "sshd listens on 2022"),
        ("has it GPU", "装了两块显卡"),
        ("主从延迟", "replica lag after the import"),
        ("时钟不准", "chronyd was off"),
        ("shoppers wait at the till", "收银前顾客排队"),
        ("周三能发版吗", "we ship on Wednesdays"),
        ("the nurses see no pictures", "护士站打不开影像"),
        ("卷挂不上", "multi-attach error, the dead node held it"),
        ("who keeps the key components", "密钥分量的保管人"),
        ("骨干设备", "the backbone gear is read only"),
    ],
)
def test_a_question_finds_the_other_language(question: str, text: str) -> None:
    assert _found(question, text)


def test_to_log_in_is_not_a_log() -> None:
    assert not _found("how do I log in", "the logs are kept a week")


def test_a_small_word_beside_another_makes_no_phrase_of_it() -> None:
    assert not _found("when does it back up", "the lamp came back")
    assert not _found("what runs at night", "she ran the lamp shop")


def test_the_longest_phrase_counts() -> None:
    lexicon = Synonyms(synonyms.read("same:\n  - 检索平台 | finder\n  - 平台 | platform\n"))
    concepts = lexicon.concepts("检索平台慢")
    assert [synonyms.title(concept.name, "en") for concept in concepts] == ["finder"]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("the packets were all dropped", "packet loss on the uplink"),
        ("磁盘昨晚又满了", "no space left on device"),
        ("连接总是被拒", "connection refused by the broker"),
        ("the memory of the exporter seems to leak", "内存泄漏，升级后好了"),
        ("which card driver", "NVIDIA 550.54"),
        ("作业调度软件", "slurm 23.02"),
        ("谁值班", "on call: Ada"),
        ("the box is on its knees", "cpu 跑满"),
        ("机房停电能撑多久", "UPS runtime 12 min"),
        ("which JDK is it", "Corretto 21"),
        ("发不出去的邮件", "queue of the MTA postfix"),
        ("which release is the firewall", "OPNsense 24.7"),
        ("虚拟化平台升到几了", "proxmox 8.1"),
        ("how many lines may it be", "最多给 25 行"),
        ("neither node gave up being master", "集群裂成两半，脑裂"),
    ],
)
def test_a_question_finds_what_says_it_otherwise(question: str, text: str) -> None:
    assert _found(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("which service owns 11211", "memcached on hot-3"),
        ("etcd 用哪个口", "listens on 2379"),
        ("堡垒机软件是哪一版", "jumpserver 4.1.0"),
        ("which hypervisor is it", "proxmox 9.0.3"),
        ("how are amounts rounded", "金额四舍五入到分"),
        ("断电之后", "after the power outage"),
    ],
)
def test_a_program_is_found_by_what_it_is_for_and_by_its_port(question: str, text: str) -> None:
    held = {*words.terms(text)}
    sought = [phrase for each in synonyms.standard().concepts(question) for phrase in each.phrases]
    assert any(held.issuperset(phrase) for phrase in sought)


def test_words_of_a_phrase_may_stand_apart() -> None:
    lexicon = Synonyms(synonyms.read("same:\n  - red lamp | 灯具损坏\n"))
    assert _found("the lamp was red", "一只灯具昨天损坏", lexicon)
    assert not _found("lamp" + " and so on" * 20 + " red", "灯具损坏", lexicon)


def test_a_phrase_at_one_piece_weighs_more_than_one_apart() -> None:
    lexicon = Synonyms(synonyms.read("same:\n  - red lamp | 灯具\n"))
    whole, apart = lexicon.concepts("red lamp")[0], lexicon.concepts("lamp, red")[0]
    assert whole.weight > apart.weight


def test_a_concept_has_a_title_in_each_language() -> None:
    lexicon = Synonyms(synonyms.read("same:\n  - lamp | 灯具\nnear:\n  - 发光 > lamp\n"))
    (concept,) = lexicon.concepts("发光")
    assert synonyms.title(concept.name, "zh") == "灯具"
    assert synonyms.title(concept.name, "en") == "lamp"


def test_no_two_concepts_have_one_name() -> None:
    lexicon = Synonyms(synonyms.read("same:\n  - lamp | 灯\n  - lamp | 灯 | 烛\n"))
    assert len({each.name for each in lexicon.concepts("lamp")}) == 2


def test_near_words_lead_one_way() -> None:
    lexicon = Synonyms(synonyms.read("near:\n  - 发光 > lamp\n"))
    assert _found("发光吗", "a lamp", lexicon)
    assert not _found("lamp", "发光", lexicon)


def test_near_words_find_the_group_of_what_they_lead_to() -> None:
    lexicon = Synonyms(synonyms.read("same:\n  - lamp | 灯具\nnear:\n  - 发光 > lamp\n"))
    assert _found("发光吗", "买了灯具", lexicon)


def test_what_stands_in_a_phrase_that_leads_elsewhere_counts_too() -> None:
    lexicon = Synonyms(
        synonyms.read("same:\n  - lamp | 灯具\nnear:\n  - may I dim the lamp > 夜里\n")
    )
    assert _found("may I dim the lamp", "灯具", lexicon)
    assert _found("may I dim the lamp", "只在夜里", lexicon)


def test_a_near_word_weighs_less_than_a_same_one() -> None:
    lexicon = Synonyms(synonyms.read("same:\n  - lamp | 灯具\nnear:\n  - 发光 > 蜡烛\n"))
    same, near = lexicon.concepts("lamp")[0], lexicon.concepts("发光")[0]
    assert same.weight > near.weight


@pytest.mark.parametrize(
    "text",
    [
        "same: [",
        "- a\n- b",
        "others:\n  - a | b\n",
        "same:\n  - a |  | b\n",
        "same: 一",
        "near:\n  - a | b\n",
        "same:\n  - one two three four five six seven eight nine ten eleven\n",
    ],
)
def test_a_file_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(InvalidError, match="synonyms"):
        synonyms.read(text)


def test_the_standard_file_stands_the_checks_of_any_file() -> None:
    text = (Path(synonyms.__file__).parent / "synonyms.yaml").read_text("utf-8")
    groups = synonyms.plain(text)
    assert groups == synonyms.read(text)
    assert len(groups) > 300


def test_what_was_asked_before_changes_nothing() -> None:
    text = "same:\n  - no lamp left | 灯具\n  - left over | 剩余\nnear:\n  - 没有灯 > 剩余\n"
    used = Synonyms(synonyms.read(text))
    used.concepts("what is left over")
    fresh = Synonyms(synonyms.read(text))
    question = "the lamp we left over, 没有灯"
    assert used.concepts(question) == fresh.concepts(question)


def test_a_phrase_is_met_by_an_irregular_form() -> None:
    lexicon = Synonyms(synonyms.read("same:\n  - ran dry | 用光\n"))
    assert lexicon.concepts("pools run dry")


def test_a_phrase_that_begins_with_a_word_that_says_nothing_is_met_apart() -> None:
    lexicon = Synonyms(synonyms.read("same:\n  - no lamp oil | 灯油\n"))
    assert lexicon.concepts("the oil of the lamp")


def test_ones_own_file_holds_beside_the_standard_one(tmp_path: Path) -> None:
    path = tmp_path / "synonyms.yaml"
    path.write_text("same:\n  - flurbel | 玩意儿\nnear:\n  - wizzle > 内存\n", "utf-8")
    own = SynonymsFile(path).current()
    assert _found("flurbel", "玩意儿坏了", own)
    assert _found("wizzle", "out of RAM", own)
    assert _found("磁盘满", "no space left on device", own)


def test_without_an_own_file_the_standard_one_holds(tmp_path: Path) -> None:
    assert SynonymsFile(tmp_path / "none.yaml").current() is synonyms.standard()


def test_an_edited_file_holds_at_once(tmp_path: Path) -> None:
    path = tmp_path / "synonyms.yaml"
    path.write_text("same:\n  - flurbel | wizzle\n", "utf-8")
    own = SynonymsFile(path)
    own.current()
    path.write_text("same:\n  - flurbel | quarfle | wizzle\n", "utf-8")
    assert _found("flurbel", "a quarfle", own.current())


def test_a_broken_file_keeps_the_last_good_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "synonyms.yaml"
    path.write_text("same:\n  - flurbel | wizzle\n", "utf-8")
    own = SynonymsFile(path)
    good = own.current()
    path.write_text("same: [broken\n", "utf-8")
    assert own.current() is good
    assert str(path) in own.problem


def test_a_repaired_file_holds_again(tmp_path: Path) -> None:
    path = tmp_path / "synonyms.yaml"
    path.write_text("same: [broken\n", "utf-8")
    own = SynonymsFile(path)
    own.current()
    path.write_text("same:\n  - flurbel | wizzle\n", "utf-8")
    assert _found("flurbel", "a wizzle", own.current())
    assert own.problem == ""
