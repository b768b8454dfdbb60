"""The page of memory: what is remembered, where it came from, and putting it right."""

import io

import pytest
from flask import Flask

from tests.web.forms import HTMX, Browser, Stage, browser_of, calls
from walissh.memory.entry import Found, MemoryType, Op, Origin, Source
from walissh.react.turn import Reply
from walissh.store import groups, hosts, memories

SUDO = "Always put sudo before commands"
REDIS = Found(MemoryType.SOFTWARE_FACT, "redis", "7.0.15", "redis 7.0.15")


def told(browser: Browser, content: str = SUDO) -> str:
    response = browser.post("/memory", content=content)
    assert response.status_code == 303, response.text
    return str(response.location.rpartition("/")[2])


def kept(browser: Browser, found: Found, source: Source, host_id: str = "") -> str:
    assert browser.person is not None
    with browser.app.app_context():
        host = hosts.get(host_id, browser.person.id) if host_id else None
        change = memories.add_or_update(browser.person.id, found, source, host=host)
        assert change.memory is not None
        return change.memory.id


def test_an_empty_memory_says_how_it_fills(app: Flask) -> None:
    assert "Nothing is remembered yet." in browser_of(app, "ann").get("/memory").text


def test_what_was_told_stands_under_its_kind(app: Flask) -> None:
    browser = browser_of(app, "ann")
    told(browser)
    page = browser.get("/memory").text
    assert SUDO in page and "Preferences" in page
    assert "Software" not in page.partition('<ul class="rows memories">')[0].rpartition("<h2")[2]


def test_a_search_shows_why_each_one_came(app: Flask) -> None:
    browser = browser_of(app, "ann")
    kept(browser, REDIS, Source(Origin.TOOL), browser.host("web1"))
    found = browser.get("/memory?q=which redis version").text
    assert "redis 7.0.15" in found and 'class="why"' in found
    assert "Nothing remembered bears on this." in browser.get("/memory?q=zeppelin").text


@pytest.mark.parametrize(
    "query", ["type=x&state=y&before=z&host=none", "q=%00", "before=" + "9" * 40]
)
def test_an_address_that_asks_for_nonsense_is_a_page_all_the_same(app: Flask, query: str) -> None:
    assert browser_of(app, "ann").get(f"/memory?{query}").status_code == 200


def test_a_secret_comes_back_to_the_form_and_is_not_kept(app: Flask) -> None:
    browser = browser_of(app, "ann")
    response = browser.post("/memory", content="db password: hunter2-Winter-2031!")
    assert response.status_code == 400 and "holds a secret" in response.text
    assert "Nothing is remembered yet." in browser.get("/memory").text


def test_a_memory_leads_to_the_command_that_proved_it(app: Flask) -> None:
    stage = Stage.of(app, calls("redis-server --version"), Reply("It is 7."))
    turn_id = stage.ask()
    stage.play()
    run = stage.runs(turn_id)[0]
    memory_id = kept(stage.browser, REDIS, Source(Origin.TOOL, command_id=run.id), stage.host_id)
    page = stage.browser.get(f"/memory/{memory_id}").text
    assert f'href="{stage.path}?all=1#command-{run.id}"' in page
    assert '<code class="proof">redis-server --version</code>' in page
    stage.browser.post(f"{stage.path}/delete")
    assert "Its session was deleted." in stage.browser.get(f"/memory/{memory_id}").text


def test_an_edit_keeps_what_was_said_before_and_says_why_it_lost(app: Flask) -> None:
    browser = browser_of(app, "ann")
    memory_id = told(browser)
    edited = browser.post(f"/memory/{memory_id}", content="Never use sudo", value="never")
    assert edited.status_code == 303 and edited.location != f"/memory/{memory_id}"
    page = browser.get(edited.location).text
    assert SUDO in page and "The other one is newer." in page
    assert browser.post(f"/memory/{memory_id}/restore").status_code == 303
    assert SUDO in browser.get("/memory").text


def test_a_refused_edit_keeps_what_was_typed(app: Flask) -> None:
    browser = browser_of(app, "ann")
    memory_id = told(browser)
    response = browser.post(f"/memory/{memory_id}", content="Use doas", scope="moon:x")
    assert response.status_code == 400
    assert "Use doas" in response.text and "moon:x" in response.text


def test_what_is_wrong_is_one_click_and_one_click_back(app: Flask) -> None:
    browser = browser_of(app, "ann")
    memory_id = told(browser)
    row = browser.post(f"/memory/{memory_id}/wrong", htmx=True)
    assert row.status_code == 200 and row.text.lstrip().startswith("<li")
    assert "marked wrong" in row.text
    assert SUDO not in browser.get("/memory").text
    assert SUDO in browser.get("/memory?state=wrong").text
    assert browser.post(f"/memory/{memory_id}/restore").status_code == 303
    assert SUDO in browser.get("/memory").text


