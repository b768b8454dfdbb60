"""A turn that asks: its card on the page, the click that answers it, and what the API tells."""

import html
import json
import re
from typing import Any

import pytest
from flask import Flask

from tests.web.conftest import Api, api_of
from tests.web.forms import Browser, Stage, browser_of, calls
from tests.web.test_api_events import events, names
from tests.web.test_page_events import first, listen
from walissh import wiring
from walissh.react.turn import Reply, ToolCall
from walissh.store import history, people, turns
from walissh.web.api.event_shapes import EVENT_SHAPES

NASTY = ('say "now"', "<b onclick='x'>bold</b>", "重启 🔥 它", "a\nb", "x" * 200)


def asking(text: str = "Which one?", *choices: str, said: str = "") -> Reply:
    arguments = json.dumps({"question": text, "choices": list(choices)})
    return Reply(said, (ToolCall("q1", "ask_user", arguments),))


def asked(app: Flask, *choices: str, then: tuple[Reply, ...] = ()) -> tuple[Stage, str]:
    """Return a talk whose first turn has ended by asking, and that turn's id."""
    stage = Stage.of(app, asking("Which one?", *choices), *then)
    turn_id = stage.ask("restart the shop")
    stage.play()
    return stage, turn_id


def page(stage: Stage) -> str:
    return stage.browser.get(stage.path).text


def card(stage: Stage, turn_id: str) -> str:
    found = re.search(
        rf'<div class="asked[^>]*id="question-{turn_id}".*?</section>', page(stage), re.S
    )
    assert found
    return found[0]


def click(stage: Stage, turn_id: str, number: int | str, *, htmx: bool = False) -> Any:
    return stage.browser.post(f"/turns/{turn_id}/answer", htmx=htmx, choice=number)


def said(stage: Stage) -> list[str]:
    with stage.browser.app.app_context():
        return [each.question for each in turns.of_session(stage.session.id)]


def test_a_question_is_a_card_with_a_button_for_each_choice(app: Flask) -> None:
    stage, turn_id = asked(app, "web1", "web2")
    shown = card(stage, turn_id)
    assert re.findall(r'name="choice" value="(\d)">(\w+)<', shown) == [("0", "web1"), ("1", "web2")]
    assert f'aria-labelledby="asked-{turn_id}"' in shown
    assert page(stage).count("Which one?") == 1


def test_a_click_sends_the_choice_as_the_next_message(app: Flask) -> None:
    stage, turn_id = asked(app, "web1", "web2")
    response = click(stage, turn_id, 1)
    assert (response.status_code, said(stage)) == (303, ["restart the shop", "web2"])
    assert response.location.startswith(f"{stage.path}#turn-")


def test_an_answered_question_shows_its_answer_and_no_buttons(app: Flask) -> None:
    stage, turn_id = asked(app, "web1", "web2")
    click(stage, turn_id, 1)
    shown = card(stage, turn_id)
    assert "You answered:" in shown
    assert re.search(r'<a href="#turn-\w+"[^>]*>web2</a>', shown)
    assert "<button" not in shown and "asked-open" not in shown


def test_words_from_the_box_answer_it_too(app: Flask) -> None:
    stage, turn_id = asked(app, "web1", "web2")
    stage.ask("neither, wait")
    assert "neither, wait</a>" in card(stage, turn_id)


def test_a_question_without_choices_points_to_the_box(app: Flask) -> None:
    stage, turn_id = asked(app)
    assert "Write your answer below." in card(stage, turn_id)
    assert "<button" not in card(stage, turn_id)


def test_a_second_click_is_the_same_message(app: Flask) -> None:
    stage, turn_id = asked(app, "web1", "web2")
    once, again = click(stage, turn_id, 0), click(stage, turn_id, 0)
    assert once.location == again.location
    assert said(stage) == ["restart the shop", "web1"]


def test_a_second_click_after_the_end_of_the_answer_asks_nothing_anew(app: Flask) -> None:
    stage, turn_id = asked(app, "web1", "web2", then=(Reply("It runs."),))
    click(stage, turn_id, 0)
    stage.play()
    assert click(stage, turn_id, 0).status_code == 303
    assert said(stage) == ["restart the shop", "web1"]


