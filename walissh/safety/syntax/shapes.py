"""Command substitutions whose output is surely made of digits and blanks only.

Such a value can neither be a flag with a meaning nor code inside a calculation.
"""

import re
from collections.abc import Callable
from typing import Any

Node = dict[str, Any]
Argv = list[str]

_DIGITS = re.compile(r"-?\d+")


def is_number(node: Node) -> bool:
    """Tell whether what the substitution *node* prints is numbers, or nothing."""
    found = stages(node)
    return bool(found) and _counts(found)


def stages(node: Node) -> list[tuple[Argv, str]]:
    """Return argument list and input file of each stage; none where one is not plain."""
    statements = node.get("Stmts") or []
    found = _pipeline(statements[0]) if len(statements) == 1 else []
    plain = [stage for stage in found if stage is not None]
    return plain if len(plain) == len(found) else []


def _pipeline(statement: Node) -> list[tuple[Argv, str] | None]:
    """Return argument list and input file of each stage; None for a stage that is not plain."""
    command = statement.get("Cmd") or {}
    if command.get("Type") == "BinaryCmd" and command.get("Op") == "|":
        return _pipeline(command["X"]) + _pipeline(command["Y"])
    if command.get("Type") not in {None, "CallExpr"} or statement.get("Negated"):
        return [None]
    argv = [_text(word) for word in command.get("Args") or []]
    source = _input(statement.get("Redirs") or [])
    if command.get("Assigns") or source is None:
        return [None]
    return [(argv, source)]


def _text(word: Node) -> str:
    """Return the word's text, with NUL for whatever is not written out."""
    from walissh.safety.syntax.word import word as read  # the two know each other

    return "".join(part.text if part.kind == "text" else "\0" for part in read(word).parts)


def _input(redirects: list[Node]) -> str | None:
    """Return the file that is read, "" for none, None when output goes elsewhere."""
    source = ""
    for each in redirects:
        if each.get("Op") == "<":
            source = _text(each.get("Word") or {})
        elif each.get("Op") not in {">", ">>"} or (each.get("N") or {}).get("Value") != "2":
            return None
    return source


def _counts(told: list[tuple[Argv, str]]) -> bool:
    *before, (argv, source) = told
    if not argv:
        return not before and _NUMBER_FILE.fullmatch(source) is not None
    judge = _PRINTS_NUMBERS.get(argv[0])
    if judge and judge(argv[1:], fed=bool(before) or bool(source)):
        return True
    if not before:
        return _passes_on(argv) and _from_files(argv, source)
    return only_fed(argv, source) and (_counts(before) or _reads_plain(before))


# --- programs that print numbers ------------------------------------------------------

# these hold words of the kernel alone; what a process calls itself is in none of them
_NUMBER_FILE = re.compile(
    r"(?!.*/\.\.)(?:(/var)?/run/(?!user/|lock/|shm/|screen|tmux)[\w./@-]+\.pid"
    r"|/proc/(uptime|loadavg|stat|meminfo|vmstat|diskstats|cpuinfo)"
    r"|/proc/sys/(fs|vm)/[\w/-]+|/proc/sys/net/(core|ipv4|ipv6|netfilter)/[\w/.-]+|/proc/net/(dev|snmp|sockstat)"
    r"|/sys/(class|block|devices|fs)/[\w/.:\0*-]+)"
)
_SOURCES = frozenset({"free", "vmstat", "uptime"})


_NUMBER_COLUMNS = re.compile(
    r"--(output|block-size)=(i?(pcent|size|used|avail|total),?|\d*[kKMGB]+)+"
)


def _is_source(argv: Argv) -> bool:
    """Tell whether it prints the kernel's own words; ``df`` of all would show any name."""
    return argv[0] in _SOURCES or (
        argv[0] == "df"
        and argv[-1].startswith("/")
        and not any("=" in arg for arg in argv if not _NUMBER_COLUMNS.fullmatch(arg))
    )


def _wc(args: Argv, *, fed: bool) -> bool:
    return fed and len(args) >= 1 and all(re.fullmatch(r"-[lwcmL]+", arg) for arg in args)


def _grep(args: Argv, *, fed: bool) -> bool:
    flags = [arg for arg in args if re.fullmatch(r"-\w+", arg)]
    rest = [arg for arg in args if arg not in flags]
    letters = "".join(flag[1:] for flag in flags)
    if not set(letters) <= set("cohiEFPvwxsqam0123456789"):
        return False
    if "c" in letters:
        files = rest[1:]
        return (len(files) == 1 and not re.search(r"[*?\[\0]", files[0])) or (not files and fed)
    only = "o" in letters and "h" in letters + ("h" if len(rest) < 3 else "")
    return only and _is_digits_pattern(rest[:1])


def _is_digits_pattern(patterns: Argv) -> bool:
    return (
        bool(patterns)
        and re.fullmatch(
            r"(\[0-9\]|\[\[:digit:\]\]|\\d|\d|[+*]|\\\+|\{\d+,?\d*\})+\$?", patterns[0]
        )
        is not None
    )


