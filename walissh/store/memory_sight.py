"""Who sees which memories, as queries: each of them names its reader in the SQL.

A reader sees their own entries, those of a host only while that host is theirs, and the facts
that another member of one of their groups shares of a host which they have themselves: one
with the same address and port, reached over the same hop.

Queries are made once and kept: to make one takes longer than to run it. What else a query
asks for is named by conditions, each of which takes the values of its name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, Literal, cast

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Integer,
    Join,
    Select,
    String,
    Table,
    and_,
    bindparam,
    exists,
    func,
    inspect,
    or_,
    select,
)
from sqlalchemy.orm import aliased

from walissh.errors import InvalidError
from walissh.memory.entry import FACTS, Op
from walissh.store.database import UtcDateTime
from walissh.store.kept import Kept, Values
from walissh.store.listed import one_of
from walissh.store.memory_rows import Seen
from walissh.store.models import GroupRow, HostRow, MemoryRow

MEMORY = cast(Table, MemoryRow.__table__)
Later = aliased(MemoryRow, name="later")
Here = aliased(HostRow, name="here")
Theirs = aliased(HostRow, name="theirs")

Visible = Select[MemoryRow, str | None, str | None, str | None, datetime | None]
Statement = Select[*tuple[Any, ...]]
State = Literal["counts", "all", "superseded", "withdrawn", "expired", "wrong"]
STATES: tuple[State, ...] = ("superseded", "withdrawn", "expired", "wrong", "all")
Condition = Literal[
    State,
    "after",
    "before",
    "bound_to",
    "ids",
    "lasting",
    "numbers",
    "of_host",
    "of_hosts",
    "of_message",
    "of_owner",
    "of_subject",
    "of_type",
    "of_types",
]
Order = Literal["oldest", "newest", "latest"]
"""By number, and by when it was learned, the newest first."""

_LATER, _HERE = inspect(Later).selectable, inspect(Here).selectable
_HISTORY = MEMORY.outerjoin(_LATER, Later.id == MemoryRow.superseded_by)
_BESIDE = (
    Here.id.label("here_id"),
    Here.name.label("here_name"),
    Later.op.label("later_op"),
    Later.expires_at.label("later_expires_at"),
)
"""What stands beside a row in ``Seen``, in its order."""

READER: BindParameter[str] = bindparam("reader", type_=String)
NOW: BindParameter[datetime] = bindparam("now", type_=UtcDateTime)


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for: *conditions*, and the *values* these take."""

    conditions: tuple[Condition, ...]
    values: Mapping[str, object]

    def also(self, condition: Condition, value: object = None) -> "Wish":
        """Return it with one more condition; its value has the condition's name."""
        values = {**self.values, condition: value}
        return replace(self, conditions=(*self.conditions, condition), values=values)


def wish(state: str | None, now: datetime) -> Wish:
    """Ask for what is in *state*; None: all that counts. Raises InvalidError."""
    for known in STATES:
        if state == known:
            return Wish((known,), {"now": now})
    if state is None:
        return Wish(("counts",), {"now": now})
    raise InvalidError(
        f"{state!r} is no state to look for. Use superseded, withdrawn, expired, wrong or all.",
        field="state",
    )


# --- reading --------------------------------------------------------------------------


def sharers(connection: Connection, reader_id: str) -> list[str]:
    """Return the owners of what is shared with a group that the reader is in."""
    return [row[0] for row in _sharers().rows(connection, {"reader": reader_id})]


def own(connection: Connection, owner_id: str, asked: Wish, **more: Any) -> list[Seen]:
    """Return what *owner_id* has of their own, as ``seen`` does."""
    return seen(connection, owner_id, asked, shared=False, **more)


