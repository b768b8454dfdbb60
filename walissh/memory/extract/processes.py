"""Paths, ports and sizes that running programs and their units were started with."""

import re
from collections.abc import Iterator, Sequence

from walissh.memory.entry import Found
from walissh.memory.extract import network, running
from walissh.memory.extract.commandline import Asked
from walissh.memory.extract.measured import environment

Lines = Sequence[str]
Pairs = Iterator[tuple[str, str]]

MAX_ROWS = 300
_SHOWN = re.compile(r"/proc/\d+/cmdline|\.service(?:\.d/\S*)?$|/etc/systemd/\S+")


def read(asked: Asked, lines: Lines, _host: str) -> Iterator[Found]:
    """Yield what the arguments of processes and units settle; no pids, no times."""
    unit = asked.program == "systemctl" and asked.words[:1] in {("cat",), ("show",)}
    shown = asked.program in {"cat", "grep", "head"} and any(_SHOWN.search(a) for a in asked.args)
    pairs: Pairs = iter(())
    if asked.program in {"ps", "pgrep"}:
        found = running.commands(asked, lines)
        pairs = (pair for command in found for pair in _arguments(command, running.name(command)))
    elif unit or shown:
        pairs = _unit(lines[:MAX_ROWS], asked)
    elif asked.program in {"which", "whereis", "command", "type", "readlink", "realpath"}:
        pairs = _place(asked, lines)
    elif asked.program == "crontab" or any("/etc/cron" in a for a in asked.args):
        pairs = _cron(lines[:MAX_ROWS], shared=asked.program != "crontab")
    for subject, value in pairs:
        yield environment(subject, value, asked.inside)


# --- arguments ------------------------------------------------------------------------

_PATH = r"(?P<v>/[\w./@+-]+)"
_ARGS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"(?:-D|--?data[-_]?dir|--?datadir|--dbpath|--?storage\.tsdb\.path|--path"
                rf"\.data|-Dpath\.data|"
                rf"-Des\.path\.data|--data|-data-dir|--(?:data-)?root)"
                rf"(?:=|\s+){_PATH}"), "data dir"),
    (re.compile(rf"(?:config_file|--?config(?:[._-]file)?|--?conf(?:ig)?|--defaults-file"
                rf"|--conffile|-c|-f)(?:=|\s+)"
                rf"{_PATH}"), "config path"),
    (re.compile(rf"(?:--?log[-_.]?(?:file|path|dir|error)|--logpath|-Dlog4j\.\w+)(?:=|"
                rf"\s+){_PATH}"), "log path"),
    (re.compile(r"\((?P<v>/etc/[\w./-]+\.conf)\)|--spring\.config\.location=(?P<w>/\S+)"),
     "config path"),
    (re.compile(r"(?P<v>-Xmx\d+[kmgtKMGT]?)\b"), "jvm heap"),
    (re.compile(rf"-D(?P<k>\w+)\.(?:base|home|home\.dir|path\.home)={_PATH}"), "base"),
    (re.compile(r"(?:--?port|-Dserver\.port|--server\.port|--http[-_.]port)(?:=|\s+)(?P<v>"
                r"\d{2,5})\b"), "port"),
    (re.compile(r"--?(?:web\.)?listen(?:[-_.]\w+)*(?:=|\s+)(?:\w+://)?(?P<v>[\w.\[\]*:]*:"
                r"\d{2,5})\b"), "port"),
    (re.compile(r"\s(?P<v>(?:\*|\d+(?:\.\d+){3}|\[[\da-f:]+\]|::):\d{2,5})(?=\s|$)"), "port"),
    (re.compile(rf"-jar\s+{_PATH}"), "jar path"),
)  # fmt: skip
_MEMCACHED = re.compile(r"memcached\b.*?\s-p\s*(?P<v>\d+)")


_PASSING_PLACE = re.compile(r"/(?:tmp|var/tmp|dev|proc|sys|run)(?:/|$)")


