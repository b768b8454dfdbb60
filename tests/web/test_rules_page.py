"""The page of rules, and allowing for good on a card."""

import re

from flask import Flask

from tests.web.conftest import use_parts
from tests.web.forms import Browser, Stage, browser_of, calls
from walissh.react.turn import Reply
from walissh.safety.policy import ReadOnlyGate
from walissh.store import gate_rules, people

RESTART = "systemctl restart nginx"


def made(browser: Browser, **fields: str) -> str:
    given = {"decision": "deny", "command": RESTART, **fields}
    response = browser.post("/rules", **given)
    assert response.status_code == 303, response.text
    found = re.search(r'id="rule-([\w-]+)"', browser.get("/rules").text)
    assert found
    return found[1]


def admin_of(app: Flask) -> Browser:
    with app.app_context():
        name = people.first_admin().name
    return browser_of(app, name)


def test_a_card_offers_to_allow_for_good_and_the_page_shows_the_rule(app: Flask) -> None:
    stage = Stage.of(app, calls(RESTART), Reply("done"))
    use_parts(app, gate=ReadOnlyGate())
    run = stage.waiting(RESTART)
    card = stage.browser.get(f"/commands/{run.id}", headers={"HX-Request": "true"}).text
    assert '<select class="always"' in card and "always exactly this on web1" in card
    stage.browser.post(f"/commands/{run.id}/approve", always="host")
    stage.play()
    page = stage.browser.get("/rules").text
    assert RESTART in page and "runs unasked" in page and "made by ann" in page
    assert f'href="/commands/{run.id}"' in page and "root@127.0.0.1:22" in page


def test_a_card_does_not_offer_what_is_allowed_already(app: Flask) -> None:
    stage = Stage.of(app, calls(RESTART, RESTART), Reply("done"))
    use_parts(app, gate=ReadOnlyGate())
    turn_id = stage.ask()
    stage.play()
    first, second = stage.runs(turn_id)
    stage.browser.post(f"/commands/{first.id}/approve", always="host")
    card = stage.browser.get(f"/commands/{second.id}", headers={"HX-Request": "true"}).text
    assert "Approve" in card and "always exactly this" not in card


def test_a_destructive_card_offers_nothing_for_good(app: Flask) -> None:
    stage = Stage.of(app, calls("rm -rf /srv/x"), Reply("done"))
    use_parts(app, gate=ReadOnlyGate())
    run = stage.waiting("rm -rf /srv/x")
    card = stage.browser.get(f"/commands/{run.id}", headers={"HX-Request": "true"}).text
    assert 'class="always"' not in card


def test_a_card_names_the_rule_that_refused_and_where_it_ran(app: Flask) -> None:
    stage = Stage.of(app, calls(RESTART, "uptime"), Reply("done"))
    use_parts(app, gate=ReadOnlyGate())
    rule_id = made(stage.browser, note="frozen until friday")
    stage.ask()
    stage.play()
    page = stage.browser.get(stage.path).text
    assert f'href="/rules#rule-{rule_id}"' in page and "frozen until friday" in page
    assert "Ran on web1 <code>root@127.0.0.1:22" in page


def test_a_rule_is_made_and_revoked(app: Flask) -> None:
    browser = browser_of(app, "ann")
    assert "There is no rule yet." in browser.get("/rules").text
    rule_id = made(browser, hours="mon-fri 9:00-18:00", note="office hours")
    page = browser.get("/rules").text
    assert "is refused" in page and "mon-fri 9:00-18:00" in page and "office hours" in page
    assert browser.post(f"/rules/{rule_id}/revoke").location == "/rules"
    assert rule_id not in browser.get("/rules").text
    assert rule_id in browser.get("/rules?ended=1").text
    assert browser.post(f"/rules/{rule_id}/revoke").status_code == 409


def test_a_rule_that_cannot_be_comes_back_with_what_was_typed(app: Flask) -> None:
    browser = browser_of(app, "ann")
    refused = browser.post("/rules", decision="deny", command="uptime", hours="soon")
    assert refused.status_code == 400
    assert "were not understood" in refused.text and 'value="uptime"' in refused.text
    wrong_day = browser.post("/rules", decision="deny", command="uptime", until="soon")
    assert wrong_day.status_code == 400


def test_the_page_speaks_chinese(app: Flask) -> None:
    browser = browser_of(app, "ann")
    made(browser)
    browser.client.set_cookie("lang", "zh")
    page = browser.get("/rules").text
    assert "规则" in page and "拒绝" in page and "由 ann 制定" in page
    refused = browser.post("/rules", decision="allow", command="uptime")
    assert "请指定主机或分组" in refused.text


def test_only_an_administrator_rules_for_everyone(app: Flask) -> None:
    ann, admin = browser_of(app, "ann"), admin_of(app)
    assert 'name="everyone"' not in ann.get("/rules").text
    assert ann.post("/rules", decision="deny", command="x", everyone="1").status_code == 400
    rule_id = made(admin, everyone="1")
    page = ann.get("/rules").text
    assert "for everyone" in page and f'action="/rules/{rule_id}/revoke"' not in page
    assert ann.post(f"/rules/{rule_id}/revoke").status_code == 400


def test_another_persons_rule_is_not_found(app: Flask) -> None:
    rule_id = made(browser_of(app, "ann"))
    bob = browser_of(app, "bob")
    assert rule_id not in bob.get("/rules?ended=1&all=1").text
    assert bob.post(f"/rules/{rule_id}/revoke").status_code == 404
    with app.app_context():
        (kept,) = gate_rules.listed(browser_of(app, "ann").person.id)  # type: ignore[union-attr]
        assert kept.revoked_at is None


def test_a_stranger_signs_in_first(app: Flask) -> None:
    assert app.test_client().get("/rules").location.startswith("/sign-in")


def test_revoking_takes_no_get(app: Flask) -> None:
    assert browser_of(app, "ann").get("/rules/x/revoke").status_code == 405


def test_the_switch_of_a_session_makes_it_read_only_and_back(app: Flask) -> None:
    stage = Stage.of(app, calls(RESTART), Reply("done"))
    use_parts(app, gate=ReadOnlyGate())
    stage.browser.post(f"{stage.path}/read-only", on="1")
    assert "Let it change machines again" in stage.browser.get(stage.path).text
    turn_id = stage.ask()
    stage.play()
    (run,) = stage.runs(turn_id)
    assert (run.status, run.rule) == ("refused", "session")
    stage.browser.post(f"{stage.path}/read-only", on="0")
    assert "Make it read-only" in stage.browser.get(stage.path).text


def test_the_form_of_a_host_says_what_runs_there_and_an_older_form_loosens_nothing(
    app: Flask,
) -> None:
    browser = browser_of(app, "ann")
    host_id = browser.host("web1")
    fields = {"name": "web1", "address": "127.0.0.1", "user": "root", "port": "22"}
    browser.post(f"/hosts/{host_id}", **fields, gate="read_only")
    assert '<option value="read_only" selected>' in browser.get(f"/hosts/{host_id}").text
    browser.post(f"/hosts/{host_id}", **fields)
    assert '<option value="read_only" selected>' in browser.get(f"/hosts/{host_id}").text