def seen(
    connection: Connection,
    reader_id: str,
    asked: Wish,
    *,
    order: Order = "oldest",
    limit: int | None = None,
    shared: bool | None = None,
) -> list[Seen]:
    """Return what *reader_id* may see of what is asked for.

    *shared*: whether somebody shares with them, if that is known already.
    """
    if shared is None:
        shared = bool(sharers(connection, reader_id))
    values = {**asked.values, "reader": reader_id, "limit": limit}
    found: list[Values] = []
    for which in (False, True)[: 1 + shared]:
        statement = _query(which, asked.conditions, order, limit is not None)
        found += statement.named(connection, values)
    every = [Seen(cast(MemoryRow, row), *row[-4:]) for row in found]
    if not shared:
        return every
    return sorted(every, key=_ORDERS[order])[:limit]


_ORDERS = {
    "oldest": lambda seen: seen.row.number,
    "newest": lambda seen: -seen.row.number,
    "latest": lambda seen: (-seen.row.at.timestamp(), -seen.row.number),
}


def columns(
    connection: Connection, reader_id: str, asked: Wish, *wanted: Any, shared: bool
) -> list[Values]:
    """Return columns of what *reader_id* may see, instead of all of it."""
    values = {**asked.values, "reader": reader_id}
    found: list[Values] = []
    for which in (False, True)[: 1 + shared]:
        found += _kept_columns(wanted, which, asked.conditions).rows(connection, values)
    return found


# --- queries, made once ---------------------------------------------------------------


@cache
def of_owner() -> Visible:
    """Return the query for the entries of ``reader`` within their reach, to change them."""
    return select(MemoryRow, *_BESIDE).select_from(_own()).where(_within_reach())


@cache
def _query(shared: bool, conditions: tuple[Condition, ...], order: Order, some: bool) -> Kept:
    statement = _columns_of((*MEMORY.c, *_BESIDE), shared, conditions)
    match order:
        case "oldest":
            statement = statement.order_by(MEMORY.c.number)
        case "newest":
            statement = statement.order_by(MEMORY.c.number.desc())
        case "latest":
            statement = statement.order_by(MEMORY.c.at.desc(), MEMORY.c.number.desc())
    return Kept(statement.limit(bindparam("limit", type_=Integer)) if some else statement)


@cache
def _kept_columns(wanted: tuple[Any, ...], shared: bool, conditions: tuple[Condition, ...]) -> Kept:
    return Kept(_columns_of(wanted, shared, conditions))


def _columns_of(
    wanted: tuple[Any, ...], shared: bool, conditions: tuple[Condition, ...]
) -> Statement:
    statement: Statement = select(*wanted)
    of_host, of_hosts = "of_host" in conditions, "of_hosts" in conditions
    if shared:
        here = Here.id == _twin(of_host=of_host, of_hosts=of_hosts)
        statement = statement.select_from(_HISTORY.join(_HERE, here)).where(shares(READER))
    else:
        named = not {"ids", "numbers"}.isdisjoint(conditions)
        statement = statement.select_from(_own()).where(_within_reach(named=named))
        if of_host:
            statement = statement.where(MemoryRow.host_id == bindparam("of_host"))
        if of_hosts:
            statement = statement.where(one_of(MEMORY.c.host_id, "of_hosts"))
    others = [name for name in conditions if name not in ("of_host", "of_hosts")]
    return statement.where(*map(_condition, others))


@cache
def _sharers() -> Kept:
    return Kept(select(MEMORY.c.user_id).where(shares(READER)).distinct())


def _own() -> Join:
    here = and_(Here.id == MemoryRow.host_id, Here.owner_id == MemoryRow.user_id)
    return _HISTORY.outerjoin(_HERE, here)


def _within_reach(*, named: bool = False) -> ColumnElement[bool]:
    """Return the condition for one's own; *named*: the entries are asked for by name.

    Then the index of persons is kept from the planner, who would go through it to each one.
    """
    owner = func.coalesce(MEMORY.c.user_id, "") if named else MEMORY.c.user_id
    return and_(owner == READER, or_(MemoryRow.host_id.is_(None), Here.id.is_not(None)))


