"""The field for sudo's password beside an approval, and the new machine on the host page."""

from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from tests.fakes import ScriptedShell
from tests.web.conftest import use_parts
from tests.web.forms import Browser, Stage, browser_of, calls
from walissh.react.host import HostKey
from walissh.react.turn import Exit, Reply
from walissh.safety.policy import ReadOnlyGate
from walissh.ssh.sudo import Answers
from walissh.store import hosts, sudo
from walissh.store.database import reading
from walissh.store.hosts import HostDraft
from walissh.store.models import CredentialRow

SECRET = "open sesame 42"
KEY = HostKey("ssh-ed25519", "AAAA", "SHA256:one")
ONE, TWO = "1" * 31 + "a", "2" * 31 + "b"
COMMAND = "touch /y && sudo touch /x"


class UnmetShell(ScriptedShell):
    """A host whose sudo wants a password; nobody knows one."""

    def run(self, run_id: str, host_id: str, command: str, **options: Any) -> Exit:
        """Fail as sudo does."""
        answers = Answers("web1", None)
        answers.answer(":sudo:7:6:")
        return Exit(1, "sudo", answers.notice(1))


def stage_of(app: Flask, command: str = COMMAND, user: str = "ops") -> Stage:
    stage = Stage.of(app, calls(command), Reply("done"))
    with app.app_context():
        assert stage.browser.person is not None
        draft = HostDraft("web1", "127.0.0.1", user)
        hosts.change(stage.host_id, stage.browser.person.id, draft)
    return stage


def kinds(app: Flask) -> list[str]:
    with app.app_context(), reading() as session:
        return sorted(session.scalars(select(CredentialRow.kind)))


def test_a_command_with_sudo_has_a_masked_field(app: Flask) -> None:
    stage = stage_of(app)
    stage.waiting(COMMAND)
    page = stage.browser.get(stage.path).text
    field = page.partition('name="sudo_password"')[2].partition(">")[0]
    assert 'type="password"' in field and 'autocomplete="off"' in field
    assert "only this time" in page and "keep for this host" in page


@pytest.mark.parametrize(("command", "user"), [("touch /x", "ops"), (COMMAND, "root")])
def test_what_needs_no_password_has_no_field(app: Flask, command: str, user: str) -> None:
    stage = stage_of(app, command, user)
    stage.waiting(command)
    assert "sudo_password" not in stage.browser.get(stage.path).text


def test_a_host_with_a_known_password_has_no_field(app: Flask) -> None:
    stage = stage_of(app)
    run = stage.waiting(COMMAND)
    with app.app_context():
        sudo.keep(run.host_id, run.user_id, SECRET)
    assert "sudo_password" not in stage.browser.get(stage.path).text


def test_reading_with_sudo_gets_its_field_once_sudo_wanted_a_password(app: Flask) -> None:
    stage = Stage.of(app, calls("sudo id"), Reply("no"), calls("sudo id"), Reply("done"))
    use_parts(app, gate=ReadOnlyGate(), shell=UnmetShell())
    with app.app_context():
        assert stage.browser.person is not None
        draft = HostDraft("web1", "127.0.0.1", "ops")
        hosts.change(stage.host_id, stage.browser.person.id, draft)
    assert stage.waiting("sudo id").phase == "sudo"
    page = stage.browser.get(stage.path).text
    assert f"/hosts/{stage.host_id}#field-sudo" in page and "Enter it on the host page" in page
    run = stage.waiting("sudo id")
    page = stage.browser.get(stage.path).text
    assert 'name="sudo_password"' in page and "Enter it as you approve" in page
    with app.app_context():
        sudo.keep(run.host_id, run.user_id, SECRET)
        assert sudo.unmet((run.host_id,)) == frozenset()


def test_what_is_typed_is_lent_until_the_command_has_ended(app: Flask) -> None:
    stage = stage_of(app)
    run = stage.waiting(COMMAND)
    told = stage.browser.post(f"/commands/{run.id}/approve", sudo_password=SECRET, htmx=True)
    assert kinds(app) == [f"sudo:{run.id}"] and SECRET not in told.text
    stage.play()
    assert kinds(app) == []
    assert SECRET not in stage.browser.get(stage.path).text