def test_another_choice_in_another_tab_is_refused_in_words(app: Flask) -> None:
    stage, turn_id = asked(app, "web1", "web2", then=(Reply("It runs."),))
    click(stage, turn_id, 0)
    stage.play()
    late = click(stage, turn_id, 1)
    assert late.status_code == 409
    assert "was answered before, and that answer stands" in late.text
    assert said(stage) == ["restart the shop", "web1"]
    fragment = click(stage, turn_id, 1, htmx=True)
    assert (fragment.status_code, fragment.mimetype) == (409, "text/plain")


@pytest.mark.parametrize("number", range(len(NASTY)))
def test_a_choice_of_any_text_arrives_as_it_was_offered(app: Flask, number: int) -> None:
    stage, turn_id = asked(app, *NASTY)
    click(stage, turn_id, number)
    assert said(stage)[-1] == NASTY[number]


def test_a_choice_is_text_and_never_markup(app: Flask) -> None:
    stage, turn_id = asked(app, *NASTY)
    shown = card(stage, turn_id)
    assert "<b onclick" not in shown
    assert html.escape(NASTY[1], quote=False).replace("'", "&#39;") in shown


@pytest.mark.parametrize("number", ["2", "-1", "x", ""])
def test_a_choice_that_was_not_offered_is_refused(app: Flask, number: str) -> None:
    stage, turn_id = asked(app, "web1", "web2")
    response = click(stage, turn_id, number)
    assert response.status_code == 400
    assert said(stage) == ["restart the shop"]


def test_a_turn_that_asks_nothing_takes_no_choice(app: Flask) -> None:
    stage = Stage.of(app, Reply("fine"))
    turn_id = stage.ask()
    stage.play()
    assert click(stage, turn_id, 0).status_code == 400


def test_htmx_gets_the_new_turn_and_the_answered_card(app: Flask) -> None:
    stage, turn_id = asked(app, "web1", "web2")
    got = click(stage, turn_id, 0, htmx=True).text
    (new,) = set(re.findall(r'<section class="turn" id="turn-(\w+)"', got))
    assert new != turn_id
    assert re.search(rf'id="question-{turn_id}"[^>]*hx-swap-oob="true"', got)
    assert re.search(r'id="send"[^>]*hx-swap-oob="true"', got)


def test_htmx_asking_in_words_gets_the_answered_card_too(app: Flask) -> None:
    stage, turn_id = asked(app, "web1")
    got = stage.browser.post(f"{stage.path}/ask", htmx=True, content="web9").text
    assert re.search(rf'id="question-{turn_id}"[^>]*hx-swap-oob="true"', got)


def test_a_stranger_cannot_answer(app: Flask) -> None:
    stage, turn_id = asked(app, "web1")
    other = browser_of(app, "bob")
    assert other.post(f"/turns/{turn_id}/answer", choice=0).status_code == 404
    nobody = Browser(app, app.test_client())
    assert nobody.post(f"/turns/{turn_id}/answer", choice=0).location.startswith("/sign-in")
    assert said(stage) == ["restart the shop"]


def test_an_answer_is_only_posted(app: Flask) -> None:
    stage, turn_id = asked(app, "web1")
    assert stage.browser.get(f"/turns/{turn_id}/answer").status_code == 405


def test_the_stream_brings_the_question_and_takes_its_buttons_away(app: Flask) -> None:
    stage = Stage.of(app, asking("Which one?", "web1", "web2"))
    turn_id = stage.ask()
    stream = listen(stage)
    while next(stream)[0] != "beat":
        pass
    stage.play()
    brought = next(data for _, data in stream if data.get("id") == f"question-{turn_id}")
    assert 'value="1">web2</button>' in brought["html"]
    click(stage, turn_id, 0)
    changed = next(data for _, data in stream if data.get("id") == f"question-{turn_id}")
    assert "You answered:" in changed["html"] and "<button" not in changed["html"]


def test_a_page_that_was_away_finds_the_question_answered(app: Flask) -> None:
    stage, turn_id = asked(app, "web1", "web2")
    with app.app_context():
        after = wiring.stream().last_id(stage.session.id)
    click(stage, turn_id, 0)
    assert "You answered:" in first(stage, after)[f"question-{turn_id}"]["html"]


