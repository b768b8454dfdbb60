"""``walissh eval``: labelled lines in, answers out."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from walissh.cli import cli


def run(task: str, *lines: object, home: Path | None = None) -> Result:
    """Run ``walissh eval TASK`` with *lines*, of which texts go in as they are."""
    text = "".join(f"{x if isinstance(x, str) else json.dumps(x)}\n" for x in lines)
    return CliRunner().invoke(
        cli, ["eval", task], input=text, env={"WALISSH_HOME": str(home)} if home else None
    )


def answers(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def write(**fields: object) -> dict[str, object]:
    known = {"op": "add", "at": "2025-02-01T09:00:00", "type": "USER_PREFERENCE"}
    return known | {"source": "user", "text": "", "subject": "pager", "scope": "global"} | fields


QUERY = {"at": "2025-09-01T12:00:00", "text": "which pager", "host": None}


def test_each_line_has_one_answer_in_order() -> None:
    commands = ["uptime", "rm -rf /srv/app", "free -m"]
    result = run("classify", *({"id": c, "command": c} for c in commands))
    assert [(each["id"], each["risk"]) for each in answers(result)] == [
        ("uptime", "read_only"),
        ("rm -rf /srv/app", "destructive"),
        ("free -m", "read_only"),
    ]


def test_a_judgement_has_its_reasons_and_whether_it_ends() -> None:
    (answer,) = answers(run("classify", {"id": "1", "command": "tail -f /var/log/syslog"}))
    assert answer["interactive"] is True
    assert answer["reasons"]


def test_spans_are_places_in_the_text_that_came_in() -> None:
    text = "db_user=shop\ndb_password=Kc9-vaPlum77\n"
    (answer,) = answers(run("redact", {"id": "1", "text": text}))
    [(start, end)] = answer["spans"]
    assert text[start:end] == "Kc9-vaPlum77"
    assert "Kc9-vaPlum77" not in str(answer["text"])


def test_the_newest_write_answers_a_conflict() -> None:
    writes = [write(value="less"), write(value="bat", at="2025-06-01T09:00:00")]
    result = run("conflict", {"id": "1", "writes": writes, "query": QUERY})
    assert answers(result) == [{"id": "1", "value": "bat"}]


def test_a_conflict_without_a_valid_write_is_null() -> None:
    writes = [write(value="less"), write(op="delete", at="2025-03-01T09:00:00")]
    result = run("conflict", {"id": "1", "writes": writes, "query": QUERY})
    assert answers(result) == [{"id": "1", "value": None}]


def test_a_conclusion_teaches_a_case() -> None:
    text = "Logrotate failed because /etc/logrotate.d/app had a typo. Fixed the typo; it runs."
    (answer,) = answers(run("extract", {"id": "1", "source": "assistant", "text": text}))
    (case,) = answer["memories"]
    assert case["type"] == "TROUBLESHOOTING_CASE"
    assert case["cause"] == "/etc/logrotate.d/app had a typo"
    assert case["fix"] == "Fixed the typo"


def test_a_preference_has_scope_and_op() -> None:
    line = {"id": "1", "source": "user", "text": "From now on, always answer in Spanish."}
    (answer,) = answers(run("extract", line))
    (preference,) = answer["memories"]
    assert (preference["scope"], preference["op"]) == ("global", "add")


def test_output_of_a_failed_command_teaches_nothing() -> None:
    line = {"id": "1", "source": "tool", "text": "nginx version: nginx/1.25.3", "rc": 127}
    assert answers(run("extract", line | {"command": "nginx -v"}))[0]["memories"] == []


def test_labels_are_not_read() -> None:
    line = {"id": "1", "text": "nothing here", "spans": 7, "expect": None, "value": ["odd"]}
    assert answers(run("redact", line))[0]["spans"] == []


@pytest.mark.parametrize("broken", ["{", "[1]", "7", '{"id": "2"}', '{"id": "2", "text": 5}'])
def test_a_malformed_line_ends_it_with_one_line_that_names_its_number(broken: str) -> None:
    result = run("redact", {"id": "1", "text": "fine"}, broken)
    assert result.exit_code == 2
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr.startswith("walissh eval redact: line 2: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "fields",
    [{"at": "soon"}, {"op": "merge"}, {"source": "rumour"}, {"type": "IDEA"}, {"value": 5}],
)
def test_a_write_that_is_none_is_refused(fields: dict[str, object]) -> None:
    result = run("conflict", {"id": "1", "writes": [write(**fields)], "query": QUERY})
    assert result.exit_code == 2
    assert f'"{next(iter(fields))}" must be' in result.stderr


def test_an_unknown_task_is_refused_and_names_the_tasks() -> None:
    result = run("guess")
    assert result.exit_code == 2
    for task in ("classify", "conflict", "extract", "recall", "redact"):
        assert task in result.stderr


def test_empty_input_gives_empty_output() -> None:
    assert answers(run("redact")) == []


def test_half_a_surrogate_pair_comes_back_as_it_was() -> None:
    assert answers(run("redact", '{"id": "1", "text": "a \\ud800 b"}'))[0]["text"] == "a \ud800 b"


def test_the_home_folder_is_left_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    answers(run("redact", {"id": "1", "text": "x"}, home=home))
    assert not home.exists()
