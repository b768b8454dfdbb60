"""From results to a cause: roles, the steps to it, what ends the search."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from walissh.brain import asked, diagnose, playbook, question
from walissh.brain.diagnose import MAX_COMMANDS, MAX_IN_TROUBLE, Diagnosis, Result, Told
from walissh.react.turn import Language

BAKERY = """
name: bakery
title: {zh: 面包房, en: bakery}
words: {zh: [面包], en: [bread]}
start: [oven]
beside: [mill]
also: [mill.turns]
probes:
  oven:
    why: {zh: 看炉子, en: look at the oven}
    variants: [{run: look oven, regex: '^(?P<tray>\\w+) (?P<state>cold|hot)$'}]
  gas:
    why: {zh: 看煤气, en: look at the gas}
    variants: [{run: 'look gas {row.tray}', regex: '^(?P<pipe>\\S+) (?P<state>shut|open)$'}]
  bill:
    why: {zh: 看账单, en: look at the bill}
    variants: [{run: 'look bill {row.pipe}', regex: '^(?P<paper>\\S+) (?P<state>unpaid|paid)$'}]
findings:
  bakery.oven_cold:
    role: symptom
    severity: warning
    each: oven.rows
    when: row.state == 'cold'
    text: {zh: '{row.tray} 号炉是冷的。', en: 'Oven {row.tray} is cold.'}
    next: [gas]
  bakery.gas_shut:
    role: cause
    severity: critical
    sure: 80
    each: gas.rows
    when: row.state == 'shut'
    text: {zh: '{row.pipe} 关着。', en: 'The pipe {row.pipe} is shut.'}
    next: [bill]
    fix: {zh: '打开 {row.pipe}', en: 'Open {row.pipe}'}
    verify: {zh: 炉子会热, en: The oven warms up}
  bakery.bill_unpaid:
    role: cause
    severity: critical
    sure: 95
    over: [bakery.gas_shut]
    each: bill.rows
    when: row.state == 'unpaid'
    text: {zh: '账单 {row.paper} 没有付。', en: 'The bill {row.paper} is unpaid.'}
    fix: {zh: 付账单, en: Pay it}
    verify: {zh: 煤气会来, en: The gas comes back}
  bakery.oven_hot:
    role: clear
    severity: fact
    each: oven.rows
    when: row.state == 'hot'
    text: {zh: '{row.tray} 号炉是热的。', en: 'Oven {row.tray} is hot.'}
"""
MILL = """
name: mill
title: {zh: 磨坊, en: mill}
words: {zh: [磨坊], en: [mill]}
start: [wheel]
probes:
  wheel:
    why: {zh: 看水轮, en: look at the wheel}
    variants: [{run: look wheel, regex: '^(?P<wheel>\\S+) (?P<state>stuck|turns|slow)$'}]
  river:
    why: {zh: 看河, en: look at the river}
    variants: [{run: 'look river {row.wheel}', regex: '^river (?P<state>\\w+)$'}]
findings:
  mill.stuck:
    role: cause
    severity: critical
    sure: 95
    each: wheel.rows
    when: row.state == 'stuck'
    text: {zh: '水轮 {row.wheel} 卡住了。', en: 'The wheel {row.wheel} is stuck.'}
  mill.slow:
    role: lead
    severity: note
    each: wheel.rows
    when: row.state == 'slow'
    text: {zh: '水轮 {row.wheel} 很慢。', en: 'The wheel {row.wheel} is slow.'}
    next: [river]
  mill.dry:
    role: cause
    severity: warning
    sure: 75
    when: river.rows[0].state == 'dry'
    evidence: [{probe: river, find: dry}]
    text: {zh: 河干了。, en: The river is dry.}
  mill.turns:
    role: clear
    severity: fact
    each: wheel.rows
    when: row.state == 'turns'
    text: {zh: '水轮 {row.wheel} 在转。', en: 'The wheel {row.wheel} turns.'}
  mill.seen:
    role: fact
    severity: fact
    each: wheel.rows
    text: {zh: '有水轮 {row.wheel}。', en: 'There is a wheel {row.wheel}.'}