def shares(reader: BindParameter[str]) -> ColumnElement[bool]:
    """Return the condition that a group both are in shares it; of its host it says nothing."""
    readers, owners = aliased(GroupRow), aliased(GroupRow)
    both = exists().where(
        readers.person_id == reader,
        readers.name == MemoryRow.shared_with,
        owners.name == MemoryRow.shared_with,
        owners.person_id == MemoryRow.user_id,
    )
    names = select(GroupRow.name).where(GroupRow.person_id == reader)
    return and_(
        MemoryRow.shared_with.in_(names),  # finds them by the index
        MemoryRow.user_id != reader,
        or_(*(MemoryRow.type == each for each in sorted(FACTS))),
        both,
    )


def _twin(*, of_host: bool, of_hosts: bool) -> ColumnElement[str]:
    """Return the reader's own host that is the same machine as the host of the row."""
    mine, my_hop, their_hop = aliased(HostRow), aliased(HostRow), aliased(HostRow)
    twin = (
        select(mine.id)
        .join(Theirs, and_(Theirs.address == mine.address, Theirs.port == mine.port))
        .outerjoin(my_hop, my_hop.id == mine.jump_id)
        .outerjoin(their_hop, their_hop.id == Theirs.jump_id)
        .where(
            mine.owner_id == READER,
            Theirs.id == MemoryRow.host_id,
            Theirs.owner_id == MemoryRow.user_id,
            # a private address behind another hop is another machine
            func.coalesce(my_hop.address, "") == func.coalesce(their_hop.address, ""),
            func.coalesce(my_hop.port, 0) == func.coalesce(their_hop.port, 0),
        )
        .order_by(mine.name)
        .limit(1)
        .correlate(MemoryRow)
    )
    if of_host:
        twin = twin.where(mine.id == bindparam("of_host"))
    if of_hosts:
        twin = twin.where(one_of(cast(ColumnElement[str], mine.id), "of_hosts"))
    return twin.scalar_subquery()


# --- conditions -----------------------------------------------------------------------


def _condition(name: Condition) -> ColumnElement[bool]:
    match name:
        case "lasting":
            return ~MemoryRow.scope.startswith("task:")
        case "before":
            return MemoryRow.number < bindparam("before")
        case "after":
            return MemoryRow.number > bindparam("after")
        case "ids":
            return one_of(MEMORY.c.id, "ids")
        case "numbers":
            return one_of(MEMORY.c.number, "numbers")
        case "of_types":
            return one_of(MEMORY.c.type, "of_types")
    return _equal(name) if name in _COLUMNS else _in_state(name)


_COLUMNS: dict[str, ColumnElement[Any]] = {
    "bound_to": func.coalesce(MEMORY.c.host_id, ""),
    "of_owner": MEMORY.c.user_id,
    "of_message": MEMORY.c.source_message_id,
    "of_subject": MEMORY.c.subject,
    "of_type": MEMORY.c.type,
}


def _equal(name: str) -> ColumnElement[bool]:
    return _COLUMNS[name] == bindparam(name, type_=String)


def _in_state(name: Condition) -> ColumnElement[bool]:
    held = and_(MemoryRow.wrong_at.is_(None), MemoryRow.op != Op.REMOVE)
    withdrawn = func.coalesce(Later.op, "") == Op.REMOVE
    match name:
        case "counts":
            return and_(held, ~_hidden(), ~_expired())
        case "superseded":
            return and_(held, _hidden(), ~withdrawn)
        case "withdrawn":
            return and_(held, _hidden(), withdrawn)
        case "expired":
            return and_(held, ~_hidden(), _expired())
        case "wrong":
            return MemoryRow.wrong_at.is_not(None)
    return MemoryRow.number > 0


def _hidden() -> ColumnElement[bool]:
    """Return the condition that another took its place, and that one has not expired."""
    gone = and_(Later.expires_at.is_not(None), Later.expires_at <= NOW)
    return and_(MemoryRow.superseded_by.is_not(None), ~func.coalesce(gone, False))


def _expired() -> ColumnElement[bool]:
    return and_(MemoryRow.expires_at.is_not(None), MemoryRow.expires_at <= NOW)
