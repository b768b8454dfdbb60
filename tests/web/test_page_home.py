"""The first page: a question begins a session."""

from flask import Flask

from tests.web.conftest import use_parts
from tests.web.forms import Stage, browser_of
from walissh.errors import StoreError
from walissh.store import sessions, turns


def test_a_stranger_is_led_to_the_sign_in_page_and_back(app: Flask) -> None:
    response = app.test_client().get("/hosts/new")
    assert response.status_code == 303
    assert response.location == "/sign-in?next=%2Fhosts%2Fnew"


def test_a_question_begins_a_session_on_the_chosen_hosts(app: Flask) -> None:
    stage = Stage.of(app)
    response = stage.browser.post("/sessions", content="why?", host_ids=stage.host_id)
    session_id = response.location.removeprefix("/sessions/")
    with app.app_context():
        found = sessions.get(session_id, stage.session.user_id)
        assert found is not None and found.host_ids == (stage.host_id,)
        assert [each.question for each in turns.of_session(session_id)] == ["why?"]


def test_an_example_is_asked_as_it_stands(app: Flask) -> None:
    stage = Stage.of(app)
    fields = {"content": "", "example": "What fills the disk?", "host_ids": stage.host_id}
    response = stage.browser.post("/sessions", **fields)
    assert "What fills the disk?" in stage.browser.get(response.location).text


def test_a_refused_question_leaves_no_session_and_comes_back(app: Flask) -> None:
    browser = browser_of(app, "ann")
    response = browser.post("/sessions", content="   ")
    assert response.status_code == 400
    assert "The message is empty." in response.text
    with app.app_context():
        assert sessions.page(browser.person.id if browser.person else "").items == ()


class TurnsAway:
    """Turns of a database that has just gone away."""

    def ask(self, *_: object, **__: object) -> None:
        raise StoreError("The database did not answer: it is gone")


def test_a_question_that_could_not_be_stored_leaves_no_session(app: Flask) -> None:
    browser = browser_of(app, "ann")
    use_parts(app, turns=TurnsAway())
    assert browser.post("/sessions", content="why?").status_code == 503
    with app.app_context():
        assert sessions.page(browser.person.id if browser.person else "").items == ()


def test_a_question_of_a_million_characters_is_refused_in_words(app: Flask) -> None:
    response = browser_of(app, "ann").post("/sessions", content="x" * 1_000_000)
    assert response.status_code == 400
    assert "at most 200,000 are taken" in response.text


def test_another_persons_host_is_not_to_be_chosen(app: Flask) -> None:
    host_id = browser_of(app, "bob").host("theirs")
    response = browser_of(app, "ann").post("/sessions", content="why?", host_ids=host_id)
    assert response.status_code == 400


def test_with_no_host_the_page_says_how_to_add_one(app: Flask) -> None:
    page = browser_of(app, "ann").get("/").text
    assert "There is no server yet" in page and 'href="/hosts/new"' in page


def test_search_finds_words_of_a_message(app: Flask) -> None:
    stage = Stage.of(app)
    stage.ask("why does the lantern flicker?")
    assert stage.path in main_of(stage.browser.get("/sessions?q=lantern").text)
    assert stage.path not in main_of(stage.browser.get("/sessions?q=submarine").text)
    assert stage.path in stage.browser.get("/sidebar?q=lantern").text
    assert stage.path not in stage.browser.get("/sidebar?q=submarine").text


def main_of(page: str) -> str:
    return page.partition("<main")[2]


def test_an_unchanged_sidebar_is_not_sent_again(app: Flask) -> None:
    stage = Stage.of(app)
    sig = stage.browser.get("/sidebar").text.partition('data-sig="')[2].partition('"')[0]
    assert stage.browser.get(f"/sidebar?sig={sig}").status_code == 204


def test_an_older_pages_mark_that_no_clock_shows_is_ignored(app: Flask) -> None:
    browser = browser_of(app, "ann")
    for at in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2024-01-01", "x"):
        response = browser.get("/sessions", query_string={"after": f"{at}~id", "q": "a\0b"})
        assert response.status_code == 200
