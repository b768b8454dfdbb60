"""Secrets in a turn: typed, proposed and printed; who reads what, and what still runs."""

from dataclasses import replace
from datetime import timedelta

import pytest
from cryptography.fernet import Fernet
from flask import current_app
from sqlalchemy import select

from tests.world import World
from walissh.clock import utc_now
from walissh.errors import NotFoundError
from walissh.react.turn import (
    CommandStatus,
    Decision,
    Reply,
    Risk,
    ToolCall,
    Verdict,
)
from walissh.safety import placeholders
from walissh.safety.purify import Mouth
from walissh.store import commands, outputs, revealed, secrets, withheld
from walissh.store.database import Base, reading
from walissh.store.models import AuditRow, SecretRow

PASSWORD = "Plum7788!kk"


def call(command: str, call_id: str = "c1") -> ToolCall:
    return ToolCall(call_id, "run_command", f'{{"command": "{command}", "host": "web1"}}')


def kept(world: World) -> str:
    """Return all that the database holds in the clear, sealed columns left out."""
    told = []
    with reading() as session:
        for table in Base.metadata.sorted_tables:
            open_columns = [each for each in table.columns if each.name not in {"sealed", "digest"}]
            told += [str(row) for row in session.execute(select(*open_columns))]
    return "\n".join(told)


class Exposes:
    """A gate that lets all run and calls it an exposure of secrets."""

    def judge(self, command: str, *_: object) -> Verdict:
        return Verdict(Risk.SECRET_EXPOSURE, Decision.ALLOW, (), rule="risk")


# --- numbers --------------------------------------------------------------------------


def test_the_same_value_has_the_same_number_everywhere_in_its_session(world: World) -> None:
    first = secrets.names(world.session.id).number("password", PASSWORD)
    other = secrets.names(world.session.id).number("key", "another-value-1")
    again = secrets.names(world.session.id).number("token", PASSWORD)
    assert (first, other, again) == (1, 2, 1)


def test_a_key_is_the_same_however_its_lines_are_laid_out(world: World) -> None:
    names = secrets.names(world.session.id)
    assert names.number("private key", "AB\nCD\n") == names.number("private key", "AB\\nCD")


def test_a_session_that_is_not_there_gives_no_number_and_fails_nothing(world: World) -> None:
    assert secrets.names("no-such-session").number("password", PASSWORD) == 0


def test_the_table_holds_neither_the_value_nor_a_plain_digest_of_it(world: World) -> None:
    secrets.names(world.session.id).number("password", PASSWORD)
    with reading() as session:
        row = session.scalars(select(SecretRow)).one()
    assert PASSWORD not in f"{row.sealed}{row.digest}"
    assert len(row.digest) == 64


def test_a_value_that_is_cut_leaves_its_number_to_nobody_else(world: World) -> None:
    secrets.names(world.session.id).number("password", PASSWORD)
    secrets.drop_older(utc_now() + timedelta(seconds=1))
    assert secrets.values(world.session.id, [1]) == {}
    assert secrets.names(world.session.id).number("password", "Other99!x") == 2


def test_the_mouth_numbers_as_the_session_does(world: World) -> None:
    secrets.names(world.session.id).number("password", PASSWORD)
    mouth = Mouth("utf-8", secrets.names(world.session.id))
    assert mouth.feed("stdout", b"password=Plum7788!kk token=abc123def456\n") == (
        "password=‹secret:1 password› token=‹secret:2 key›\n"
    )


# --- what a person types --------------------------------------------------------------


def test_a_typed_password_is_stored_nowhere_and_not_told_to_the_model(world: World) -> None:
    world.script("ok")
    turn = world.ask(f"the db password is {PASSWORD}, why is it slow?")
    world.play()
    assert turn.question == "the db password is ‹secret:1 password›, why is it slow?"
    assert PASSWORD not in kept(world)
    assert PASSWORD not in str(world.model.requests)


def test_a_password_told_with_no_sign_is_hidden_too(world: World) -> None:
    world.script("ok")
    assert "winterapples" not in world.ask("root 口令 winterapples").question


def test_a_repeat_by_its_key_is_the_same_turn_though_it_holds_a_secret(world: World) -> None:
    first = world.ask(f"password={PASSWORD}", key="k")
    assert world.ask(f"password={PASSWORD}", key="k").id == first.id


# --- what a model proposes ------------------------------------------------------------


def test_a_command_with_a_password_runs_exactly_and_is_read_nowhere(world: World) -> None:
    command = f"mysql -uroot -p{PASSWORD} app"
    world.shell.outputs = {command: ("ready\n", 0)}
    world.script((call(command),), "done")
    world.ask()
    world.play()
    assert world.shell.ran == [(world.host.id, command)]
    assert PASSWORD not in kept(world)
    assert PASSWORD not in str(world.model.requests) + str(world.events)


def test_the_gate_judges_the_exact_text(world: World) -> None:
    world.script((call("touch /x && echo password=Plum7788!kk"),))
    turn = world.ask()
    world.play()
    (run,) = commands.of_turn(turn.id)
    assert (run.status, run.risk) == (CommandStatus.AWAITING_APPROVAL, Risk.MUTATING)
    assert run.command == "touch /x && echo password=‹secret:1 password›"