def test_deleting_asks_first_and_then_nothing_is_left(app: Flask) -> None:
    browser = browser_of(app, "ann")
    memory_id = told(browser)
    assert "Delete this memory?" in browser.get(f"/memory/{memory_id}/delete").text
    assert browser.post(f"/memory/{memory_id}/delete").location == "/memory"
    assert browser.get(f"/memory/{memory_id}").status_code == 404
    assert SUDO not in browser.get("/memory?state=all").text
    events = browser.get("/memory/events").text
    assert "deleted" in events and SUDO not in events


def test_a_fact_is_shared_with_a_group_of_ones_own(app: Flask) -> None:
    browser, other = browser_of(app, "ann"), browser_of(app, "bob")
    memory_id = kept(browser, REDIS, Source(Origin.TOOL), browser.host("web1"))
    other.host("theirs")
    with app.app_context():
        for each in (browser, other):
            assert each.person is not None
            groups.join("ops", each.person.id)
    assert browser.post(f"/memory/{memory_id}/share", group="ops").status_code == 303
    page = other.get(f"/memory/{memory_id}").text
    assert "redis 7.0.15" in page and "/wrong" not in page and "/share" not in page
    assert browser.post(f"/memory/{memory_id}/share", group="moon").status_code == 404


def test_a_withdrawal_is_said_in_words(app: Flask) -> None:
    browser = browser_of(app, "ann")
    said = Source(Origin.USER)
    preference = Found(MemoryType.USER_PREFERENCE, "sudo", "always", SUDO)
    memory_id = kept(browser, preference, said)
    withdrawn = Found(MemoryType.USER_PREFERENCE, "sudo", "", "no sudo any more", op=Op.REMOVE)
    with app.app_context():
        memories.add_or_update(browser.person.id, withdrawn, said)  # type: ignore[union-attr]
    assert "It was withdrawn." in browser.get(f"/memory/{memory_id}").text


def test_what_is_taken_back_in_words_is_not_followed_any_more(app: Flask) -> None:
    browser = browser_of(app, "ann")
    told(browser, "From now on always use sudo")
    response = browser.post("/memory", content="Forget the sudo rule")
    assert response.location == "/memory"
    page = browser.get("/memory").text
    assert "It is not followed any more." in page and "always use sudo" not in page
    assert "always use sudo" in browser.get("/memory?state=withdrawn").text


NGINX = "the shop answered 502: redis was out of clients; maxclients was raised and it worked"


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("why is nginx slow?", "USER_PREFERENCE"),
        ("nginx 为什么慢", "SOFTWARE_FACT"),
        ("which version is it", "TROUBLESHOOTING_CASE"),
    ],
)
def test_a_question_teaches_nothing(app: Flask, question: str, kind: str) -> None:
    browser = browser_of(app, "ann")
    response = browser.post("/memory", content=question, kind=kind, where="global")
    assert response.status_code == 400 and "This is a question" in response.text
    assert question in response.text and f'value="{kind}" selected' in response.text
    assert "Nothing is remembered yet." in browser.get("/memory").text


def test_an_incident_is_kept_as_one_although_a_wish_was_chosen(app: Flask) -> None:
    browser = browser_of(app, "ann")
    browser.host("web1")
    where = browser.post(
        "/memory", content=NGINX, kind="USER_PREFERENCE", where="host:web1"
    ).location
    page = browser.get(where).text
    assert "incident" in page and "redis was out of clients" in page and "web1" in page


def test_a_fact_is_of_the_host_that_was_chosen(app: Flask) -> None:
    browser = browser_of(app, "ann")
    browser.host("web1")
    fact = {"content": "squid 6.9", "kind": "SOFTWARE_FACT"}
    refused = browser.post("/memory", where="global", **fact)
    assert refused.status_code == 400 and "Choose the host" in refused.text
    page = browser.get(browser.post("/memory", where="host:web1", **fact).location).text
    assert "<dd>squid</dd>" in page and "software" in page and 'value="6.9"' in page


def test_a_wish_holds_where_it_was_said_to_and_every_row_says_where(app: Flask) -> None:
    browser = browser_of(app, "ann")
    browser.host("web1", groups=("shop",))
    form = browser.get("/memory").text
    for each in ('value="global"', 'value="host:web1"', 'value="group:shop"'):
        assert f"<option {each}" in form
    browser.post("/memory", content="always use doas", where="group:shop")
    browser.post("/memory", content="answer in Dutch from now on", where="")
    rows = browser.get("/memory").text.partition('class="rows memories"')[2]
    assert "<span>in the group shop</span>" in rows and "<span>everywhere</span>" in rows


def test_a_place_is_chosen_and_a_strange_one_stays(app: Flask) -> None:
    browser = browser_of(app, "ann")
    rule = Found(MemoryType.USER_PREFERENCE, "sudo", "no", "No sudo", scope="all-except:db9")
    page = browser.get(f"/memory/{kept(browser, rule, Source(Origin.USER))}").text
    assert '<option value="all-except:db9" selected>everywhere except on db9</option>' in page


def test_the_scope_of_a_task_is_not_for_a_person_to_give(app: Flask) -> None:
    browser = browser_of(app, "ann")
    refused = browser.post(f"/memory/{told(browser)}", content="Use doas", scope="task:abc")
    assert refused.status_code == 400 and "is no scope" in refused.text


