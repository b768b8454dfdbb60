"""What was folded for the model: the mark in the talk, what it keeps, and the interface."""

import re

import pytest
from flask import Flask

from tests.web.conftest import Api, api_of
from tests.web.forms import Stage, browser_of
from tests.web.test_api_events import events
from tests.web.test_page_events import first, listen
from walissh.react.turn import Reply
from walissh.store import people, summaries
from walissh.web.api.event_shapes import EVENT_SHAPES
from walissh.web.pages import talk

FIRST = "never touch <db1>, whatever happens. why is web1 slow?"


def spoken(app: Flask, *more: str) -> tuple[Stage, list[str]]:
    """Return a talk of some turns, and their ids."""
    asked = [FIRST, "and the disk?", *more]
    stage = Stage.of(app, *(Reply(f"Answer {n}.") for n, _ in enumerate(asked)))
    ids = []
    for each in asked:
        ids.append(stage.ask(each))
        stage.play()
    return stage, ids


def page(stage: Stage) -> str:
    return stage.browser.get(stage.path).text


def order(text: str) -> list[str]:
    """Return turns and mark in their order on the page."""
    return re.findall(r'<section class="(?:turn|folded)" id="(?:turn-)?(\w+)"', text)


def test_the_mark_stands_after_the_last_folded_turn(app: Flask) -> None:
    stage, (one, two, compact) = spoken(app, "/compact")
    assert order(page(stage)) == [one, two, "folded", compact]
    assert "The messages above (2 rounds) were folded" in page(stage)
    assert "Nothing was deleted" in page(stage)


def test_nothing_that_was_said_is_gone(app: Flask) -> None:
    stage, _ = spoken(app, "/compact")
    assert "Answer 0." in page(stage) and "and the disk?" in page(stage)


def test_the_mark_shows_what_is_kept_as_text(app: Flask) -> None:
    stage, _ = spoken(app, "/compact")
    mark = page(stage).split('id="folded"')[1].split("</section>")[0]
    assert "never touch &lt;db1&gt;" in mark
    assert "<details" in mark and "<details open" not in mark


def test_the_command_is_an_ordinary_message_with_an_ordinary_answer(app: Flask) -> None:
    stage, (*_, compact) = spoken(app, "/compact")
    answer = page(stage).split(f'id="answer-{compact}"')[1].split("</div>")[0]
    assert "went into the summary" in answer


def test_a_talk_that_was_never_folded_has_no_mark(app: Flask) -> None:
    stage, _ = spoken(app)
    assert 'id="folded"' not in page(stage)


def test_the_mark_stands_first_when_its_turn_is_not_shown(app: Flask) -> None:
    stage, ids = spoken(app, "/compact")
    for n in range(talk.SHOWN_TURNS):
        with app.app_context():
            stage.browser.app.extensions["walissh"].parts.model.script.append(Reply(f"More {n}."))
        stage.ask(f"more {n}")
        stage.play()
    shown = order(page(stage))
    assert shown[0] == "folded"
    assert not set(ids) & set(shown)


def test_the_stream_brings_the_mark_with_its_place(app: Flask) -> None:
    stage, (_, two) = spoken(app)
    stage.browser.app.extensions["walissh"].parts.model.script.append(Reply("never said"))
    stream = listen(stage)
    while next(stream)[0] != "beat":
        pass
    stage.ask("/compact")
    stage.play()
    brought = next(data for _, data in stream if data.get("id") == "folded")
    assert (brought["parent"], brought["after"]) == ("turns", f"turn-{two}")
    assert "2 rounds" in brought["html"]


def test_a_page_that_was_away_gets_the_mark(app: Flask) -> None:
    stage, _ = spoken(app, "/compact")
    assert "2 rounds" in first(stage, "1-1")["folded"]["html"]


def test_the_mark_of_another_person_is_not_shown(app: Flask) -> None:
    stage, _ = spoken(app, "/compact")
    assert browser_of(app, "bob").get(stage.path).status_code == 404


def test_the_box_says_how_to_fold(app: Flask) -> None:
    stage = Stage.of(app)
    assert "/compact folds the talk so far" in page(stage)


def test_the_mark_speaks_chinese_on_a_chinese_page(app: Flask) -> None:
    stage, _ = spoken(app, "/compact")
    with app.app_context():
        people.set_language(stage.browser.person.id, "zh")  # type: ignore[union-attr]
    assert "以上消息（2 轮）已折叠" in page(stage)


# --- the interface ------------------------------------------------------------------------


@pytest.fixture
def api(app: Flask) -> Api:
    return api_of(app, "ann")


def test_a_session_tells_how_many_messages_were_folded(app: Flask, api: Api) -> None:
    stage, _ = spoken(app, "/compact")
    said = api.get(f"/sessions/{stage.session.id}/messages").json["items"]
    with app.app_context():
        kept = summaries.load(stage.session.id, stage.session.user_id)
    told = api.get(f"/sessions/{stage.session.id}").json["summary"]
    assert told == {"folded": 4, "until": kept.until}
    assert said[3]["id"] == kept.until


def test_the_events_of_the_turn_tell_that_it_folded(app: Flask, api: Api) -> None:
    _, (*_, compact) = spoken(app, "/compact")
    (told,) = [data for _, name, data in events(api, compact) if name == "compacted"]
    assert told["rounds"] == 2
    assert not EVENT_SHAPES["compacted"].model_validate(told).model_extra
