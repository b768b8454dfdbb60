"""Settings in force: uncommented lines of configuration, and services asked for a value.

Only settings that last and that no secret hides in are read: ports, places, sizes, limits.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import yaml

from walissh.memory.entry import Found
from walissh.memory.extract import names, queries
from walissh.memory.extract.commandline import Asked
from walissh.memory.extract.measured import environment

Lines = Sequence[str]
Pairs = Iterator[tuple[str, str]]

MAX_ROWS = 6000
MAX_FOUND = 25
MANY = 60


def read(asked: Asked, lines: Lines, host: str) -> Iterator[Found]:
    """Yield durable settings; what is commented out or merely declared is none."""
    pairs = _pairs(asked, lines[:MAX_ROWS], host)
    for count, (subject, value) in enumerate(pairs):
        if count >= MAX_FOUND:
            return
        yield environment(subject, value, asked.inside)


def _pairs(asked: Asked, lines: Lines, host: str) -> Pairs:
    who = _shown_config(asked)
    if who:
        return _configuration(lines, who)
    if asked.program in {"sysctl"} or any("/proc/sys/" in a for a in asked.args):
        return _kernel(asked, lines)
    if asked.program in {"env", "printenv", "echo"}:
        return _homes(asked, lines)
    if asked.program == "php" and {"--ini", "-i"} & set(asked.args):
        return _php(lines)
    if asked.program in {"postconf", "getconf"}:
        return _configuration(lines, names.product(asked.program))
    if names.server(asked.program) and queries.asks_here(asked, host):
        return _asked_values(asked, lines)
    return iter(())


# --- configuration --------------------------------------------------------------------

_FILE = re.compile(r"\.(?:conf|cnf|cfg|ini|properties|ya?ml|toml|config|xml|hcl|json)$"
                   r"|/etc/[\w./-]+$|"
                   r"sites-(?:enabled|available)/|conf\.d/")  # fmt: skip
_NOT_IN_FORCE = re.compile(
    r"compose\S*\.ya?ml|package(?:-lock)?\.json|Dockerfile|requirements|Chart\.yaml|values"
    r"\S*\.yaml|pom\.xml|"
    r"composer\.|pyproject|Cargo|go\.(?:mod|sum)|\.example|\.sample|\.dist|\.bak|\.orig|"
    r"\.default|\.rpmnew|\.rpmsave|\.old|~|\.dpkg-|"
    r"-release|shadow|passwd|/\.my\.cnf|\.pgpass|secret|credential|\.env|/backup|playbook|galaxy"
    r"|Gemfile|changelog|README|"
    r"\.lock|\.tf$|\.log$|\.md$|tsconfig|\.gitlab-ci|/tmp/|inventory",
    re.I,
)
_DUMPS = {
    ("nginx", "-T"), ("sshd", "-T"), ("apachectl", "-S"), ("httpd", "-S"), ("apache2ctl", "-S"),
    ("postconf", "-n"), ("haproxy", "-dC"), ("mysqld", "--print-defaults"), ("testparm", "-s"),
}  # fmt: skip
_SHOWING = frozenset("cat grep egrep rg head tail sed awk zgrep more less".split())  # noqa: SIM905


def _shown_config(asked: Asked) -> str:
    """Return whose configuration is shown, "" if it is none, or not one in force."""
    if any((asked.program, arg) in _DUMPS for arg in asked.args):
        return names.product(asked.program)
    if asked.program not in _SHOWING or _counts(asked):
        return ""
    files = [a for a in asked.args if _FILE.search(a) and not a.startswith("-")]
    if not files or any(_NOT_IN_FORCE.search(a) for a in files):
        return ""
    return _owner(files[-1])


def _counts(asked: Asked) -> bool:
    return "grep" in asked.program and re.search(r"(?:^|\s)-\w*[clL]", asked.said) is not None


_PLAIN_FOLDERS = frozenset(
    "etc opt usr local conf config conf.d data srv var lib mysql.conf.d mariadb.conf.d home app "  # noqa: SIM905
    "sites-enabled sites-available apps main".split()
)


def _owner(path: str) -> str:
    """Return the program that a configuration file belongs to, by its path."""
    folders = [part for part in path.split("/") if part and part not in _PLAIN_FOLDERS]
    for part in folders[::-1]:
        name = re.sub(r"\.(?:conf|cnf|cfg|ini|ya?ml|properties|toml|xml|hcl|json)$", "", part)
        name = re.sub(r"^sshd?_config$", "sshd", name)
        if name.lower() in {"my", "mysqld"}:
            return "mysql"
        if re.fullmatch(r"[A-Za-z][\w-]{1,30}", name) and name not in {
            "server",
            "default",
            "application",
            "daemon",
        }:
            return names.product(name)
    return "service"


_LINE = re.compile(r"\s*[\"']?(?P<k>[A-Za-z][\w.-]*)[\"']?(?:\s*[=:]\s*|\s+)(?=\S)")
_PREFIX = re.compile(r"^(?:[\w./-]*/[\w./-]+[:-])?(?:\d+[:-])?")
_END = re.compile(r"\s+#|[;{}]")
_NUMBER = re.compile(r"(?:^|[:\s])(\d{2,5})\b(?!\.\d|:)")
_TEMPORARY = re.compile(r"(?:/var)?/tmp(?:/|$)|/dev/")
_SENSITIVE = re.compile(r"pass|secret|token|key\b|credential|://[^/\s:]*:[^/\s]*@|‹", re.I)


@cache
def _kinds() -> dict[str, str]:
    """Return what each known key is: port, data, log or other."""
    text = Path(__file__).with_name("settings.yaml").read_text(encoding="utf-8")
    table: dict[str, list[str]] = yaml.load(text, yaml.CSafeLoader)
    return {str(key).lower(): kind for kind, keys in table.items() for key in keys}


def _kind(key: str) -> str:
    """Return the kind of a key by its whole name or its last part, "" if it is of none."""
    kinds = _kinds()
    return kinds.get(key) or kinds.get(key.rpartition(".")[2], "") if key else ""


_CONNECTOR = re.compile(r"\s*<Connector\b.*?\bport=\"(\d+)\"")
_VHOST = re.compile(r"(?:\S*?:|\s+port )(?P<port>\d{2,5})\s+.*\((?P<path>/[\w./-]+):\d+\)")


def _special(line: str, who: str) -> Pairs:
    """Yield ports of layouts without a key: Tomcat's XML, the hosts that Apache lists."""
    connector, host = _CONNECTOR.match(line), _VHOST.match(line)
    if connector:
        yield f"port {connector[1]}", f"{connector[1]} {who}"
    if host:
        yield f"port {host['port']}", f"{host['port']} {who}"
        yield f"config path {who}", host["path"]