def _date(args: Argv, *, fed: bool) -> bool:
    formats = [arg for arg in args if arg.startswith("+")]
    return (
        len(formats) == 1
        and re.fullmatch(r"\+(%[-_0]?[sNYmdHMSjuwyUVWIk])+", formats[0]) is not None
    )


def _tr(args: Argv, *, fed: bool) -> bool:
    return (
        len(args) == 2
        and re.fullmatch(r"-(dc|cd|dC|Cd)", args[0]) is not None
        and (re.fullmatch(r"(0-9|\[:digit:\]|\\n|\n| )+", args[1]) is not None)
    )


def _pgrep(args: Argv, *, fed: bool) -> bool:
    return not any(re.match(r"-\w*[lad]|--[ld]", arg) for arg in args)


def _pidof(args: Argv, *, fed: bool) -> bool:
    return all(re.fullmatch(r"-[sxc]+|[\w./\0][\w./:@\0-]*", arg) for arg in args)


def _getconf(args: Argv, *, fed: bool) -> bool:
    return (
        len(args) == 1
        and re.fullmatch(r"_\w+|PAGE_?SIZE|CLK_TCK|\w+_MAX|\w+_BIT", args[0]) is not None
    )


def _lsof(args: Argv, *, fed: bool) -> bool:
    """Tell whether it prints process numbers alone: ``-t``, and no fields of its own."""
    return any(re.fullmatch(r"-[nPaU]*t[nPaU]*", arg) for arg in args) and not any(
        re.match(r"-\w*[FTR]|\+", arg) for arg in args
    )


def _stat(args: Argv, *, fed: bool) -> bool:
    joined = " ".join(args)
    return (
        re.fullmatch(
            r"(-L )?(-c ?|--format=|-c=)(%[sYXZWugaihbBdot])+( (?![-\0])\S+| \0\S*)+", joined
        )
        is not None
    )


def _id(args: Argv, *, fed: bool) -> bool:
    return bool(args) and args[0] in {"-u", "-g", "-G"} and "-n" not in " ".join(args)


_COLUMN = re.compile(
    r"(pid|ppid|rss|vsz|sz|nlwp|etimes|times|cputimes|pcpu|pmem|pgid|sid|ni|pri|uid|gid|thcount)=?"
)


def _ps(args: Argv, *, fed: bool) -> bool:
    """Tell whether all columns are numbers without a heading, chosen once."""
    chosen = [at for at, arg in enumerate(args) if re.fullmatch(r"-?[eAax]*o|--format", arg)]
    if len(chosen) != 1 or chosen[0] + 1 >= len(args):
        return False
    columns, others = args[chosen[0] + 1], args[: chosen[0]] + args[chosen[0] + 2 :]
    plain = all(_COLUMN.fullmatch(each) and each.endswith("=") for each in columns.split(","))
    return plain and _PS_REST.fullmatch("".join(f" {arg}" for arg in others)) is not None


_PS_REST = re.compile(
    r"(?: -?[eAax]+(?= |$)| -?(?:[pCuUGt]|-pid|-ppid|-user)[= ]?[\w,./@\0-]+| --sort[= ]-?[\w,+%-]+"
    r"| --no-?headers?| \d+)*"
)


def _systemctl(args: Argv, *, fed: bool) -> bool:
    text = "".join(f" {arg}" for arg in args)
    shown = r" (?:-p ?|--property=)(?:\w*MainPID|NRestarts|(?:Tasks|Memory)Current|ExecMainStatus)"
    other = r"(?: --value| --user| --no-pager| [\w@.:\0][\w@.:\0-]*)*"
    return "--value" in args and re.fullmatch(rf" show{other}{shown}{other}", text) is not None


def _docker(args: Argv, *, fed: bool) -> bool:
    text = " ".join(args)
    return (
        re.fullmatch(
            r"inspect (?:-f|--format)[ =]\{\{ ?"
            r"\.(?:State\.(?:Pid|ExitCode)|RestartCount|HostConfig\.Memory) ?\}\}"
            r"(?: [\w.\0][\w.\0-]*)+",
            text,
        )
        is not None
    )


def _echo(args: Argv, *, fed: bool) -> bool:
    return all(_DIGITS.fullmatch(arg) for arg in args)


_AWK_NUMBER = r"\(?\s*(?:NR|NF|FNR|[a-z]\w*\s*\+\s*0|int\([^\"()]*\)|\d+)\s*\)?"
_AWK_RULE = re.compile(r"([^{};\n]*)\{([^{}]*)\}")


