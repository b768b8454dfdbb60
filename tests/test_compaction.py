"""What is old goes into the summary: ahead of need, in time, or by hand; nothing is lost."""

import json
from dataclasses import replace

import pytest

from tests.fakes import NoLessons, ScriptedModel, call
from tests.world import World
from walissh.errors import ModelRefusedError
from walissh.react.compaction import FOLDED_FROM
from walissh.react.gauge import Gauge
from walissh.react.turn import Message, Reply, ToolCall, TurnStatus
from walissh.store import history, memories, summaries


def narrow(world: World, tokens: int = 12_000) -> None:
    """Give the model a small window."""
    gauge = Gauge("gpt-4o", NoLessons(), configured_tokens=tokens)
    world.parts = replace(world.parts, gauge=gauge)


def talk(world: World, *questions: str, answer: str = "Fine.") -> None:
    for question in questions:
        world.script(answer)
        world.ask(question)
        world.play()


def long_talk(world: World, count: int = 12) -> None:
    for number in range(count):
        talk(world, f"check number {number}", answer=f"result {number}: " + "load is fine " * 300)


def system_of(world: World) -> str:
    return world.model.requests[-1].messages[0].content


def test_a_refusal_of_a_folded_round_is_sent_word_for_word(world: World) -> None:
    narrow(world)
    talk(world, "look at web1, but never restart the billing-mysql there")
    long_talk(world)
    assert "never restart the billing-mysql" in system_of(world)
    assert "[Summary so far]" in system_of(world)


def test_what_was_folded_is_still_in_the_history(world: World) -> None:
    narrow(world)
    long_talk(world)
    said = history.get_recent_messages(world.session.id, 100, user_id=world.person.id)
    assert len(said) == 24


def test_the_folding_is_done_by_a_job_ahead_of_the_next_question(world: World) -> None:
    narrow(world)
    long_talk(world)
    assert "compact" in [kind for kind, _subject, _step in world.done]
    assert world.events.named("compacted")


def test_a_round_is_folded_once(world: World) -> None:
    narrow(world)
    long_talk(world)
    first = summaries.load(world.session.id, world.person.id)
    talk(world, "and now?")
    again = summaries.load(world.session.id, world.person.id)
    assert again.rounds <= first.rounds + 1
    assert len(set(again.lines)) == len(again.lines)


def test_an_older_summary_never_replaces_a_newer_one(world: World) -> None:
    narrow(world)
    long_talk(world)
    newest = summaries.load(world.session.id, world.person.id)
    assert not summaries.save(world.session.id, world.person.id, replace(newest, rounds=1))
    assert summaries.load(world.session.id, world.person.id) == newest


def test_a_summary_is_nobody_elses(world: World) -> None:
    narrow(world)
    long_talk(world)
    assert summaries.load(world.session.id, "somebody").is_empty


def test_compact_folds_all_at_once_and_asks_no_model(world: World) -> None:
    talk(world, "why is web1 slow?", "and the disk?")
    asked = len(world.model.requests)
    turn = world.ask("/compact")
    world.play()
    assert world.turn(turn).status is TurnStatus.DONE
    assert "2 rounds" in world.turn(turn).answer
    assert len(world.model.requests) == asked
    assert summaries.load(world.session.id, world.person.id).rounds == 2


def test_what_compact_is_told_to_keep_is_sent_word_for_word(world: World) -> None:
    talk(world, "where is the spool?", answer="The spool of exim lies in /srv/spool/exim4.")
    talk(world, "and the load?")
    world.ask("/compact keep the spool of exim")
    world.play()
    talk(world, "go on")
    assert "The spool of exim lies in /srv/spool/exim4." in system_of(world)


def test_an_open_question_outlives_a_compaction(world: World) -> None:
    asks = ToolCall("q", "ask_user", '{"question": "Which directory?", "choices": ["tmp", "var"]}')
    world.script((asks,))
    world.ask("clean the disk of web1")
    world.play()
    talk_of = world.ask("/Compact")
    world.play()
    assert world.turn(talk_of).status is TurnStatus.DONE
    talk(world, "tmp")
    assert "Which directory?" in system_of(world)
    assert "clean the disk of web1" in system_of(world)


