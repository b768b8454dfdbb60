"""Rules and the audit trail at a terminal."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from tests.cli import CommandLine
from walissh.store.database import db, writing


@pytest.fixture(scope="module")
def command_line(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """The command line on a home with two hosts."""
    line = CommandLine(tmp_path_factory.mktemp("rules") / "home")
    for name in ("web1", "db1"):
        assert line.run("host", "add", name, "ops@127.0.0.1").code == 0
    return line


def test_a_rule_is_added_listed_and_revoked(command_line: CommandLine) -> None:
    added = command_line.run(
        *("rule", "add", "allow", "--host", "web1", "--days", "7"),
        *("--command", "systemctl restart *", "--hours", "mon-fri 9:00-18:00 Asia/Shanghai"),
    )
    assert (added.code, added.err) == (0, "")
    rule_id = added.out.strip()
    listed = command_line.run("rule", "list").out.strip().split("\t")
    assert listed[:5] == [rule_id, "in_force", "allow", "systemctl restart *", "web1"]
    assert command_line.run("rule", "revoke", rule_id).code == 0
    assert rule_id not in command_line.run("rule", "list").out
    assert f"{rule_id}\trevoked" in command_line.run("rule", "list", "--all").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("add", "allow", "--command", "x"), "add --host NAME or --group GROUP"),
     (("add", "deny", "--hours", "soon"), "not understood"),
     (("add", "deny", "--host", "db9"), "no host named db9"), (("revoke", "x"), "no such rule")],
)  # fmt: skip
def test_what_cannot_be_is_one_line(
    command_line: CommandLine, arguments: tuple[str, ...], words: str
) -> None:
    result = command_line.run("rule", *arguments)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert words in result.err


def test_the_export_can_be_checked_without_us(command_line: CommandLine, tmp_path: Path) -> None:
    exported = command_line.run("audit", "export").out
    events = [json.loads(line) for line in exported.splitlines()]
    assert "host_added" in {each["kind"] for each in events}
    assert all(new["previous"] == old["digest"] for old, new in pairwise(events))
    kept = tmp_path / "trail.jsonl"
    kept.write_text(exported)
    assert command_line.run("audit", "verify", "--file", str(kept)).code == 0
    kept.write_text(exported.replace("web1", "web2"))
    changed = command_line.run("audit", "verify", "--file", str(kept))
    assert (changed.code, "was changed" in changed.out) == (1, True)
    kept.write_text("".join(exported.splitlines(keepends=True)[::2]))
    assert command_line.run("audit", "verify", "--file", str(kept)).code == 1
    kept.write_text("{}\n")
    assert "no event" in command_line.run("audit", "verify", "--file", str(kept)).err


def test_an_export_of_a_time_holds_that_time(command_line: CommandLine) -> None:
    assert command_line.run("audit", "export", "--until", "2020-01-01").out == ""
    assert command_line.run("audit", "export", "--since", "2020-01-01").out


COLUMNS = "number, at, actor, kind, subject, facts, previous, digest"
STATEMENTS = (
    "UPDATE audit_event SET actor = 'x'",
    "DELETE FROM audit_event",
    f"INSERT OR REPLACE INTO audit_event ({COLUMNS})"
    " SELECT number, at, 'x', kind, subject, facts, previous, 'd' FROM audit_event LIMIT 1",
    f"REPLACE INTO audit_event ({COLUMNS})"
    " SELECT 999, at, 'x', kind, subject, facts, previous, digest FROM audit_event LIMIT 1",
    "UPDATE OR REPLACE audit_event SET number = 1",
)


def test_the_trail_gives_no_row_back(command_line: CommandLine) -> None:
    with command_line.app().app_context():
        for statement in STATEMENTS:
            with pytest.raises(IntegrityError, match="append-only"), db.engine.begin() as raw:
                raw.execute(text(statement))
    assert command_line.run("audit", "verify").out == "The chain holds.\n"


def test_a_head_that_was_noted_shows_a_cut_off_end(command_line: CommandLine) -> None:
    noted = command_line.run("audit", "head").out
    assert re.fullmatch(r"\d+ [0-9a-f]{64}\n", noted)
    number, digest = noted.split()
    for noted in (digest, digest.upper()):
        assert command_line.run("audit", "verify", "--head", number, noted).code == 0
    later = str(int(number) + 1)
    cut = command_line.run("audit", "verify", "--head", later, digest)
    assert (cut.code, "cut or rewritten" in cut.out) == (1, True)


def test_a_chain_that_was_rewritten_past_the_triggers_is_found(tmp_path: Path) -> None:
    line = CommandLine(tmp_path / "home")
    line.run("host", "add", "web1", "ops@127.0.0.1")
    with line.app().app_context(), writing() as session:
        session.execute(text("DROP TRIGGER audit_event_keeps_values"))
        session.execute(text("UPDATE audit_event SET actor = 'x' WHERE number = 1"))
    broken = line.run("audit", "verify")
    assert (broken.code, broken.out.startswith("Event 1 ")) == (1, True)
