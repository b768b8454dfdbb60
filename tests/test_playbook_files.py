"""Files: who is barred by which element of a path, and what is not there."""

from tests.offline_ailing import ailing, cause_of, cited, ps
from tests.offline_talk import Machine

SINCE = "2026-11-30 11:59:50"
ZH = "票据服务 ticketd 从今天早上开始处理不了，为什么？"
EN = "The service ticketd has done nothing since this morning. Why?"
LOG = "/var/log/ticketd/ticketd.log"
USERS = "==> users <==\nticket is in ticket mail\nroot is in root\n"


def host(line: str, looked: str) -> Machine:
    """Return a machine whose ticketd logs *line*, and whose paths look like *looked*."""
    runs = [ps(310, "/usr/bin/python3 /opt/ticketd/ticketd.py", user="ticket")]
    given = {"namei -l": looked + USERS, "grep -HsIan -m1": "end\n", "/etc/crontab": "end\n"}
    return ailing(runs, {LOG: f"{SINCE} ERROR ticketd[310]: {line}"}, more=given)


def way(path: str, *elements: str) -> str:
    """Return what namei says of *path*: folders of root, then *elements*."""
    return "\n".join([f"==> {path} <==", f"f: {path}", "drwxr-xr-x root root /", *elements, ""])


def test_a_file_that_root_made_is_named_with_its_mode_and_the_user_it_bars() -> None:
    path = "/var/lib/ticketd/next.id"
    looked = way(
        path,
        "drwxr-xr-x root root var",
        "drwxr-xr-x root root lib",
        "drwxr-xr-x ticket ticket ticketd",
        "-rw-r--r-- root root next.id",
    )
    given = host(f"cannot save the counter: [Errno 13] Permission denied: '{path}'", looked)
    said = cause_of(given, zh=ZH, en=EN)
    assert all(part in said["zh"] for part in (path, "`644`", "`root`:`root`", "`ticket`", "写"))
    assert all(part in said["en"] for part in (path, "`644`", "user `ticket` may not write"))
    assert any("namei -l" in each for each in cited(given, EN))


def test_a_folder_that_may_not_be_entered_is_named_instead_of_the_file_in_it() -> None:
    path = "/etc/ticketd/keys/sign.pem"
    looked = way(
        path,
        "drwxr-xr-x root root etc",
        "drwxr-xr-x root root ticketd",
        "drwx------ deploy deploy keys",
        "-rw-r--r-- deploy deploy sign.pem",
    )
    said = cause_of(host(f"open {path}: permission denied", looked), zh=ZH, en=EN)
    assert "`/etc/ticketd/keys` 的属主是 `deploy`:`deploy`" in said["zh"]
    assert "may not enter" in said["en"]


def test_a_dangling_link_is_named_with_where_it_points() -> None:
    path = "/srv/ticketd/forms/a.xml"
    looked = way(
        path,
        "drwxr-xr-x root root srv",
        "drwxr-xr-x root root ticketd",
        "lrwxrwxrwx root root forms -> /mnt/forms-2",
        "drwxr-xr-x root root   /",
        "drwxr-xr-x root root   mnt",
        "                       forms-2 - No such file or directory",
    )
    said = cause_of(host(f"[Errno 2] No such file or directory: '{path}'", looked), zh=ZH, en=EN)
    assert all(part in said["zh"] for part in ("/srv/ticketd/forms", "悬空", "/mnt/forms-2"))
    assert "dangling" in said["en"]


def test_a_folder_that_is_gone_is_named() -> None:
    path = "/run/ticketd/queue/1"
    looked = way(
        path, "drwxr-xr-x root root run", "                     ticketd - No such file or directory"
    )
    said = cause_of(host(f"[Errno 2] No such file or directory: '{path}'", looked), zh=ZH, en=EN)
    assert "`/run/ticketd` 不存在" in said["zh"]
    assert "`/run/ticketd` does not exist" in said["en"]


def test_what_may_be_passed_now_is_no_cause() -> None:
    path = "/var/lib/ticketd/next.id"
    looked = way(
        path,
        "drwxr-xr-x root root var",
        "drwxr-xr-x root root lib",
        "drwxr-xr-x ticket ticket ticketd",
        "-rw-r--r-- ticket ticket next.id",
    )
    old = host(f"cannot save: [Errno 13] Permission denied: '{path}'", looked)
    assert all("644" not in text for text in cause_of(old, zh=ZH, en=EN).values())
