"""Who may pass along a path, as namei shows it."""

from walissh.brain import access

KEY = """\
f: /etc/ledger/keys/sign.pem
drwxr-xr-x root   root   /
drwxr-xr-x root   root   etc
drwxr-x--- root   ledger ledger
drwxr-xr-x root   root   keys
-rw------- deploy deploy sign.pem"""
LINKED = """\
f: /opt/app/current/run
drwxr-xr-x root root /
drwxr-xr-x root root opt
drwxr-xr-x root root app
lrwxrwxrwx root root current -> releases/9
drwxr-xr-x root root   releases
                       9 - No such file or directory"""
ABSOLUTE = """\
f: /srv/data/in/a.csv
drwxr-xr-x root root /
drwxr-xr-x root root srv
lrwxrwxrwx root root data -> /mnt/big
drwxr-xr-x root root   /
drwxr-xr-x root root   mnt
drwx------ root root   big
drwxr-xr-x root root in
-rw-r--r-- root root a.csv"""
SCRIPT = """\
f: /opt/jobs/nightly
drwxr-xr-x root root /
drwxr-xr-x root root opt
drwxr-xr-x root root jobs
-rw-r--r-- root root nightly
#!/bin/sh$"""


def rows(text: str) -> list[dict[str, object]]:
    """Return the rows that a probe makes of *text*."""
    return [{"text": line, "place": number} for number, line in enumerate(text.splitlines(), 1)]


def stop(text: str, user: str, groups: str, line: str = "cannot open it") -> tuple[object, ...]:
    """Return path, what is needed, and the line of what stops *user*."""
    found = access.stopped(rows(text), user, groups, line)
    return (found["path"], found["need"], found["place"]) if found else ()


def test_the_file_itself_stops_who_is_neither_owner_nor_in_its_group() -> None:
    assert stop(KEY, "ledger", "ledger") == ("/etc/ledger/keys/sign.pem", "r", 6)


def test_a_folder_on_the_way_stops_who_may_not_enter_it() -> None:
    assert stop(KEY, "www-data", "www-data") == ("/etc/ledger", "x", 4)


def test_the_owner_is_judged_by_the_bits_of_the_owner_alone() -> None:
    text = KEY.replace("drwxr-x---", "drwxr-xr-x").replace("-rw-------", "----r--r--")
    assert stop(text, "deploy", "deploy") == ("/etc/ledger/keys/sign.pem", "r", 6)
    assert stop(text, "ledger", "ledger deploy", "reads") == ("/etc/ledger/keys/sign.pem", "w", 6)


def test_root_is_stopped_by_nothing_but_a_missing_execute_bit() -> None:
    assert (
        stop(LINKED.replace("                       9 -", "drwx------ a a   9 #"), "root", "root")
        == ()
    )
    assert stop(SCRIPT, "root", "root") == ("/opt/jobs/nightly", "x", 5)


def test_a_folder_behind_an_absolute_link_is_on_the_way() -> None:
    assert stop(ABSOLUTE, "app", "app") == ("/mnt/big", "x", 7)


def test_a_line_about_writing_asks_for_the_bit_of_writing_first() -> None:
    text = ABSOLUTE.replace("drwx------", "drwxr-xr-x")
    assert stop(text, "app", "app", "cannot write the export")[1] == "w"


def test_a_new_file_needs_writing_in_its_folder() -> None:
    text = SCRIPT.replace(
        "-rw-r--r-- root root nightly", "                     new - No such file or directory"
    )
    assert stop(text, "app", "app") == ("/opt/jobs", "w", 4)


def test_what_could_not_be_seen_stops_nobody() -> None:
    hidden = KEY.replace(
        "-rw------- deploy deploy sign.pem", "                         sign.pem - Permission denied"
    )
    assert stop(hidden, "ledger", "ledger") == ()
    assert access.lost(rows(hidden)) is None


def test_a_dangling_link_is_named_with_its_target() -> None:
    found = access.lost(rows(LINKED))
    assert found is not None
    assert (found["link"], found["target"], found["path"], found["folder"]) == (
        "/opt/app/current",
        "releases/9",
        "/opt/app/releases/9",
        "/opt/app/releases",
    )


def test_a_way_asked_for_twice_is_walked_once() -> None:
    assert len(access.walked(rows(f"{KEY}\n{KEY}"))) == len(access.walked(rows(KEY)))


def test_the_folders_on_the_way_are_listed_once() -> None:
    assert access.ancestors(["/a/b/c", "/a/b/d"]) == ["/a", "/a/b", "/a/b/c", "/a/b/d"]
