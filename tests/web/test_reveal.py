"""Look behind a placeholder or at a withheld output: the owner once, others never."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.fakes import ScriptedModel, ScriptedShell, call
from tests.web.conftest import Api, act, think, use_parts
from tests.web.forms import HTMX, Browser, browser_of
from walissh.react.turn import Decision, Reply, Risk, Verdict
from walissh.store import commands

TYPED = "Plum7788!kk"
PRINTED = "root:line-of-secrets"


class Exposes:
    """A gate that lets all run and calls it an exposure of secrets."""

    def judge(self, *_: object) -> Verdict:
        return Verdict(Risk.SECRET_EXPOSURE, Decision.ALLOW, (), rule="risk")


@pytest.fixture
def ann(app: Flask) -> Browser:
    """The browser of the owner."""
    return browser_of(app, "ann")


@pytest.fixture
def withheld(app: Flask, api: Api) -> str:
    """The id of a command of ann whose text has a secret and whose output is withheld."""
    host = api.made("/hosts", name="web1", address="127.0.0.1", user="ops")
    session = api.made("/sessions", host_ids=[host["id"]])
    command = f"cat /etc/shadow # password={TYPED}"
    shell = ScriptedShell({command: (f"{PRINTED}\n", 0)})
    use_parts(app, gate=Exposes(), shell=shell, model=ScriptedModel([Reply("", (call(command),))]))
    turn_id = api.asked(session["id"])
    think(app, turn_id)
    with app.app_context():
        (run,) = commands.of_turn(turn_id)
    act(app, run.id)
    return run.id


def test_the_card_shows_a_line_in_words_and_buttons(withheld: str, ann: Browser) -> None:
    page = ann.get(f"/commands/{withheld}", headers=HTMX).text
    line = page.partition("</summary>")[0]
    assert '<span class="word word-withheld">output withheld</span>' in line
    assert "[output withheld. What" in page and "whole output" not in page
    assert "Reveal the withheld output" in page and "Reveal secret no. 1" in page
    assert TYPED not in page and PRINTED not in page


def test_the_owner_is_shown_the_output_and_the_value_once(withheld: str, ann: Browser) -> None:
    shown = ann.post(f"/commands/{withheld}/reveal", htmx=True)
    assert PRINTED in shown.text and shown.headers["Cache-Control"] == "no-store"
    assert TYPED in ann.post(f"/commands/{withheld}/reveal", n="1").text
    assert PRINTED not in ann.get(f"/commands/{withheld}", headers=HTMX).text


def test_revealing_cannot_be_asked_for_by_a_link(withheld: str, ann: Browser) -> None:
    assert ann.get(f"/commands/{withheld}/reveal").status_code == 405


def test_a_stranger_is_sent_to_sign_in(withheld: str, stranger: FlaskClient) -> None:
    answer = stranger.post(f"/commands/{withheld}/reveal")
    assert answer.status_code in (302, 303, 400, 401) and PRINTED not in answer.text


def test_the_interface_reveals_to_the_owner(withheld: str, api: Api) -> None:
    assert api.post(f"/commands/{withheld}/reveal", {}).json == {"text": f"{PRINTED}\n"}
    answer = api.post(f"/commands/{withheld}/reveal", {"n": 1})
    assert answer.json == {"text": TYPED} and answer.headers["Cache-Control"] == "no-store"


def test_a_number_that_nothing_has_is_not_found(withheld: str, api: Api) -> None:
    assert api.post(f"/commands/{withheld}/reveal", {"n": 9}).status_code == 404
    assert api.post(f"/commands/{withheld}/reveal", {"n": 0}).status_code == 400


def test_another_person_finds_nothing(withheld: str, other: Api) -> None:
    assert other.post(f"/commands/{withheld}/reveal", {}).status_code == 404
    assert other.post(f"/commands/{withheld}/reveal", {"n": 1}).status_code == 404


def test_what_the_interface_tells_of_a_command_has_no_secret(withheld: str, api: Api) -> None:
    told = api.get(f"/commands/{withheld}").text + api.get(f"/commands/{withheld}/output").text
    assert TYPED not in told and PRINTED not in told
