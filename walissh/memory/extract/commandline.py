"""Take a command line apart as far as it tells what its output speaks of.

This is no judge of safety (``safety.shell`` is): a line misread here teaches nothing or
less. It is quick, for every output passes it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from walissh.safety import wrap

Words = tuple[str, ...]

MAX_CHARS = 4000
MAX_DEPTH = 4

FILTERS = frozenset(
    "grep egrep fgrep zgrep rg head tail awk gawk mawk sed cut sort uniq cat tr less more "  # noqa: SIM905
    "column jq yq tee nl tac strings fold paste xargs col expand".split()
)
_KEYWORDS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "!", "{"})
_SKIPPED = frozenset({"for", "done", "fi", "}", "case", "esac", "cd", "export", "set", "source"})
_LOCAL = re.compile(r"localhost|127\.\d+\.\d+\.\d+|::1|0|0\.0\.0\.0|\[::1?\]|/.*", re.I)


@dataclass(frozen=True, slots=True)
class Asked:
    """One program that the line runs, and what its output goes through.

    *program* is the file's name without its folder, *path* as written. *filters* are the
    later stages of the pipe. *inside* names the container or pod it ran in. *fed* is the
    text that ``echo`` pipes into it. *alone*: the whole output is its own.
    """

    program: str
    args: Words
    path: str = ""
    filters: tuple[Words, ...] = ()
    inside: str = ""
    fed: str = ""
    alone: bool = True

    @property
    def words(self) -> Words:
        """The arguments that are no flags."""
        return tuple(a for a in self.args if not a.startswith("-"))

    @property
    def said(self) -> str:
        """All arguments and fed text as one lower-case text, for a look at a query."""
        return " ".join((*self.args, self.fed)).lower()

    @property
    def patterns(self) -> tuple[str, ...]:
        """What the pipe's grep looks for."""
        return tuple(w for f in self.filters if "grep" in f[0] for w in f[1:] if w[:1] != "-")


def asked(command: str, host: str = "") -> list[Asked]:
    """Return what *command* runs on *host*, in order; what runs elsewhere is left out.

    A stage that counts or compares (``wc``, ``diff``) makes its whole pipe tell nothing.
    """
    if len(command) > MAX_CHARS:
        return []
    found = list(_asked(command, host, 0))
    return found if len(found) == 1 else [replace(each, alone=False) for each in found]


def is_here(address: str, host: str) -> bool:
    """Tell whether *address* (with or without user, port) means *host* itself."""
    name = address.rpartition("@")[2]
    name = re.sub(r":\d+$", "", name) if name.count(":") == 1 else name
    return not name or name.lower() == host.lower() or _LOCAL.fullmatch(name) is not None


def _asked(command: str, host: str, depth: int) -> Iterator[Asked]:
    for pipe in _pipes(command):
        stages = [_bare(stage) for stage in pipe]
        if not stages[0] or stages[0][0] in _SKIPPED or stages[0][0].startswith(("$", "-")):
            continue
        fed = ""
        if stages[0][0] in {"echo", "printf"} and len(stages) > 1:
            fed = " ".join(stages.pop(0)[1:])
        if any(not s or s[0] not in FILTERS for s in stages[1:]):
            yield Asked("", ())
            continue
        yield from _run(stages[0], tuple(stages[1:]), fed, host, depth)


def _run(words: Words, filters: tuple[Words, ...], fed: str, host: str, depth: int
) -> Iterator[Asked]:  # fmt: skip
    inside = ""
    for _ in range(MAX_DEPTH):
        name = words[0].rpartition("/")[2]
        opened = _open((name, *words[1:]), host)
        if opened is None:
            yield Asked(name, words[1:], words[0], filters, inside, fed)
            return
        if opened.script and depth < MAX_DEPTH:
            for each in _asked(opened.script, host, depth + 1):
                yield replace(each, filters=(*each.filters, *filters), inside=inside)
            return
        words, inside = opened.words, opened.container or inside
        if not words:
            yield Asked("", ())
            return


@dataclass(frozen=True, slots=True)
class _Opened:
    """What a wrapper holds; no words and no script: it cannot be told, or is elsewhere."""

    words: Words = ()
    script: str = ""
    container: str = ""


