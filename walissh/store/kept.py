"""Statements that are written out once for each kind of database, and then sent as text.

For a short question the toolkit takes far longer to prepare it and to wrap its rows than the
database takes to answer. Only for what is asked with every turn.
"""

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
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

    *fixed* are the parameters that are the same each time. *writers* and *readers* turn
    values into those of the database, and back; *row* gives the columns their names.
    """

    text: str
    order: tuple[str, ...] | None
    fixed: Mapping[str, Any]
    writers: tuple[tuple[str, _Process], ...]
    readers: tuple[tuple[int, _Process], ...]
    row: Callable[[Iterable[Any]], Values]

    def parameters(self, values: Mapping[str, object]) -> Any:
        given = {**self.fixed, **values}
        for name, write in self.writers:
            given[name] = write(given[name])
        return given if self.order is None else tuple([given[name] for name in self.order])

    def read(self, rows: Sequence[Values]) -> Iterable[Values]:
        if not rows or not self.readers:
            return rows
        columns: list[Sequence[Any]] = [*zip(*rows, strict=True)]
        for at, read in self.readers:
            columns[at] = [each if each is None else read(each) for each in columns[at]]
        return zip(*columns, strict=True)


class Kept:
    """A statement without lists that are written into it (see ``listed.one_of``)."""

    __slots__ = ("_sent", "_statement")

    def __init__(self, statement: Select[*tuple[Any, ...]]) -> None:
        self._statement = statement
        self._sent: dict[str, _Sent] = {}

    def rows(self, connection: Connection, values: Mapping[str, object]) -> list[Values]:
        """Return the rows; more values than it has parameters do no harm."""
        sent = self._written(connection.dialect)
        return [*sent.read(_fetched(connection, sent, values))]

    def named(self, connection: Connection, values: Mapping[str, object]) -> list[Values]:
        """Return the rows, whose columns have their names."""
        sent = self._written(connection.dialect)
        return [*map(sent.row, sent.read(_fetched(connection, sent, values)))]

    def _written(self, dialect: Dialect) -> _Sent:
        sent = self._sent.get(dialect.name)
        if sent is None:
            sent = self._sent[dialect.name] = _written(self._statement, dialect)
        return sent


def _fetched(connection: Connection, sent: _Sent, values: Mapping[str, object]) -> list[Values]:
    driver: Any = connection.dialect.loaded_dbapi
    cursor: Any = connection.connection.cursor()
    try:
        cursor.execute(sent.text, sent.parameters(values))
        rows: list[Values] = cursor.fetchall()
    except driver.Error as error:
        # the class that a statement of the toolkit raises; without what was asked for
        raise DBAPIError.instance(
            sent.text, None, error, driver.Error, hide_parameters=True, dialect=connection.dialect
        ) from error
    finally:
        cursor.close()
    return rows


def _written(statement: Select[*tuple[Any, ...]], dialect: Dialect) -> _Sent:
    compiled = statement.compile(dialect=dialect)
    writers = (
        (name, bound.type.dialect_impl(dialect).bind_processor(dialect))
        for bound, name in compiled.bind_names.items()
    )
    columns = [*statement.selected_columns]
    readers = enumerate(_reader(column.type, dialect) for column in columns)
    row: Any = namedtuple("Row", [column.key for column in columns], rename=True)  # type: ignore
    return _Sent(
        compiled.string,
        None if compiled.positiontup is None else (*compiled.positiontup,),
        dict(compiled.params),
        tuple((name, write) for name, write in writers if write is not None),
        tuple((at, read) for at, read in readers if read is not None),
        row._make,
    )


def _reader(kind: TypeEngine[Any], dialect: Dialect) -> _Process | None:
    if dialect.name == "sqlite" and isinstance(kind, UtcDateTime):
        return _instant
    return kind.dialect_impl(dialect).result_processor(dialect, None)


def _instant(written: str) -> datetime:
    """Read an instant as SQLite keeps it, without the zone that it has in each row."""
    return datetime.fromisoformat(f"{written}+00:00")
