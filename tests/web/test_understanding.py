"""The page of what was misunderstood: shown with what it lowered, and taken back."""

from typing import Any

import pytest
from flask import Flask

from tests.web.conftest import Api, api_of
from tests.web.forms import Browser, Stage, browser_of
from walissh.clock import utc_now
from walissh.react.followed import Intent
from walissh.react.misled import Misled, Sign
from walissh.store import misleads

QUESTION = "restart the worker"


@pytest.fixture
def stage(app: Flask) -> Stage:
    """A talk of ann in which one message was misunderstood."""
    stage = Stage.of(app)
    misread(stage)
    return stage


def misread(
    stage: Stage, text: str = QUESTION, sign: Sign = Sign.CORRECTION, rule: str = "order"
) -> str:
    """Note a sign about a new turn of the stage; return the turn's id."""
    assert stage.browser.person is not None
    turn_id = asked(stage)
    with stage.browser.app.app_context():
        assert misleads.note(
            Misled(
                stage.browser.person.id,
                turn_id,
                sign,
                rule,
                Intent.EXECUTE,
                Intent.QUERY,
                text,
                utc_now(),
            )
        )
    return turn_id


def asked(stage: Stage) -> str:
    session = stage.browser.session(stage.host_id)
    response = stage.browser.post(f"/sessions/{session.id}/ask", content=QUESTION)
    return str(response.location.partition("#turn-")[2])


def page(browser: Browser) -> str:
    response = browser.get("/understanding")
    assert response.status_code == 200
    return response.text


def test_an_empty_page_says_so(app: Flask) -> None:
    assert "Nothing was misunderstood yet" in page(browser_of(app, "ann"))


def test_an_entry_says_what_it_was_taken_for_by_which_rule_and_how_it_showed(stage: Stage) -> None:
    shown = page(stage.browser)
    for words in (
        QUESTION,
        "I took it as: do this on the machine.",
        "By: an order",
        "you corrected it, and meant: look something up",
        "85 %",
    ):
        assert words in shown, words


def test_an_entry_leads_to_its_message(stage: Stage) -> None:
    turn_id = misread(stage, "stop the worker")
    assert f"#turn-{turn_id}" in page(stage.browser)


def test_the_page_speaks_chinese(stage: Stage) -> None:
    stage.browser.post("/language", lang="zh")
    shown = page(stage.browser)
    for words in ("我当成了：在机器上做这件事。", "依据：吩咐", "你纠正了，本意是：", "85%"):
        assert words in shown, words


def test_the_model_and_a_rule_of_another_release_are_shown_too(stage: Stage) -> None:
    misread(stage, "that one", rule="")
    misread(stage, "the other one", rule="rule_of_tomorrow")
    shown = page(stage.browser)
    assert "By: the model&#39;s word" in shown and "By: rule_of_tomorrow" in shown


def test_what_a_person_wrote_is_text_and_no_markup(stage: Stage) -> None:
    misread(stage, "<img src=x> restart")
    assert "&lt;img src=x&gt; restart" in page(stage.browser)


def test_one_entry_is_taken_back(stage: Stage) -> None:
    turn_id = misread(stage, "stop the worker")
    response = stage.browser.post(f"/understanding/{turn_id}/correction/forget")
    assert (response.status_code, response.location) == (303, "/understanding")
    shown = page(stage.browser)
    assert "1 entry was taken back." in shown
    assert QUESTION in shown and "stop the worker" not in shown.partition("misread-title")[2]


def test_a_rule_is_trusted_again(stage: Stage) -> None:
    misread(stage, "what is it", rule="question")
    assert stage.browser.post("/understanding/rules/order/forget").status_code == 303
    shown = page(stage.browser)
    assert "By: an order" not in shown and "By: a question for a fact" in shown


def test_all_of_it_is_taken_back(stage: Stage) -> None:
    misread(stage, "stop the worker", Sign.DENIED)
    assert stage.browser.post("/understanding/forget").status_code == 303
    assert "2 entries were taken back." in page(stage.browser)
    assert "Nothing was misunderstood yet" in page(stage.browser)


def test_older_entries_are_on_the_next_page(stage: Stage) -> None:
    turn_id = misread(stage, "oldest of all")
    assert stage.browser.person is not None
    with stage.browser.app.app_context():
        shown = misleads.page(stage.browser.person.id, limit=1)
    assert shown.next is not None
    older = stage.browser.get(f"/understanding?before={shown.next}").text
    assert QUESTION in older and turn_id not in older


