"""Signing in by link and by password, and out again."""

from flask import Flask
from werkzeug.test import TestResponse

from tests.web.forms import Browser, browser_of
from walissh.store import people


def link_of(app: Flask) -> str:
    with app.app_context():
        admin = people.first_admin()
        people.mark_welcomed(admin.id)
        return f"/sign-in/{people.issue_token(admin.id, 'link')}"


def stranger_of(app: Flask) -> Browser:
    return Browser(app, app.test_client())


def sign_in(app: Flask, browser: Browser, password: str, **fields: str) -> TestResponse:
    with app.app_context():
        person = people.named("zoe")
        people.set_password(person.id, "correct horse")
        people.mark_welcomed(person.id)
    return browser.post("/sign-in", name="zoe", password=password, **fields)


def test_the_link_signs_in_once(app: Flask) -> None:
    link, first, second = link_of(app), stranger_of(app), stranger_of(app)
    assert first.get(link).location == "/"
    assert first.get("/").status_code == 200
    refused = second.get(link)
    assert refused.status_code == 403
    assert "walissh sign-in-link" in refused.text
    assert second.get("/").location == "/sign-in"


def test_a_look_ahead_does_not_spend_the_link(app: Flask) -> None:
    link, browser = link_of(app), stranger_of(app)
    assert browser.client.head(link).status_code == 200
    assert browser.get(link, headers={"Sec-Purpose": "prefetch"}).status_code == 200
    assert browser.get(link).status_code == 303
    assert browser.get("/").status_code == 200


def test_the_same_browser_may_open_its_link_twice(app: Flask) -> None:
    link, browser = link_of(app), stranger_of(app)
    browser.get(link)
    assert browser.get(link).location == "/"


def test_the_right_password_leads_on_to_the_wanted_page(app: Flask) -> None:
    browser = stranger_of(app)
    response = sign_in(app, browser, "correct horse", next="/hosts")
    assert (response.status_code, response.location) == (303, "/hosts")
    assert browser.get("/hosts").status_code == 200


def test_a_wrong_password_is_refused_in_the_same_words_as_a_wrong_name(app: Flask) -> None:
    browser = stranger_of(app)
    wrong = sign_in(app, browser, "wrong horse")
    nobody = browser.post("/sign-in", name="zoe", password="wrong horse")
    assert wrong.status_code == nobody.status_code == 403
    assert "The name or the password is wrong." in wrong.text
    assert 'value="zoe"' in wrong.text
    assert "wrong horse" not in wrong.text


def test_signing_in_never_leads_to_another_site(app: Flask) -> None:
    response = sign_in(app, stranger_of(app), "correct horse", next="//evil.example/")
    assert response.location == "/"


def test_signing_out_ends_the_browsers_session(app: Flask) -> None:
    browser = browser_of(app, "ann")
    assert browser.post("/sign-out").location == "/sign-in"
    assert browser.get("/").location == "/sign-in"


def test_a_form_without_its_token_is_refused(app: Flask) -> None:
    response = browser_of(app, "ann").post("/sign-out", csrf_token="forged")
    assert response.status_code == 400
    assert "Reload the page" in response.text


def test_signing_out_takes_no_get(app: Flask) -> None:
    assert browser_of(app, "ann").get("/sign-out").status_code == 405


def test_a_link_changes_who_is_signed_in_only_when_they_say_so(app: Flask) -> None:
    browser = browser_of(app, "ann")
    link = link_of(app)
    asked = browser.get(link)
    assert "You are signed in as ann. This link signs in admin instead." in asked.text
    assert ">ann</a>" in browser.get("/").text
    assert browser.post(link).location == "/"
    assert ">admin</a>" in browser.get("/").text


def test_a_second_link_of_the_same_person_asks_nothing(app: Flask) -> None:
    browser = stranger_of(app)
    browser.get(link_of(app))
    assert browser.get(link_of(app)).location == "/"


def test_a_strangers_site_cannot_change_who_is_signed_in(app: Flask) -> None:
    browser = browser_of(app, "ann")
    assert browser.post(link_of(app), csrf_token="forged").status_code == 400
    assert ">ann</a>" in browser.get("/").text


def test_an_error_leads_back_to_the_page_of_the_form(app: Flask) -> None:
    browser = browser_of(app, "ann")
    for referrer, back in (("http://localhost/settings", True), ("http://evil/settings", False)):
        response = browser.client.post(
            "/settings/password",
            data={"csrf_token": browser.token(), "new": "short"},
            headers={"Referer": referrer},
        )
        assert response.status_code == 400
        assert ('href="/settings">Back</a>' in response.text) is back
