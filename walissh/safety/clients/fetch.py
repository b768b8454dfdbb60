"""wget and HTTPie: their requests, and what they write."""

import re
from collections.abc import Iterator

from walissh.safety.clients import databases, http, options, told
from walissh.safety.clients.http import Request
from walissh.safety.clients.options import Options
from walissh.safety.clients.told import Told

_NEGATIVES = {
    "nv": "--no-verbose", "np": "--no-parent", "nc": "--no-clobber", "nd": "--no-directories",
    "nH": "--no-host-directories",
}  # fmt: skip
_NOWHERE = frozenset({"-", "/dev/null", "/dev/stdout", "/dev/stderr"})


def wget(program: str, args: tuple[str, ...], *, fed: bool) -> Told:
    """Judge a call of wget: without ``-O -`` or ``--spider`` it writes a file."""
    spec = options.spec("wget")
    given = options.read(spec, _split_negatives(args))
    if given.has("--help", "--version"):
        return told.READS
    hidden = frozenset({"--output-document", "--post-data", "--body-data"})
    plain = Options(
        tuple(
            (name, value) for name, value in given.given
            if name not in hidden and not (name == "--output-file" and value in _NOWHERE)
        ),
        (), given.unknown,
    )  # fmt: skip
    return told.worst([*databases.effects(spec, plain), *_written(given), *_wget(given)])


def _split_negatives(args: tuple[str, ...]) -> tuple[str, ...]:
    """Spell wget's two-letter options (-nv, -nH) as single words that the list holds."""
    found: list[str] = []
    for word in args:
        negative = re.fullmatch(r"-(\w*?)(n[vpcdH])", word)
        if negative:
            found += [f"-{negative[1]}"] if negative[1] else []
            found.append(_NEGATIVES[negative[2]])
        else:
            found.append(word)
    return tuple(found)


def _written(given: Options) -> Iterator[Told]:
    outputs = given.values("--output-document")
    if outputs and outputs[-1] not in _NOWHERE:
        yield told.changes(f"wget -O {outputs[-1]}")
    elif not outputs and not given.has("--spider"):
        yield told.changes("wget")


def _wget(given: Options) -> Iterator[Told]:
    files = tuple(given.values("--post-file", "--body-file"))
    texts = tuple(given.values("--post-data", "--body-data"))
    named = given.values("--method")
    named += [found[1] for each in given.values("--header") if (found := http.OVERRIDE.match(each))]
    method = named[-1] if named else ("POST" if files or texts else "GET")
    for url in given.rest:
        yield http.judge(
            Request(url, method, texts, files, body=bool(files or texts), globbing=False)
        )


# --- HTTPie ---------------------------------------------------------------------------

_ITEM = re.compile(r"(?P<name>[^:=@]*)(?P<kind>:=@|=@|==@|:@|:=|==|=|@|:)(?P<value>.*)", re.S)


def httpie(program: str, args: tuple[str, ...], *, fed: bool) -> Told:
    """Judge a call of HTTPie: ``http [METHOD] URL [ITEM...]``."""
    spec = options.spec("http")
    given = options.read(spec, args)
    found = list(databases.effects(spec, Options(given.given, (), given.unknown)))
    rest = given.rest
    if not rest or given.has("--help", "--version"):
        return told.worst(found)
    named = re.fullmatch(r"[A-Z]+|(?i:get|post|put|patch|delete|head|options)", rest[0])
    method = rest[0].upper() if named and len(rest) > 1 else ""
    url, items = (rest[1], rest[2:]) if method else (rest[0], rest[1:])
    url = re.sub(r"^:(?=\d|/|$)", "localhost:", url)
    return told.worst([*found, _httpie(url, method, items, given, fed=fed)])


def _httpie(url: str, method: str, items: tuple[str, ...], given: Options, *, fed: bool) -> Told:
    texts, files = [], []
    for item in items:
        found = _ITEM.fullmatch(item)
        if found is None:
            return told.unclear("argument", item)
        if found["kind"].endswith("@"):
            files.append(found["value"].partition(";")[0])
        elif found["kind"] in {"=", ":="}:
            texts.append(found["value"])
    texts += given.values("--raw")
    stdin = fed and not given.has("--ignore-stdin")
    return http.judge(
        Request(
            url, method, tuple(texts), tuple(files), stdin,
            body=bool(texts or files or stdin), globbing=False,
        )
    )  # fmt: skip