"""
FOUND = playbook.catalogue([playbook.read(BAKERY, "bakery"), playbook.read(MILL, "mill")])


@dataclass
class Village:
    """A machine that answers *outputs*; keeps what was asked, round by round."""

    outputs: Mapping[str, str]
    rounds: list[list[str]] = field(default_factory=list)
    results: dict[str, Result] = field(default_factory=dict)

    def ask(self, text: str = "no bread, why?", language: Language = "en") -> Diagnosis:
        chosen = question.choose(text, FOUND)
        ask = asked.things(text).as_names()
        for _ in range(9):
            found = diagnose.diagnose(FOUND, chosen, self.results, ask=ask, language=language)
            if not found.orders:
                return found
            self.rounds.append([each.command for each in found.orders])
            for each in found.orders:
                number = len(self.results) + 1
                self.results[each.command] = Result(
                    f"c{number}", "exit 0", 0, self.outputs.get(each.command, "")
                )
        raise AssertionError("no end")


UNPAID = {
    "look oven": "one hot\ntwo cold\n",
    "look wheel": "big turns\n",
    "look gas two": "main shut\n",
    "look bill main": "nr7 unpaid\n",
}


def texts(told: tuple[Told, ...], *roles: str) -> list[str]:
    return [each.text for each in told if not roles or each.role in roles]


def test_the_cause_is_told_with_the_steps_that_led_to_it() -> None:
    village = Village(UNPAID)
    cause = village.ask().cause
    assert cause is not None
    assert cause.text == "The bill `nr7` is unpaid."
    assert texts(cause.steps) == ["Oven `two` is cold.", "The pipe `main` is shut."]
    assert village.rounds == [["look oven", "look wheel"], ["look gas two"], ["look bill main"]]


def test_every_step_and_the_cause_have_the_line_that_proves_them() -> None:
    cause = Village(UNPAID).ask().cause
    assert cause is not None
    proof = [(each.places[0].command_id, each.places[0].first) for each in (*cause.steps, cause)]
    assert proof == [("c1", 2), ("c3", 1), ("c4", 1)]


def test_both_languages_say_it() -> None:
    cause = Village(UNPAID).ask("没有面包，为什么？", "zh").cause
    assert cause is not None
    assert (cause.text, cause.fix) == ("账单 `nr7` 没有付。", "付账单")


def test_a_cause_that_is_beaten_is_no_cause_besides() -> None:
    assert texts(Village(UNPAID).ask().causes) == ["The bill `nr7` is unpaid."]


def test_without_the_better_cause_the_weaker_one_is_told() -> None:
    paid = {**UNPAID, "look bill main": "nr7 paid\n"}
    assert texts(Village(paid).ask().causes) == ["The pipe `main` is shut."]


def test_what_is_in_order_is_ruled_out() -> None:
    told = Village(UNPAID).ask().told
    assert texts(told, "clear") == ["Oven `one` is hot.", "The wheel `big` turns."]


def test_facts_of_a_playbook_that_was_not_chosen_are_not_told() -> None:
    assert texts(Village(UNPAID).ask().told, "fact") == []
    assert texts(Village(UNPAID).ask("the mill?").told, "fact") == ["There is a wheel `big`."]


def test_a_machine_in_order_has_no_cause() -> None:
    fine = Village({"look oven": "one hot\n", "look wheel": "big turns\n"})
    found = fine.ask()
    assert found.cause is None
    assert texts(found.told, "symptom", "cause") == []
    assert len(fine.rounds) == 1


def test_a_sure_cause_ends_the_search() -> None:
    """The wheel is stuck: nothing more is asked about the mill's river or the ovens."""
    village = Village({"look wheel": "big stuck\nsmall slow\n", "look oven": "two cold\n"})
    found = village.ask("the mill stands still, and there is no bread")
    assert found.cause is not None
    assert found.cause.text == "The wheel `big` is stuck."
    assert len(village.rounds) == 1


def test_a_cause_that_is_not_sure_does_not_end_it() -> None:
    village = Village({"look wheel": "small slow\n", "look river small": "river dry\n"})
    found = village.ask("the mill?")
    assert found.cause is not None
    assert found.cause.text == "The river is dry."
    assert texts(found.cause.steps) == ["The wheel `small` is slow."]


