"""Space: what fills a volume, down to the file and what makes it."""

import pytest

from tests.offline_ailing import NOW_S, ailing, cause_of, cited, ps

HEAD = "Filesystem     1024-blocks    Used Available Capacity Mounted on\n"
ROOT = "/dev/vda1         41251136 9371648  31879488      23% /\n"
SINCE = "2026-11-30 11:59:50"
NO_SPACE = {
    "/var/log/press/press.log": f"{SINCE} ERROR press[300]: page 7 not written: [Errno 28] "
    "No space left on device: '/vol/press/pages/7.tif'"
}
ZH = "排版服务 press 从早上开始写不了文件，为什么？"
EN = "The press service cannot write files since this morning. Why?"
Machine = dict[str, str]


def full(sizes: str, contents: str, *, deleted: str = "", percent: int = 100) -> Machine:
    """Return what is said of ``/vol/press``: its sizes, and what lies in the largest part."""
    free = 0 if percent == 100 else 64000
    volume = (
        f"/dev/vdb1           409600  {409600 - free}         {free}     {percent}% /vol/press\n"
    )
    return {
        "C df -Pk": HEAD + ROOT + volume,
        "du -xak /vol/press": sizes,
        "lsof -nP +L1": deleted,
        "echo '==> files <=='": contents,
        "grep -E '^[^ ]+ [^ ]+ (ext": "",
        "dmesg": "",
    }


def listed(*names: str, size: int = 104857600) -> str:
    """Return a listing of files as the probe of contents shows it."""
    lines = [f"-rw-r--r-- 1 root root {size} {NOW_S - 86400} {name}" for name in names]
    return "\n".join(["==> files <==", *lines, "==> count <==", str(len(names)), ""])


BACKUPS = full(
    "409600\t/vol/press\n312000\t/vol/press/backup\n90000\t/vol/press/pages\n",
    listed("pages-1.tar", "pages-2.tar", "pages-3.tar")
    + "==> mentioned <==\n/opt/press/keep.sh:7:tar -cf /vol/press/backup/pages-$n.tar pages\n",
)
DEBUG_LOG = full(
    "409600\t/vol/press\n380000\t/vol/press/logs\n372000\t/vol/press/logs/press.log\n",
    listed("/vol/press/logs/press.log")
    + "==> open <==\npython3 300 press 4w REG 254,17 380928000 77 /vol/press/logs/press.log\n"
    + "==> debug <==\n/etc/press/press.ini:4:log_level = DEBUG\n"
    + f"==> tail <==\n{SINCE} DEBUG press[300]: glyph 881\n",
)
HELD = full(
    "1200\t/vol/press\n800\t/vol/press/pages\n",
    listed("1.tif"),
    deleted="COMMAND PID USER FD TYPE DEVICE SIZE/OFF NLINK NODE NAME\n"
    "python3 300 press 5w REG 254,17 410000000 0 78 /vol/press/spool.dat (deleted)\n",
)


@pytest.mark.parametrize(
    ("given", "zh", "en"),
    [
        (
            BACKUPS,
            ["/vol/press", "100%", "备份", "keep.sh"],
            ["backups", "never pruned", "keep.sh"],
        ),
        (DEBUG_LOG, ["press.log", "debug", "press.ini", "PID 300"], ["debug level", "DEBUG"]),
        (HELD, ["已删除", "spool.dat", "PID 300"], ["deleted", "spool.dat", "PID 300"]),
    ],
)
def test_what_fills_a_volume_is_named(given: Machine, zh: list[str], en: list[str]) -> None:
    host = ailing(
        [ps(300, "/usr/bin/python3 /opt/press/press.py", user="press")], NO_SPACE, more=given
    )
    said = cause_of(host, zh=ZH, en=EN)
    assert all(part in said["zh"] for part in zh), said["zh"]
    assert all(part in said["en"] for part in en), said["en"]
    assert any("df -Pk" in each for each in cited(host, EN))


def test_a_volume_without_inodes_is_told_from_one_without_space() -> None:
    inodes = (
        "Filesystem Inodes IUsed IFree IUse% Mounted on\n/dev/vdb1 3200 3200 0 100% /vol/press\n"
    )
    given = full("", listed("ses_1", "ses_2", size=40), percent=31)
    given |= {"C df -Pi": inodes, "du --inodes": "3200\t/vol/press\n3190\t/vol/press/tickets\n"}
    said = cause_of(ailing([], NO_SPACE, more=given), zh=ZH, en=EN)
    assert "inode 用完了" in said["zh"]
    assert "/vol/press/tickets" in said["zh"]
    assert "no inodes left" in said["en"]


def test_a_mount_that_became_read_only_is_named_with_its_options() -> None:
    log = {
        "/var/log/press/press.log": f"{SINCE} ERROR press[300]: page 7 refused: storage error 30"
    }
    given = full("", "", percent=31)
    given["grep -E '^[^ ]+ [^ ]+ (ext"] = (
        "/dev/vdb1 /vol/press ext4 ro,noatime 0 0\n"
        "fstab:5:/dev/vdb1 /vol/press ext4 ro,noatime 0 2\n"
    )
    said = cause_of(
        ailing([], log, more=given),
        zh="排版服务 press 报 storage error，磁盘写不进去，为什么？",
        en="The press service says storage error and its disk takes no page. Why?",
    )
    assert all(part in said["zh"] for part in ("/vol/press", "只读", "第 5 行")), said
    assert all(part in said["en"] for part in ("/vol/press", "read-only", "line 5"))


def test_a_volume_with_room_is_no_cause() -> None:
    calm = {"/var/log/press/press.log": f"{SINCE} INFO press[300]: page 7 written"}
    given = full("", "", percent=31)
    assert cause_of(ailing([], calm, more=given), zh=ZH, en=EN) == {"zh": "", "en": ""}
