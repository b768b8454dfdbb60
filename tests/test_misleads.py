"""What was misunderstood, in the tables: noted once, per person, and taken back."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.fakes import call
from tests.world import World
from walissh.clock import utc_now
from walissh.errors import NotFoundError
from walissh.memory.sidepath import SidePath
from walissh.react import decisions, misled, prompt
from walissh.react.followed import Intended, Intent
from walissh.react.misled import Misled, Sign
from walissh.react.tracker import ContextTracker
from walissh.react.turn import CommandRun, Turn
from walissh.react.understanding import Understanding
from walissh.store import commands, history, misleads, people, sessions, turns
from walissh.store.database import reading, writing
from walissh.store.models import MisleadRow, PersonRow


@pytest.fixture
def talk(world: World) -> World:
    """The world of ann, whose messages are read with what is stored of her reactions."""
    aside = SidePath((), world.dropped.append)
    reads = Understanding(misleads, turns, aside, prompt.render, utc_now)
    threads = world.parts.tracker.threads
    world.parts = replace(world.parts, tracker=ContextTracker(threads, turns, reads, commands))
    return world


def noted(world: World, question: str = "restart the worker", **more: object) -> Misled:
    """Note a sign about a new turn of the world's session."""
    turn = finished(world, question)
    found = Misled(
        world.person.id,
        turn.id,
        Sign.CORRECTION,
        "order",
        Intent.EXECUTE,
        None,
        question,
        utc_now(),
    )
    found = replace(found, **more)  # type: ignore[arg-type]
    assert misleads.note(found)
    return found


def finished(world: World, question: str, answer: str = "It is done on web1.") -> Turn:
    world.script(answer)
    turn = world.ask(question)
    world.play()
    return world.turn(turn)


def waiting(world: World, question: str = "touch the marker file") -> CommandRun:
    world.script((call("touch a"),), "Done.")
    turn = world.ask(question)
    world.play()
    return world.runs(turn)[0]


def signs(world: World) -> list[Sign]:
    return [each.sign for each in misleads.recent(world.person.id, now=utc_now())]


def rows() -> int:
    with reading() as session:
        return session.query(MisleadRow).count()


# --- where each sign is seen ----------------------------------------------------------


def test_a_correction_lowers_the_rule_of_the_turn_before(talk: World) -> None:
    first = finished(talk, "restart nginx")
    finished(talk, "不是这台，是 web2")
    (found,) = misleads.recent(talk.person.id, now=utc_now())
    assert (found.turn_id, found.sign, found.rule) == (first.id, Sign.CORRECTION, "order")
    assert misleads.trust(talk.person.id)["order"] == pytest.approx(misled.PER_SIGN, abs=0.001)


def test_a_turn_that_was_stopped_is_a_sign(talk: World) -> None:
    run = waiting(talk)
    decisions.cancel(talk.parts, run.turn_id, talk.person.id)
    assert signs(talk) == [Sign.CANCELLED]


def test_several_denied_commands_of_a_turn_are_one_sign(talk: World) -> None:
    talk.script((call("touch a", call_id="c1"), call("touch b", call_id="c2")), "Done.")
    turn = talk.ask("touch the marker files")
    talk.play()
    for run in talk.runs(turn):
        decisions.deny(talk.parts, run.id, talk.person.id, "not now")
    assert signs(talk) == [Sign.DENIED]


def test_the_same_again_in_other_words_is_a_sign(talk: World) -> None:
    finished(talk, "show the slow queries of the shop")
    finished(talk, "list the slow queries of the shop")
    assert signs(talk) == [Sign.REWORDED]


def test_a_plain_talk_leaves_no_sign(talk: World) -> None:
    for question in ("restart nginx", "show the error log", "thanks"):
        finished(talk, question)
    assert signs(talk) == []


def test_a_corrected_rule_is_not_sure_for_this_person_alone(talk: World) -> None:
    noted(talk)
    again = finished(talk, "restart nginx")
    assert again.intended == Intended(Intent.EXECUTE, pytest.approx(0.87 * 0.85), "rule", "order")  # type: ignore[arg-type]
    other = people.named("bob")
    assert misleads.trust(other.id) == {}


