"""The command lines that a listing of processes shows, one for each process that lasts."""

import itertools
import re
from collections.abc import Iterator, Sequence

from walissh.memory.extract.commandline import Asked

Lines = Sequence[str]

MAX_ROWS = 300
MAX_CHARS = 4000
MAX_HEAD = 600


def commands(asked: Asked, lines: Lines) -> Iterator[str]:
    """Yield the command line of each row of ``ps`` or ``pgrep -a``; of passing ones none."""
    before = _columns(asked, lines)
    if before is None:
        return
    first = 1 if lines and _is_header(lines[0]) else 0
    for line in lines[first:MAX_ROWS]:
        words = line.split(None, before)
        if len(words) > before and not _is_passing(words[before]):
            yield words[before][:MAX_CHARS].strip()


def _is_header(line: str) -> bool:
    return re.search(r"(?:^|\s)(?:PID|COMMAND|CMD|ARGS)(?:\s|$)", line) is not None


def _columns(asked: Asked, lines: Lines) -> int | None:
    """Return how many columns stand before the command, None if the command is not last."""
    if asked.program == "pgrep":
        return 1 if re.search(r"(?:^|\s)-\w*a|--list-full", asked.said) else None
    head = lines[0].split() if lines and _is_header(lines[0]) else []
    if head:
        dated = 4 if re.search(r"\blstart\b", asked.said) else 0
        return len(head) - 1 + dated if head[-1] in {"COMMAND", "CMD", "ARGS"} else None
    return _by_flags(asked)


_WIDTHS = {"lstart": 5}


def _by_flags(asked: Asked) -> int | None:
    """Return the columns of a listing whose header was cut off, by how it was asked for."""
    said = " ".join(a for a in asked.args if not a.startswith("--") or "format" in a)
    chosen = [name for group in re.findall(r"-?\w*o[ =]?([\w%,:+=-]+)", said) for name in
              group.split(",") if name]  # fmt: skip
    if re.search(r"(?:^|\s)-?\w*o(?:[ =]|$)|--format", said) and chosen:
        names = [re.sub(r"[:=].*", "", name) for name in chosen]
        if names[-1] not in {"args", "cmd", "command"}:
            return None
        return sum(_WIDTHS.get(name, 1) for name in names[:-1])
    letters = "".join(a.lstrip("-") for a in asked.args if re.fullmatch(r"-?[a-zA-Z]+", a))
    dashed = any(re.fullmatch(r"-\w*f\w*", a) for a in asked.args)
    if dashed and "l" not in letters:
        return 7
    if "u" in letters and "a" in letters:
        return 10
    return 4 if "a" in letters and "x" in letters else None


# --- what passes ----------------------------------------------------------------------

_TOOL = re.compile(
    r"\s*(?:\S*/)?-?(?:(?:e|f|z|r)?grep|ps|pgrep|(?:ba|da|z|k|fi)?sh|awk|sed|tail|head|less|more|"
    r"vim?|nano|man|top|htop|watch|cat|tee|xargs|find|tar|gzip|zstd|xz|rsync|scp|sftp|ssh|curl|wget"
    r"|nc|ncat|telnet|openssl|tcpdump|strace|perf|timeout|sudo|su|nohup|env|sleep|make|cmake|gcc|cc1"
    r"|g\+\+|go|cargo|rustc|npm|npx|yarn|pnpm|pip3?|git|journalctl|systemctl|kubectl|helm|docker"
    r"|podman|runc|mysql|mysqldump|psql|pg_dump\w*|pg_restore|redis-cli|mongo(?:sh|dump)?|sqlite3"
    r"|ansible\S*|terraform|py\.?test|chrom\w+|headless_shell|firefox\S*|gecko\w+|dd|cp|mv|rm|du|df"
    r"|apt\S*|dpkg|yum|dnf|unattended-upgr\S*|logrotate|updatedb\S*|crond?|CRON)(?:\s|$)"
)
_PASSING = re.compile(
    r"^(?:\S+\s+(?:-\S+\s+)*)?(?:/var)?/tmp/|(?:-D ?|--?[\w-]*dir[= ]|--data[= ])(?:/var)?/tmp/"
    r"|\bpytest\b|playwright|\bselenium\b|\bpython\S*\s+-c\s"
    r"|\bnode\s+-e\s|--user-data-dir|\.vscode-server|--type=(?:renderer|utility|gpu-process|zygote)"
)


def _is_passing(command: str) -> bool:
    """Tell whether a process is of the kernel, a tool that somebody runs now, or a test."""
    if command.startswith(("[", "(")) and command.rstrip().endswith(("]", ")")):
        return True
    return _TOOL.match(command) is not None or _PASSING.search(command[:MAX_HEAD]) is not None


_INTERPRETER = re.compile(r"(?:python|ruby|perl|node|php|java|lua|pypy|tini|dumb-init)[\d.]*")


def name(command: str) -> str:
    """Return the program that *command* runs: of an interpreter its script; "" if unclear."""
    words = command.split()
    own = _plain(words[0]) if words else ""
    if not _INTERPRETER.fullmatch(own):
        return own
    for flag, word in itertools.pairwise(words):
        if flag in {"-m", "-jar"}:
            return _plain(word)
        if not word.startswith("-") and flag not in {"-cp", "-classpath"}:
            return _plain(word)
    return own


_CLASS = re.compile(r"[a-z]\w*(?:\.[a-z]\w*)*\.([A-Z]\w*)")
_STARTERS = re.compile(
    r"(?:Bootstrap|Main|Server|Start(?:er)?|Launcher|Application|App|Daemon)$", re.I
)
_PLAIN_SCRIPTS = frozenset(
    "index main app server run start manage wsgi asgi cli bot worker launcher entrypoint".split()  # noqa: SIM905
)


def _plain(word: str) -> str:
    java = _CLASS.fullmatch(word)
    if java:  # org.apache.catalina.startup.Bootstrap is catalina
        parts = word.split(".")
        at = 2 if parts[1] == "apache" else 1 if parts[0] in {"org", "com", "io", "net"} else 0
        return (parts[at] if _STARTERS.match(java[1]) else java[1]).lower()
    base = re.sub(r"[:\[].*", "", word).rpartition("/")[2]
    base = re.sub(r"\.(?:py|rb|pl|js|mjs|jar|php|sh)$|-\d[\w.]*\.jar$", "", base)
    folder = word.rpartition("/")[0].rpartition("/")[2]
    if base in _PLAIN_SCRIPTS and folder not in {"", "bin", "src", "dist", "build", "lib"}:
        base = folder  # /srv/shop/index.js is shop
    return base if re.fullmatch(r"[A-Za-z][\w.+@-]{0,40}", base) else ""
