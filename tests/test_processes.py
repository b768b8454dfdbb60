"""A look at the processes does not see itself."""

from walissh.brain import processes
from walissh.brain.parse import Row


def row(pid: int, ppid: int, args: str) -> Row:
    return {"pid": pid, "ppid": ppid, "args": args}


SERVICE = row(40, 1, "/usr/bin/python3 /opt/till/till.py")
LISTENER = row(1, 0, "sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups")
SHELL = row(52, 51, "bash -c nginx -t")


def test_what_a_session_without_terminal_started_is_left_out_with_all_below_it() -> None:
    session = row(51, 50, "sshd: ada@notty")
    below = [SHELL, row(53, 52, "sudo -n nginx -t"), row(54, 53, "nginx -t")]
    assert processes.of_others([LISTENER, session, *below, SERVICE]) == [LISTENER, SERVICE]


def test_the_session_of_a_person_at_a_terminal_stays() -> None:
    session = row(51, 50, "sshd: ada@pts/0")
    assert processes.of_others([session, SHELL]) == [session, SHELL]


def test_a_circle_of_parents_ends() -> None:
    rows = [row(2, 3, "sshd-session: ada@notty"), row(3, 2, "sh")]
    assert processes.of_others(rows) == []
