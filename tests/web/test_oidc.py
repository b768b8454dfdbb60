"""Signing in by a provider: a real one on a real socket, which may be broken or hostile."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pytest
from flask import Flask
from sqlalchemy import select
from werkzeug.test import TestResponse

from tests import oidc_provider
from tests.oidc_provider import CLIENT, SECRET, Claims, Provider
from tests.web.forms import Browser
from walissh.config_oidc import Oidc
from walissh.store import people, people_oidc, people_roles
from walissh.store.database import reading
from walissh.store.models import AuditRow
from walissh.store.people_oidc import Known

KEY = oidc_provider.new_key("k1")  # one for all: making it takes longer than a test


@pytest.fixture
def provider() -> Iterator[Provider]:
    with oidc_provider.running(Provider(key=KEY)) as found:
        yield found


@pytest.fixture
def oidc_app(app: Flask, provider: Provider) -> Flask:
    return configured(app, Oidc(provider.url, CLIENT, SECRET))


def configured(app: Flask, oidc: Oidc) -> Flask:
    installed = app.extensions["walissh"]
    settings = replace(installed.settings, oidc=oidc)
    app.extensions["walissh"] = replace(installed, settings=settings)
    return app


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def at_provider(url: str) -> str:
    """Sign in at the provider; return the path of ours that it sends the browser to."""
    try:
        build_opener(_Stay).open(Request(url), timeout=5)
    except HTTPError as answer:
        back = urlsplit(answer.headers["Location"])
        return f"{back.path}?{back.query}"
    raise AssertionError("the provider sent nobody anywhere")


def begun(app: Flask, path: str = "/oidc/start") -> tuple[Browser, str]:
    """Return a browser and the path by which it comes back from the provider."""
    browser = Browser(app, app.test_client())
    response = browser.get(path)
    assert response.status_code == 303, response.text
    return browser, at_provider(response.location)


def come(app: Flask) -> tuple[Browser, TestResponse]:
    browser, back = begun(app)
    return browser, browser.get(back)


def test_somebody_new_comes_in_as_a_viewer(oidc_app: Flask) -> None:
    browser, response = come(oidc_app)
    assert (response.status_code, response.location) == (303, "/")
    assert ">ann</a>" in browser.get("/").text
    with oidc_app.app_context():
        ann = people.find("ann")
    assert ann is not None
    assert ann.role == "viewer"


def test_the_sign_in_page_offers_it_and_leads_on_to_the_wanted_page(oidc_app: Flask) -> None:
    page = Browser(oidc_app, oidc_app.test_client()).get("/sign-in?next=/hosts").text
    assert 'href="/oidc/start?next=/hosts"' in page
    browser, back = begun(oidc_app, "/oidc/start?next=/hosts")
    assert browser.get(back).location == "/hosts"


def test_without_a_provider_there_is_nothing_of_it(app: Flask) -> None:
    browser = Browser(app, app.test_client())
    assert browser.get("/oidc/start").status_code == 404
    assert "/oidc/start" not in browser.get("/sign-in").text


def test_the_request_has_state_nonce_and_pkce(oidc_app: Flask) -> None:
    asked = parse_qs(urlsplit(oidc_app.test_client().get("/oidc/start").location).query)
    assert asked["response_type"] == ["code"]
    assert asked["code_challenge_method"] == ["S256"]
    assert all(len(asked[each][0]) > 30 for each in ("state", "nonce", "code_challenge"))
    assert asked["redirect_uri"] == ["http://localhost/oidc/callback"]


def changed(**changes: object) -> Callable[[Claims], Claims]:
    return lambda claims: {**claims, **changes}


def without(name: str) -> Callable[[Claims], Claims]:
    return lambda claims: {each: value for each, value in claims.items() if each != name}


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (changed(nonce="of another sign-in"), "does not hold (nonce)"),
        (without("nonce"), "does not hold (nonce)"),
        (changed(aud="another-client"), "does not hold (aud)"),
        (changed(aud=["another-client"], azp=CLIENT), "does not hold (aud)"),
        (changed(aud=[CLIENT, "other"], azp="other"), "does not hold (azp)"),
        (changed(iss="https://elsewhere.test"), "does not hold (iss)"),
        (changed(exp=int(time.time()) - 600), "is too old"),
        (without("exp"), "does not hold (exp)"),
        (without("sub"), "does not hold (sub)"),
    ],
)
def test_a_word_that_does_not_hold_signs_nobody_in(
    oidc_app: Flask, provider: Provider, spoil: Callable[[Claims], Claims], words: str
) -> None:
    provider.spoil = spoil
    browser, response = come(oidc_app)
    assert response.status_code == 403
    assert words in response.text
    assert browser.get("/").location == "/sign-in"


def test_a_word_signed_with_another_key_signs_nobody_in(
    oidc_app: Flask, provider: Provider
) -> None:
    provider.shown = oidc_provider.new_key("k1")
    browser, response = come(oidc_app)
    assert response.status_code == 403
    assert browser.get("/").location == "/sign-in"


def test_a_code_that_was_used_signs_nobody_in(oidc_app: Flask) -> None:
    first, back = begun(oidc_app)
    code = parse_qs(urlsplit(back).query)["code"][0]
    assert first.get(back).status_code == 303
    second, other = begun(oidc_app)
    state = parse_qs(urlsplit(other).query)["state"][0]
    refused = second.get(f"/oidc/callback?code={code}&state={state}")
    assert refused.status_code == 403
    assert "does not stand by this sign-in" in refused.text


def test_a_state_is_taken_once(oidc_app: Flask) -> None:
    browser, back = begun(oidc_app)
    kept = browser.client.get_cookie("walissh_form")
    assert kept is not None
    assert browser.get(back).status_code == 303
    browser.client.delete_cookie("walissh")
    browser.client.set_cookie("walissh_form", kept.value)
    refused = browser.get(back)
    assert refused.status_code == 403
    assert "it was used before" in refused.text


@pytest.mark.parametrize("query", ["", "?state=", "?state=x&code=y", "?code=y&state=\xff"])
def test_a_callback_that_nobody_began_signs_nobody_in(oidc_app: Flask, query: str) -> None:
    response = oidc_app.test_client().get(f"/oidc/callback{query}")
    assert response.status_code == 403
    assert "was not begun in this browser" in response.text


def test_another_browser_cannot_finish_what_this_one_began(oidc_app: Flask) -> None:
    _, back = begun(oidc_app)
    other, _ = begun(oidc_app)
    assert other.get(back).status_code == 403
    assert other.get("/").location == "/sign-in"


def test_an_answer_of_another_provider_is_not_taken(oidc_app: Flask, provider: Provider) -> None:
    browser, back = begun(oidc_app)
    state = parse_qs(urlsplit(back).query)["state"][0]
    assert browser.get(f"/oidc/callback?state={state}&code=x&iss=https://e.test").status_code == 403
    assert provider.asked == []


def test_a_provider_that_says_no_is_told_in_words(oidc_app: Flask) -> None:
    browser, back = begun(oidc_app)
    state = parse_qs(urlsplit(back).query)["state"][0]
    refused = browser.get(f"/oidc/callback?state={state}&error=access_denied")
    assert refused.status_code == 403
    assert "let nobody in" in refused.text


def test_a_new_key_of_the_provider_is_fetched(oidc_app: Flask, provider: Provider) -> None:
    from walissh.web.pages import oidc

    come(oidc_app)
    oidc_app.extensions[oidc.EXTENSION]._keys = None  # as if the last fetch were long ago
    provider.key = oidc_provider.new_key("k2")
    _, response = come(oidc_app)
    assert response.status_code == 303


def test_a_provider_that_is_away_is_told_on_the_sign_in_page(app: Flask) -> None:
    configured(app, Oidc("http://127.0.0.1:9", CLIENT))
    response = app.test_client().get("/oidc/start", headers={"Accept-Language": "zh"})
    assert response.status_code == 502
    assert "登录服务 http://127.0.0.1:9 没有回答" in response.text


def test_a_provider_that_calls_itself_something_else_is_not_used(
    oidc_app: Flask, provider: Provider
) -> None:
    provider.document = {"issuer": "https://elsewhere.test"}
    response = oidc_app.test_client().get("/oidc/start")
    assert response.status_code == 502
    assert "calls itself https://elsewhere.test" in response.text


def test_groups_make_the_role_at_each_sign_in(oidc_app: Flask, provider: Provider) -> None:
    roles = (("ops", "operator"), ("root", "admin"))
    configured(oidc_app, Oidc(provider.url, CLIENT, SECRET, claim="realm.groups", roles=roles))
    for groups, role in ((["ops"], "operator"), (["root", "ops"], "admin"), ([], "viewer")):
        provider.person = {"sub": "s-1", "name": "Ann Lee", "realm": {"groups": groups}}
        with oidc_app.app_context():
            people.first_admin()  # so that ann is never the last one
        assert come(oidc_app)[1].status_code == 303
        with oidc_app.app_context():
            ann = people.find("Ann-Lee")
            assert ann is not None
            assert ann.role == role


def test_who_is_in_no_group_can_be_refused(oidc_app: Flask, provider: Provider) -> None:
    roles = (("ops", "operator"),)
    configured(oidc_app, Oidc(provider.url, CLIENT, SECRET, roles=roles, others=""))
    _, response = come(oidc_app)
    assert response.status_code == 403
    assert "in no group" in response.text
    with oidc_app.app_context():
        assert people.find("ann") is None


def test_a_name_that_somebody_has_here_is_not_taken_over(oidc_app: Flask) -> None:
    with oidc_app.app_context():
        before = people.named("ann")
    come(oidc_app)
    with oidc_app.app_context():
        names = [each.person.name for each in people_roles.everyone()]
        assert people.find("ann") == before
    assert len([each for each in names if each.startswith("ann-")]) == 1


def test_who_is_disabled_does_not_come_in(oidc_app: Flask) -> None:
    come(oidc_app)
    with oidc_app.app_context():
        ann = people.find("ann")
        assert ann is not None
        people_roles.disable(ann.id, actor="test")
    _, response = come(oidc_app)
    assert response.status_code == 403
    assert "disabled" in response.text


def test_the_last_admin_stays_one_whatever_the_groups_say(oidc_app: Flask) -> None:
    with oidc_app.app_context():
        known = Known("https://id.test", "s-9", ["zoe"], "admin", rules=True)
        assert people_oidc.enter(known).role == "admin"
        assert people_oidc.enter(replace(known, role="viewer")).role == "admin"


def test_each_way_in_and_each_failure_is_on_the_audit_trail(
    oidc_app: Flask, provider: Provider
) -> None:
    come(oidc_app)
    provider.spoil = changed(nonce="of another sign-in")
    come(oidc_app)
    with oidc_app.app_context(), reading() as session:
        rows = session.scalars(select(AuditRow).order_by(AuditRow.number)).all()
        told = {row.kind: row.facts for row in rows}
    assert told["signed_in"]["how"] == "oidc"
    assert told["signed_in"]["address"] == "127.0.0.1"
    assert told["sign_in_failed"]["how"] == "oidc"
