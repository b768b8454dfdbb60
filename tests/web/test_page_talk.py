"""The page of a session: what was said, what was run, what rests on what."""

import pytest
from flask import Flask
from sqlalchemy import event

from tests.fakes import call
from tests.web.forms import HTMX, Stage, browser_of, calls
from walissh.errors import ConflictError, HostKeyChangedError, ModelRefusedError
from walissh.react.turn import Reply
from walissh.store import commands, turns
from walissh.store.database import db

CHANGED = HostKeyChangedError(
    "web1: the host key changed (was SHA256:a, now SHA256:b). Nothing was run. If you"
    " reinstalled it, accept the new key on the host page.",
    host="web1",
    trusted="SHA256:a",
    seen="SHA256:b",
)


def finished(app: Flask, *script: Reply, **outputs: tuple[str, int]) -> tuple[Stage, str]:
    stage = Stage.of(app, *script, outputs=outputs)
    turn_id = stage.ask("Why is it slow?")
    stage.play()
    return stage, turn_id


def test_the_page_shows_question_thought_output_and_answer(app: Flask) -> None:
    script = (calls("uptime", text="I look at the load."), Reply("It is **busy** [1]."))
    stage, turn_id = finished(app, *script, uptime=("load 9\n", 0))
    page = stage.browser.get(stage.path).text
    for words in ("Why is it slow?", "I look at the load.", "load 9", "<strong>busy</strong>"):
        assert words in page
    run = stage.runs(turn_id)[0]
    assert f'href="#L-{run.id}-1"' in page and f'id="L-{run.id}-1"' in page
    assert "exit 0" in page


def test_a_failed_command_stays_open_and_a_good_one_is_one_line(app: Flask) -> None:
    stage, turn_id = finished(
        app, calls("good", "bad"), Reply("done"), good=("fine\n", 0), bad=("no\n", 2)
    )
    good, bad = stage.runs(turn_id)
    page = stage.browser.get(stage.path).text
    assert "<details>" in page.partition(f'id="command-{good.id}"')[2][:200]
    assert "<details open>" in page.partition(f'id="command-{bad.id}"')[2][:200]
    assert "exit 2" in page


def test_what_model_and_machine_say_is_never_markup(app: Flask) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    stage, _ = finished(app, calls("show"), Reply(f"{evil} ![x](http://e/x)"), show=(evil, 0))
    page = stage.browser.get(stage.path).text
    assert "<script>alert" not in page and "<img" not in page
    assert page.count("&lt;script&gt;") == 2


def test_another_persons_session_is_not_found(app: Flask) -> None:
    stage = Stage.of(app)
    other = browser_of(app, "bob")
    for path in (stage.path, f"{stage.path}/events", f"{stage.path}/state"):
        assert other.get(path).status_code == 404
    assert other.post(f"{stage.path}/ask", content="hi").status_code == 404


def test_asking_takes_no_get(app: Flask) -> None:
    stage = Stage.of(app)
    assert stage.browser.get(f"{stage.path}/ask").status_code == 405


def test_htmx_gets_the_new_turn_alone(app: Flask) -> None:
    stage = Stage.of(app)
    response = stage.browser.post(f"{stage.path}/ask", htmx=True, content="why?")
    assert response.status_code == 200
    assert response.text.count('class="turn"') == 1 and "<html" not in response.text


def test_a_second_question_while_a_turn_is_open_is_a_conflict_in_words(app: Flask) -> None:
    stage = Stage.of(app)
    stage.ask()
    response = stage.browser.post(f"{stage.path}/ask", htmx=True, content="and?")
    assert response.status_code == 409
    assert response.text.startswith("A turn is open in this session.")


def test_a_failed_turn_offers_to_ask_again(app: Flask) -> None:
    stage = Stage.of(app, ModelRefusedError("The model server refused the key."))
    stage.ask("why is it slow?")
    stage.play()
    page = stage.browser.get(stage.path).text
    assert "The model server refused the key." in page
    assert 'name="content" value="why is it slow?"' in page


def test_a_changed_host_key_leads_to_the_comparison(app: Flask) -> None:
    stage = Stage.of(app, calls("uptime"), Reply("I could not look."), outputs={"uptime": CHANGED})
    stage.ask()
    stage.play()
    stage.browser.post("/language", lang="zh")
    page = stage.browser.get(stage.path).text
    assert f'href="/hosts/{stage.host_id}#keys"' in page
    assert "主机密钥变了（原来是 SHA256:a，现在是 SHA256:b）" in page


def test_stop_closes_the_turn(app: Flask) -> None:
    stage = Stage.of(app)
    turn_id = stage.ask()
    assert stage.browser.post(f"/turns/{turn_id}/cancel").status_code == 303
    with app.app_context():
        found = turns.get(turn_id)
        assert found is not None and found.status == "cancelled"
    assert browser_of(app, "bob").post(f"/turns/{turn_id}/cancel").status_code == 404


def test_without_javascript_an_open_turn_reloads_itself(app: Flask) -> None:
    stage = Stage.of(app)
    assert 'http-equiv="refresh"' not in stage.browser.get(stage.path).text
    stage.ask()
    assert '<noscript><meta http-equiv="refresh"' in stage.browser.get(stage.path).text


def test_nothing_reloads_while_somebody_may_be_typing_into_a_waiting_card(app: Flask) -> None:
    stage = Stage.of(app, calls("touch /x"))
    stage.waiting()
    assert 'http-equiv="refresh"' not in stage.browser.get(stage.path).text


def test_a_command_that_was_stopped_before_it_ran_says_so(app: Flask) -> None:
    stage = Stage.of(app, calls("touch /x"))
    run = stage.waiting()
    stage.browser.post(f"/turns/{run.turn_id}/cancel")
    card = stage.browser.get(f"/commands/{run.id}", headers=HTMX).text
    assert "stopped, not run" in card
    assert "output-box" not in card


