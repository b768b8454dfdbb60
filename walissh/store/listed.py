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


class _Joined(FunctionElement[str]):
    type = String()
    inherit_cache = True


@compiles(_Joined)
def _string_agg(element: _Joined, compiler: SQLCompiler, **options: Any) -> str:
    return f"string_agg(CAST({compiler.process(element.clauses, **options)} AS TEXT), ',')"


@compiles(_Joined, "sqlite")
def _group_concat(element: _Joined, compiler: SQLCompiler, **options: Any) -> str:
    return f"group_concat({compiler.process(element.clauses, **options)})"


def joined(column: ColumnElement[int]) -> ColumnElement[str]:
    """Return the numbers of a group as one text, with commas."""
    return _Joined(column)


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