def test_the_state_of_a_waiting_question_is_read_aloud(app: Flask) -> None:
    stage, _ = asked(app, "web1")
    assert re.search(r'data-state="asks"[^>]*data-said="asks you"', page(stage), re.S)


def test_the_card_speaks_chinese_on_a_chinese_page(app: Flask) -> None:
    stage, turn_id = asked(app, "web1")
    with app.app_context():
        people.set_language(stage.browser.person.id, "zh")  # type: ignore[union-attr]
    assert "也可以在下面写别的回答" in card(stage, turn_id)


# --- what the message was taken for -----------------------------------------------------


def test_what_a_message_was_taken_for_is_told_on_demand(app: Flask) -> None:
    stage = Stage.of(app, Reply("fine"))
    stage.ask("why is nginx so slow?")
    stage.play()
    found = re.search(r'<div class="taken".*?</div>', page(stage), re.S)
    assert found and "<details>" in found[0]
    assert re.search(r"Taken as: diagnose · decided by a rule", found[0])
    assert re.search(r"\d+ % sure", found[0])


# --- the interface ------------------------------------------------------------------------


@pytest.fixture
def api(app: Flask) -> Api:
    return api_of(app, "ann")


def test_a_turn_tells_its_question_and_its_intent(app: Flask, api: Api) -> None:
    _, turn_id = asked(app, "web1", "web2")
    told = api.get(f"/turns/{turn_id}").json
    assert (told["question"], told["choices"]) == ("Which one?", ["web1", "web2"])
    assert (told["status"], told["answer"]) == ("done", "Which one?")
    assert told["intent"]["intent"] == "EXECUTE"
    assert (told["intent"]["by"], bool(told["intent"]["rule"])) == ("rule", True)
    assert 0 < told["intent"]["confidence"] <= 1


def test_a_turn_that_asks_nothing_has_no_question(app: Flask, api: Api) -> None:
    stage = Stage.of(app, Reply("fine"))
    turn_id = stage.ask()
    before = api.get(f"/turns/{turn_id}").json
    assert (before["question"], before["intent"]) == (None, None)
    stage.play()
    assert api.get(f"/turns/{turn_id}").json["question"] is None


def test_the_events_of_an_ended_turn_hold_its_question(app: Flask, api: Api) -> None:
    _, turn_id = asked(app, "web1", "web2")
    told = events(api, turn_id)
    assert names(told)[-2:] == ["question", "done"]
    assert told[-2][2] == {"turn_id": turn_id, "text": "Which one?", "choices": ["web1", "web2"]}
    place = names(told).index("question")
    assert events(api, turn_id, after=told[place - 1][0])[0] == told[place]


def test_with_all_events_lost_the_question_comes_from_the_database(app: Flask, api: Api) -> None:
    _, turn_id = asked(app, "web1", "web2")
    with app.app_context():
        wiring.stream()._redis.flushall()
    told = {name: data for _, name, data in events(api, turn_id)}
    assert told["question"]["choices"] == ["web1", "web2"]
    assert told["done"]["answer"] == "Which one?"


def test_each_event_is_as_the_document_describes_it(app: Flask, api: Api) -> None:
    stage = Stage.of(app, calls("uptime", text="I look."), asking("Which one?", "web1"))
    turn_id = stage.ask()
    stage.play()
    told = events(api, turn_id)
    assert {"status", "text", "command", "output", "question", "done"} <= set(names(told))
    for _, name, data in told:
        assert not EVENT_SHAPES[name].model_validate(data).model_extra, name


def test_the_document_names_the_events_of_a_stream(app: Flask) -> None:
    told = app.test_client().get("/api/v1/openapi.json").json
    path = told["paths"]["/api/v1/turns/{turn_id}/events"]["get"]["responses"]["200"]
    named = path["content"]["text/event-stream"]["x-events"]
    assert set(named) == set(EVENT_SHAPES)
    schema = told["components"]["schemas"][named["question"]["$ref"].rpartition("/")[2]]
    assert set(schema["required"]) == {"turn_id", "text", "choices"}
    assert "`plan`" in path["description"]


def test_the_calls_that_have_a_card_are_not_listed_again(app: Flask) -> None:
    stage, turn_id = asked(app, "web1")
    assert "ask_user" not in page(stage)
    with app.app_context():
        assert any(each.tool_calls for each in history.of_turn(turn_id))