def test_what_is_kept_is_the_hosts(app: Flask) -> None:
    stage = stage_of(app)
    run = stage.waiting(COMMAND)
    stage.browser.post(f"/commands/{run.id}/approve", sudo_password=SECRET, sudo_for="host")
    stage.play()
    assert kinds(app) == ["sudo"]
    page = stage.browser.get(f"/hosts/{stage.host_id}").text
    assert SECRET not in page and 'name="remove_sudo"' in page


def test_a_refused_approval_keeps_and_shows_nothing(app: Flask) -> None:
    stage = stage_of(app, "rm -rf /x; sudo ls")
    run = stage.waiting("rm -rf /x; sudo ls")
    told = stage.browser.post(f"/commands/{run.id}/approve", sudo_password=SECRET)
    assert told.status_code == 400 and SECRET not in told.text
    assert kinds(app) == []


@pytest.mark.parametrize(
    "more", [{"shown": "sudo ls"}, {"command": "rm -rf /x; sudo ls"}, {"command": "vi a; sudo ls"}]
)
def test_an_approval_that_was_not_taken_leaves_the_hosts_password_as_it_was(
    app: Flask, more: dict[str, str]
) -> None:
    stage = stage_of(app)
    run = stage.waiting(COMMAND)
    with app.app_context():
        sudo.keep(run.host_id, run.user_id, SECRET)
    given = {"sudo_password": "wrong", "sudo_for": "host", **more}
    stage.browser.post(f"/commands/{run.id}/approve", **given)
    with app.app_context():
        assert sudo.sudo_password(run.host_id, run.id) == SECRET


def test_a_second_click_takes_nothing_back(app: Flask) -> None:
    stage = stage_of(app)
    run = stage.waiting(COMMAND)
    for _ in range(2):
        stage.browser.post(f"/commands/{run.id}/approve", sudo_password=SECRET)
    assert kinds(app) == [f"sudo:{run.id}"]


def test_a_stranger_lends_nothing(app: Flask) -> None:
    run = stage_of(app).waiting(COMMAND)
    told = browser_of(app, "bob").post(f"/commands/{run.id}/approve", sudo_password=SECRET)
    assert told.status_code == 404 and kinds(app) == []


# --- another machine ------------------------------------------------------------------


@pytest.fixture
def replaced(app: Flask) -> tuple[Browser, str]:
    """A browser, and a host on whose address another machine answered."""
    browser = browser_of(app, "ann")
    host_id = browser.host()
    with app.app_context():
        assert browser.person is not None
        hosts.remember_seen_key(host_id, KEY)
        host = hosts.trust(host_id, browser.person.id)
        hosts.meet_machine(host, ONE)
        hosts.meet_machine(host, TWO)
    return browser, host_id


def machine(browser: Browser, host_id: str) -> str:
    with browser.app.app_context():
        assert browser.person is not None
        found = hosts.get(host_id, browser.person.id)
        assert found is not None
        return found.machine_id


def test_both_machines_are_shown_before_one_is_trusted(replaced: tuple[Browser, str]) -> None:
    browser, host_id = replaced
    page = browser.get(f"/hosts/{host_id}").text
    assert ONE in page and TWO in page and "Trust the new machine" in page


def test_the_machine_that_was_shown_is_trusted(replaced: tuple[Browser, str]) -> None:
    browser, host_id = replaced
    browser.post(f"/hosts/{host_id}/trust", fingerprint=KEY.fingerprint, machine=TWO)
    assert machine(browser, host_id) == TWO


@pytest.mark.parametrize("shown", [{}, {"machine": "3" * 32}])
def test_a_machine_that_was_not_shown_is_not_trusted(
    replaced: tuple[Browser, str], shown: dict[str, str]
) -> None:
    browser, host_id = replaced
    told = browser.post(f"/hosts/{host_id}/trust", fingerprint=KEY.fingerprint, **shown)
    assert told.status_code == 409 and machine(browser, host_id) == ONE


def test_a_machine_that_tells_no_id_is_shown_as_such(app: Flask) -> None:
    browser = browser_of(app, "ann")
    host_id = browser.host()
    with app.app_context():
        assert browser.person is not None
        hosts.remember_seen_key(host_id, KEY)
        host = hosts.trust(host_id, browser.person.id)
        hosts.meet_machine(host, ONE)
        hosts.meet_machine(host, "")
    assert "none: it tells no id" in browser.get(f"/hosts/{host_id}").text
