"""What a turn was given out of memory, on the page of its session and in the interface."""

from collections.abc import Sequence
from datetime import timedelta

from flask import Flask

from tests.web.conftest import api_of
from tests.web.forms import Stage, browser_of
from walissh.clock import utc_now
from walissh.memory import providers
from walissh.memory.entry import Found, Memory, MemoryType, Origin, Route, Routing, Source
from walissh.memory.milestones import Kind, Mark
from walissh.react.turn import Recalled, Remembrance, Reply
from walissh.store import history, hosts, memories, milestones, turns

REDIS = Found(MemoryType.SOFTWARE_FACT, "redis", "7.0.15", "redis 7.0.15")
SUDO = Found(MemoryType.USER_PREFERENCE, "sudo", "always", "Always use sudo")
ROUTING = Routing(Route.LONG_TERM_ONLY, path=("personal words: yes", "my own question: no"))


def kept(stage: Stage, found: Found, *, days_ago: int = 0) -> Memory:
    person = stage.browser.person
    assert person is not None
    with stage.browser.app.app_context():
        host = hosts.get(stage.host_id, person.id) if found is REDIS else None
        at = utc_now() - timedelta(days=days_ago)
        change = memories.add_or_update(person.id, found, Source(Origin.USER), host=host, at=at)
        assert change.memory is not None
        return change.memory


def answered(stage: Stage, given: Sequence[Memory], cited: Sequence[Memory] = ()) -> str:
    """Let a turn be answered that was given these; return its id."""
    turn_id = stage.ask("as last time?")
    recalled = tuple(
        Recalled(each.id, 2.5, ("redis", "web1"), f"m{n}", each.type is SUDO.type)
        for n, each in enumerate(given, 1)
    )
    with stage.browser.app.app_context():
        turn = turns.claim(turn_id, 0, "w")
        assert turn is not None
        ids = tuple(each.id for each in cited)
        turns.remember(turn, Remembrance(ROUTING, recalled, cited=ids))
        sources = providers.sources_line(list(cited), turn.language)
        assert turns.record_answer(turn, Reply(f"It is 7 [m1].\n\n{sources}"), [])
    return turn_id


def test_a_turn_shows_what_it_was_given_and_why(app: Flask) -> None:
    stage = Stage.of(app)
    answered(stage, [kept(stage, REDIS), kept(stage, SUDO)])
    page = stage.browser.get(stage.path).text
    for words in ("recalled 2", "redis 7.0.15", "redis · web1", "Always use sudo"):
        assert words in page
    assert "holds here: it comes with every question" in page
    assert "personal words: yes → my own question: no" in page


def test_the_sources_stand_once_below_the_answer_and_lead_to_the_memory(app: Flask) -> None:
    stage = Stage.of(app)
    memory = kept(stage, REDIS)
    turn_id = answered(stage, [memory], cited=[memory])
    page = stage.browser.get(stage.path).text
    assert page.count("Based on:") == 2  # seen and for screen readers
    assert f'href="#recalled-{turn_id}-m1"' in page and f'id="recalled-{turn_id}-m1"' in page
    sources = page.partition('class="sources"')[2].partition("</ul>")[0]
    assert f'href="/memory/{memory.id}"' in sources and "(redis)" in sources


def test_one_click_marks_a_source_as_wrong_and_stays_in_the_talk(app: Flask) -> None:
    stage = Stage.of(app)
    memory = kept(stage, REDIS)
    turn_id = answered(stage, [memory], cited=[memory])
    response = stage.browser.post(f"/memory/{memory.id}/wrong", turn=turn_id)
    assert (response.status_code, response.location) == (303, f"{stage.path}#turn-{turn_id}")
    page = stage.browser.get(stage.path).text
    assert "marked wrong" in page and "Not wrong after all" in page
    again = stage.browser.post(f"/memory/{memory.id}/restore", htmx=True, turn=turn_id)
    assert again.text.lstrip().startswith(f'<div class="recalled" id="recalled-{turn_id}"')
    assert "<details open>" in again.text and "Not wrong after all" not in again.text


def test_a_source_has_its_mark_and_is_wrong_and_right_again_where_it_stands(app: Flask) -> None:
    stage = Stage.of(app)
    memory = kept(stage, REDIS)
    turn_id = answered(stage, [memory], cited=[memory])
    sources = stage.browser.get(stage.path).text.partition('class="sources"')[2]
    assert "(m1)" in sources and f'hx-post="/memory/{memory.id}/wrong"' in sources
    here = {"turn": turn_id, "at": "answer"}
    wrong = stage.browser.post(f"/memory/{memory.id}/wrong", htmx=True, **here).text
    assert wrong.lstrip().startswith(f'<div class="answer" id="answer-{turn_id}"')
    assert "marked wrong" in wrong and "not wrong after all" in wrong and "It is 7" in wrong
    right = stage.browser.post(f"/memory/{memory.id}/restore", htmx=True, **here).text
    assert "marked wrong" not in right and f'hx-post="/memory/{memory.id}/wrong"' in right


