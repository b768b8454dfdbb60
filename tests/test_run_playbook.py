"""The tool ``run_playbook``: one call of the model, the rounds made without it, one report."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests import model_rules
from tests.fakes import ScriptedModel, call
from tests.world import World
from walissh import wiring
from walissh.brain import openai_request, playbook
from walissh.brain.run_playbook import OWN, WithPlaybooks
from walissh.config import Settings
from walissh.errors import ShellError, TurnCancelledError
from walissh.react import offered
from walissh.react.gauge import Gauge, Learned
from walissh.react.turn import (
    CommandStatus,
    Message,
    Reply,
    Request,
    ToolCall,
    Turn,
    TurnStatus,
    Usage,
)
from walissh.store import hosts, sessions
from walissh.store.hosts import HostDraft

SHOP = """
name: shop
title: {zh: 商店, en: the shop}
words: {zh: [商店], en: [shop]}
start: [shop_front]
probes:
  shop_front:
    why: {zh: 看前面, en: look at the front}
    variants: [{run: look front, regex: '^(?P<state>down|up) port (?P<port>[0-9]+)$'}]
  shop_back:
    why: {zh: 看后面, en: look at the back}
    variants: [{run: 'look back {row.port}', regex: '^(?P<state>gone|there)$'}]
findings:
  shop.front_down:
    severity: warning
    role: lead
    each: shop_front.rows
    when: row.state == 'down'
    text: {zh: '前面在端口 {row.port} 上没有回答。', en: 'The front does not answer on {row.port}.'}
    next: [shop_back]
  shop.back_gone:
    severity: critical
    role: cause
    each: shop_back.rows
    when: row.state == 'gone'
    text: {zh: '后面不在了。', en: 'The back is gone.'}
    fix: {zh: 启动它, en: start the back}
    verify: {zh: 再看一次, en: look once more}
"""
CELLAR = """
name: cellar
title: {zh: 地窖, en: the cellar}
words: {zh: [地窖], en: [cellar]}
start: [cellar_door, cellar_lamp]
probes:
  cellar_door: {why: {zh: 看门, en: look at the door}, variants: [{run: vi door}]}
  cellar_lamp: {why: {zh: 看灯, en: look at the lamp}, variants: [{run: touch lamp}]}
findings:
  cellar.lamp_fact: {severity: fact, when: cellar_lamp.exit == 0, text: {zh: 亮, en: It is lit.}}