# --- the rows -------------------------------------------------------------------------


def test_a_sign_of_a_turn_counts_once(talk: World) -> None:
    found = noted(talk)
    assert not misleads.note(found)
    assert misleads.note(replace(found, sign=Sign.DENIED))
    assert rows() == 2


def test_a_sign_about_a_turn_that_is_gone_is_dropped(talk: World) -> None:
    found = noted(talk)
    assert not misleads.note(replace(found, turn_id="gone"))


def test_a_secret_in_the_text_is_not_kept(talk: World) -> None:
    noted(talk, text="log in with password=hunter2-Winter-2031! and restart it")
    (found,) = misleads.recent(talk.person.id, now=utc_now())
    assert "hunter2" not in found.text and "restart it" in found.text


def test_a_long_text_is_cut(talk: World) -> None:
    noted(talk, text="restart\n" * 50_000)
    (found,) = misleads.recent(talk.person.id, now=utc_now())
    assert len(found.text) == misleads.TEXT_CHARS and "\n" not in found.text


def test_a_control_character_is_not_kept(talk: World) -> None:
    noted(talk, text="restart \x1b[31m\x00it")
    (found,) = misleads.recent(talk.person.id, now=utc_now())
    assert found.text.isprintable()


def test_what_is_long_ago_is_not_read(talk: World) -> None:
    noted(talk, at=utc_now() - timedelta(days=misled.FORGOTTEN_DAYS + 1))
    assert signs(talk) == [] and rows() == 1


def test_pages_go_on_where_the_last_one_ended(talk: World) -> None:
    made = [noted(talk, f"restart worker {n}") for n in range(5)]
    first = misleads.page(talk.person.id, limit=2)
    second = misleads.page(talk.person.id, limit=3, before=first.next)
    told = [each.text for each in (*first.items, *second.items)]
    assert told == [each.text for each in reversed(made)] and second.next is None


# --- taking back ----------------------------------------------------------------------


def test_one_sign_is_taken_back(talk: World) -> None:
    found, _ = noted(talk), noted(talk, "stop the worker")
    misleads.forget(talk.person.id, found.turn_id, "correction")
    assert rows() == 1
    with pytest.raises(NotFoundError):
        misleads.forget(talk.person.id, found.turn_id, "correction")


def test_a_rule_is_trusted_again(talk: World) -> None:
    noted(talk)
    noted(talk, "what is it", rule="question")
    noted(talk, "that one", rule="")
    assert misleads.forget_rule(talk.person.id, "order") == 1
    assert misleads.forget_rule(talk.person.id, misleads.MODEL) == 1
    assert set(misleads.trust(talk.person.id)) == {"question"}
    with pytest.raises(NotFoundError):
        misleads.forget_rule(talk.person.id, "no_such_rule")


def test_all_of_it_is_taken_back(talk: World) -> None:
    noted(talk)
    noted(talk, "stop the worker")
    assert misleads.forget_all(talk.person.id) == 2
    assert misleads.trust(talk.person.id) == {}


def test_another_person_sees_and_takes_back_nothing(talk: World) -> None:
    found, other = noted(talk), people.named("bob")
    assert misleads.page(other.id, limit=9).items == ()
    assert misleads.recent(other.id, now=utc_now()) == []
    assert misleads.forget_all(other.id) == misleads.forget_rule(other.id, "order") == 0
    with pytest.raises(NotFoundError):
        misleads.forget(other.id, found.turn_id, "correction")
    assert rows() == 1


def test_deleting_the_session_takes_it_along(talk: World) -> None:
    noted(talk)
    sessions.remove(talk.session.id, talk.person.id)
    assert rows() == 0


def test_a_person_that_goes_takes_it_along(talk: World) -> None:
    noted(talk)
    with writing() as session:
        session.delete(session.get_one(PersonRow, talk.person.id))
    assert rows() == 0


def test_the_talk_itself_is_not_touched(talk: World) -> None:
    found = noted(talk)
    misleads.forget_all(talk.person.id)
    assert history.of_turn(found.turn_id)[0].content == "restart the worker"