def test_a_cause_with_neither_steps_nor_words_of_the_question_is_beside_it() -> None:
    """A stuck wheel is nothing that was asked about: told as seen, not as the cause."""
    found = Village({"look wheel": "big stuck\n", "look oven": "one hot\n"}).ask()
    assert found.cause is None
    assert "The wheel `big` is stuck." in texts(found.told)


def test_a_word_of_the_question_makes_it_bear() -> None:
    found = Village({"look wheel": "flourwheel stuck\n"}).ask("no bread: is it the flourwheel?")
    assert found.cause is not None
    assert found.cause.about == 1


def test_of_equal_causes_the_one_that_is_asked_about_comes_first() -> None:
    outputs = {"look wheel": "east stuck\nwest stuck\n"}
    for name in ("east", "west"):
        cause = Village(outputs).ask(f"why is the mill {name} still?").cause
        assert cause is not None
        assert cause.text == f"The wheel `{name}` is stuck."


def test_what_could_not_be_seen_is_told_and_leads_to_no_claim() -> None:
    found = Village({"look wheel": "big turns\n"}).ask()
    assert [each.command for each in found.unseen] == ["look oven"]
    assert found.cause is None


@pytest.mark.parametrize(
    ("text", "unseen"),
    [("no bread, why?", []), ("no bread, is it systemd?", ["look oven"])],
)
def test_that_there_is_no_systemd_is_told_only_to_who_asks_about_it(
    text: str, unseen: list[str]
) -> None:
    no_systemd = "System has not been booted with systemd as init system (PID 1). Can't operate."
    found = Village({"look oven": no_systemd, "look wheel": "big turns\n"}).ask(text)
    assert [each.command for each in found.unseen] == unseen


@pytest.mark.parametrize(("trays", "asked_of"), [(2, 2), (9, 3)])
def test_a_finding_leads_on_for_its_first_rows_only(trays: int, asked_of: int) -> None:
    cold = "".join(f"t{n} cold\n" for n in range(trays))
    village = Village({"look oven": cold, "look wheel": "big turns\n"})
    village.ask()
    assert len(village.rounds[1]) == asked_of


def test_no_more_commands_than_the_limit_are_asked_for() -> None:
    chosen = question.choose("no bread", FOUND)
    done = {f"other {n}": Result("c", "exit 0", 0, "") for n in range(MAX_COMMANDS - 1)}
    ask = asked.things("no bread").as_names()
    found = diagnose.diagnose(FOUND, chosen, done, ask=ask, language="en")
    assert len(found.orders) == 1
    done["look oven"] = Result("c", "exit 0", 0, "one hot\n")
    found = diagnose.diagnose(FOUND, chosen, done, ask=ask, language="en")
    assert found.orders == ()


def test_where_something_is_wrong_more_commands_may_follow() -> None:
    chosen = question.choose("no bread", FOUND)
    done = {f"other {n}": Result("c", "exit 0", 0, "") for n in range(MAX_COMMANDS)}
    done["look oven"] = Result("c", "exit 0", 0, "two cold\n")
    ask = asked.things("no bread").as_names()
    found = diagnose.diagnose(FOUND, chosen, done, ask=ask, language="en")
    assert "look gas two" in [each.command for each in found.orders]
    done |= {f"more {n}": Result("c", "exit 0", 0, "") for n in range(MAX_IN_TROUBLE)}
    found = diagnose.diagnose(FOUND, chosen, done, ask=ask, language="en")
    assert found.orders == ()


def test_the_same_results_give_the_same_diagnosis() -> None:
    village = Village(UNPAID)
    assert village.ask() == village.ask()


def test_silence_is_named_as_what_proves_it() -> None:
    quiet = """
name: yard
title: {zh: 院子, en: yard}
words: {zh: [院子], en: [yard]}
start: [gate]
probes:
  gate: {why: {zh: 看门, en: look}, variants: [{run: look gate, empty: true}]}
findings:
  yard.empty:
    severity: warning
    when: len(gate.rows) == 0
    evidence: [{probe: gate}]
    text: {zh: 没有人。, en: Nobody is there.}
"""
    found = playbook.catalogue([playbook.read(quiet, "yard")])
    results = {"look gate": Result("c1", "exit 0", 0, "")}
    said = diagnose.diagnose(found, found.playbooks, results, ask={}, language="en")
    assert [(each.text, each.silent) for each in said.told] == [
        ("Nobody is there.", ("look gate",))
    ]
