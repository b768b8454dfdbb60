"""Software and its version, in what a program says of itself.

The command says which program is asked; the output is read for the line that names it, else
for one labelled as the version, else for one that begins with it.
"""

import re
from collections.abc import Iterator, Sequence

from walissh.memory.entry import Found
from walissh.memory.extract import names, queries, tokens
from walissh.memory.extract.commandline import Asked
from walissh.memory.extract.measured import software

MAX_LINES = 40
MAX_LINE_CHARS = 400

Lines = Sequence[str]


def read(asked: Asked, lines: Lines, host: str = "") -> list[Found]:
    """Return the versions that a version query printed; [] if it is none, or in vain."""
    question = queries.of(asked, host)
    if question is None:
        return []
    rows = [line[:MAX_LINE_CHARS] for line in lines if line.strip()][:MAX_LINES]
    if rows and tokens.is_refusal(rows[0]):
        return []
    found = _main(question, rows, asked)
    return [*found, *_beside(rows, found)] if found else []


def _main(question: queries.Question, rows: Lines, asked: Asked) -> list[Found]:
    read_rows = [tokens.prepared(row) for row in rows if not tokens.is_noise(row)]
    if question.labelled:
        hit = _labelled(read_rows) if asked.alone else None
        return [software(question.name, hit[1], asked.inside)] if hit else []
    hit = _served(read_rows) if question.served else None
    hit = hit or _named(read_rows, question.words)
    if asked.alone and (hit is None or "." not in hit[1]):
        hit = _labelled(read_rows) or _bare(read_rows) or hit or _first(read_rows)
    if hit is None:
        return []
    printed, version = hit
    return [software(_subject(question.name, printed, version), version, asked.inside)]


Hit = tuple[str, str]


def _served(rows: Lines) -> Hit | None:
    """Find what the server says of itself, where the client says its own version too."""
    for row in rows:
        match = re.search(r"\bserver version\W+(?=v?\d)", row, re.I)
        if match and tokens.at(row, match.end()):
            return "", tokens.at(row, match.end())
    return None


def _named(rows: Lines, words: frozenset[str]) -> Hit | None:
    """Find the first line with one of *words* and a version behind it."""
    pattern = re.compile(
        r"(?<![\w.])(?:" + "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
        + r")(?:[-+_]?[a-z+]+)*(?=[^a-z]|v\d)", re.I,
    )  # fmt: skip
    for row in rows:
        for match in pattern.finditer(row):
            version = tokens.after(row, match.end())
            if version:
                return tokens.name_before(row, version) or match[0], version
    return None


_LABEL = re.compile(
    r"^[\W_]*(?:(?:server|client|product|release|software|current|installed|cli|app|package|"
    r"mail|git|core|full|program|daemon|agent|version\.\w+)[\s_.-]*)*"
    r"(?:version|release|number|ver|build tag|版本)\b[\s\"':=|(\[]*(?=[vVr\"']?\d|RELEASE)",
    re.I,
)
_STRUCT = re.compile(r"\b(?:Git)?Version\"?:\s?\"(?=v?\d)")


def _labelled(rows: Lines) -> Hit | None:
    """Find ``Version: 2.10.7`` or ``{Version:"v3.14.2"``; a name is not printed there."""
    for row in rows:
        for match in filter(None, (_LABEL.match(row), _STRUCT.search(row))):
            version = tokens.at(row, match.end())
            if version:
                return "", version
    return None


def _bare(rows: Lines) -> Hit | None:
    """Find a line that begins with its version."""
    for row in rows[:12]:
        start = re.match(r"[\s|\"'*]*", row)
        version = tokens.at(row, start.end() if start else 0)
        if version and ("." in version or len(rows) == 1 or row.strip(" |") == version):
            return "", version
    return None


def _first(rows: Lines) -> Hit | None:
    """Find a version in the first lines, after a few words of whatever name."""
    for row in rows[:4]:
        word = re.match(r"\W*[A-Za-z][\w+-]*(?=\s)", row)
        version = tokens.after(row, word.end() if word else 0)
        labelled = re.search(r"\b(?:version|release)\s+v?$", row[: row.find(version)])
        version = version if "." in version or labelled else tokens.dotted(row)
        if version and len(row[: row.find(version)].split()) <= 8:
            lead = re.match(r"([A-Za-z][\w.+-]*)(?:,| -)\s", row)
            return lead[1] if lead else tokens.name_before(row, version), version
    return None


_FORKS = re.compile(r"mariadb|percona|tidb|openresty|tengine|angie|valkey|keydb|opensearch", re.I)


def _subject(name: str, printed: str, version: str) -> str:
    """Return the product's name: as known, or both when the output uses another one."""
    fork = _FORKS.search(f"{printed} {version}")
    if fork and fork[0].lower() not in name:
        return fork[0].lower()
    other = names.product(re.sub(r"[^\w.+-]", "", printed.lower()))
    flat = re.sub(r"[^a-z0-9]", "", name)
    flat_other = re.sub(r"[^a-z0-9]", "", other)
    if not flat_other or flat_other in flat or other in names.words(name):
        return name
    if flat in flat_other:
        return other
    return f"{other} ({name})"


_BESIDE = re.compile(r"^\W*(JVM|Java|Erlang(?:/OTP)?|Python)(?:[ _]version)?\s*[:=]\s*(?=\d)", re.I)


def _beside(rows: Lines, found: list[Found]) -> Iterator[Found]:
    """Yield the runtime that the program says it runs on."""
    for row in rows:
        match = _BESIDE.match(row)
        version = tokens.at(row, match.end()) if match else ""
        name = match[1].lower().partition("/")[0].replace("jvm", "java") if match else ""
        if version and not found[0].subject.startswith(name):
            yield software(name, version)