@pytest.mark.parametrize("query", ["before=x", "before=" + "9" * 40, "before=%00"])
def test_an_address_that_asks_for_nonsense_is_a_page_all_the_same(app: Flask, query: str) -> None:
    assert browser_of(app, "ann").get(f"/understanding?{query}").status_code == 200


def test_another_persons_entries_are_not_there(app: Flask, stage: Stage) -> None:
    turn_id, other = misread(stage), browser_of(app, "bob")
    assert QUESTION not in page(other)
    assert other.post(f"/understanding/{turn_id}/correction/forget").status_code == 404
    assert other.post("/understanding/forget").status_code == 303
    assert QUESTION in page(stage.browser)


@pytest.mark.parametrize(
    "path", ["/understanding/none/correction/forget", "/understanding/rules/no_rule/forget"]
)
def test_what_is_not_there_cannot_be_taken_back(app: Flask, path: str) -> None:
    assert browser_of(app, "ann").post(path).status_code == 404


def test_an_unknown_sign_is_not_there(stage: Stage) -> None:
    turn_id = misread(stage)
    assert stage.browser.post(f"/understanding/{turn_id}/moon/forget").status_code == 404


def test_strangers_are_sent_to_sign_in(app: Flask) -> None:
    stranger = Browser(app, app.test_client())
    assert stranger.get("/understanding").location.startswith("/sign-in")
    assert stranger.post("/understanding/forget").location.startswith("/sign-in")


@pytest.mark.parametrize(
    "path",
    [
        "/understanding/forget",
        "/understanding/rules/order/forget",
        "/understanding/none/correction/forget",
    ],
)
def test_looking_takes_nothing_back(app: Flask, path: str) -> None:
    assert browser_of(app, "ann").get(path).status_code == 405


def test_the_page_takes_no_post(app: Flask) -> None:
    assert browser_of(app, "ann").post("/understanding").status_code == 405


def test_a_form_without_its_token_is_refused(stage: Stage) -> None:
    assert stage.browser.post("/understanding/forget", csrf_token="").status_code == 400
    assert QUESTION in page(stage.browser)


# --- for programs ---------------------------------------------------------------------


@pytest.fixture
def ann(app: Flask, stage: Stage) -> Api:
    """A program of ann, who has one entry."""
    return api_of(app, "ann")


def told(api: Api, path: str) -> dict[str, Any]:
    response = api.get(path)
    assert response.status_code == 200, response.text
    return dict(response.json or {})


def test_programs_list_the_entries_and_the_lowered_rules(ann: Api) -> None:
    page = told(ann, "/understanding")
    assert page["next"] is None
    (entry,) = page["items"]
    assert (entry["sign"], entry["rule"], entry["taken"]) == ("correction", "order", "EXECUTE")
    assert (entry["meant"], entry["text"]) == ("QUERY", QUESTION)
    (rule,) = told(ann, "/understanding/rules")["items"]
    assert rule == {"rule": "order", "trust": pytest.approx(0.85, abs=0.001)}


def test_programs_page_through_the_entries(ann: Api, stage: Stage) -> None:
    misread(stage, "stop the worker", rule="")
    first = told(ann, "/understanding?limit=1")
    second = told(ann, f"/understanding?limit=1&cursor={first['next']}")
    assert [each["rule"] for page in (first, second) for each in page["items"]] == [
        "model",
        "order",
    ]
    assert second["next"] is None


def test_programs_take_back_one_a_rule_or_all(ann: Api, stage: Stage) -> None:
    turn_id = misread(stage, "stop the worker", Sign.DENIED)
    misread(stage, "what is it", rule="question")
    assert ann.delete(f"/understanding/{turn_id}/denied").status_code == 204
    assert ann.delete(f"/understanding/{turn_id}/denied").status_code == 404
    assert ann.delete("/understanding/rules/order").status_code == 204
    assert [each["rule"] for each in told(ann, "/understanding")["items"]] == ["question"]
    assert ann.delete("/understanding").status_code == 204
    assert told(ann, "/understanding")["items"] == []


def test_another_persons_program_finds_nothing(ann: Api, other: Api, stage: Stage) -> None:
    turn_id = misread(stage)
    assert told(other, "/understanding")["items"] == []
    assert told(other, "/understanding/rules")["items"] == []
    assert other.delete(f"/understanding/{turn_id}/correction").status_code == 404
    assert other.delete("/understanding/rules/no_such_rule").status_code == 404
    assert len(told(ann, "/understanding")["items"]) == 2