_CONTAINERS = frozenset(
    {"docker", "podman", "nerdctl", "kubectl", "oc", "crictl", "lxc", "incus", "docker-compose"}
)
_VALUED = frozenset(
    "-u --user -w --workdir -e --env -n --namespace -c --container --context -f "  # noqa: SIM905
    "--file -p --project-name --index --kubeconfig --env-file".split()
)
_VERB = re.compile(r"exec|run")


def _open(words: Words, host: str) -> _Opened | None:
    """Return what a wrapper holds, None if it is none."""
    name = words[0]
    if words[1:2] == ("--version",):
        return None
    if name in _CONTAINERS:
        return _container(words[1:])
    if name in {"ssh", "chroot"}:
        rest = tuple(w for w in words[1:] if not w.startswith("-"))
        if not rest:
            return None
        here = name == "ssh" and len(rest) > 1 and is_here(rest[0], host)
        return _Opened(script=" ".join(rest[1:])) if here else _Opened()
    if name in {"su", "runuser"}:
        return _su(words[1:])
    if name in {"find", "xargs", "parallel"}:
        return None
    inner = wrap.unwrap(words)
    if inner is None or not (inner.words or inner.script):
        return None  # ``sudo -V`` starts nothing
    return _Opened(inner.words, inner.script)


def _container(args: Words) -> _Opened | None:
    verb = next((at for at, w in enumerate(args[:6]) if _VERB.fullmatch(w)), None)
    if verb is None:
        return None
    if args[verb] == "run":
        return _Opened()  # a new container: what its image holds is not what runs here
    rest = list(args[verb + 1 :])
    name = ""
    while rest and (rest[0].startswith("-") or not name):
        word = rest.pop(0)
        if word == "--":
            break
        if not word.startswith("-"):
            name = word
        elif word in _VALUED and rest:
            rest.pop(0)
    words = tuple(rest[1:] if rest[:1] == ["--"] else rest)
    return _Opened(words, container=name.rpartition("/")[2])


def _su(args: Words) -> _Opened | None:
    for flag in ("-c", "--command"):
        if flag in args[:-1]:
            return _Opened(script=args[args.index(flag) + 1])
    rest = args[args.index("--") + 1 :] if "--" in args else args[2:] if args[:1] == ("-u",) else ()
    return _Opened(rest)


_PIECE = re.compile(
    r"(?P<both>\|\||&&|;;?|\n|&(?![>&]))|(?P<pipe>\|&?)|(?P<paren>[()])"
    r"|(?P<redirect>&>>?[ \t]*[^\s;|&<>()]+|(?<![^\s;|&()])\d*[<>]+(?:&\d?-?|[ \t]*[^\s;|&<>()]+)?"
    r"|\d*[<>]+(?:&\d?-?|[ \t]*[^\s;|&<>()]+)?)"
    r"|(?P<blank>[ \t\r]+|\\\n)"
    r"|(?P<text>'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|[^\s'\"\\;|&<>()]+)",
    re.S,
)


def _pipes(command: str) -> Iterator[list[Words]]:
    """Yield the pipes of a line, each as its stages' words."""
    pipe: list[Words] = []
    words: list[str] = []
    joined = False
    for match in _PIECE.finditer(command):
        kind = match.lastgroup
        if kind == "text":
            piece = _unquoted(match[0])
            words[-1:] = [words[-1] + piece] if joined else [*words[-1:], piece]
        joined = kind == "text"
        if kind in {"pipe", "both", "paren"}:
            if words:
                pipe.append(tuple(words))
            words = []
        if kind in {"both", "paren"} and pipe:
            yield pipe
            pipe = []
    if words:
        pipe.append(tuple(words))
    if pipe:
        yield pipe


def _unquoted(piece: str) -> str:
    if piece[0] == "'":
        return piece[1:-1]
    if piece[0] == '"':
        return re.sub(r'\\([$`"\\])', r"\1", piece[1:-1])
    return piece[1:] if piece[0] == "\\" else piece


_ASSIGN = re.compile(r"[A-Za-z_]\w*=")


def _bare(words: Words) -> Words:
    """Return a stage without keywords and assignments in front."""
    while words and (words[0] in _KEYWORDS or _ASSIGN.match(words[0])):
        words = words[1:]
    return words
