"""Disks, file systems, mounts and volumes: names, sizes and places, never how full they are."""

import re
from collections.abc import Callable, Iterator, Sequence

from walissh.memory.entry import Found
from walissh.memory.extract.commandline import Asked
from walissh.memory.extract.measured import environment

Lines = Sequence[str]
Pairs = Iterator[tuple[str, str]]

MAX_ROWS = 400

_REAL = re.compile(
    r"(?:ext[234]|xfs|btrfs|zfs|f2fs|jfs|reiserfs|vfat|exfat|ntfs3?|fuseblk|nfs\d?|cifs|smb3?|ceph|"
    r"lustre|beegfs|ocfs2|gfs2|bcachefs|hfs\w*|apfs|ufs|"
    r"fuse\.(?:sshfs|glusterfs|ceph\S*|s3fs|rclone|juicefs|mergerfs|cephfs|mfs|lustre)|glusterfs|"
    r"JuiceFS|swap)"
)
_DEVICE = re.compile(
    r"/dev/(?!loop|ram|zram|fuse|shm)\S+|[\w.:\[\]-]+:/?\S*|//\S+|[A-Za-z][\w.-]*(?:/[\w.-]+)+"
    r"|(?:UUID|LABEL|PARTUUID|PARTLABEL)=\S+"
)
_SYSTEM_PLACE = re.compile(
    r"/(?:proc|sys|dev|run|snap|tmp)(?:/|$)|/etc/(?:hosts|hostname|resolv\.conf)$"
    r"|.*/(?:overlay2?|containers?|containerd|\.snapshots?|aufs)/|.*/kubelet/|/var/lib/docker/.+"
)


def read(asked: Asked, lines: Lines, _host: str) -> Iterator[Found]:
    """Yield disks and mounts of the commands that list them."""
    reader = _BY_PROGRAM.get(asked.program)
    shown = " ".join(asked.args)
    if asked.program in {"cat", "grep", "head", "tail"}:
        reader = next((r for part, r in _BY_FILE.items() if part in shown), None)
    if reader is not None:
        for subject, value in reader(asked, lines[:MAX_ROWS]):
            yield environment(subject, value, asked.inside)


_DF = re.compile(
    r"(?P<dev>\S+)\s+(?:(?P<type>[A-Za-z]\w*[\w.]*)\s+)?(?P<size>[\d.]+[KMGTPE]?i?B?)\s+[\d.]+[KMGTPE]?i?B?\s+"
    r"[\d.-]+[KMGTPE]?i?B?\s+(?:\d+%|-)\s+(?P<at>/\S*)$"
)
_UNITS = {"1K": "KiB", "1024": "KiB", "1M": "MiB", "1G": "GiB", "1B": "bytes", "512": "x 512 bytes",
          "1": "bytes"}  # fmt: skip


def _df(asked: Asked, lines: Lines) -> Pairs:
    if re.search(r"(?:^|\s)-\w*i|--inodes|--output", asked.said):
        return
    unit = _df_unit(asked, lines)
    for line in lines:
        row = _DF.match(line.strip())
        if row is None or _is_pseudo(row["dev"], row["type"] or "", row["at"]):
            continue
        if row["size"].isdigit() and not unit:
            continue
        size = row["size"] + (f" {unit}" if row["size"].isdigit() else "")
        kind = f" {row['type']}" if row["type"] else ""
        yield f"disk {row['at']}", f"{row['dev']} on {row['at']}{kind}, {size}"


def _df_unit(asked: Asked, lines: Lines) -> str:
    """Return the unit of plain numbers, as the header or the flags say it; "" if unknown."""
    head = re.search(r"\b(\d+[KMGB]?)-(?:blocks|块)", lines[0]) if lines else None
    if head:
        return _UNITS.get(head[1], "")
    flag = re.search(r"(?:^|\s)-\w*?([km])\b", asked.said)
    if re.search(r"(?:^|\s)-B|--block-size", " ".join(asked.args)):
        return ""
    return "MiB" if flag and flag[1] == "m" else "KiB"


def _is_pseudo(device: str, kind: str, place: str) -> bool:
    """Tell whether it is no disk: of the kernel, in memory, a layer, a loop or a sandbox's."""
    if _SYSTEM_PLACE.match(place) or device.startswith(("/dev/loop", "/dev/fuse")):
        return True
    if kind:
        return _REAL.fullmatch(kind) is None
    return _DEVICE.fullmatch(device) is None and place != f"/{device}"


_LSBLK = re.compile(
    r"[\s├└─│|`-]*(?P<name>[a-z][\w/-]*)\s+(?:\d+:\d+\s+[01]\s+)?(?P<size>[\d.]+[KMGTPE]?)\s+(?:[01]\s+)?"
    r"(?P<type>disk|part|lvm|raid\d+|crypt|mpath|md)\b\s*(?P<at>/\S*|\[SWAP\])?"
)


