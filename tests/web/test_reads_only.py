"""Who may only read is not shown what the server would refuse, and is told why."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.conftest import Api
from tests.web.forms import browser_of
from walissh.store import people_roles, sessions

LINE = "You may read only. Ask an admin for more."


@pytest.fixture
def talk(app: Flask, api: Api) -> str:
    with app.app_context():
        return sessions.create(api.person.id).id


def as_role(app: Flask, api: Api, role: str) -> None:
    with app.app_context():
        people_roles.change_role(api.person.id, role, actor="test")


def test_a_viewers_pages_say_so_and_offer_no_question(
    app: Flask, api: Api, browser: FlaskClient, talk: str
) -> None:
    as_role(app, api, "viewer")
    for path in ("/", f"/sessions/{talk}"):
        shown = browser.get(path, headers={"Accept-Language": "en"}).text
        assert LINE in shown and 'class="reads-only"' in shown
    home = browser.get("/").text
    assert 'action="/sessions"' not in home.replace('<form class="search" action="/sessions"', "")
    assert 'href="/hosts/new"' not in home and 'href="/people"' not in home
    assert 'href="/rules"' in home and 'href="/audit"' in home


def test_an_operators_pages_are_whole(
    app: Flask, api: Api, browser: FlaskClient, talk: str
) -> None:
    for path in ("/", f"/sessions/{talk}"):
        shown = browser.get(path, headers={"Accept-Language": "en"}).text
        assert LINE not in shown and "reads-only" not in shown.replace("reads-only.css", "")
        assert 'id="content"' in shown and 'href="/people"' not in shown


def test_an_admin_finds_people_in_the_sidebar(app: Flask, api: Api, browser: FlaskClient) -> None:
    as_role(app, api, "admin")
    assert 'href="/people"' in browser.get("/").text


@pytest.mark.parametrize("path", ["/hosts/new", "/hosts/import", "/hosts/{host}/delete"])
def test_a_viewer_is_told_why_a_page_of_hosts_has_no_form(app: Flask, path: str) -> None:
    ann = browser_of(app, "ann")
    address = path.format(host=ann.host("web1"))
    form = 'method="post" action="/hosts'
    whole = ann.get(address).text
    assert form in whole and LINE not in whole
    assert ann.person is not None
    with app.app_context():
        people_roles.change_role(ann.person.id, "viewer", actor="test")
    told = ann.get(address)
    assert (told.status_code, LINE in told.text, form in told.text) == (200, True, False)
