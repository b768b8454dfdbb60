"""Core memory on its page: blocks, proposals, and rules that were not understood."""

from flask import Flask

from tests.web.forms import Browser, browser_of
from walissh.store import core_memory


def proposed(browser: Browser, content: str, block: str = "fleet") -> int:
    assert browser.person is not None
    with browser.app.app_context():
        version = core_memory.propose(browser.person.id, block, content, "it came up twice")
        return version.version


def test_a_block_is_written_and_read_again(app: Flask) -> None:
    browser = browser_of(app, "ann")
    response = browser.post("/memory/core/me", content="I look after the shop", base_version="0")
    assert (response.status_code, response.location) == (303, "/memory/core#me")
    assert "I look after the shop</textarea>" in browser.get("/memory/core").text


def test_a_text_on_top_of_another_one_comes_back(app: Flask) -> None:
    browser = browser_of(app, "ann")
    browser.post("/memory/core/me", content="first", base_version="0")
    refused = browser.post("/memory/core/me", content="second", base_version="0")
    assert refused.status_code == 409
    assert "second</textarea>" in refused.text and "changed meanwhile" in refused.text
    assert "first" in refused.text


def test_a_secret_is_refused_where_it_was_typed(app: Flask) -> None:
    browser = browser_of(app, "ann")
    refused = browser.post("/memory/core/me", content="password: hunter2-Winter-2031!")
    assert refused.status_code == 400 and 'role="alert"' in refused.text


def test_a_proposal_waits_in_the_sidebar_until_it_is_confirmed(app: Flask) -> None:
    browser = browser_of(app, "ann")
    version = proposed(browser, "nas1 keeps the pictures")
    page = browser.get("/memory/core").text
    assert "WaLiSSH proposes: it came up twice" in page
    assert "1 proposal waits for you" in browser.get("/").text
    assert browser.post("/memory/core/fleet/confirm", version=str(version)).status_code == 303
    assert "nas1 keeps the pictures</textarea>" in browser.get("/memory/core").text
    assert "proposal waits" not in browser.get("/").text
    assert browser.post("/memory/core/fleet/confirm", version=str(version)).status_code == 409


def test_a_rejected_proposal_changes_nothing(app: Flask) -> None:
    browser = browser_of(app, "ann")
    version = proposed(browser, "nas1 keeps the pictures")
    assert browser.post("/memory/core/fleet/reject", version=str(version)).status_code == 303
    assert "nas1 keeps the pictures" not in browser.get("/memory/core").text


def test_an_earlier_text_is_restored(app: Flask) -> None:
    browser = browser_of(app, "ann")
    browser.post("/memory/core/me", content="one")
    browser.post("/memory/core/me", content="two")
    assert browser.post("/memory/core/me/restore", version="1").status_code == 303
    assert "one</textarea>" in browser.get("/memory/core").text


def test_each_line_that_is_no_rule_is_said(app: Flask) -> None:
    browser = browser_of(app, "ann")
    rules = "never restart mysql on db1\nthe moon is a friend of mine"
    browser.post("/memory/core/rules", content=rules)
    page = browser.get("/memory/core").text
    assert page.count("could not be made into a rule") == 1
    assert page.count("understood as a rule") == 1


def test_nobody_meets_the_blocks_of_another(app: Flask) -> None:
    browser, other = browser_of(app, "ann"), browser_of(app, "bob")
    browser.post("/memory/core/me", content="I look after the shop")
    version = proposed(browser, "nas1 keeps the pictures")
    page = other.get("/memory/core").text
    assert "the shop<" not in page and "nas1 keeps the pictures" not in page
    assert other.post("/memory/core/fleet/confirm", version=str(version)).status_code == 404
    stranger = Browser(app, app.test_client())
    assert stranger.post("/memory/core/me", content="x").location.startswith("/sign-in")


def test_unknown_blocks_and_wrong_methods_are_told_so(app: Flask) -> None:
    browser = browser_of(app, "ann")
    assert browser.post("/memory/core/nonsense", content="x").status_code == 404
    assert browser.post("/memory/core/me/confirm", version="x").status_code == 404
    assert browser.get("/memory/core/me/confirm").status_code == 405


def test_the_zone_of_hours_is_named_under_the_rules(app: Flask) -> None:
    page = browser_of(app, "ann").get("/memory/core").text
    assert page.count("Hours are UTC; write 9:00-18:00 Asia/Shanghai to say otherwise.") == 1


def test_an_earlier_version_is_erased_for_good(app: Flask) -> None:
    browser = browser_of(app, "ann")
    for text in ("never touch /heron", "never touch /data"):
        browser.post("/memory/core/rules", content=text)
    assert "/heron" in browser.get("/memory/core").text
    assert browser.post("/memory/core/rules/erase", version=1).location == "/memory/core#rules"
    assert "/heron" not in browser.get("/memory/core").text
    assert browser.post("/memory/core/rules/erase", version=2).status_code == 409
