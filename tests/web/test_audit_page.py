"""The audit trail on its page and in the JSON interface: filtered, paged, each in its sight."""

import re
from itertools import pairwise

from flask import Flask
from sqlalchemy import update

from tests import audited
from tests.web.conftest import Api, api_of
from tests.web.forms import Browser, Stage, browser_of, calls
from walissh.clock import utc_now
from walissh.identity import worker_name
from walissh.react.turn import Reply
from walissh.store import audit_reads, hosts, people
from walissh.store.database import writing
from walissh.store.hosts import HostDraft
from walissh.store.models import PersonRow
from walissh.web.pages import audit_words


def staged(app: Flask) -> Stage:
    """Have ann approve a command that then ran."""
    stage = Stage.of(app, calls("touch /x"), Reply("done"))
    run = stage.waiting()
    stage.browser.post(f"/commands/{run.id}/approve")
    stage.play()
    return stage


def with_role(app: Flask, name: str, role: str) -> Browser:
    browser = browser_of(app, name)
    with app.app_context(), writing() as session:
        session.execute(update(PersonRow).where(PersonRow.name == name).values(role=role))
    return browser


def test_each_event_is_a_sentence_with_who_where_and_what_decided(app: Flask) -> None:
    page = staged(app).browser.get("/audit").text
    assert "The agent asked for a command on web1; it waits for a decision." in page
    assert "ann let a command run on web1." in page
    assert f'title="{worker_name()}">A worker saw a command on web1 end with exit code 0.' in page
    assert "ann added the host web1." in page
    assert "root@127.0.0.1:22" in page and "touch /x" not in page


def test_the_page_speaks_chinese(app: Flask) -> None:
    browser = staged(app).browser
    browser.client.set_cookie("lang", "zh")
    page = browser.get("/audit").text
    assert "ann 允许了 web1 上的一条命令。" in page and "审计记录" in page


def test_a_change_of_a_host_is_told_with_what_was_before(app: Flask) -> None:
    stage = staged(app)
    with app.app_context():
        assert stage.browser.person is not None
        draft = HostDraft("web1", "192.0.2.9", "root", groups=("shop", "<b>"))
        hosts.change(stage.host_id, stage.browser.person.id, draft)
        hosts.change(stage.host_id, stage.browser.person.id, draft)
    page = stage.browser.get("/audit?kind=host").text
    told = "ann changed the host web1: address 127.0.0.1 → 192.0.2.9, groups – → shop, &lt;b&gt;."
    assert told in page and "ann changed the host web1." in page
    assert "root@192.0.2.9:22" in page


def test_filters_narrow_the_page(app: Flask) -> None:
    browser = staged(app).browser
    assert "let a command run" not in browser.get("/audit?kind=host").text
    assert "let a command run" in browser.get("/audit?kind=command&host=web1&risk=mutating").text
    for narrowed in ("host=db9", "risk=destructive", "who=agent", "until=2020-01-01"):
        assert "let a command run" not in browser.get(f"/audit?{narrowed}").text, narrowed
    assert "let a command run" in browser.get("/audit?who=ann&since=2020-01-01").text


def test_an_address_that_asks_for_nonsense_is_a_page_all_the_same(app: Flask) -> None:
    browser = browser_of(app, "ann")
    for query in (
        "before=x",
        "before=" + "9" * 40,
        "since=soon&until=9999-12-31",
        "kind=%25&who=%00",
    ):
        assert browser.get(f"/audit?{query}").status_code == 200, query


def test_an_operator_sees_the_own_part_and_others_see_all(app: Flask) -> None:
    staged(app)
    assert "web1" not in browser_of(app, "bob").get("/audit").text
    assert "ann let a command run on web1." in with_role(app, "eve", "viewer").get("/audit").text
    with app.app_context():
        admin = people.first_admin().name
    assert "ann let a command run on web1." in browser_of(app, admin).get("/audit").text