def test_a_queued_command_is_one_line_and_a_running_one_opens_when_it_says_something(
    app: Flask,
) -> None:
    stage = Stage.of(app, calls("tail -f log"))
    turn_id = stage.ask()
    stage.step()
    run = stage.runs(turn_id)[0]
    opened = [_is_open(stage, run.id)]
    with app.app_context():
        commands.claim(run.id, "w")
        opened.append(_is_open(stage, run.id))
        commands.append_output(run.id, "one\n")
    opened.append(_is_open(stage, run.id))
    assert opened == [False, False, True]


def _is_open(stage: Stage, command_id: str) -> bool:
    return "<details open>" in stage.browser.get(f"/commands/{command_id}", headers=HTMX).text


def test_a_refused_command_says_why_even_if_it_only_reads(app: Flask) -> None:
    stage = Stage.of(app, calls("vi /x"), Reply("done"))
    stage.ask()
    stage.play()
    assert "<li>vi: read_only</li>" in stage.browser.get(stage.path).text


def test_a_call_for_a_host_that_was_not_chosen_leaves_a_line(app: Flask) -> None:
    elsewhere = Reply("", (call("uptime", host="db9"),))
    stage = Stage.of(app, elsewhere, Reply("I could not look."))
    stage.ask()
    stage.play()
    assert "asked for host db9, which is not chosen here: nothing was run" in (
        stage.browser.get(stage.path).text
    )


def test_a_refused_question_is_not_lost_without_javascript(app: Flask) -> None:
    stage = Stage.of(app)
    stage.ask()
    response = stage.browser.post(f"{stage.path}/ask", content="and the disk?")
    assert response.status_code == 409
    assert ">and the disk?</textarea>" in response.text
    assert "A turn is open in this session." in response.text
    assert 'http-equiv="refresh"' not in response.text


def test_archiving_is_told_and_shown(app: Flask) -> None:
    stage = Stage.of(app)
    stage.browser.post(f"{stage.path}/archive", on="1")
    page = stage.browser.get(stage.path).text
    assert "Archived: it stands under" in page and ">archived</span>" in page
    assert ">All sessions</a>" in page
    stage.browser.post(f"{stage.path}/archive", on="0")
    page = stage.browser.get(stage.path).text
    assert "It stands in the list again." in page and ">archived</span>" not in page


def test_rename_pin_archive_and_hosts_of_a_session(app: Flask) -> None:
    stage = Stage.of(app)
    stage.browser.post(f"{stage.path}/rename", title="The slow one")
    stage.browser.post(f"{stage.path}/pin", on="1")
    assert "Pinned" in stage.browser.get("/").text
    stage.browser.post(f"{stage.path}/hosts")
    assert "no host chosen" in stage.browser.get(stage.path).text
    stage.browser.post(f"{stage.path}/archive", on="1")
    assert "The slow one" not in stage.browser.get("/").text
    assert "The slow one" in stage.browser.get("/sessions?archived=1").text


def test_a_session_is_deleted_after_a_second_question(app: Flask) -> None:
    stage = Stage.of(app)
    assert "cannot be undone" in stage.browser.get(f"{stage.path}/delete").text
    assert stage.browser.post(f"{stage.path}/delete").location == "/"
    assert stage.browser.get(stage.path).status_code == 404


def statements(app: Flask) -> list[str]:
    """Return a list that grows by each statement that is sent to the database."""
    sent: list[str] = []
    with app.app_context():
        event.listen(
            db.engine, "before_cursor_execute", lambda *sending: sent.append(str(sending[2]))
        )
    return sent


def test_only_the_last_turns_are_shown_until_all_are_wanted(app: Flask) -> None:
    stage = Stage.of(app, *[Reply(f"answer {n}") for n in range(33)])
    for n in range(33):
        stage.ask(f"question number {n}")
        stage.play()
    asked = statements(app)
    page = stage.browser.get(stage.path).text
    assert "Show 3 earlier turns" in page and "question number 2<" not in page
    assert sum("FROM chat_message" in each for each in asked) == 30
    assert "question number 2<" in stage.browser.get(f"{stage.path}?all=1").text


def test_a_conflict_is_a_page_for_those_without_javascript(app: Flask) -> None:
    stage = Stage.of(app)
    stage.ask()
    response = stage.browser.post(f"{stage.path}/ask", content="and?")
    assert response.status_code == 409 and "<html" in response.text
    with pytest.raises(ConflictError), app.app_context():
        turns.ask(stage.session.id, stage.session.user_id, "and?", "en")


def test_deleting_a_session_stops_what_is_open_in_it(app: Flask) -> None:
    stage = Stage.of(app, calls("touch /x"), Reply("done"))
    run = stage.waiting()
    assert stage.browser.post(f"{stage.path}/delete").location == "/"
    stage.play()
    assert stage.browser.get(stage.path).status_code == 404
    assert stage.shell.ran == []
    with app.app_context():
        assert turns.get(run.turn_id) is None


def test_what_is_replaced_is_not_what_speaks(app: Flask) -> None:
    stage = Stage.of(app, calls("touch /x"))
    stage.waiting()
    page = stage.browser.get(stage.path).text
    assert page.count('role="status"') == 1 and "aria-live" not in page
    assert 'data-said="1 command waits for you"' in page


def test_without_a_model_no_tokens_are_counted(app: Flask) -> None:
    stage = Stage.of(app, Reply("It is up."))
    assert " tokens" not in stage.browser.get(stage.path).text
    stage.ask()
    stage.play()
    assert "10 tokens" in stage.browser.get(stage.path).text
