"""Outputs that are credentials, whole and sealed; only who may reveal them reads them."""

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import delete, func, select, update

from walissh.store import seal
from walissh.store.database import reading, writing
from walissh.store.models import CommandRow, WithheldRow

MAX_CHARS = 2_000_000
"""So much is revealed at once."""


def append(command_id: str, text: str) -> None:
    """Seal the next piece, and note with the command that its output is withheld."""
    sealed = seal.seal(text)
    with writing() as session:
        last = session.scalar(
            select(func.max(WithheldRow.at)).where(WithheldRow.command_id == command_id)
        )
        at = 0 if last is None else last + 1
        session.add(WithheldRow(command_id=command_id, at=at, sealed=sealed))
        session.execute(update(CommandRow).where(CommandRow.id == command_id).values(withheld=True))


def read(command_id: str) -> str:
    """Return the output, "" if none is kept (any more); at most MAX_CHARS of it."""
    with reading() as session:
        pieces = session.scalars(
            select(WithheldRow.sealed)
            .where(WithheldRow.command_id == command_id)
            .order_by(WithheldRow.at)
        ).yield_per(16)
        return "".join(_opened(pieces))[:MAX_CHARS]


def _opened(pieces: Iterator[str]) -> Iterator[str]:
    chars = 0
    for sealed in pieces:
        if chars > MAX_CHARS:
            return
        text = seal.unseal(sealed)
        chars += len(text)
        yield text


def drop_older(than: datetime) -> None:
    """Cut what was withheld of commands proposed before *than*."""
    old = select(CommandRow.id).where(CommandRow.created_at < than)
    with writing() as session:
        session.execute(delete(WithheldRow).where(WithheldRow.command_id.in_(old)))
