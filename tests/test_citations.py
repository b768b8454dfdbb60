"""Marks become numbers that point at lines of commands that ran."""

from datetime import UTC, datetime

from walissh.react import citations
from walissh.react.turn import CommandRun, CommandStatus, Risk

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def a_run(
    run_id: str, lines: int = 5, status: CommandStatus = CommandStatus.FINISHED
) -> CommandRun:
    return CommandRun(
        id=run_id,
        turn_id="t",
        session_id="s",
        user_id="u",
        step=1,
        tool_call_id="c",
        host_id="h",
        host="web1",
        host_revision=1,
        command="uptime",
        reason="",
        status=status,
        risk=Risk.READ_ONLY,
        reasons=(),
        limit_s=10,
        exit_code=0,
        error="",
        phase="",
        ended_by="exited",
        output_head="",
        output_tail="",
        output_chars=0,
        output_lines=lines,
        created_at=NOW,
        started_at=NOW,
        finished_at=NOW,
    )


RUNS = [a_run("aaaa1111"), a_run("bbbb2222")]


def places(text: str) -> tuple[str, list[tuple[int, str, int, int]]]:
    told, found = citations.resolve(text, RUNS)
    return told, [(c.n, c.command_id, c.first_line, c.last_line) for c in found]


def test_marks_are_numbered_as_they_come() -> None:
    assert places("x [[bbbb2222:2-3]] y [[aaaa1111:1]]") == (
        "x [1] y [2]",
        [(1, "bbbb2222", 2, 3), (2, "aaaa1111", 1, 1)],
    )


def test_equal_places_share_a_number() -> None:
    assert places("[[aaaa1111:1-1]] [[aaaa1111:1]]")[0] == "[1] [1]"


def test_a_shortened_id_is_enough_while_it_is_clear() -> None:
    assert places("[[bbbb:1]]")[1] == [(1, "bbbb2222", 1, 1)]


def test_a_mark_without_lines_means_the_whole_output() -> None:
    assert places("[[aaaa1111]]")[1] == [(1, "aaaa1111", 1, 5)]


def test_lines_beyond_the_output_are_brought_back_into_it() -> None:
    assert places("[[aaaa1111:4-99]] [[aaaa1111:77]]")[1] == [
        (1, "aaaa1111", 4, 5),
        (2, "aaaa1111", 5, 5),
    ]


def test_a_source_that_does_not_exist_is_no_source() -> None:
    assert places("x[[cccc3333:1]]") == ("x", [])


def test_plain_numbers_mean_the_commands_in_order() -> None:
    assert places("load is high [2].")[1] == [(1, "bbbb2222", 1, 5)]


def test_a_number_that_no_command_has_stays_as_it_is() -> None:
    assert places("see [7] and a[1] and [1](http://x)") == (
        "see [7] and a[1] and [1](http://x)",
        [],
    )


def test_a_command_that_was_denied_is_no_source() -> None:
    denied = [a_run("dddd4444", status=CommandStatus.DENIED)]
    assert citations.resolve("[[dddd4444]]", denied) == ("", ())


def test_plain_numbers_count_commands_that_did_not_run_as_well() -> None:
    runs = [a_run("aaaa1111", status=CommandStatus.REFUSED), a_run("bbbb2222")]
    told, found = citations.resolve("idle [2]", runs)
    assert (told, [c.command_id for c in found]) == ("idle [1]", ["bbbb2222"])