def test_who_sees_nothing_of_what_is_shared_is_said(app: Flask) -> None:
    browser, other = browser_of(app, "ann"), browser_of(app, "bob")
    memory_id = kept(browser, REDIS, Source(Origin.TOOL), browser.host("web1"))
    assert "walissh group add" in browser.get(f"/memory/{memory_id}").text
    with app.app_context():
        for each in (browser, other):
            assert each.person is not None
            groups.join("ops", each.person.id)
    browser.post(f"/memory/{memory_id}/share", group="ops")
    assert "Not seen by bob: they have no such server." in browser.get(f"/memory/{memory_id}").text
    other.host("theirs")
    assert "Not seen by" not in browser.get(f"/memory/{memory_id}").text


def test_a_reason_is_told_in_the_language_of_the_page(app: Flask) -> None:
    browser = browser_of(app, "ann")
    kept(browser, Found(MemoryType.SOFTWARE_FACT, "swap", "2G", "swap 2G"), Source(Origin.TOOL))
    browser.client.set_cookie("lang", "zh")
    why = browser.get("/memory?q=how big is swap").text.partition('class="why">')[2]
    assert why.partition("<")[0] == "交换分区 · 大小"


def test_an_import_says_what_was_known_already(app: Flask) -> None:
    browser = browser_of(app, "ann")
    told(browser)
    lines = browser.get("/memory/export").data
    browser.post("/memory/transfer", file=(io.BytesIO(lines), "m.jsonl"))
    assert "0 lines were taken. 1 was known already." in browser.get("/memory").text
    bad = lines.replace(b"sudo", b"su\xffdo", 1)
    page = browser.post("/memory/transfer", file=(io.BytesIO(bad + lines), "m.jsonl")).text
    assert "1 was refused." in page and "Line 1: it is not text in UTF-8." in page


def test_the_sidebar_leads_to_both_kinds_of_memory(app: Flask) -> None:
    side = browser_of(app, "ann").get("/").text.partition('class="side-memory')[2]
    assert 'href="/memory"' in side and 'href="/memory/core"' in side


def test_memory_goes_out_and_in_as_a_file(app: Flask) -> None:
    browser, other = browser_of(app, "ann"), browser_of(app, "bob")
    told(browser)
    export = browser.get("/memory/export")
    assert export.headers["Content-Disposition"].endswith('walissh-memory.jsonl"')
    taken = other.post("/memory/transfer", file=(io.BytesIO(export.data), "m.jsonl"))
    assert taken.status_code == 303
    assert SUDO in other.get("/memory").text
    broken = other.post("/memory/transfer", file=(io.BytesIO(b'{"no\n'), "m.jsonl"))
    assert broken.status_code == 200 and "0 lines were taken." in broken.text
    assert other.post("/memory/transfer", file=(io.BytesIO(b""), "m.jsonl")).status_code == 400


def test_what_a_memory_says_is_never_markup(app: Flask) -> None:
    browser = browser_of(app, "ann")
    memory_id = told(browser, "From now on greet with <img src=x onerror=alert(1)>")
    for path in ("/memory", f"/memory/{memory_id}", f"/memory/{memory_id}/delete"):
        assert "<img" not in browser.get(path).text


PAGES = ("/memory", "/memory/events", "/memory/transfer", "/memory/export", "/memory/core")
DEEDS = ("", "/delete", "/wrong", "/restore", "/share")


def test_strangers_are_sent_to_sign_in(app: Flask) -> None:
    stranger = Browser(app, app.test_client())
    for path in PAGES:
        assert stranger.get(path).location.startswith("/sign-in")
    assert stranger.post("/memory", content=SUDO).location.startswith("/sign-in")


def test_nobody_finds_the_memory_of_another(app: Flask) -> None:
    memory_id = told(browser_of(app, "ann"))
    other = browser_of(app, "bob")
    assert other.get(f"/memory/{memory_id}").status_code == 404
    assert other.get(f"/memory/{memory_id}/delete").status_code == 404
    for deed in DEEDS:
        response = other.post(f"/memory/{memory_id}{deed}", content="x", group="ops")
        assert response.status_code == 404, deed
    for path in PAGES:
        assert SUDO not in other.get(path).text
    assert SUDO not in other.get("/memory?state=all").text
    assert SUDO not in other.get("/memory?q=sudo").text


def test_deeds_take_no_get(app: Flask) -> None:
    browser = browser_of(app, "ann")
    memory_id = told(browser)
    for path in (f"/memory/{memory_id}/wrong", f"/memory/{memory_id}/share"):
        assert browser.get(path).status_code == 405
    for path in ("/memory/events", "/memory/export"):
        assert browser.post(path).status_code == 404


def test_htmx_is_led_on_after_a_form_of_the_whole_page(app: Flask) -> None:
    browser = browser_of(app, "ann")
    response = browser.post("/memory", htmx=True, content=SUDO)
    assert response.headers["HX-Redirect"].startswith("/memory/")
    assert browser.get("/memory", headers=HTMX).status_code == 200
