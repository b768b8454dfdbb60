"""Approve, edit and deny on the page."""

from flask import Flask

from tests.web.forms import Stage, browser_of, calls
from walissh.react.turn import Reply


def stage_with(app: Flask, command: str) -> Stage:
    return Stage.of(app, calls(command), Reply("done"))


def test_a_waiting_card_names_its_target_and_offers_three_ways(app: Flask) -> None:
    stage = stage_with(app, "touch /x")
    run = stage.waiting()
    page = stage.browser.get(stage.path).text
    assert "root@127.0.0.1:22" in page and "CHANGES" in page
    assert f'action="/commands/{run.id}/approve"' in page
    assert f'action="/commands/{run.id}/deny"' in page
    assert page.count("confirm_host") == 0
    assert page.count('aria-keyshortcuts="') == page.count('<kbd aria-hidden="true">') == 3


def test_approve_runs_it_once(app: Flask) -> None:
    stage = stage_with(app, "touch /x")
    run = stage.waiting()
    first = stage.browser.post(f"/commands/{run.id}/approve")
    second = stage.browser.post(f"/commands/{run.id}/approve")
    stage.play()
    assert first.location == f"{stage.path}#command-{run.id}"
    assert second.status_code == 409
    assert stage.shell.ran == [(stage.host_id, "touch /x")]


def test_htmx_gets_the_card_alone(app: Flask) -> None:
    stage = stage_with(app, "touch /x")
    run = stage.waiting()
    response = stage.browser.post(f"/commands/{run.id}/approve", htmx=True)
    assert response.text.strip().endswith("</article>")
    assert f'id="command-{run.id}"' in response.text and "queued" in response.text


def test_an_edited_command_runs_as_edited(app: Flask) -> None:
    stage = stage_with(app, "touch /x")
    run = stage.waiting()
    stage.browser.post(f"/commands/{run.id}/approve", command="touch /y")
    stage.play()
    assert stage.shell.ran == [(stage.host_id, "touch /y")]


def test_an_edited_command_is_not_explained_by_what_was_said_of_another(app: Flask) -> None:
    stage = stage_with(app, "touch /x")
    run = stage.waiting()
    said = '<p class="reason">to see</p>'
    assert said in stage.browser.get(stage.path).text
    stage.browser.post(f"/commands/{run.id}/approve", command="touch /y")
    assert said not in stage.browser.get(stage.path).text


def test_a_page_that_shows_an_older_text_approves_nothing(app: Flask) -> None:
    stage = stage_with(app, "touch /x")
    run = stage.waiting()
    assert stage.browser.get(stage.path).text.count('name="shown" value="touch /x"') == 2
    stage.browser.post(f"/commands/{run.id}/approve", shown="touch /x", command="rm -rf /y")
    for fields in ({}, {"command": "touch /z"}):
        stale = stage.browser.post(
            f"/commands/{run.id}/approve", shown="touch /x", confirm_host="web1", **fields
        )
        assert stale.status_code == 409
    stage.play()
    assert stage.shell.ran == []


def test_the_line_ends_of_a_form_make_no_other_text(app: Flask) -> None:
    stage = stage_with(app, "touch /x\ntouch /y")
    run = stage.waiting("touch /x\ntouch /y")
    answer = stage.browser.post(f"/commands/{run.id}/approve", shown="touch /x\r\ntouch /y")
    assert answer.status_code == 303


def test_an_edit_that_does_more_harm_waits_again(app: Flask) -> None:
    stage = stage_with(app, "touch /x")
    run = stage.waiting()
    response = stage.browser.post(f"/commands/{run.id}/approve", htmx=True, command="rm -rf /y")
    stage.play()
    assert "DESTRUCTIVE" in response.text and "waits for you" in response.text
    assert stage.shell.ran == []


def test_a_destructive_one_needs_the_hosts_name(app: Flask) -> None:
    stage = stage_with(app, "rm -rf /x")
    run = stage.waiting("rm -rf /x")
    path = f"/commands/{run.id}/approve"
    refused = stage.browser.post(path, htmx=True, confirm_host="web2")
    assert refused.status_code == 400
    unsaid = stage.browser.post(path, htmx=True)
    assert "This can destroy data on web1. Type the host&#39;s name to approve it." in unsaid.text
    stage.browser.post(path, confirm_host=" web1 ")
    stage.play()
    assert stage.shell.ran == [(stage.host_id, "rm -rf /x")]


def test_deny_tells_the_reason_and_runs_nothing(app: Flask) -> None:
    stage = stage_with(app, "touch /x")
    run = stage.waiting()
    stage.browser.post(f"/commands/{run.id}/deny", reason="not now")
    stage.play()
    page = stage.browser.get(stage.path).text
    assert "denied" in page and "You said: not now" in page
    assert stage.shell.ran == []


def test_another_persons_command_is_not_found(app: Flask) -> None:
    run = stage_with(app, "touch /x").waiting()
    other = browser_of(app, "bob")
    for action in ("approve", "deny"):
        assert other.post(f"/commands/{run.id}/{action}").status_code == 404
    for part in ("", "/place", "/output"):
        assert other.get(f"/commands/{run.id}{part}").status_code == 404


def test_deciding_takes_no_get(app: Flask) -> None:
    browser = browser_of(app, "ann")
    assert browser.get("/commands/x/approve").status_code == 405
    assert browser.get("/commands/x/deny").status_code == 405


def test_what_waits_stands_in_the_sidebar_and_in_what_runs_now(app: Flask) -> None:
    stage = stage_with(app, "touch /x")
    run = stage.waiting()
    assert "Waiting for you" in stage.browser.get("/").text
    listed = stage.browser.get("/running").text
    assert f"#command-{run.id}" in listed and "waits for you" in listed
    assert f"#command-{run.id}" not in browser_of(app, "bob").get("/running").text


def test_a_wrong_host_name_is_told_in_the_card_and_the_edit_stays(app: Flask) -> None:
    stage = stage_with(app, "rm -rf /x")
    run = stage.waiting("rm -rf /x")
    for htmx in (True, False):
        refused = stage.browser.post(
            f"/commands/{run.id}/approve", htmx=htmx, confirm_host="web2", command="rm -rf /y"
        )
        assert refused.status_code == 400 and refused.mimetype == "text/html"
        card = refused.text.partition(f'id="command-{run.id}"')[2]
        assert "“web2” is not the name of this host. Nothing was approved." in card
        assert '<details class="edit" open>' in card and ">rm -rf /y</textarea>" in card
    assert stage.runs(run.turn_id)[0].command == "rm -rf /x"
