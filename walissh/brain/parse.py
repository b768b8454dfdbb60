"""Turn the output of a command into rows: the adapter of ``jc``, and regular expressions.

A row is a mapping of field names to values as ``jc`` or the named groups of a regular
expression give them, plus the place it came from, so that a claim can cite its line.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Final

import jc
from jc.exceptions import LibraryNotInstalled, ParseError

from walissh.errors import WalisshError

_MAX_HEADER_LINES: Final = 2
_MAX_LINE_CHARS: Final = 4000  # keeps patterns quick on a file without line ends

PLACE: Final = "place"
"""The field of a row that holds its Place."""

_LEFT_OUT = re.compile(r"^\[\.\.\. (\d{1,9}) lines left out \.\.\.\]$")
_COMPLAINT = re.compile(
    # "nginx: [emerg] open() failed (2: No such file)" is an answer, not a missing tool
    r"^(?!.*\[(?:emerg|alert|crit|error|warn)\])(?:[\w./+-]+: )+.*"
    r"(?:not found|not permitted|permission denied|no such file|cannot open|can't open"
    r"|unrecognized option|invalid option|unknown option|illegal option|not a directory)"
    r"|^system has not been booted with systemd|^failed to connect to bus"
    r"|^failed to list units|^no journal files were|^hint: you are currently not seeing messages",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w.-]+")
_SECTION = re.compile(r"==> (.+) <==")
_WHOLE = re.compile(r"[+-]?\d{1,18}")
_FRACTION = re.compile(r"[+-]?\d{1,18}\.\d+")

Row = Mapping[str, object]


class ParseOutputError(WalisshError):
    """The output does not look as the parser expects it."""


@dataclass(frozen=True, slots=True)
class Place:
    """Lines *first* to *last*, from 1, of one command's output."""

    command_id: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Line:
    """One visible line and its number in the whole output, from 1."""

    number: int
    text: str


@lru_cache(maxsize=4096)
def pattern(text: str) -> re.Pattern[str]:
    """Compile *text* once: playbooks have more patterns than ``re`` keeps; raises re.error."""
    return re.compile(text)


def has_parser(name: str) -> bool:
    """Tell whether ``jc`` has the parser *name*, without loading it."""
    return name.isidentifier() and find_spec(f"jc.parsers.{name}") is not None


def number_lines(text: str) -> list[Line]:
    """Return the lines of *text* with their true numbers; a cut counts what it left out."""
    lines: list[Line] = []
    number = 1
    for each in text.splitlines():
        cut = _LEFT_OUT.match(each)
        if cut:
            number += int(cut[1])
            continue
        lines.append(Line(number, each[:_MAX_LINE_CHARS]))
        number += 1
    return lines


def complaint(lines: Iterable[Line]) -> str:
    """Return the first line in which the shell or the tool says that it could not, or ""."""
    return next((line.text for line in lines if _COMPLAINT.match(line.text)), "")


def without_complaints(lines: Iterable[Line]) -> list[Line]:
    """Return the lines that are not blank and not about a tool that could not."""
    return [line for line in lines if line.text.strip() and not _COMPLAINT.match(line.text)]


def without_own_complaints(lines: Iterable[Line], command: str) -> list[Line]:
    """Return the lines that are not blank and no complaint of a tool in *command*.

    For answers that quote files: a log may well say that another program could not.
    """
    tools = frozenset(_WORD.findall(command)) | {"sudo"}
    return [line for line in lines if line.text.strip() and not _complains(line.text, tools)]


def _complains(text: str, tools: Collection[str]) -> bool:
    if not _COMPLAINT.match(text):
        return False
    parts = [part.strip() for part in text.split(":")]
    return parts[0] in tools or (
        len(parts) > 2 and parts[1].startswith("line ") and parts[2] in tools
    )


def by_regex(regex: str, lines: Sequence[Line], command_id: str) -> list[Row]:
    """Return one row for each line in which *regex* is found, by its named groups."""
    found = ((line, pattern(regex).search(line.text)) for line in lines)
    return [
        {
            **{name: _typed(value) for name, value in match.groupdict().items()},
            PLACE: Place(command_id, line.number, line.number),
        }
        for line, match in found
        if match
    ]


def by_line(lines: Sequence[Line], command_id: str) -> list[Row]:
    """Return one row for each line, with the field ``text``."""
    return [
        {"text": line.text, PLACE: Place(command_id, line.number, line.number)} for line in lines
    ]


def by_section(regex: str | None, lines: Sequence[Line], command_id: str) -> list[Row]:
    """Return the rows of lines under headers ``==> file <==``, each with its ``file``.

    A row has the line as ``text``, and the named groups of *regex*, None where it does not
    fit.
    """
    rows: list[Row] = []
    nothing = dict.fromkeys(pattern(regex).groupindex) if regex else {}
    file = ""
    for line in lines:
        # a blank before it says that the line was read from a file
        header = _SECTION.fullmatch(line.text.rstrip())
        if header:
            file = header[1]
            continue
        match = pattern(regex).search(line.text) if regex else None
        groups = (
            {name: _typed(each) for name, each in match.groupdict().items()} if match else nothing
        )
        place = Place(command_id, line.number, line.number)
        rows.append({"file": file, "text": line.text, **groups, PLACE: place})
    return rows


def by_jc(parser: str, lines: Sequence[Line], command_id: str) -> list[Row]:
    """Return the rows that ``jc``'s *parser* finds in *lines*.

    Where the rows follow the lines one by one, after a header of up to two lines, each gets
    its own line as place; else all lines. Raises ParseOutputError.
    """
    rows = _jc_rows(parser, "\n".join(line.text for line in lines) + "\n")
    header = len(lines) - len(rows)
    if rows and 0 <= header <= _MAX_HEADER_LINES and (header or len(rows) > 1):
        places = [Place(command_id, line.number, line.number) for line in lines[header:]]
    elif lines:
        places = [Place(command_id, lines[0].number, lines[-1].number)] * len(rows)
    else:
        places = [Place(command_id, 1, 1)] * len(rows)
    return [{**row, PLACE: place} for row, place in zip(rows, places, strict=True)]


def _jc_rows(parser: str, text: str) -> list[dict[str, object]]:
    # jc's parsers meet foreign text with whatever their string handling raises
    try:
        parsed = jc.parse(parser, text, quiet=True)
    except (
        ParseError,
        LibraryNotInstalled,
        ValueError,
        AttributeError,
        LookupError,
        TypeError,
    ) as error:
        raise ParseOutputError(f"not the output of {parser}") from error
    rows = parsed if isinstance(parsed, list) else [parsed]
    return [dict(row) for row in rows if isinstance(row, dict) and row]


def _typed(value: str | None) -> object:
    if value is None:
        return None
    if _WHOLE.fullmatch(value):
        return int(value)
    return float(value) if _FRACTION.fullmatch(value) else value