def test_what_a_question_taught_stands_under_it_and_is_undone_there(app: Flask) -> None:
    stage = Stage.of(app)
    turn_id = stage.ask("From now on always use sudo. How is web1?")
    with app.app_context():
        question = next(each for each in history.of_turn(turn_id) if each.role == "user")
        source = Source(Origin.USER, message_id=question.id)
        change = memories.add_or_update(stage.session.user_id, SUDO, source)
        assert change.memory is not None
        memory_id = change.memory.id
    learned = stage.browser.get(stage.path).text.partition('class="learned"')[2]
    assert "Remembered: " in learned and ">sudo</a>, everywhere" in learned
    here = {"turn": turn_id, "at": "learned"}
    undone = stage.browser.post(f"/memory/{memory_id}/wrong", htmx=True, **here).text
    assert undone.lstrip().startswith(f'<div class="learned" id="learned-{turn_id}"')
    assert "Not remembered: sudo" in undone and "remember it after all" in undone
    again = stage.browser.post(f"/memory/{memory_id}/restore", htmx=True, **here).text
    assert ">sudo</a>, everywhere" in again


def test_what_was_known_already_is_not_undone_by_saying_it_again(app: Flask) -> None:
    stage = Stage.of(app)
    kept(stage, SUDO, days_ago=3)
    turn_id = stage.ask("Always use sudo, as I said")
    with app.app_context():
        question = next(each for each in history.of_turn(turn_id) if each.role == "user")
        source = Source(Origin.USER, message_id=question.id)
        memories.add_or_update(stage.session.user_id, SUDO, source)
    learned = stage.browser.get(stage.path).text.partition('class="learned"')[2]
    assert ">sudo</a>, everywhere" in learned and ">undo<" not in learned


def test_a_deleted_memory_is_gone_from_the_turns_that_were_given_it(app: Flask) -> None:
    stage = Stage.of(app)
    memory = kept(stage, SUDO)
    turn_id = answered(stage, [memory], cited=[memory])
    stage.browser.post(f"/memory/{memory.id}/delete")
    page = stage.browser.get(stage.path).text
    assert "Always use sudo" not in page and "Based on:" not in page
    assert api_of(app, "ann").get(f"/turns/{turn_id}").json["recalled"] == []


def test_a_stale_fact_offers_to_be_asked_for_again(app: Flask) -> None:
    stage = Stage.of(app)
    answered(stage, [kept(stage, REDIS, days_ago=400)])
    page = stage.browser.get(stage.path).text
    assert 'name="content" value="Check again: redis 7.0.15"' in page
    assert "stale: re-check" in page


def test_what_is_known_and_what_happened_stands_beside_the_talk(app: Flask) -> None:
    stage = Stage.of(app)
    kept(stage, REDIS)
    turn_id = answered(stage, [])
    with app.app_context():
        mark = Mark(Kind.CAUSE_FOUND, "Cause: out of clients")
        milestones.record(stage.session.id, stage.session.user_id, turn_id, [mark])
    beside = stage.browser.get(stage.path).text.partition('id="context"')[2]
    assert "redis 7.0.15" in beside and "Cause: out of clients" in beside


def test_the_interface_tells_what_a_turn_was_given(app: Flask) -> None:
    stage = Stage.of(app)
    memory = kept(stage, REDIS)
    turn_id = answered(stage, [memory], cited=[memory])
    (told,) = api_of(app, "ann").get(f"/turns/{turn_id}").json["recalled"]
    assert told == {
        "memory_id": memory.id,
        "type": "SOFTWARE_FACT",
        "host": "web1",
        "content": "redis 7.0.15",
        "at": told["at"],
        "score": 2.5,
        "reason": "redis; web1",
        "mark": "m1",
        "preference": False,
        "cited": True,
    }


def test_nobody_is_led_into_the_talk_of_another(app: Flask) -> None:
    stage, other = Stage.of(app), browser_of(app, "bob")
    turn_id = answered(stage, [])
    mine = other.post("/memory", content="Always use doas").location
    assert other.post(f"{mine}/wrong", turn=turn_id).location == "/memory"
    assert other.get(stage.path).status_code == 404
