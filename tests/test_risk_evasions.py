"""Ways around the read-only list, kind by kind: none of them may run unasked."""

from pathlib import Path

import pytest

from walissh.react.turn import Risk
from walissh.safety import risk

SECTIONS = (Path(__file__).parent / "evasions.txt").read_text("utf-8").split("\n## ")[1:]
KINDS = {name: rest.splitlines() for name, _, rest in (each.partition("\n") for each in SECTIONS)}


def asks(command: str) -> bool:
    judged = risk.classify(command)
    return judged.risk is not Risk.READ_ONLY or judged.interactive


def unasked(kind: str) -> list[str]:
    return [line for line in KINDS[kind] if line and not asks(line)]


def test_printing_a_tree_that_holds_credentials_asks() -> None:
    assert unasked("trees") == []


def test_a_roundabout_way_to_a_secret_file_or_its_copy_asks() -> None:
    assert unasked("roundabout") == []


def test_credentials_of_everyday_programs_ask() -> None:
    assert unasked("files") == []


def test_printing_a_variable_from_outside_asks() -> None:
    assert unasked("variables") == []


def test_the_environment_of_a_process_or_service_asks() -> None:
    assert unasked("environments") == []


def test_a_program_that_quotes_what_it_cannot_read_asks_for_a_secret_file() -> None:
    assert unasked("checkers") == []


def test_disks_memory_and_open_files_of_others_ask() -> None:
    assert unasked("raw") == []


def test_every_spelling_of_a_clouds_metadata_service_asks() -> None:
    assert unasked("cloud") == []


def test_the_socket_of_a_container_engine_asks() -> None:
    assert unasked("sockets") == []


def test_secret_files_and_foreign_trees_by_git_and_cmp_ask() -> None:
    assert unasked("git") == []


def test_sed_bracket_that_shells_read_differently_asks() -> None:
    assert unasked("sed") == []


def test_awk_slash_taken_for_the_other_kind_hides_nothing() -> None:
    assert unasked("awk") == []


def test_a_script_for_another_shell_than_bash_asks() -> None:
    assert unasked("shells") == []


def test_subscript_inside_a_test_asks() -> None:
    assert unasked("tests") == []


def test_a_value_that_the_line_itself_sets_is_not_assumed() -> None:
    assert unasked("assumed") == []


def test_a_second_statement_for_nft_asks() -> None:
    assert unasked("nft") == []


def test_no_syntax_of_the_shell_hides_a_command() -> None:
    assert unasked("syntax") == []


def test_no_option_or_argument_of_a_reading_program_acts_unasked() -> None:
    assert unasked("programs") == []


@pytest.mark.parametrize(
    "command",
    [
        "grep -rn worker /etc/nginx",
        "grep -rl Listen /etc",
        "grep -rc error /var/log/nginx",
        "diff -rq /etc/nginx /srv/nginx",
        "cd /var/log && tail -n 5 syslog",
        "cat /etc/ssh/ssh_host_rsa_key.pub",
        "cat .env.example",
        "tail -n 5 /var/log/app.log.1",
        "ps -ef",
        "ps aux --sort=-%mem",
        "ps -eo pid,etime,args --sort=-etime",
        "ps axo pid,comm,etime",
        "ps -p 1 -o etime=",
        "echo $HOME $SHELL $?",
        "echo $TERM",
        "x=$(hostname); echo $x",
        "systemctl show -p ActiveState,MainPID nginx",
        "sed 's/[0-9]/N/g' f",
        "awk '{print $1 / $2}' f",
        "nft list ruleset",
        "cat /proc/1/status",
        "smartctl -H /dev/sda",
        "git log --oneline -5 -- src/app.py",
        "tar -tzf backup.tar.gz",
        "mdadm --detail /dev/md0",
        "zpool status -x",
        "fuser -v 80/tcp",
        "apt-get -s upgrade",
        "conntrack -C",
        "mysqladmin ping",
    ],
)
def test_what_looks_alike_but_is_harmless_needs_no_click(command: str) -> None:
    assert not asks(command), risk.classify(command).reasons


@pytest.mark.parametrize(
    "command",
    ["ls " + "a " * 45_000, "$(" * 300 + ")" * 300, "a;" * 49_000, "ls " + "x" * 95_000,
     'echo "$(' * 100 + ')"' * 100, "if a; then " * 200 + "b" + ";fi" * 200, "ls " + "''" * 45_000],
    ids=["words", "nested", "commands", "long", "quoted", "ifs", "quotes"],
)  # fmt: skip
def test_a_line_too_big_to_judge_never_reaches_the_parser(command: str) -> None:
    judged = risk.classify(command)
    assert judged.risk is Risk.OPAQUE
    assert {each.code for each in judged.reasons} <= {"too_many", "too_deep"}
