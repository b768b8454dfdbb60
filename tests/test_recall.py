"""Which memories and lines a question brings back, and in which order."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.notes import (
    CASE,
    FACT,
    NOW,
    PREFERENCE,
    SOFTWARE,
    hits,
    matches,
    note,
    recalled,
)
from walissh.cli.evaluations import recall as evaluation
from walissh.memory import synonyms
from walissh.memory.recall import marks, memories, score, sought
from walissh.memory.recall.values import Features, Matches, Query

OTHERS = (
    note("shop is deployed in /srv/shop", host="fox3"),
    note("varnish 7.1.2 on fox2", SOFTWARE, "fox2"),
    note("answers in short sentences", PREFERENCE),
    note("fox9 的时区是 Asia/Tokyo", host="fox9"),
    note("imports failed on fox5 as the share was unmounted; mounted it again", CASE, "fox5"),
)


def test_a_word_is_found() -> None:
    assert recalled("varnish?", *OTHERS) == ["varnish 7.1.2 on fox2"]


def test_a_chinese_question_finds_an_english_memory() -> None:
    wanted = note("fox2: the certificate expired, renewed it by hand", CASE, "fox2")
    assert recalled("fox2 上次证书出了什么事", wanted, *OTHERS)[0] == wanted.text


def test_an_english_question_finds_a_chinese_memory() -> None:
    assert recalled("which time zone has fox9", *OTHERS)[0] == OTHERS[3].text


@pytest.mark.parametrize("question", ["what does the moon weigh", "月亮有多重", "", "?!", "的"])
def test_nothing_relevant_gives_nothing(question: str) -> None:
    assert recalled(question, *OTHERS) == []


def test_no_memories_give_nothing() -> None:
    assert recalled("varnish") == []


def test_at_most_k_come_back() -> None:
    many = [note(f"varnish rule number {number}", days=number) for number in range(20)]
    assert len(recalled("varnish rule", *many, k=3)) == 3


def test_the_named_host_comes_before_another() -> None:
    other = note("memcached on fox1: 1.6.9", SOFTWARE, "fox1", days=1)
    wanted = note("memcached on fox2: 1.5.6", SOFTWARE, "fox2", days=300)
    assert recalled("memcached version on fox2", other, wanted, *OTHERS)[0] == wanted.text


def test_the_host_at_hand_is_meant_when_none_is_named() -> None:
    other = note("memcached 1.6.9 runs here", SOFTWARE, "fox1", days=1)
    wanted = note("memcached 1.5.6 runs here", SOFTWARE, "fox2", days=300)
    found = recalled("那台的 memcached 呢", other, wanted, *OTHERS, hosts=("fox2",))
    assert found[0] == wanted.text


def test_the_talk_before_tells_what_is_meant() -> None:
    wanted = note("squid cache_dir is /var/spool/squid", host="fox7")
    context = (("where does squid keep its cache", 0.5),)
    assert recalled("那台呢", wanted, *OTHERS, context=context)[0] == wanted.text


def test_the_question_counts_more_than_the_talk_before() -> None:
    asked = note("the proxy of the office is squid", host="")
    before = note("the mailer of the office is exim", host="")
    found = recalled("the squid?", before, asked, context=(("the exim?", 0.3),))
    assert found[0] == asked.text


def test_a_strange_host_brings_no_facts_of_others() -> None:
    assert recalled("memcached on owl-77", *OTHERS) == []


def test_a_host_alone_brings_only_the_kind_that_is_asked_for() -> None:
    found = recalled("which release is the flurbel on fox2", *OTHERS)
    assert found in ([], [OTHERS[1].text])


def test_the_newer_of_two_versions_stands_above() -> None:
    older = note("fox4 的 squid 版本是 5.2", SOFTWARE, "fox4", days=400)
    newer = note("squid 6.1 on fox4", SOFTWARE, "fox4", days=2)
    assert recalled("fox4 squid 版本", older, newer, *OTHERS)[:2] == [newer.text, older.text]


def test_the_newer_of_one_subject_stands_above_whatever_it_says() -> None:
    older = note("the shop listens on port 81, on port 81 only", days=400)
    newer = note("shop: port 82", days=2)
    older, newer = (
        replace(each, features=each.features._replace(subject="shop port"))
        for each in (older, newer)
    )
    assert recalled("port the shop listens on", older, newer)[0] == newer.text


def test_an_old_case_is_no_version_of_a_new_one() -> None:
    older = note("squid stalled as its disk was full; emptied the cache", CASE, "fox4", days=80)
    newer = note("squid restarted", CASE, "fox4", days=2)
    found = recalled("squid stalled, disk full, empty the cache?", newer, older)
    assert found[0] == older.text


def test_a_fresh_fact_comes_before_an_old_one() -> None:
    old = note("backups of the shop lie on nas1", CASE, days=700)
    fresh = note("backups of the shop lie on nas2", CASE, days=3)
    assert recalled("where are backups of the shop", old, fresh)[0] == fresh.text


def test_a_preference_does_not_fade_within_a_year() -> None:
    old = note("reports in pdf", PREFERENCE, days=360)
    features = memories.freshness(old.features, NOW)
    assert features == 1.0
    assert memories.freshness(old.features._replace(type=FACT), NOW) < 0.1


def test_a_preference_that_is_still_recalled_keeps_its_rank() -> None:
    learned = NOW - timedelta(days=900)
    idle = Features(PREFERENCE, at=learned)
    used = idle._replace(used_at=NOW - timedelta(days=3))
    assert memories.freshness(used, NOW) == 1 > memories.freshness(idle, NOW)


def test_a_sure_memory_comes_before_a_doubtful_one() -> None:
    doubtful = note("the mailer may be exim")
    doubtful = replace(doubtful, features=doubtful.features._replace(confidence=0.4))
    sure = note("the mailer is now exim")
    assert recalled("mailer exim", doubtful, sure)[0] == sure.text


def test_what_helped_often_comes_first() -> None:
    plain, helpful = note("exim queue: run one"), note("exim queue: run two")
    helpful = replace(helpful, features=helpful.features._replace(helped_times=4))
    assert recalled("exim queue", plain, helpful)[0] == helpful.text


def test_a_question_why_is_answered_by_a_case() -> None:
    fact = note("exim on fox6 keeps its queue in /var/spool/exim", host="fox6")
    case = note("exim on fox6 kept its queue as the relay refused it; new relay", CASE, "fox6")
    assert recalled("why did exim on fox6 keep its queue", fact, case)[0] == case.text


def test_a_question_for_my_rule_is_answered_by_a_preference() -> None:
    fact = note("exim restarts at night", host="fox6", days=1)
    rule = note("never restart exim at night", PREFERENCE, days=200)
    assert recalled("我对 exim 重启的规矩是什么", fact, rule)[0] == rule.text


def test_a_hit_says_by_which_words_it_was_found() -> None:
    assert "varnish" in hits("varnish?", *OTHERS)[0].reasons


def test_a_reason_is_in_the_language_of_the_question() -> None:
    wanted = note("the collector ran out of memory", CASE)
    assert "内存不足" in hits("内存不足那次", wanted, *OTHERS)[0].reasons
    wanted = note("采集进程内存不足", CASE)
    assert "oom" in hits("why did the OOM killer come", wanted, *OTHERS)[0].reasons


def test_a_reason_is_written_as_in_the_question() -> None:
    wanted = note("Connections of exim piled up", CASE)
    assert hits("are connections piling up", wanted)[0].reasons[0] in ("connections", "piling")


def test_pairs_that_overlap_are_one_word_of_a_reason() -> None:
    wanted = note("归档脚本写在旧机柜上")
    assert "旧机柜" in hits("旧机柜？", wanted)[0].reasons


def test_a_memory_without_features_does_not_count() -> None:
    query = Query("varnish?", at=NOW)
    aim = sought.seek(query, synonyms.standard())
    tallies = memories.weigh(aim, matches(aim.terms(), OTHERS))
    assert memories.rank(query, tallies, {}, k=5) == []


def test_a_huge_question_is_looked_up_in_part() -> None:
    question = " ".join(f"word{number}" for number in range(9000))
    aim = sought.seek(Query(question), synonyms.standard())
    assert len(aim.words) <= sought.MAX_TERMS


# --- marks ----------------------------------------------------------------------------


def test_a_line_is_marked_with_speaker_and_day() -> None:
    at = datetime(2030, 7, 9, tzinfo=UTC)
    assert {"@ada", "@2030", "@07", "@07-09"} <= marks.of_line("Hello", "Ada", at)


@pytest.mark.parametrize("text", ["I came yesterday", "in June", "我昨天去的", "3 月的事"])
def test_a_line_that_tells_a_time_is_marked(text: str) -> None:
    assert marks.WHEN in marks.of_line(text, "", None)


@pytest.mark.parametrize("text", ["When was that?", "什么时候", "Which year did she leave?"])
def test_a_question_for_a_time_wants_lines_that_tell_one(text: str) -> None:
    assert marks.WHEN in marks.of_question(text)


@pytest.mark.parametrize("text", ["on 9 July", "on July 9th", "7月9日", "2030-07-09"])
def test_a_day_in_a_question_is_wanted(text: str) -> None:
    assert marks.of_question(text)["@07-09"] == marks.DAY_WEIGHT


# --- talks ----------------------------------------------------------------------------


def _said(*lines: tuple[str, str], talk: str = "t1", at: str = "2030-02-03T10:00:00Z"):
    return [
        {
            "op": "add",
            "user": "u",
            "id": f"{talk}/{number}",
            "type": "MESSAGE",
            "text": text,
            "session": talk,
            "speaker": speaker,
            "at": at,
        }
        for number, (speaker, text) in enumerate(lines)
    ]


def _asked(text: str, *, user: str = "u", k: int = 3) -> dict[str, object]:
    return {"op": "query", "user": user, "id": "q", "text": text, "k": k}


def _hits(lines: list[dict[str, object]]) -> list[str]:
    answers = [each for each in evaluation.answer(lines) if each is not None]
    hits = answers[-1]["hits"]
    assert isinstance(hits, list)
    return hits


FILLER = [(name, f"{word} is what I did") for name in ("Ada", "Bo") for word in ("Sewing", "Golf")]


def test_an_answer_is_found_beside_the_words_of_the_question() -> None:
    talk = _said(
        ("Ada", "Did you name the kitten you took home?"),
        ("Bo", "Yes, Pepper!"),
        talk="t1",
    )
    far = _said(*FILLER, *FILLER, talk="t2")
    assert "t1/1" in _hits([*far, *talk, _asked("how is the kitten called", k=2)])


def test_a_line_of_the_one_who_is_asked_for_comes_first() -> None:
    talk = _said(("Ada", "I paint ships."), ("Bo", "I paint ships."), *FILLER)
    assert _hits([*talk, _asked("What does Bo paint?")])[0] == "t1/1"


def test_a_line_of_the_day_that_is_asked_for_comes_first() -> None:
    one = _said(("Ada", "We sailed to the island."), talk="t1", at="2030-04-05T09:00:00Z")
    two = _said(("Ada", "We sailed to the island."), talk="t2", at="2030-05-06T09:00:00Z")
    assert _hits([*one, *two, _asked("Where did they sail on 6 May?")])[0] == "t2/0"
    assert _hits([*one, *two, _asked("4月5日去了哪里 sail")])[0] == "t1/0"


def test_a_single_chinese_character_is_enough() -> None:
    talk = _said(("A", "我在学琴"), ("B", "今天下雨"), ("A", "晚饭吃面"))
    assert _hits([*talk, _asked("谁会弹琴")])[0] == "t1/0"


# --- the evaluation -------------------------------------------------------------------


def _memory(name: str, text: str, user: str = "u", **more: object) -> dict[str, object]:
    line = {"op": "add", "user": user, "id": name, "type": "SOFTWARE_FACT", "text": text}
    return {**line, "at": "2030-01-01T00:00:00", "host": None, **more}


def test_an_add_line_prints_nothing() -> None:
    assert [*evaluation.answer([_memory("m1", "exim 4.94")])] == [None]


def test_hits_are_ids_as_given() -> None:
    assert _hits([_memory("m-one", "exim 4.94"), _asked("exim")]) == ["m-one"]


def test_memories_of_another_person_stay_theirs() -> None:
    lines = [_memory("mine", "exim 4.94"), _memory("theirs", "exim 4.96", user="other")]
    assert _hits([*lines, _asked("exim")]) == ["mine"]
    assert _hits([*lines, _asked("exim", user="nobody")]) == []


def test_answers_in_a_line_are_not_read() -> None:
    lines = [_memory("m1", "exim 4.94"), {**_asked("varnish"), "relevant": ["m1"]}]
    assert _hits(lines) == []


# --- the best of many -----------------------------------------------------------------


def test_the_best_of_many_are_the_first_of_all() -> None:
    totals = {doc: float(doc * 7 % 5) for doc in range(40)}
    everyone = score.highest(totals)
    assert [score.highest(totals, most) for most in (1, 9, 40, 99)] == [
        everyone[:most] for most in (1, 9, 40, 99)
    ]
    assert everyone[0] == 37


@pytest.mark.parametrize("phrases", [(("a",), ("b",)), (("b",), ("a",)), (("a",), ("b",), ("a",))])
def test_a_unit_counts_by_its_best_phrase(phrases: tuple[tuple[str, ...], ...]) -> None:
    held = {"a": {1: 3, 2: 1}, "b": {1: 1, 2: 4, 3: 1}}
    found = Matches(3, 1.0, held, {}, {1: 1, 2: 1, 3: 1})
    assert score.counts(sought.Unit("c", phrases, 1.0), found) == {1: 3, 2: 4, 3: 1}


def test_a_phrase_stands_where_all_its_words_do_as_often_as_the_rarest() -> None:
    held = {"a": {1: 3, 2: 1}, "b": {1: 2, 3: 1}, "c": {1: 5, 2: 2, 3: 9}}
    found = Matches(3, 1.0, held, {}, {1: 1, 2: 1, 3: 1})
    assert score.counts(sought.Unit("d", (("a", "b", "c"),), 1.0), found) == {1: 2}