def _awk(args: Argv, *, fed: bool) -> bool:
    """Tell whether all that the program prints is a sum, a count or a number of lines."""
    program = args[0] if args and not args[0].startswith("-") else ""
    if re.search(r"[\"\0]|printf|\b(?:O[RF]S|OFMT|CONVFMT|function)\b", program):
        return False
    if any("=" in arg for arg in args[1:]):
        return False
    rules = _AWK_RULE.findall(program)
    # nothing beside rules with braces: a pattern alone prints whole lines
    if _AWK_RULE.sub("", program).strip("; \n"):
        return False
    printed = re.findall(r"print\b([^;\n]*)", " ; ".join(body for _, body in rules))
    return bool(printed) and all(re.fullmatch(rf"\s*{_AWK_NUMBER}\s*", each) for each in printed)


_PRINTS_NUMBERS: dict[str, Callable[..., bool]] = {
    "wc": _wc, "grep": _grep, "egrep": _grep, "date": _date, "tr": _tr, "pgrep": _pgrep,
    "pidof": _pidof, "getconf": _getconf, "nproc": lambda args, *, fed: True,
    "stat": _stat, "id": _id, "ps": _ps, "systemctl": _systemctl, "docker": _docker,
    "podman": _docker, "echo": _echo,
    "seq": lambda args, *, fed: all(_DIGITS.fullmatch(arg) for arg in args),
    "awk": _awk, "gawk": _awk, "mawk": _awk,
    "lsof": _lsof,
    "fuser": lambda args, *, fed: False,
}  # fmt: skip

PROGRAMS = _PRINTS_NUMBERS.keys() | _SOURCES
"""All programs whose name here means what it says; no function may be called so."""

# --- programs that print pieces of what they read -------------------------------------

_PASSING = re.compile(r"head|tail|sort|uniq|cut|tr|cat|tac|grep|egrep|awk|gawk|mawk|sed|xargs")


def _passes_on(argv: Argv) -> bool:
    """Tell whether a filter adds nothing of its own that is no number."""
    name, args = argv[0], argv[1:]
    if not _PASSING.fullmatch(name):
        return False
    if name in {"awk", "gawk", "mawk"}:
        plain = not re.search(r"[\"\0]|\b(?:O[RF]S|FILENAME)\b", args[0]) if args else False
        return len(args) <= 2 and plain and not any("=" in arg for arg in args[1:])
    if name == "tr":
        return len(args) == 2 and args[0] == "-d"
    if name == "sed":
        return (
            len(args) in {2, 3}
            and args[0] == "-n"
            and re.fullmatch(r"(\d+|\$)p", args[1]) is not None
        )
    if name == "xargs":
        return not args
    return not any("\0" in arg for arg in args)


def only_fed(argv: Argv, source: str) -> bool:
    """Tell whether a filter passes on what comes out of the pipe, and no file."""
    if source or not _passes_on(argv):
        return False
    least = _OWN_WORDS.get(argv[0], 0)
    return (
        _PIPED.fullmatch("".join(f" {arg}" for arg in argv[1:])) is not None
        if not least
        else (
            len([arg for arg in argv[1:] if not re.match(r"-\w", arg)]) == least
            and not any(re.match(r"-\w*f|--", arg) for arg in argv[1:])
        )
    )


_OWN_WORDS = {"grep": 1, "egrep": 1, "awk": 1, "gawk": 1, "mawk": 1, "sed": 1, "tr": 1}
# flags, and values of the short ones that have any: -n 1, -d ' ', -f 2
_PIPED = re.compile(r"(?: -[a-zA-Z]*[ncdfkt] ?(?:\+?\d[\d,.-]*[a-z]*|[^\w/]{1,2})| -\w+)*")


def _reads_plain(told: list[tuple[Argv, str]]) -> bool:
    """Tell whether the stages print words of the kernel, digits and signs only."""
    *before, (argv, source) = told
    if not argv:
        return False
    if not before:
        return _is_source(argv) or (_passes_on(argv) and _from_files(argv, source))
    return only_fed(argv, source) and _reads_plain(before)


def _from_files(argv: Argv, source: str) -> bool:
    """Tell whether the only files read are of the kernel's own numbers."""
    names = [*([source] if source else []), *_files(argv)]
    return bool(names) and all(_NUMBER_FILE.fullmatch(name) for name in names)


def _files(argv: Argv) -> Argv:
    """Return what may be a file; values of flags are taken for such unless they are short."""
    plain = [arg for arg in argv[1:] if not arg.startswith("-")]
    if argv[0] in {"grep", "egrep", "awk", "gawk", "mawk", "sed"}:
        return plain[1:]
    return (
        plain[2:]
        if argv[0] == "tr"
        else [
            arg
            for at, arg in enumerate(argv[1:])
            if not arg.startswith("-") and not _is_value(argv[at], arg)
        ]
    )


def _is_value(before: str, arg: str) -> bool:
    return re.fullmatch(r"-[a-zA-Z]*[ncdfkt]", before) is not None and (
        re.fullmatch(r"\+?\d[\d,.-]*|[^\w/]{1,2}", arg) is not None
    )
