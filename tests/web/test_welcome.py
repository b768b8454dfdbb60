"""The first sign-in asks once what to remember."""

from flask import Flask

from tests.web.forms import Browser
from walissh.memory.entry import Memory
from walissh.store import core_memory, memories, people


def signed_in(app: Flask, name: str = "zoe") -> tuple[Browser, str]:
    """Return a browser right after a first sign-in, and where it was led."""
    with app.app_context():
        person = people.named(name)
        link = people.issue_token(person.id, "link")
    browser = Browser(app, app.test_client(), person)
    return browser, browser.get(f"/sign-in/{link}").location


def again(app: Flask, browser: Browser) -> str:
    assert browser.person is not None
    with app.app_context():
        link = people.issue_token(browser.person.id, "link")
    return str(Browser(app, app.test_client()).get(f"/sign-in/{link}").location)


def kept(app: Flask, browser: Browser) -> dict[str, Memory]:
    assert browser.person is not None
    with app.app_context():
        return {each.subject: each for each in memories.recent(browser.person.id)}


def rules(app: Flask, browser: Browser) -> str:
    assert browser.person is not None
    with app.app_context():
        return core_memory.get(browser.person.id, "rules").content


def test_the_first_sign_in_leads_to_the_question_and_the_second_does_not(app: Flask) -> None:
    browser, where = signed_in(app)
    assert where == "/welcome"
    assert "What shall I remember about you?" in browser.get(where).text
    assert browser.post("/welcome/skip").location == "/"
    assert again(app, browser) == "/"


def test_the_first_page_itself_is_never_in_the_way(app: Flask) -> None:
    browser, _ = signed_in(app)
    assert browser.get("/").status_code == 200


def test_a_way_deeper_into_the_site_is_kept(app: Flask) -> None:
    with app.app_context():
        people.set_password(people.named("zoe").id, "correct horse")
    browser = Browser(app, app.test_client())
    response = browser.post("/sign-in", name="zoe", password="correct horse", next="/hosts")
    assert response.location == "/hosts"
    plain = Browser(app, app.test_client()).post("/sign-in", name="zoe", password="correct horse")
    assert plain.location == "/welcome"


def test_what_was_answered_is_remembered(app: Flask) -> None:
    browser, _ = signed_in(app)
    answered = {"language": "zh", "sudo": "ask", "length": "short", "never": "/data on nas1"}
    assert browser.post("/welcome", **answered).location == "/"
    known = kept(app, browser)
    assert {name: each.value for name, each in known.items()} == {
        "output language": "Chinese",
        "sudo": "ask",
        "answer length": "short",
    }
    assert {each.source.channel for each in known.values()} == {"web"}
    assert rules(app, browser) == "never touch /data on nas1"
    assert '<html lang="zh-CN">' in browser.get("/").text
    assert again(app, browser) == "/"


def test_what_was_left_open_is_not_remembered(app: Flask) -> None:
    browser, _ = signed_in(app)
    browser.post("/welcome", language="", never="  \n")
    assert kept(app, browser) == {} and rules(app, browser) == ""


def test_a_line_that_forbids_by_itself_stays_as_it_is(app: Flask) -> None:
    browser, _ = signed_in(app)
    browser.post("/welcome", never="- /data\nNever restart mysql on db1\n不要重启 db2")
    assert rules(app, browser) == "never touch /data\nNever restart mysql on db1\n不要重启 db2"


def test_rules_that_were_there_stay(app: Flask) -> None:
    browser, _ = signed_in(app)
    browser.post("/memory/core/rules", content="never touch /srv")
    browser.post("/welcome", never="/data")
    assert rules(app, browser) == "never touch /srv\nnever touch /data"


def test_a_secret_comes_back_and_nothing_is_kept(app: Flask) -> None:
    browser, _ = signed_in(app)
    refused = browser.post("/welcome", sudo="no", never="password: hunter2-Winter-2031!")
    assert refused.status_code == 400 and 'value="no" checked' in refused.text
    assert kept(app, browser) == {} and again(app, browser) == "/welcome"


def test_strangers_and_wrong_methods_are_told_so(app: Flask) -> None:
    stranger = Browser(app, app.test_client())
    assert stranger.get("/welcome").location == "/sign-in?next=%2Fwelcome"
    assert stranger.post("/welcome", sudo="yes").location == "/sign-in"
    assert stranger.post("/welcome/skip").location == "/sign-in"
    browser, _ = signed_in(app)
    assert browser.get("/welcome/skip").status_code == 405


def test_a_bare_line_is_made_a_rule_in_its_own_language(app: Flask) -> None:
    browser, _ = signed_in(app)
    browser.post("/welcome", language="zh", never="/data\nnas1 上的备份\nthe shelf")
    assert rules(app, browser) == "绝不要碰 /data\n绝不要碰 nas1 上的备份\nnever touch the shelf"


def test_nothing_chosen_is_not_said_to_be_remembered(app: Flask) -> None:
    browser, _ = signed_in(app)
    assert browser.post("/welcome", sudo="", never="").location == "/"
    assert "It is remembered." not in browser.get("/").text


def test_a_line_that_cannot_be_checked_leads_to_the_rules(app: Flask) -> None:
    browser, _ = signed_in(app)
    line = "never touch anything unless the tide is low"
    assert browser.post("/welcome", never=line).location == "/memory/core#rules"
    assert f"cannot be checked as a rule: {line}" in browser.get("/memory/core").text


def test_the_form_sent_twice_writes_its_rules_once(app: Flask) -> None:
    browser, _ = signed_in(app)
    for _ in range(2):
        browser.post("/welcome", never="/data\n/data")
    assert rules(app, browser) == "never touch /data"