def test_a_command_that_names_a_placeholder_waits_and_then_runs_with_the_value(
    world: World,
) -> None:
    world.script((call("mysql -p‹secret:1 password› -e x"),), "done")
    turn = world.ask(f"password: {PASSWORD}")
    world.play()
    (run,) = commands.of_turn(turn.id)
    assert run.status is CommandStatus.AWAITING_APPROVAL
    world.approve(run)
    world.play()
    assert world.shell.ran[0][1] == f"mysql -p{PASSWORD} -e x"


def test_what_a_command_prints_of_a_value_it_was_given_is_covered_again(world: World) -> None:
    world.shell.outputs = {f"echo {PASSWORD}": (f"a{PASSWORD}b\n", 0)}
    world.script((call("echo ‹secret:1 password›"),), "done")
    turn = world.ask(f"password: {PASSWORD}")
    world.play()
    world.approve(commands.of_turn(turn.id)[0])
    world.play()
    (run,) = commands.of_turn(turn.id)
    assert run.command == "echo ‹secret:1 password›"
    assert run.output_head == "a‹secret:1 password›b\n"
    assert PASSWORD not in kept(world)
    assert PASSWORD not in str(world.model.requests) + str(world.events)


def test_a_plan_keeps_no_secret(world: World) -> None:
    items = f'{{"items": [{{"title": "log in with password={PASSWORD}"}}]}}'
    world.script((ToolCall("c1", "update_plan", items),), "done")
    world.ask()
    world.play()
    assert PASSWORD not in kept(world)
    assert PASSWORD not in str(world.model.requests) + str(world.events)


def test_a_command_whose_secret_was_cut_is_not_run(world: World) -> None:
    world.script((call(f"touch password={PASSWORD}"),), "done")
    turn = world.ask()
    world.play()
    secrets.drop_older(utc_now() + timedelta(seconds=1))
    (run,) = commands.of_turn(turn.id)
    world.approve(run)
    world.play()
    assert world.shell.ran == []
    assert commands.of_turn(turn.id)[0].status is CommandStatus.FAILED


def test_an_answer_with_a_password_is_kept_with_its_placeholder(world: World) -> None:
    world.script(Reply(f"I set password={PASSWORD}"))
    world.ask()
    world.play()
    assert PASSWORD not in kept(world)


# --- what is withheld -----------------------------------------------------------------


@pytest.fixture
def exposed(world: World) -> World:
    """A turn in which a command that shows credentials has run."""
    world.parts = replace(world.parts, gate=Exposes())
    world.shell.outputs = {"cat /etc/shadow": ("root:secret-line\nsys:other\n", 0)}
    world.script((call("cat /etc/shadow"),), "done")
    world.ask()
    world.play()
    return world


def test_an_output_that_is_credentials_is_one_line_in_words(exposed: World) -> None:
    (run,) = commands.recent_of(exposed.person.id, 5)
    assert run.withheld
    assert run.output_lines == 1
    assert run.output_head.startswith("[output withheld. What this command prints is credentials")
    assert "secret-line" not in kept(exposed)
    assert "secret-line" not in str(exposed.model.requests) + str(exposed.events)


def test_the_owner_reads_it_and_that_is_noted_without_the_text(exposed: World) -> None:
    (run,) = commands.recent_of(exposed.person.id, 5)
    assert revealed.output(run.id, exposed.person.id) == "root:secret-line\nsys:other\n"
    with reading() as session:
        event = session.scalars(select(AuditRow).order_by(AuditRow.number.desc())).first()
    assert event is not None
    assert (event.kind, event.actor) == ("output_revealed", exposed.person.id)
    assert "secret-line" not in str(event.facts)


def test_nobody_else_reads_it(exposed: World) -> None:
    (run,) = commands.recent_of(exposed.person.id, 5)
    with pytest.raises(NotFoundError):
        revealed.output(run.id, "somebody")


def test_what_was_withheld_is_cut_after_its_time(exposed: World) -> None:
    (run,) = commands.recent_of(exposed.person.id, 5)
    withheld.drop_older(utc_now() + timedelta(seconds=1))
    with pytest.raises(NotFoundError):
        revealed.output(run.id, exposed.person.id)
    assert outputs.read_text(run.id, 0, 50).startswith("[output withheld")


# --- placeholders ---------------------------------------------------------------------


def test_what_a_host_prints_cannot_pass_for_more_than_a_mark() -> None:
    assert placeholders.exact("‹secret:7 password›", {}.get) == "‹secret:7 password›"
    assert list(placeholders.numbers("‹secret:0 x› ‹secret: x› ‹secret:12 aws key›")) == [12]


def test_numbers_are_left_out_where_they_mean_nothing() -> None:
    assert placeholders.plain("a ‹secret:3 token› b") == "a ‹secret:token› b"


def test_a_command_whose_secret_cannot_be_opened_fails_in_words(world: World) -> None:
    world.script((call(f"mysql -p{PASSWORD} -e 'select 1'"),), "done")
    turn = world.ask()
    world.step()
    current_app.config["WALISSH_SEAL_KEY"] = Fernet.generate_key().decode()
    world.step()
    (run,) = commands.of_turn(turn.id)
    assert run.status is CommandStatus.FAILED


def test_the_exact_text_decides_what_is_withheld(world: World) -> None:
    line = "redis-cli -a {} config get requirepass; redis-cli -a {} set a b"
    world.script((call(line.format(PASSWORD, PASSWORD)),), "done")
    turn = world.ask()
    world.step()
    world.play()
    (run,) = commands.of_turn(turn.id)
    assert run.withheld
