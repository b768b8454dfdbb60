"""What protects the machine and what limits its programs."""

import re

from walissh.memory.extract.commandline import Asked
from walissh.memory.extract.shapes import Lines, PairReader, Pairs, labelled, only


def _getenforce(_: Asked, lines: Lines) -> Pairs:
    if only(lines) in {"Enforcing", "Permissive", "Disabled"}:
        yield "selinux", only(lines)


_SESTATUS = labelled({"SELinux status": "selinux", "Current mode": "selinux mode",
                       "Loaded policy name": "selinux policy"})  # fmt: skip

_LIMITS = {"n": "nofile limit", "u": "process limit", "l": "memlock limit", "s": "stack limit",
           "c": "core limit", "v": "memory limit"}  # fmt: skip


def _ulimit(asked: Asked, lines: Lines) -> Pairs:
    letters = "".join(a.lstrip("-") for a in asked.args if a.startswith("-"))
    name = next((_LIMITS[c] for c in letters if c in _LIMITS), "")
    if name and re.fullmatch(r"\d+|unlimited", only(lines)):
        yield name, only(lines)
    for line in lines if "a" in letters else ():
        match = re.match(r"(open files|max user processes).*\)\s+(\d+|unlimited)", line)
        if match:
            yield "nofile limit" if match[1] == "open files" else "process limit", match[2]


def _proc_limits(asked: Asked, lines: Lines) -> Pairs:
    if re.search(r"/proc/\d+/", " ".join(asked.args)):
        return  # whose number that was, nobody knows tomorrow
    for line in lines:
        match = re.match(r"Max (open files|processes)\s+(\S+)\s+(\S+)", line)
        if match:
            yield "nofile limit" if match[1] == "open files" else "process limit", match[2]


def _limits_conf(_: Asked, lines: Lines) -> Pairs:
    for line in lines:
        match = re.match(
            r"(?:[\w/.-]+:)?\s*([@*]?[\w.*-]+)\s+(soft|hard|-)\s+(nofile|nproc|memlock|core|stack)\s+(\S+)",
            line,
        )
        if match:
            yield f"{match[3]} limit {match[1]} {match[2]}", match[4]


def _target(asked: Asked, lines: Lines) -> Pairs:
    if "get-default" in asked.args and re.fullmatch(r"[\w-]+\.target", only(lines)):
        yield "default target", only(lines)
    if asked.words[:1] == ("is-enabled",) and only(lines) in {"enabled", "disabled", "masked"}:
        yield f"{asked.words[-1].removesuffix('.service')} at boot", only(lines)


_SYS = re.compile(
    r"/sys/\S*/(transparent_hugepage/enabled|scheduler|scaling_governor|mtu|address)$"
)


def _sys(asked: Asked, lines: Lines) -> Pairs:
    path = next((m for a in asked.args if (m := _SYS.search(a))), None)
    if path and re.fullmatch(r"[\w\[\] :-]{1,60}", only(lines)):
        yield path[0].removeprefix("/sys/").replace("/", " "), only(lines)


def _getconf(asked: Asked, lines: Lines) -> Pairs:
    if "_NPROCESSORS_ONLN" in asked.args or "_NPROCESSORS_CONF" in asked.args:
        yield "cpu count", only(lines) if only(lines).isdigit() else ""
    elif {"PAGE_SIZE", "PAGESIZE", "LONG_BIT"} & set(asked.args) and only(lines).isdigit():
        yield asked.args[0].lower().replace("_", " "), only(lines)


def _tuned(_: Asked, lines: Lines) -> Pairs:
    match = re.match(r"Current active profile: (\S+)", lines[0]) if lines else None
    if match:
        yield "tuned profile", match[1]


BY_PROGRAM: dict[str, PairReader] = {
    "getconf": _getconf, "getenforce": _getenforce, "sestatus": _SESTATUS, "ulimit": _ulimit,
    "prlimit": _proc_limits, "systemctl": _target, "tuned-adm": _tuned,
}  # fmt: skip
BY_FILE: tuple[tuple[re.Pattern[str], PairReader], ...] = (
    (_SYS, _sys),
    (re.compile(r"/proc/(?:\d+|self|\$\S*)/limits"), _proc_limits),
    (re.compile(r"/etc/security/limits"), _limits_conf),
)