def _configuration(lines: Lines, who: str) -> Pairs:
    for line in lines:
        if "<C" in line or line.endswith(")"):
            yield from _special(line[:400], who)
        text = _PREFIX.sub("", line, count=1) if "/" in line or line[:1].isdigit() else line
        match = _LINE.match(text, 0, 120)
        if text is not line and _NOT_IN_FORCE.search(line[: len(line) - len(text)]):
            continue
        if match is None or not _kind(match["k"].lower()) or _SENSITIVE.search(text[:400]):
            continue
        value = _END.split(text[match.end() : 400], maxsplit=1)[0].strip().strip("\"',")
        if value:
            yield from _setting(match["k"], value, who)


def _setting(key: str, value: str, who: str) -> Pairs:
    tail = key.lower()
    kind, word = _kind(tail), value.split(maxsplit=1)[0].strip("\"'")
    number = _NUMBER.search(value)
    if kind == "port" and number and 0 < int(number[1]) < 65_536:
        yield f"port {number[1]}", f"{number[1]} {who} ({key})"
    elif kind == "port" and tail in {"bind", "listen"}:
        yield f"{who} {tail}", value
    elif (
        kind == "log"
        and not _TEMPORARY.match(word)
        and (word.startswith("/") or word.endswith(".log"))
    ):
        yield f"log path {who} {tail}", word
    elif kind == "data" and value.startswith("/") and not _TEMPORARY.match(value):
        yield f"data dir {who} {tail}", word
    elif kind == "other" or (kind == "file" and value.startswith("/")):
        yield f"{who} {tail}", value


# --- services asked for a value -------------------------------------------------------

_COUNTED = re.compile(
    r"uptime|connected|used|threads|questions|queries|offset|seconds|lag|_time$|bytes_|hits"
    r"|misses|pos\b|"
    r"position|count|status|running|rows|pid|version|size_mb|total_|active|waiting|clients$"
    r"|keys|pass|secret|"
    r"requirepass|masterauth|token|\bauth\b|created|updated",
    re.I,
)
_ASKS_SETTING = re.compile(
    r"config get|show (?:global |session )?variables|^\s*show [a-z_.]+;?\s*$|select @@|pg_settings|"
    r"current_setting|data_directory|getparameter|getcmdlineopts",
    re.I,
)
_NAME = re.compile(r"[a-z_][a-z0-9_.-]*", re.I)


