"""The purified output of commands, stored whole in pieces."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session as Transaction

from walissh.store.database import reading, writing
from walissh.store.models import OutputRow

HEAD_CHARS = 6_000
TAIL_CHARS = 6_000
PIECES_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Slice:
    """Characters *offset* to *offset* + len(*text*) of an output of *total* so far."""

    offset: int
    text: str
    total: int


def append(command_id: str, text: str) -> int:
    """Store the next piece; return the offset in characters where it begins."""
    with writing() as session:
        at, line = _extent(session, command_id)
        session.add(OutputRow(command_id=command_id, at=at, line=line, chars=len(text), text=text))
        return at


def read(command_id: str, offset: int, limit: int) -> Slice:
    """Return at most *limit* characters from *offset*."""
    with reading() as session:
        total, _ = _extent(session, command_id)
        pieces = session.execute(
            select(OutputRow.at, OutputRow.text)
            .where(
                OutputRow.command_id == command_id,
                OutputRow.at + OutputRow.chars > offset,
                OutputRow.at < offset + limit,
            )
            .order_by(OutputRow.at)
        )
        text = "".join(
            piece[max(0, offset - at) : max(0, offset + limit - at)] for at, piece in pieces
        )
    return Slice(offset, text, total)


def read_text(command_id: str, offset: int, limit: int) -> str:
    """Return at most *limit* characters from *offset*, "" past the end."""
    return read(command_id, offset, limit).text


def read_lines(command_id: str, first: int, count: int, grep: str) -> list[tuple[int, str]]:
    """Return numbered lines from *first* (from 1), at most *count*; *grep* must stand in them."""
    found: list[tuple[int, str]] = []
    rest = ""
    with reading() as session:
        start, number = _before_line(session, command_id, first)
        pieces = session.execute(
            select(OutputRow.line, OutputRow.text)
            .where(OutputRow.command_id == command_id, OutputRow.at >= start)
            .order_by(OutputRow.at)
        ).yield_per(PIECES_AT_ONCE)
        for _, piece in pieces:
            *whole, rest = (rest + piece).split("\n")
            for text in whole:
                number += 1
                if number >= first and grep in text:
                    found.append((number, text))
                if len(found) == count:
                    return found
    if rest and number + 1 >= first and grep in rest:
        found.append((number + 1, rest))
    return found


def _before_line(session: Transaction, command_id: str, first: int) -> tuple[int, int]:
    """Return where the last piece begins that surely comes before line *first*, and its line.

    It may begin within a line: that one ends before *first*, so its lost start is not missed.
    """
    found = session.execute(
        select(OutputRow.at, OutputRow.line)
        .where(OutputRow.command_id == command_id, OutputRow.line < first - 1)
        .order_by(OutputRow.at.desc())
        .limit(1)
    ).first()
    return (found.at, found.line) if found else (0, 0)


def summary(session: Transaction, command_id: str) -> dict[str, object]:
    """Return the journal's columns about the output stored so far."""
    chars, newlines = _extent(session, command_id)
    head = _from_start(session, command_id, HEAD_CHARS)
    tail = _from_end(session, command_id, min(TAIL_CHARS, chars - len(head)))
    last = (tail or head)[-1:]
    return {
        "output_head": head,
        "output_tail": tail,
        "output_chars": chars,
        "output_lines": newlines + (1 if last and last != "\n" else 0),
    }


def _extent(session: Transaction, command_id: str) -> tuple[int, int]:
    """Return how many characters and newlines are stored."""
    last = session.scalar(
        select(OutputRow)
        .where(OutputRow.command_id == command_id)
        .order_by(OutputRow.at.desc())
        .limit(1)
    )
    if last is None:
        return 0, 0
    return last.at + last.chars, last.line + last.text.count("\n")


def _from_start(session: Transaction, command_id: str, chars: int) -> str:
    pieces = session.scalars(
        select(OutputRow.text)
        .where(OutputRow.command_id == command_id, OutputRow.at < chars)
        .order_by(OutputRow.at)
    )
    return "".join(pieces)[:chars]


def _from_end(session: Transaction, command_id: str, chars: int) -> str:
    if chars <= 0:
        return ""
    total = session.scalar(
        select(func.max(OutputRow.at + OutputRow.chars)).where(OutputRow.command_id == command_id)
    )
    pieces = session.scalars(
        select(OutputRow.text)
        .where(
            OutputRow.command_id == command_id,
            OutputRow.at + OutputRow.chars > (total or 0) - chars,
        )
        .order_by(OutputRow.at)
    )
    return "".join(pieces)[-chars:]
