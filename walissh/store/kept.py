"""Statements that are written out once for each kind of database, and then sent as text.

For a short question the toolkit takes far longer to prepare it and to wrap its rows than the
database takes to answer. Only for what is asked with every turn.
"""

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Dialect, Select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import TypeEngine

from walissh.store.database import UtcDateTime

Values = tuple[Any, ...]
_Process = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class _Sent:
    """The *text* for one kind of database; *order* is None if it names its parameters.

    *fixed* are the parameters that are the same each time; *writers* turn values into those
    of the database.
    """

    text: str
    order: tuple[str, ...] | None
    fixed: Mapping[str, Any]
    writers: tuple[tuple[str, _Process], ...]

    def parameters(self, values: Mapping[str, object]) -> Any:
        given = {**self.fixed, **values}
        for name, write in self.writers:
            given[name] = write(given[name])
        return given if self.order is None else tuple([given[name] for name in self.order])


@dataclass(frozen=True, slots=True)
class _Read:
    """How the rows of one kind of database are read: some columns by *readers*."""

    readers: tuple[tuple[int, _Process], ...]

    def values(self, rows: Sequence[Values]) -> Iterable[Values]:
        if not rows or not self.readers:
            return rows
        columns: list[Sequence[Any]] = [*zip(*rows, strict=True)]
        for at, read in self.readers:
            columns[at] = [each if each is None else read(each) for each in columns[at]]
        return zip(*columns, strict=True)


class Kept:
    """A statement without lists that are written into it (see ``listed.one_of``)."""

    __slots__ = ("_named", "_read", "_sent", "_statement")

    def __init__(self, statement: Select[*tuple[Any, ...]]) -> None:
        self._statement = statement
        self._sent: dict[str, _Sent] = {}
        self._read: dict[str, _Read] = {}
        self._named: Any = None

    def rows(self, connection: Connection, values: Mapping[str, object]) -> list[Values]:
        """Return the rows; more values than it has parameters do no harm."""
        return [*self._rows(connection, values)]

    def named(self, connection: Connection, values: Mapping[str, object]) -> list[Values]:
        """Return the rows, whose columns have their names."""
        if self._named is None:
            self._named = _row(self._statement)
        return [*map(self._named._make, self._rows(connection, values))]

    def _rows(self, connection: Connection, values: Mapping[str, object]) -> Iterable[Values]:
        dialect = connection.dialect
        if dialect.name not in self._sent:
            self._sent[dialect.name] = _sent(self._statement, dialect)
        rows, columns = _fetched(connection, self._sent[dialect.name], values)
        if dialect.name not in self._read:
            self._read[dialect.name] = _read(self._statement, dialect, columns)
        return self._read[dialect.name].values(rows)


def _fetched(
    connection: Connection, sent: _Sent, values: Mapping[str, object]
) -> tuple[list[Values], Sequence[Sequence[Any]]]:
    """Return the rows, and the driver's description of their columns."""
    driver: Any = connection.dialect.loaded_dbapi
    cursor: Any = connection.connection.cursor()
    try:
        cursor.execute(sent.text, sent.parameters(values))
        return cursor.fetchall(), cursor.description
    except driver.Error as error:
        # the class that a statement of the toolkit raises; without what was asked for
        raise DBAPIError.instance(
            sent.text, None, error, driver.Error, hide_parameters=True, dialect=connection.dialect
        ) from error
    finally:
        cursor.close()


def _sent(statement: Select[*tuple[Any, ...]], dialect: Dialect) -> _Sent:
    compiled = statement.compile(dialect=dialect)
    writers = (
        (name, bound.type.dialect_impl(dialect).bind_processor(dialect))
        for bound, name in compiled.bind_names.items()
    )
    return _Sent(
        compiled.string,
        None if compiled.positiontup is None else (*compiled.positiontup,),
        dict(compiled.params),
        tuple((name, write) for name, write in writers if write is not None),
    )


def _read(
    statement: Select[*tuple[Any, ...]], dialect: Dialect, columns: Sequence[Sequence[Any]]
) -> _Read:
    kinds = (column.type for column in statement.selected_columns)
    readers = enumerate(
        _reader(kind, dialect, described[1]) for kind, described in zip(kinds, columns, strict=True)
    )
    return _Read(tuple((at, read) for at, read in readers if read is not None))


def _reader(kind: TypeEngine[Any], dialect: Dialect, sent_as: object) -> _Process | None:
    if dialect.name == "sqlite" and isinstance(kind, UtcDateTime):
        return _instant
    return kind.dialect_impl(dialect).result_processor(dialect, sent_as)


def _row(statement: Select[*tuple[Any, ...]]) -> Any:
    names = [str(column.key) for column in statement.selected_columns]
    return namedtuple("Row", names, rename=True)


@lru_cache(maxsize=10_000)
def _instant(written: str) -> datetime:
    """Read an instant as SQLite keeps it, without the zone that it has in each row.

    What one output taught has one instant, and the next question finds much of it again.
    """
    return datetime.fromisoformat(f"{written}+00:00")
