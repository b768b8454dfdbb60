"""A list as one value: as a parameter of a statement, and in a row that comes back.

``IN`` with a place for each value is written anew for each list; here the statement stays
as it is, however long the list. A row for each value takes ten times as long as one text.
"""

import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import ARRAY, Boolean, ColumnElement, Dialect, String, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.operators import OperatorType
from sqlalchemy.types import TypeDecorator, TypeEngine


class _List(TypeDecorator[Collection[Any]]):
    """An array where there is one, elsewhere its JSON."""

    impl = String
    cache_ok = True

    def __init__(self, of: TypeEngine[Any]) -> None:
        super().__init__()
        self.of = of

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Choose by the database."""
        return ARRAY(self.of) if dialect.name == "postgresql" else String()

    def process_bind_param(self, value: Collection[Any] | None, dialect: Dialect) -> Any:
        """Send all values at once."""
        values = [*(value or ())]
        return values if dialect.name == "postgresql" else json.dumps(values)


class _Pairs(FunctionElement[str]):
    type = String()
    inherit_cache = True


@compiles(_Pairs)
def _string_agg(element: _Pairs, compiler: SQLCompiler, **options: Any) -> str:
    number, times = (compiler.process(each, **options) for each in element.clauses)
    several = f"CAST(-1 - {number} AS TEXT) || ',' || CAST({times} AS TEXT)"
    return f"string_agg(CASE {times} WHEN 1 THEN CAST({number} AS TEXT) ELSE {several} END, ',')"


@compiles(_Pairs, "sqlite")
def _group_concat(element: _Pairs, compiler: SQLCompiler, **options: Any) -> str:
    number, times = (compiler.process(each, **options) for each in element.clauses)
    several = f"(-1 - {number}) || ',' || {times}"
    return f"group_concat(CASE {times} WHEN 1 THEN {number} ELSE {several} END)"


def pairs(number: ColumnElement[int], times: ColumnElement[int]) -> ColumnElement[str]:
    """Return the numbers of a group, none below 0, with their times, for ``read_pairs``.

    In one text: a number that is there once as it is; another as -1 - number, then its times.
    """
    return _Pairs(number, times)


def read_pairs(text: str) -> dict[int, int]:
    """Return the times of each number in a column of ``pairs``, in the order of the text."""
    numbers: list[int] = json.loads(f"[{text}]")
    if "-" not in text:
        return dict.fromkeys(numbers, 1)
    rest = iter(numbers)
    return {n if n >= 0 else -1 - n: 1 if n >= 0 else next(rest) for n in rest}


class _OneOf(FunctionElement[bool]):
    type = Boolean()
    inherit_cache = True

    def self_group(self, against: OperatorType | None = None) -> "_OneOf":
        """Stay as it is: "... = 1" around it hides it from the indexes."""
        return self


@compiles(_OneOf)
def _any(element: _OneOf, compiler: SQLCompiler, **options: Any) -> str:
    column, values = (compiler.process(each, **options) for each in element.clauses)
    return f"{column} = ANY ({values})"


@compiles(_OneOf, "sqlite")
def _each(element: _OneOf, compiler: SQLCompiler, **options: Any) -> str:
    column, values = (compiler.process(each, **options) for each in element.clauses)
    return f"({column} IN (SELECT value FROM json_each({values})))"  # noqa: S608  only our own


def one_of(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Return the condition that *column* is among the values given for *name*."""
    return _OneOf(column, bindparam(name, type_=_List(column.type)))
