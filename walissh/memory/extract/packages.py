"""Packages that a package manager lists as installed; never what it could install."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from walissh.memory.entry import Found
from walissh.memory.extract import names
from walissh.memory.extract.commandline import Asked
from walissh.memory.extract.measured import software

Lines = Sequence[str]

MANY = 40
FEW = 8
"""Of more packages than this, only the well known ones count, unless they were asked for."""

MAX_ROW_CHARS = 400


class Row(NamedTuple):
    """A package and its version as printed."""

    name: str
    version: str


def answers_in_part(asked: Asked) -> bool:
    """Tell whether installed packages are listed although another one is missing."""
    return _format(asked) in {"dpkg", "query", "rpm", "pip_show"}


def read(asked: Asked, lines: Lines, _host: str) -> list[Found]:
    """Return the installed packages; of a long list only the well known ones."""
    kind = _format(asked)
    if not kind:
        return []
    if kind == "policy":
        rows = list(_policy(lines))
    elif kind == "snap_info":
        rows = list(_snap(lines))
    elif kind in {"pip_show", "dnf_info", "dpkg_s"}:
        rows = list(_records(lines, asked))
    else:
        shape = _SHAPES[kind]
        lines = lines if len(lines) <= MANY * 10 else [row for row in lines if _may_be_notable(row)]
        rows = [Row(m["n"], m["v"]) for row in lines if (m := shape.match(row, 0, MAX_ROW_CHARS))]
        rows = rows or _bare(asked, lines)
    rows = [Row(_plain(row.name), _version(row.version)) for row in dict.fromkeys(rows)]
    if len(rows) > MANY or (len(rows) > FEW and not _is_chosen(asked)):
        rows = [row for row in rows if names.notable(row.name)]
    rows.sort(key=lambda row: not row.name.endswith("-server"))  # what serves comes first
    return [software(row.name, row.version, asked.inside) for row in rows if row.version]


def _is_chosen(asked: Asked) -> bool:
    """Tell whether the list is of packages that were named or searched for."""
    named = [w for w in asked.words if w not in {"list", "ls", "installed", "show", "freeze"}]
    return bool(named or asked.patterns or any(f[0] in {"awk", "sed"} for f in asked.filters))


_V = r"(?P<v>(?:\d+:)?v?\d[\w.+~:^-]*)"
_SHAPES = {
    "dpkg": re.compile(rf"[ih]i\s+(?P<n>[\w.+-]+)(?::\w+)?\s+{_V}\s"),
    "query": re.compile(rf"(?:[ih]i\s+)?['\"]?(?P<n>[a-z0-9][\w.+-]+)(?::\w+)?(?:\s+"
                        rf"|[=:/|,]\s*){_V}"),
    "apt": re.compile(rf"(?P<n>[\w.+-]+)/\S+\s+{_V}\s+\S+\s+\[(?:installed|已安装)"),
    "rpm": re.compile(r"(?P<n>[A-Za-z][\w.+-]*)-(?P<v>(?:\d+:)?\d[\w.+~^]*-[\w.+~^]+?)"
                      r"(?:\.(?:x86_64|noarch|aarch64|i686|s390x|ppc64le))?(?:\s|$)"),
    "dnf": re.compile(rf"(?P<n>[\w.+-]+)\.(?:x86_64|noarch|aarch64|i686)\s+{_V}\s+@"),
    "apk": re.compile(r"(?P<n>[a-z][\w.+-]*?)-(?P<v>\d[\w.]*(?:-r\d+)?)(?:\s|$)"),
    "pip": re.compile(r"(?P<n>[A-Za-z][\w.-]*)(?:\s+|==)(?P<v>\d[\w.+!-]*)(?:\s|$)"),
    "npm": re.compile(r"[\s├└│─┬+`-]*(?P<n>@?[a-z][\w./@-]*?)@(?P<v>\d[\w.+-]*)(?:\s+(?:->"
                      r"|deduped).*)?$"),
    "gem": re.compile(r"(?P<n>[A-Za-z][\w-]*) \((?:default: )?(?P<v>\d[\w.]*)"),
    "snap": re.compile(rf"(?P<n>[a-z][\w-]*)\s+{_V}\s+\d+\s+\S+"),
    "pacman": re.compile(rf"(?P<n>[a-z0-9][\w.+@-]*)\s+{_V}$"),
    "zypper": re.compile(rf"i[+ ]*\s*\|\s*(?P<n>[\w.+-]+)\s*\|\s*package\s*\|\s*{_V}\s*\|"),
    "brew": re.compile(r"(?P<n>[a-z][\w@.+-]*) (?P<v>\d[\w.+]*)"),
    "cargo": re.compile(r"(?P<n>[a-z][\w-]*) v(?P<v>\d[\w.+-]*):"),
    "helm": re.compile(r"\S+\s+\S+\s+\d+\s+.*\sdeployed\s+(?P<n>[a-z][\w-]*?)-v?\d\S*"
                       r"\s+v?(?P<v>\d\S*)"),
    "dotnet": re.compile(r"(?P<n>Microsoft[\w.]+) (?P<v>\d\S+) \["),
    "sdks": re.compile(r"(?P<v>\d+\.\S+) \[.*/(?P<n>dotnet)/sdk\]"),
    "conda": re.compile(r"(?P<n>[a-z_][\w.-]*)\s+(?P<v>\d[\w.]*)\s+\S*_?\d\S*"),
    "images": re.compile(r"(?:.*\s)?(?:[\w.:-]+/)*(?P<n>[a-z][\w.-]*):v?(?P<v>\d+[\w.-]*)(?:\s|$)"),
}  # fmt: skip


def _format(asked: Asked) -> str:
    """Return which list of installed packages the command prints, "" if none."""
    program, args = asked.program, asked.args
    first = args[0] if args else ""
    letters = "".join(a[1:] for a in args if re.fullmatch(r"-[a-zA-Z]+", a))
    if program == "dpkg" and (first in {"-l", "--list"} or "l" in letters[:1]):
        return "dpkg"
    if program == "dpkg" and first in {"-s", "--status"}:
        return "dpkg_s"
    if program == "dpkg-query":
        return "dpkg" if "l" in letters else "query" if "ersion" in asked.said else ""
    if program == "apt":
        return (
            "apt"
            if "list" in args and ("--installed" in args or "installed" in asked.said)
            else "policy"
            if first == "policy"
            else ""
        )
    if program == "rpm":
        return _rpm(asked, letters)
    if program in {"dnf", "yum", "microdnf"}:
        return _dnf(asked)
    if program == "zypper":
        return "zypper" if re.search(r"-\w*i|--installed", asked.said) else ""
    return _FORMATS.get((program, first)) or _FORMATS.get((program, letters)) or _containers(asked)


_FORMATS = {
    ("apt-cache", "policy"): "policy", ("apk", "info"): "apk", ("apk", "version"): "apk",
    ("pip", "list"): "pip", ("pip", "freeze"): "pip", ("pip", "show"): "pip_show",
    ("pip3", "list"): "pip", ("pip3", "freeze"): "pip", ("pip3", "show"): "pip_show",
    ("npm", "ls"): "npm", ("npm", "list"): "npm", ("pnpm", "ls"): "npm", ("pnpm", "list"): "npm",
    ("yarn", "list"): "npm",
    ("gem", "list"): "gem", ("snap", "list"): "snap", ("snap", "info"): "snap_info",
    ("pacman", "Q"): "pacman",
    ("pecl", "list"): "pip", ("brew", "list"): "brew", ("cargo", "install"): "cargo",
    ("helm", "list"): "helm", ("helm", "ls"): "helm", ("conda", "list"): "conda",
    ("uv", "pip"): "pip", ("ansible-galaxy", "collection"): "pip",
    ("dotnet", "--list-runtimes"): "dotnet", ("dotnet", "--list-sdks"): "sdks",
}  # fmt: skip


def _rpm(asked: Asked, letters: str) -> str:
    other = {"p", "R", "changelog"} & set(letters) or re.search(
        r"--(?:requires|provides|changelog|whatrequires|conflicts|last|import)", asked.said
    )
    if "q" not in letters or other or {"l", "f", "c", "d", "s"} & set(letters) - {"f"}:
        return ""
    if "i" in letters:
        return "dpkg_s"
    return "query" if re.search(r"--qf|--queryformat", asked.said) else "rpm"


def _dnf(asked: Asked) -> str:
    if "list" in asked.args and "installed" in asked.said:
        return "dnf"
    if "info" in asked.args:
        return "dnf_info"
    both = "list" in asked.args and not re.search(r"available|updates|showdup|upgrade", asked.said)
    return "dnf" if both else ""  # the rows with an @ before the repository are installed


def _containers(asked: Asked) -> str:
    """Tell whether images of running containers are listed (``docker ps``)."""
    verbs = asked.words[:2]
    if verbs[:1] == ("inspect",) and "config.image" in asked.said:
        return "images"
    listing = verbs[:1] == ("ps",) or verbs in {
        ("container", "ls"),
        ("compose", "ps"),
        ("service", "ls"),
    }
    stopped = re.search(r"(?:^|\s)-\w*a|--all|status=exited", asked.said)
    return (
        "images"
        if asked.program in {"docker", "podman", "nerdctl"} and listing and not stopped
        else ""
    )


_HEAD = re.compile(r"(?:[ih]i\s+)?[\s├└│─┬+`-]*([a-zA-Z]+)")


def _may_be_notable(row: str) -> bool:
    head = _HEAD.match(row)
    return head is not None and names.begins_notable(head[1])


def _bare(asked: Asked, lines: Lines) -> list[Row]:
    """Pair versions that a format prints alone with the packages asked for."""
    formatted = re.search(r"-f|--showformat|--qf|--queryformat", asked.said)
    wanted = [w for w in asked.words if re.fullmatch(r"[a-z0-9][\w.+-]+", w)]
    values = [line.strip() for line in lines if line.strip()]
    whole = all(re.fullmatch(_V.replace("?P<v>", "?:"), v) for v in values)
    if not formatted or not whole or len(values) != len(wanted):
        return []
    return [Row(name, value) for name, value in zip(wanted, values, strict=True)]


# --- records --------------------------------------------------------------------------

_FIELD = re.compile(
    r"(?P<key>Package|Name|Version|Release|Status|名称|版本|发布)\s*:\s*(?P<v>\S.*)$"
)
_POLICY = re.compile(r"\s+(?:Installed|已安装)\s*[:：]\s*(?P<v>\d\S*)")


def _policy(lines: Lines) -> Iterator[Row]:
    """Yield what is installed; the candidate and the table of versions are not."""
    name = ""
    for line in lines:
        head = re.match(r"(?P<n>[a-z0-9][\w.+-]*)(?::\w+)?[:：]$", line.rstrip())
        installed = _POLICY.match(line)
        if head:
            name = head["n"]
        elif installed and name:
            yield Row(name, installed["v"])


def _snap(lines: Lines) -> Iterator[Row]:
    """Yield what is installed; the channels that offer others are not."""
    name = ""
    for line in lines:
        match = re.match(r"(name|installed):\s+v?(\S+)", line)
        if match and match[1] == "name":
            name = match[2]
        elif match and name and match[2][0].isdigit():
            yield Row(name, match[2])


def _records(lines: Lines, asked: Asked) -> Iterator[Row]:
    """Yield name and version of records of fields; *Available* sections are no facts."""
    name, removed = "", False
    only = asked.words[-1] if len(asked.words) == 1 or asked.program in {"pip", "pip3"} else ""
    for line in lines:
        if re.match(r"(?:Available|可安装|可用)", line):
            return
        field = _FIELD.match(line.strip())
        if field is None:
            continue
        key, value = field["key"], field["v"].strip()
        if key in {"Package", "Name", "名称"}:
            name, removed = value, False
        elif key == "Status":
            removed = " installed" not in value and value != "installed"
        elif key in {"Version", "版本"} and not removed and (name or only) and value[0].isdigit():
            yield Row(name or only, value.split()[0])


def _plain(name: str) -> str:
    """Return a package's name as products are called."""
    return names.package(name.rpartition("/")[2] if not name.startswith("@") else name).lower()


_IMAGE_BASE = re.compile(
    r"-(?:alpine|slim|bookworm|bullseye|buster|jammy|noble|trixie|debian|ubi\d?)\b.*$"
)


def _version(version: str) -> str:
    """Return the version without its epoch and trailing punctuation."""
    version = _IMAGE_BASE.sub("", version)
    return re.sub(r"^\d+:", "", version).rstrip(".,:;-").removeprefix("v")