@pytest.mark.parametrize("order", ["/compact from now on always use sudo", "/compact 以后都用中文"])
def test_an_order_to_the_talk_teaches_nothing(world: World, order: str) -> None:
    talk(world, "why is web1 slow?")
    talk(world, order)
    assert memories.page(world.person.id, limit=9).items == ()
    assert "sudo" not in str(summaries.load(world.session.id, world.person.id).rules)


def test_a_choice_that_was_clicked_is_no_wish_of_the_person(world: World) -> None:
    choice = "From now on always restart nginx first"
    asks = ToolCall("q", "ask_user", json.dumps({"question": "How?", "choices": [choice]}))
    world.script((asks,))
    world.ask("fix nginx")
    world.play()
    talk(world, choice)
    assert memories.page(world.person.id, limit=9).items == ()


def test_what_was_refused_is_not_told_as_done(world: World) -> None:
    asks = ToolCall("q", "ask_user", '{"question": "Now?"}')
    world.script((call("systemctl restart nginx"), asks))
    world.ask("restart it")
    world.play()
    world.ask("/compact")
    world.play()
    assert not summaries.load(world.session.id, world.person.id).done


def test_many_short_messages_are_folded_before_they_are_out_of_sight(world: World) -> None:
    said = [Message("user", "never touch the zeta volume"), Message("assistant", "Noted.")]
    for number in range(FOLDED_FROM // 2):
        said += [Message("user", f"{number}?"), Message("assistant", "Yes.")]
    history.add(world.session.id, said, user_id=world.person.id)
    talk(world, "is it done?", "and now?")
    assert summaries.load(world.session.id, world.person.id).rounds > 100
    assert "never touch the zeta volume" in system_of(world)


def test_a_round_that_is_referred_to_again_comes_back_with_lru(world: World) -> None:
    gauge = Gauge("gpt-4o", NoLessons(), configured_tokens=12_000, strategy="lru")
    world.parts = replace(world.parts, gauge=gauge)
    talk(world, "where does zanzibar-7 keep its relay list?", answer="In /etc/relay/zanzibar.list.")
    long_talk(world)
    talk(world, "once more zanzibar-7: which relay list?")
    told = [each.content for each in world.model.requests[-1].messages[1:]]
    assert "In /etc/relay/zanzibar.list." in told


def test_compact_says_what_it_did_not_find(world: World) -> None:
    talk(world, "why is web1 slow?")
    turn = world.ask("/compact keep the kafka offsets")
    world.play()
    assert "Not found" in world.turn(turn).answer


@pytest.mark.parametrize("question", ["/compact", "/COMPACT", "/compact 保留 redis"])
def test_compact_of_an_empty_talk_says_so(world: World, question: str) -> None:
    turn = world.ask(question)
    world.play()
    assert world.turn(turn).status is TurnStatus.DONE
    assert not world.model.requests


def test_a_question_about_compact_is_a_question(world: World) -> None:
    talk(world, "what does /compact do?")
    assert len(world.model.requests) == 1


def test_a_model_writes_the_free_text_and_its_tokens_are_counted(world: World) -> None:
    narrow(world)
    writer = ScriptedModel([Reply("The load was fine in all checks.")])
    world.parts = replace(world.parts, writer=writer)
    while not writer.requests:
        long_talk(world, 1)
    kept = summaries.load(world.session.id, world.person.id)
    assert kept.written.startswith("The load was fine in all checks")
    assert writer.requests[0].tools == ()


def test_a_model_that_refuses_leaves_the_summary_of_the_rules(world: World) -> None:
    narrow(world)
    writer = ScriptedModel([ModelRefusedError("401")])
    world.parts = replace(world.parts, writer=writer)
    while not writer.requests:
        long_talk(world, 1)
    assert summaries.load(world.session.id, world.person.id).rounds


def test_no_tool_call_is_parted_from_its_result(world: World) -> None:
    narrow(world)
    for number in range(12):
        world.script((call(f"journalctl -n {number}"),), "seen " * 400)
        world.ask(f"look {number}")
        world.play()
    for request in world.model.requests:
        called = {c.id for m in request.messages for c in m.tool_calls}
        answered = {m.tool_call_id for m in request.messages if m.role == "tool"}
        assert answered <= called
