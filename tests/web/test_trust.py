"""Testing a host and trusting its key on the page."""

from flask import Flask

from tests.web.forms import Browser, browser_of
from walissh.errors import HostKeyUnknownError
from walissh.react.host import HostKey
from walissh.store import hosts

OLD = HostKey("ssh-ed25519", "AAAAold", "SHA256:old")
NEW = HostKey("ssh-ed25519", "AAAAnew", "SHA256:new")


def seen(browser: Browser, host_id: str, key: HostKey) -> None:
    with browser.app.app_context():
        hosts.remember_seen_key(host_id, key)


def trusted(browser: Browser, host_id: str) -> HostKey | None:
    with browser.app.app_context():
        assert browser.person is not None
        found = hosts.get(host_id, browser.person.id)
        return found.trusted_key if found else None


def test_the_fingerprint_is_shown_before_it_is_trusted(app: Flask) -> None:
    browser = browser_of(app, "ann")
    host_id = browser.host()
    seen(browser, host_id, OLD)
    page = browser.get(f"/hosts/{host_id}").text
    assert "SHA256:old" in page and "Trust this key" in page


def test_trust_takes_the_key_that_was_shown(app: Flask) -> None:
    browser = browser_of(app, "ann")
    host_id = browser.host()
    seen(browser, host_id, OLD)
    browser.post(f"/hosts/{host_id}/trust", fingerprint="SHA256:old")
    assert trusted(browser, host_id) == OLD


def test_a_key_that_came_after_the_page_was_shown_is_not_trusted(app: Flask) -> None:
    browser = browser_of(app, "ann")
    host_id = browser.host()
    seen(browser, host_id, NEW)
    response = browser.post(f"/hosts/{host_id}/trust", fingerprint="SHA256:old")
    assert response.status_code == 409
    assert trusted(browser, host_id) is None


def test_trust_without_a_fingerprint_trusts_nothing(app: Flask) -> None:
    browser = browser_of(app, "ann")
    host_id = browser.host()
    seen(browser, host_id, NEW)
    for given in ({}, {"fingerprint": ""}):
        assert browser.post(f"/hosts/{host_id}/trust", **given).status_code == 409
    assert trusted(browser, host_id) is None


def test_a_changed_key_is_shown_beside_the_old_one(app: Flask) -> None:
    browser = browser_of(app, "ann")
    host_id = browser.host()
    seen(browser, host_id, OLD)
    browser.post(f"/hosts/{host_id}/trust", fingerprint="SHA256:old")
    seen(browser, host_id, NEW)
    page = browser.get(f"/hosts/{host_id}").text
    assert "SHA256:old" in page and "SHA256:new" in page and "Trust the new key" in page


def test_the_check_is_asked_for_until_it_has_a_result(app: Flask) -> None:
    browser = browser_of(app, "ann")
    host_id = browser.host()
    trying = browser.post(f"/hosts/{host_id}/test", htmx=True).text
    assert "connecting …" in trying and "hx-get" in trying
    with app.app_context():
        error = HostKeyUnknownError("not trusted", host="web1", fingerprint="SHA256:new")
        hosts.record_check(host_id, error)
    address = trying.partition('hx-get="')[2].partition('"')[0].replace("&amp;", "&")
    told = browser.get(address, headers={"HX-Request": "true"})
    assert "key not trusted yet" in told.text and "hx-get" not in told.text
    assert told.headers["HX-Refresh"] == "true"


def test_a_check_without_a_worker_ends_with_advice(app: Flask) -> None:
    browser = browser_of(app, "ann")
    host_id = browser.host()
    path = f"/hosts/{host_id}/check?before=-&looks="
    assert "hx-get" in browser.get(path + "89", headers={"HX-Request": "true"}).text
    told = browser.get(path + "90", headers={"HX-Request": "true"})
    assert "walissh doctor" in told.text and "HX-Refresh" not in told.headers
