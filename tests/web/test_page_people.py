"""The page People, and what its admins decide."""

import re

import pytest
from flask import Flask

from tests.web.forms import Browser
from walissh.store import people, people_roles


def admin_of(app: Flask) -> Browser:
    with app.app_context():
        admin = people.first_admin()
        cookie = people.issue_token(admin.id, "web")
    client = app.test_client()
    client.set_cookie("walissh", cookie)
    return Browser(app, client, admin)


def person(app: Flask, name: str, role: str = "operator") -> people.Person:
    with app.app_context():
        return people.add(name, role=role)


def found(app: Flask, name: str) -> people.Person:
    with app.app_context():
        someone = people.find(name)
    assert someone is not None
    return someone


def test_somebody_is_added_with_a_link_that_is_shown_once(app: Flask) -> None:
    admin = admin_of(app)
    shown = admin.post("/people", name="ann", role="viewer").text
    link = re.search(r"http://localhost(/sign-in/[\w-]+)", shown)
    assert link
    assert found(app, "ann").role == "viewer"
    ann = Browser(app, app.test_client())
    assert ann.get(link[1]).status_code == 303
    assert ann.get("/hosts").status_code == 200
    assert link[1] not in admin.get("/people").text


@pytest.mark.parametrize(
    ("name", "role", "status"), [("a b", "viewer", 400), ("x", "king", 400), ("bob", "viewer", 409)]
)
def test_a_name_that_is_none_a_role_that_is_none_and_a_taken_name_are_refused(
    app: Flask, name: str, role: str, status: int
) -> None:
    person(app, "bob")
    assert admin_of(app).post("/people", name=name, role=role).status_code == status


def test_a_taken_name_is_told_on_the_page_with_what_was_typed(app: Flask) -> None:
    person(app, "bob")
    page = admin_of(app).post("/people", name="bob", role="viewer").text
    assert '<p class="error" role="alert" id="add-error">There is a person named bob' in page
    assert 'name="name" value="bob" autofocus' in page
    assert '<option value="viewer" selected>viewer</option>' in page.partition('id="add"')[2]
    assert page.count('class="person"') == 2


def test_a_refused_name_comes_back_as_text_only(app: Flask) -> None:
    page = admin_of(app).post("/people", name='"><b>', role="king").text
    assert 'value="&#34;&gt;&lt;b&gt;"' in page and "<b>" not in page


def test_another_role_holds_from_the_next_request_on(app: Flask) -> None:
    ann = person(app, "ann")
    with app.app_context():
        cookie = people.issue_token(ann.id, "web")
    client = app.test_client()
    client.set_cookie("walissh", cookie)
    assert client.get("/people").status_code == 403
    admin_of(app).post(f"/people/{ann.id}/role", role="admin")
    assert client.get("/people").status_code == 200


def test_who_is_disabled_is_out_at_once_and_stays_out_until_enabled(app: Flask) -> None:
    ann, admin = person(app, "ann"), admin_of(app)
    with app.app_context():
        people.set_password(ann.id, "correct horse")
        token, cookie = (people.issue_token(ann.id, kind) for kind in ("api", "web"))
    client = app.test_client()
    client.set_cookie("walissh", cookie)
    assert admin.post(f"/people/{ann.id}/disable").status_code == 303
    assert client.get("/").status_code == 303
    api = client.get("/api/v1/sessions", headers={"Authorization": f"Bearer {token}"})
    assert api.status_code == 401
    stranger = Browser(app, app.test_client())
    assert stranger.post("/sign-in", name="ann", password="correct horse").status_code == 403
    assert admin.post(f"/people/{ann.id}/link").status_code == 409
    admin.post(f"/people/{ann.id}/enable")
    assert stranger.post("/sign-in", name="ann", password="correct horse").status_code == 303
    assert client.get("/").status_code == 303, "an old cookie stays worth nothing"


def test_the_last_admin_is_neither_demoted_nor_disabled(app: Flask) -> None:
    admin = admin_of(app)
    assert admin.person is not None
    path = f"/people/{admin.person.id}"
    for response in (admin.post(f"{path}/role", role="viewer"), admin.post(f"{path}/disable")):
        assert response.status_code == 409
        assert "is the last admin" in response.text


def test_signing_out_everywhere_ends_browsers_and_no_token(app: Flask) -> None:
    ann = person(app, "ann")
    with app.app_context():
        token, cookie = (people.issue_token(ann.id, kind) for kind in ("api", "web"))
    admin_of(app).post(f"/people/{ann.id}/sign-out")
    with app.app_context():
        assert people.by_token("web", cookie) is None
        assert people.by_token("api", token) is not None


def test_an_admin_who_signs_out_everywhere_keeps_this_browser(app: Flask) -> None:
    admin = admin_of(app)
    assert admin.person is not None
    admin.post(f"/people/{admin.person.id}/sign-out")
    assert admin.get("/people").status_code == 200


def test_a_person_who_is_not_there_is_not_found(app: Flask) -> None:
    admin = admin_of(app)
    for what in ("role", "disable", "enable", "link", "sign-out"):
        assert admin.post(f"/people/none/{what}", role="viewer").status_code == 404, what


def test_a_viewer_reads_why_not_in_words_and_sees_no_way_there(app: Flask) -> None:
    ann = person(app, "ann", "viewer")
    with app.app_context():
        cookie = people.issue_token(ann.id, "web")
        people.set_language(ann.id, "zh")
    client = app.test_client()
    client.set_cookie("walissh", cookie)
    refused = client.get("/people")
    assert refused.status_code == 403
    assert "您的角色是查看者，而这需要管理员。" in refused.text
    assert 'href="/people"' not in client.get("/settings").text


def test_the_first_stop_of_a_viewer_asks_nothing_that_it_could_not_keep(app: Flask) -> None:
    ann = person(app, "ann", "viewer")
    with app.app_context():
        link = people.issue_token(ann.id, "link")
    assert app.test_client().get(f"/sign-in/{link}").location == "/"


def test_everybody_is_listed_with_how_they_come_in(app: Flask) -> None:
    person(app, "ann", "viewer")
    with app.app_context():
        members = {each.person.name: each for each in people_roles.everyone()}
    assert members["ann"].seen_at is None
    page = admin_of(app).get("/people").text
    assert "ann" in page
    assert "no password" in page