def test_older_events_are_on_the_next_page(app: Flask) -> None:
    browser = browser_of(app, "ann")
    for number in range(60):
        browser.host(f"web{number}")
    page = browser.get("/audit?kind=host").text
    assert "web59" in page and "added the host web0." not in page
    older = page.partition('href="/audit?kind=host&amp;before=')[2].partition('"')[0]
    assert "added the host web0." in browser.get(f"/audit?kind=host&before={older}").text


def test_a_stranger_signs_in_first(app: Flask) -> None:
    assert app.test_client().get("/audit").location.startswith("/sign-in")


def test_the_trail_takes_no_post(app: Flask) -> None:
    assert browser_of(app, "ann").post("/audit").status_code == 405


def test_programs_get_pages_of_events_that_chain(app: Flask) -> None:
    staged(app)
    with app.app_context():
        admin = people.first_admin().name
    api, events, cursor = api_of(app, admin), [], ""
    while cursor is not None:
        page = api.get(f"/audit?limit=4&cursor={cursor}").json
        events += page["items"]
        cursor = page["next"]
    assert [each["number"] for each in events] == list(range(len(events), 0, -1))
    assert all(new["previous"] == old["digest"] for new, old in pairwise(events))
    (ran,) = [each for each in events if each["kind"] == "command_finished"]
    assert (ran["host"], ran["facts"]["exit_code"], ran["facts"]["risk"]) == ("web1", 0, "mutating")
    assert ran["facts"]["rule"] == "risk" and ran["facts"]["decided_by"] == ran["facts"]["person"]


def test_programs_filter_and_a_bad_instant_is_told(api: Api, app: Flask) -> None:
    staged(app)
    found = api.get("/audit?kind=command_approved&who=ann&since=2020-01-01T00:00:00Z").json
    assert [each["who"] for each in found["items"]] == ["ann"]
    assert api_of(app, "bob").get("/audit?kind=command").json["items"] == []
    assert api.get("/audit?since=2020-01-01T00:00:00").status_code == 400
    assert api.get("/audit?risk=grave").status_code == 400
    assert app.test_client().get("/api/v1/audit").status_code == 401


def test_a_kind_that_nobody_named_is_told_in_its_own_words(app: Flask) -> None:
    with app.test_request_context():
        event = audit_reads.Event(1, utc_now(), "agent", "odd_100%_thing", "", {}, "", "")
        said = audit_words.event_word(event, audit_reads.Names({}, {}))
    assert said == "The agent: odd 100% thing"


def test_every_kind_that_is_stored_has_words_in_both_languages(app: Flask) -> None:
    names = audit_reads.Names({"p": "ann"}, {})
    for lang, word in (("en", r"[a-z]"), ("zh", r"[\u4e00-\u9fff]")):
        with app.test_request_context(headers={"Accept-Language": lang}):
            for kind in sorted(audited.kinds()):
                event = audit_reads.Event(1, utc_now(), "p", kind, "", {}, "", "")
                said = audit_words.event_word(event, names)
                assert re.search(word, said) and said != f"ann: {kind.replace('_', ' ')}", kind
            families = {audit_words.family_word(each) for each in audit_words.ALL_KINDS}
            assert all(re.search(word, each) for each in families), families


def test_every_kind_to_narrow_to_is_one_that_is_stored() -> None:
    for family in audit_words.ALL_KINDS:
        assert any(f"{kind}_".startswith(f"{family}_") for kind in audited.kinds()), family


def test_a_worker_and_a_terminal_are_told_in_words(app: Flask) -> None:
    with app.test_request_context():
        names = audit_reads.Names({}, {})
        assert audit_words.actor_word(worker_name(), names) == "A worker"
        assert audit_words.actor_word("terminal:ops", names) == "ops at the terminal"


def test_who_sees_all_is_told_how_to_check_it(app: Flask) -> None:
    told = "walissh audit verify"
    assert told in with_role(app, "eve", "viewer").get("/audit").text
    assert told not in browser_of(app, "bob").get("/audit").text