_WITH_TYPES = re.compile(
    r"[\s├└─│|`-]*(?P<name>[a-z][\w/-]*)\s+(?P<type>[a-z]\w+)\s(?:.*\s)?(?P<at>/\S*)\s*$"
)


def _lsblk(_: Asked, lines: Lines) -> Pairs:
    typed = bool(lines) and "FSTYPE" in lines[0]
    for line in lines:
        formatted = _WITH_TYPES.match(line) if typed else None
        if formatted and not _is_pseudo(formatted["name"], formatted["type"], formatted["at"]):
            place = formatted["at"]
            yield f"disk {place}", f"{formatted['name']} on {place} {formatted['type']}"
        row = None if formatted else _LSBLK.match(line)
        if row is None or row["name"].startswith(("loop", "zram")):
            continue
        place = row["at"] or ""
        if place.startswith("/"):
            yield f"disk {place}", f"{row['name']} on {place}, {row['size']} {row['type']}"
        elif row["type"] in {"disk", "lvm", "md"} or row["type"].startswith("raid"):
            yield f"disk {row['name']}", f"{row['name']} {row['size']} {row['type']}"


_MOUNT = re.compile(r"(?P<dev>\S+) on (?P<at>/\S*) type (?P<type>[\w.]+)")
_TABLE = re.compile(r"(?P<dev>[^#\s]\S*)\s+(?P<at>/\S*)\s+(?P<type>[a-z][\w.]*)\s+[\w,=./-]+")
_FINDMNT = re.compile(r"[\s├└─│|`-]*(?P<at>/\S*)\s+(?P<dev>\S+)\s+(?P<type>[a-z][\w.]*)\s")


def _mounts(shape: re.Pattern[str]) -> Callable[[Asked, Lines], Pairs]:
    def reader(_: Asked, lines: Lines) -> Pairs:
        for line in lines:
            row = shape.match(line)
            if row and not _is_pseudo(row["dev"], row["type"], row["at"]):
                yield f"mount {row['at']}", f"{row['dev']} on {row['at']} type {row['type']}"

    return reader


_VOLUMES = {
    "vgs": re.compile(r"\s+(?P<name>\S+)\s+\d+\s+\d+\s+\d+\s+\S+\s+(?P<size><?[\d.]+[a-zA-Z])\s"),
    "pvs": re.compile(r"\s+(?P<name>/dev/\S+)\s+\S+\s+lvm2\s+\S+\s+(?P<size><?[\d.]+[a-zA-Z])\s"),
    "lvs": re.compile(r"\s+(?P<name>\S+\s+\S+)\s+[\w-]{10}\s+(?P<size><?[\d.]+[a-zA-Z])(?:\s|$)"),
    "zpool": re.compile(r"(?P<name>[a-z]\S*)\s+(?P<size>[\d.]+[KMGTP])\s"),
    "zfs": re.compile(r"(?P<name>[a-z]\S*)\s+\S+\s+\S+\s+\S+\s+(?P<size>/\S*)$"),
    "mdstat": re.compile(r"(?P<name>md\w+) : active (?P<size>(?:raid\d+|linear).*)"),
}


def _volumes(shape: re.Pattern[str]) -> Callable[[Asked, Lines], Pairs]:
    def reader(_: Asked, lines: Lines) -> Pairs:
        for line in lines:
            row = shape.match(line)
            if row:
                name = " ".join(row["name"].split()[::-1])
                yield f"volume {name}", f"{name} {row['size']}"

    return reader


def _fdisk(_: Asked, lines: Lines) -> Pairs:
    for line in lines:
        row = re.match(r"(?:Disk|磁盘)\s*(/dev/(?!loop|ram)\S+?)[:：]\s*([\d.]+ [KMGT]i?B)", line)
        if row:
            yield f"disk {row[1]}", f"{row[1]} {row[2]}"


def _exports(_: Asked, lines: Lines) -> Pairs:
    for line in lines:
        row = re.match(r"(/\S+)\s+(\S+)", line)
        if row:
            yield f"export {row[1]}", f"{row[1]} to {row[2]}"


_BY_PROGRAM = {
    "df": _df, "lsblk": _lsblk, "mount": _mounts(_MOUNT), "findmnt": _mounts(_FINDMNT),
    **{name: _volumes(shape) for name, shape in _VOLUMES.items() if name != "mdstat"},
    "fdisk": _fdisk, "exportfs": _exports,
}  # fmt: skip
_BY_FILE = {
    "/etc/fstab": _mounts(_TABLE), "/proc/mounts": _mounts(_TABLE), "/etc/mtab": _mounts(_TABLE),
    "/proc/mdstat": _volumes(_VOLUMES["mdstat"]), "/etc/exports": _exports,
}  # fmt: skip