def _asked_values(asked: Asked, lines: Lines) -> Pairs:
    """Pair the names that a service prints with their values, in any of its layouts."""
    queries_ = [
        t for t in (" ".join(asked.args), *asked.args, asked.fed) if _ASKS_SETTING.search(t)
    ]
    if not queries_:
        return
    who = names.server(asked.program)
    if len(lines) > MANY:  # all there is, of which only what is known matters
        lines = [line for line in lines if _kind(_first_word(line))]
    cells = [_cells(line) for line in lines]
    rows = [
        row for row in cells if row and not (len(row) == 1 and re.fullmatch(r"[-+(].*", row[0]))
    ]
    for key, value in _paired(rows, queries_[-1]):
        named = _NAME.fullmatch(key) and key.lower() not in {"variable_name", "name"}
        if named and not _COUNTED.search(key) and not _SENSITIVE.search(value):
            yield from _value(key.lower(), value, who)


def _paired(rows: list[list[str]], query: str) -> list[tuple[str, str]]:
    """Return name and value of rows of two, of lines in turn, or of the one value asked for."""
    pairs = [(row[0], row[1]) for row in rows if len(row) == 2 and _NAME.fullmatch(row[0])]
    singles = [row[0] for row in rows if len(row) == 1]
    if not pairs and len(singles) % 2 == 0:
        pairs = list(zip(singles[::2], singles[1::2], strict=True))
    asked = re.search(r"@@(?:global\.|session\.)?(\w+)|show (\w+)", query, re.I)
    if not pairs and len(singles) == 1 and asked:
        pairs = [(asked[1] or asked[2], singles[0])]
    return pairs


def _value(key: str, value: str, who: str) -> Pairs:
    found = list(_setting(key, value, who))
    yield from found or [(f"{who} {key}", value)]


def _first_word(line: str) -> str:
    words = line.replace("|", " ").split(None, 1)
    return words[0].lower() if words else ""


def _cells(line: str) -> list[str]:
    text = re.sub(r"^\s*\d+\)\s+", "", line.strip())
    if re.fullmatch(r"[+\-|\s]*|\(\d+ rows?\)|\*+.*\*+", text):
        return []
    parts = re.split(r"\s*\|\s*|\t+", text.strip("| "))
    return [p.strip().strip('"') for p in parts if p.strip()]


# --- the kernel's ---------------------------------------------------------------------

_VOLATILE_KEY = re.compile(
    r"random|file-nr|inode|dentry|nr_|state$|entropy|_count|uuid|boot_id|ns_last|hostname"
)
_SYSCTL = re.compile(r"\s*(?P<k>[a-z][\w./-]+)\s*[=:]\s*(?P<v>\S.*)$")


def _kernel(asked: Asked, lines: Lines) -> Pairs:
    rows = [line for line in lines if line.strip()]
    if len(rows) > MAX_FOUND and not asked.words:
        return
    asked_for = [w for w in asked.words if re.fullmatch(r"[\w./-]+", w)]
    for row, bare in zip(rows, [*asked_for, *[""] * len(rows)], strict=False):
        match = _SYSCTL.match(row)
        key = match["k"] if match else bare.removeprefix("/proc/sys/").replace("/", ".")
        value = match["v"] if match else row.strip()
        if key and not _VOLATILE_KEY.search(key) and re.fullmatch(r"[\w\t ./:@%-]{1,80}", value):
            yield f"sysctl {key}", value


# --- small ones -----------------------------------------------------------------------

_HOME = re.compile(
    r"(?P<k>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:HOME|BASE|ROOT|DIR)|GOPATH|GOROOT|PGDATA)=(?P<v>/\S+)$"
)


# set for the person that logs in, not by what the machine is for
_OWN_SHELL = re.compile(
    r"(?:XDG|SSL|GRPC|PYENV|NVM|SDKMAN|RBENV|CARGO|RUSTUP|TMP|TEMP|NIX|PIP|NPM)_"
)


def _homes(asked: Asked, lines: Lines) -> Pairs:
    for line in lines:
        match = _HOME.match(line.strip())
        if match and not _OWN_SHELL.match(match["k"]):
            yield f"environment {match['k']}", match["v"]
    name = (
        re.fullmatch(r"\$?\{?([A-Z]+_(?:HOME|BASE|DIR))\}?", asked.args[-1]) if asked.args else None
    )
    if name and len(lines) == 1 and re.fullmatch(r"/\S+", lines[0].strip()):
        yield f"environment {name[1]}", lines[0].strip()


def _php(lines: Lines) -> Pairs:
    for line in lines:
        match = re.match(r"Loaded Configuration File\W+(/\S+)", line)
        if match:
            yield "config path php", match[1]