"""
CATALOGUE = playbook.catalogue([playbook.read(SHOP, "shop"), playbook.read(CELLAR, "cellar")])
TITLES = {each.name: each.title.en for each in CATALOGUE.playbooks}
DOWN: Mapping[str, tuple[str, int] | ShellError] = {
    "look front": ("down port 8081\n", 0),
    "look back 8081": ("gone\n", 0),
}


def run(name: str = "shop", host: str = "web1", call_id: str = "p1") -> ToolCall:
    return ToolCall(call_id, "run_playbook", json.dumps({"name": name, "host": host}))


def prepared(world: World, catalogue: playbook.Catalogue = CATALOGUE) -> World:
    world.shell.outputs = DOWN
    world.parts = replace(
        world.parts,
        model=WithPlaybooks(world.model, catalogue),
        prompt=wiring.prompt(playbooks=lambda: TITLES),
    )
    return world


@pytest.fixture
def shop(world: World) -> World:
    """The world, whose model is offered two playbooks; the front of the shop is down."""
    return prepared(world)


def asked(world: World, question: str = "why is the shop closed?") -> Turn:
    turn = world.ask(question)
    world.play()
    return world.turn(turn)


def results(request: Request) -> list[str]:
    return [each.content for each in request.messages if each.role == "tool"]


def is_valid(request: Request) -> bool:
    body = openai_request.body("m", request, temperature=0, left_out=frozenset())
    refusal = model_rules.check(body, strict_system=True)
    assert refusal is None, refusal
    return True


def test_one_call_gathers_what_follows_from_what(shop: World) -> None:
    shop.script((run(),), "The back is gone.")
    turn = asked(shop)
    assert turn.status is TurnStatus.DONE and len(shop.model.requests) == 2
    assert [command for _, command in shop.shell.ran] == ["look front", "look back 8081"]
    (report,) = results(shop.model.requests[1])
    assert "[playbook shop on web1: finished]" in report
    assert "1. critical: cause (80 % sure): The back is gone. [[" in report
    assert "fix (not run; propose it, it waits for approval): start the back" in report
    assert "then check: look once more" in report
    assert "clue: The front does not answer on 8081." in report


def test_the_model_sees_its_call_and_the_report_and_no_round_of_ours(shop: World) -> None:
    shop.script((run(),), "Done.")
    asked(shop)
    request = shop.model.requests[1]
    assert [each.role for each in request.messages] == ["system", "user", "assistant", "tool"]
    assert OWN not in "".join(each.content for each in request.messages) and is_valid(request)


@dataclass
class Repeating:
    """A model that answers with the last result it was given."""

    script: list[Reply]
    name: str = "repeating"

    def complete(
        self, request: Request, *, on_text: Callable[[str], None], cancelled: Callable[[], bool]
    ) -> Reply:
        return self.script.pop(0) if self.script else Reply(results(request)[-1])


def test_the_marks_of_a_report_are_resolved_in_the_answer(shop: World) -> None:
    model = WithPlaybooks(Repeating([Reply("", (run(),))]), CATALOGUE)
    shop.parts = replace(shop.parts, model=model)
    turn = asked(shop)
    front, back = shop.runs(turn)
    assert "The back is gone. [1]" in turn.answer
    assert {each.command_id for each in turn.citations} == {front.id, back.id}


def test_the_rounds_are_ordinary_commands_in_the_journal(shop: World) -> None:
    shop.script((run(),), "Done.")
    turn = asked(shop)
    assert [(each.command, each.reason, each.step) for each in shop.runs(turn)] == [
        ("look front", "look at the front", 2),
        ("look back 8081", "look at the back", 3),
    ]


def test_only_the_tokens_of_the_model_itself_are_counted(shop: World) -> None:
    shop.script((run(),), "Done.")
    assert asked(shop).usage == Usage(20, 10)


def test_any_process_can_go_on_after_any_step(shop: World) -> None:
    shop.script((run(),), "Done.")
    turn = shop.ask("why is the shop closed?")
    while shop.queue.jobs:
        shop.parts = replace(shop.parts, model=WithPlaybooks(shop.model, CATALOGUE))
        shop.step()
    assert shop.turn(turn).answer == "Done." and len(shop.shell.ran) == 2


def test_several_playbooks_on_several_hosts_run_together(shop: World) -> None:
    second = hosts.add(shop.person.id, HostDraft("web2", "127.0.0.2", "ops"))
    shop.session = sessions.create(shop.person.id, host_ids=[shop.host.id, second.id])
    shop.script((run(), run(host="web2", call_id="p2")), "Both are down.")
    turn = asked(shop)
    assert [(each.host, each.step) for each in shop.runs(turn)] == [
        ("web1", 2), ("web2", 2), ("web1", 3), ("web2", 3),
    ]  # fmt: skip
    one, other = results(shop.model.requests[1])
    assert "shop on web1: finished" in one and "shop on web2: finished" in other
    assert is_valid(shop.model.requests[1])


def test_commands_of_the_same_reply_are_the_models_own(shop: World) -> None:
    shop.script((call("uptime"), run()), "Done.")
    asked(shop)
    own, report = results(shop.model.requests[1])
    assert own.startswith("[command ") and report.startswith("[playbook shop")


@pytest.mark.parametrize("call_id", ["playbook-1", f"{OWN}1"])
def test_a_model_whose_ids_look_like_ours_gets_its_report(shop: World, call_id: str) -> None:
    shop.script((run(call_id=call_id),), "Done.")
    assert asked(shop).status is TurnStatus.DONE
    (report,) = results(shop.model.requests[1])
    assert "The back is gone." in report and is_valid(shop.model.requests[1])


def test_a_command_of_the_model_whose_id_looks_like_ours_is_its_own(shop: World) -> None:
    look = ToolCall("playbook-2", "run_command", json.dumps({"host": "web1", "command": "uptime"}))
    shop.script((run(),), (look,), "Done.")
    asked(shop)
    report, own = results(shop.model.requests[2])
    assert report.startswith("[playbook shop") and own.startswith("[command ")


@pytest.mark.parametrize(
    ("name", "host", "words"),
    [("bakery", "web1", "cellar, shop"), ("shop", "db9", "hosts: web1"), ("", "web1", "shop")],
)
def test_an_unknown_name_is_an_error_that_lists_those_there_are(
    shop: World, name: str, host: str, words: str
) -> None:
    shop.script((run(name, host),), "I cannot.")
    asked(shop)
    (told,) = results(shop.model.requests[1])
    assert told.startswith("[error:") and words in told and not shop.shell.ran


def test_what_the_gate_refuses_or_a_person_denies_is_no_error(shop: World) -> None:
    shop.script((run("cellar"),), "I saw nothing.")
    turn = shop.ask("what of the cellar?")
    shop.play()
    waiting = next(
        each for each in shop.runs(turn) if each.status is CommandStatus.AWAITING_APPROVAL
    )
    from walissh.react import decisions

    decisions.deny(shop.parts, waiting.id, shop.person.id, "not now")
    shop.play()
    (report,) = results(shop.model.requests[1])
    assert shop.turn(turn).status is TurnStatus.DONE
    assert "No usable result: nothing can be concluded." in report
    assert "look at the door (`vi door`): `refused by the gate" in report
    assert "not now" in report


def test_a_host_that_is_lost_is_a_report_too(shop: World) -> None:
    lost = ShellError("web1: it does not answer.", host="web1", phase="connect")
    shop.shell.outputs = {"look front": lost}
    shop.script((run(),), "It is down.")
    assert asked(shop).status is TurnStatus.DONE
    assert "it does not answer" in results(shop.model.requests[1])[0]


def test_at_the_limit_of_steps_the_model_gets_what_there_is(shop: World) -> None:
    shop.limit(steps=2)
    shop.script((run(),), "The front is down, more I do not know.")
    turn = asked(shop)
    assert turn.answer == "The front is down, more I do not know."
    (report,) = results(shop.model.requests[1])
    assert "not finished: no more commands can be run in this turn" in report
    assert shop.model.requests[1].tools == ()


def test_the_same_playbook_asked_for_again_looks_again(shop: World) -> None:
    shop.script((run(),), (call("mend"),), (run(call_id="p2"),), "It is open.")
    turn = shop.ask("why is the shop closed?")
    while shop.queue.jobs:
        shop.step()
        if ("mend" in dict(map(reversed, shop.shell.ran))) and shop.shell.outputs is DOWN:
            shop.shell.outputs = {"look front": ("up port 8081\n", 0)}
    assert shop.turn(turn).status is TurnStatus.DONE
    first, own, second = results(shop.model.requests[-1])
    assert "The back is gone." in first and "The back is gone." not in second
    assert own.startswith("[command ") and is_valid(shop.model.requests[-1])


def test_the_next_question_finds_a_valid_talk(shop: World) -> None:
    shop.script((run(),), "The back is gone.", "Yes.")
    asked(shop)
    asked(shop, "are you sure?")
    assert is_valid(shop.model.requests[-1])
    assert "look back 8081" in str(shop.model.requests[-1].messages)


def test_a_round_that_a_dead_process_left_open_is_valid_and_told(shop: World) -> None:
    model = ScriptedModel([Reply("I do not know.")])
    own = ToolCall(
        f"{OWN}1-x", "run_command", json.dumps({"host": "web1", "command": "look front"})
    )
    said = (
        Message("system", "Help."),
        Message("user", "why?"),
        Message("assistant", "", (run(),)),
        Message("tool", "[playbook started: shop on web1; its commands follow]", tool_call_id="p1"),
        Message("assistant", "", (own,)),
        Message("tool", "[interrupted, outcome unknown: it may have run]", tool_call_id=own.id),
    )
    request = Request(said, offered.ALL, ("web1",), "en")
    WithPlaybooks(model, CATALOGUE).complete(request, on_text=print, cancelled=lambda: False)
    (given,) = model.requests
    assert is_valid(given) and "outcome unknown" in results(given)[0]


@pytest.mark.slow
def test_in_a_small_window_every_request_is_valid_and_the_turn_ends(shop: World) -> None:
    shop.shell.outputs = {"look front": ("noise\n" * 9000 + "down port 8081\n", 0)}
    gauge = Gauge("gpt-4o", shop.parts.gauge.lessons, configured_tokens=4000)
    shop.parts = replace(shop.parts, gauge=gauge)
    shop.script("Hello.", (run(),), "The front is down.", "Good bye.")
    for question in ("hello", "why is the shop closed? " * 30, "thanks"):
        assert asked(shop, question).status is TurnStatus.DONE
    assert all(is_valid(each) for each in shop.model.requests)


@dataclass
class Lessons:
    """Keeps what it is taught."""

    learned: Learned = field(default_factory=Learned)

    def of_model(self, model: str) -> Learned:
        return self.learned

    def keep(self, model: str, learned: Learned) -> None:
        self.learned = learned


class Thrifty(ScriptedModel):
    """Says that each request took next to nothing."""

    def complete(
        self, request: Request, *, on_text: Callable[[str], None], cancelled: Callable[[], bool]
    ) -> Reply:
        reply = ScriptedModel.complete(self, request, on_text=on_text, cancelled=cancelled)
        return replace(reply, usage=Usage(400, 1))


def test_a_folded_request_teaches_the_gauge_nothing(shop: World) -> None:
    lessons = Lessons()
    model = WithPlaybooks(Thrifty([Reply("", (run(),)), Reply("Done.")]), CATALOGUE)
    shop.parts = replace(shop.parts, model=model, gauge=Gauge("gpt-4o", lessons))
    turn = shop.ask()
    shop.step()
    before = lessons.learned
    shop.play()
    assert shop.turn(turn).answer == "Done." and lessons.learned == before


def test_a_question_to_the_person_comes_before_a_playbook(shop: World) -> None:
    ask = ToolCall("q", "ask_user", json.dumps({"question": "Which shop?"}))
    shop.script((run(), ask))
    assert asked(shop).asked is not None and not shop.shell.ran


def test_a_stopped_turn_runs_no_further_round(shop: World) -> None:
    said = (
        Message("system", "Help."),
        Message("user", "why?"),
        Message("assistant", "", (run(),)),
        Message("tool", "[playbook started: shop on web1; its commands follow]", tool_call_id="p1"),
    )
    request = Request(said, offered.ALL, ("web1",), "en")
    with pytest.raises(TurnCancelledError):
        WithPlaybooks(shop.model, CATALOGUE).complete(
            request, on_text=print, cancelled=lambda: True
        )


def test_a_chinese_question_has_a_chinese_report(shop: World) -> None:
    shop.script((run(),), "后面不在了。")
    asked(shop, "商店为什么关门？")
    (report,) = results(shop.model.requests[1])
    assert "[playbook shop on web1: 已完成]" in report and "原因（80% 把握）：" in report


def test_without_playbooks_there_is_no_such_tool(world: World) -> None:
    world.script((run(),), "I cannot.")
    asked(world)
    first, second = world.model.requests
    assert {each.name for each in first.tools} == {each.name for each in offered.ALL}
    assert "there is no tool 'run_playbook'" in results(second)[0]


def test_a_model_server_is_offered_the_playbooks_and_the_offline_brain_is_not(
    tmp_path: Path,
) -> None:
    online = Settings(home=tmp_path, openai_base_url="http://127.0.0.1:9/v1")
    named = wiring.playbooks(online)()
    assert named["nginx"] and "nginx (" in offered.run_playbook(named).description
    assert wiring.playbooks(Settings(home=tmp_path))() == {}