def _arguments(command: str, who: str) -> Pairs:
    if not who:
        return
    for pattern, subject in _ARGS:
        match = pattern.search(command)
        if match is None:
            continue
        named = match["k"] if "k" in match.groupdict() else who
        value = match["v"] or match["w"]
        if subject == "port":
            yield from _port(value, who)
        elif not _PASSING_PLACE.match(value):
            yield f"{named} {subject}" if subject == "base" else f"{subject} {named}", value
    cached = _MEMCACHED.search(command)
    if cached:
        yield from _port(cached["v"], who)


def _port(value: str, who: str) -> Pairs:
    number = value.rpartition(":")[2]
    if network.is_lasting(int(number)):
        yield f"port {number}", f"{value} {who}"


# --- units ----------------------------------------------------------------------------

_UNIT = re.compile(
    r"\s*(?P<k>ExecStart|WorkingDirectory|EnvironmentFile|User|Group|LimitNOFILE"
    r"|FragmentPath|MemoryMax|"
    r"MemoryLimit|Restart|RestartSec|RootDirectory|DropInPaths)=-?(?P<v>\S.*)$"
)


def _unit(lines: Lines, asked: Asked) -> Pairs:
    name = re.sub(r"\.service$", "", asked.words[-1].rpartition("/")[2]) if asked.words else ""
    for line in lines:
        match = _UNIT.match(line)
        place = re.match(r"# (/\S+\.service)$", line)
        if place:
            yield f"unit path {name}", place[1]
        if match and match["k"] == "ExecStart":
            command = re.sub(r"^\{ path=\S+ ; argv\[\]=(.*?) ;.*$", r"\1", match["v"])
            yield f"command of {name}", command.split(" ")[0]
            yield from _arguments(command, running.name(command) or name)
        elif match and match["v"] not in {"infinity", "[not set]", "0"}:
            yield f"{match['k']} of {name}".lower(), match["v"]


# --- places ---------------------------------------------------------------------------


def _place(asked: Asked, lines: Lines) -> Pairs:
    if not asked.words:
        return
    rows = [line.strip() for line in lines if line.strip()][:10]
    for row in rows:
        path = re.search(r"(?:^|\s|is )(/[\w./+-]*/([\w.+-]+))$", row)
        if path and " no " not in row and not row.startswith(("/usr/bin/which:", "which:")):
            name = asked.words[-1].rpartition("/")[2] if len(asked.words) == 1 else path[2]
            yield f"path {name}", path[1]


# --- cron -----------------------------------------------------------------------------

# months and weekdays may be names; a line of ls is no job
_CRON = re.compile(
    r"(?![-dlbcps][rwx-]{9})(?P<when>@\w+|(?:[\d*][\d*,/-]*\s+){3}(?:[\d*A-Za-z][\w*,/-]*\s+){2})"
    r"\s*(?P<what>[^#\s].*)$"
)


# "test -x X || …", "[ -d D ] && …" ask whether the job is wanted
_GUARD = re.compile(
    r"^(?:(?:test|\[)\s[^|&;]*(?:\|\||&&)\s*|command -v [^|&;]*&&\s*|if \[[^;]*;\s*then\s+"
    r"|(?:[A-Z_]+=\S*|cd \S+ *&&|root|nice|ionice|-[nc]\s?\d+)\s+)+"
)


def _cron(lines: Lines, *, shared: bool) -> Pairs:
    """Yield the jobs; *shared* tables name the user before the command."""
    for line in lines:
        match = None if line.lstrip().startswith("#") else _CRON.match(line.strip())
        if match is None:
            continue
        what = re.sub(r"^[a-z_][\w-]*\s+", "", match["what"]) if shared else match["what"]
        job = _job(_GUARD.sub("", what))
        yield f"cron {job}", f"{' '.join(match['when'].split())} {job}"


def _job(command: str) -> str:
    """Return the program or script that is run; never arguments: passwords are written there."""
    command = re.sub(r"\s*(?:\d?>>?.*|\|.*)$", "", command)
    paths: list[str] = re.findall(r"(?<!\S)/[\w./-]+", command)
    if paths:
        led = command.startswith(("/bin", "/usr", "cd ", "."))
        return paths[-1] if led else paths[0]
    words = command.split()
    return next((w for w in words if re.search(r"\.(?:py|sh|pl|rb|php|js)$", w)), words[0])
