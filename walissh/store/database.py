"""The database: one engine, and the two ways to talk to it."""

import logging
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import Any, cast

from flask import Flask
from flask_migrate import Migrate
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import (
    CursorResult,
    DateTime,
    Delete,
    Dialect,
    Engine,
    MetaData,
    Update,
    event,
    text,
)
from sqlalchemy.engine import Connection
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    NotSupportedError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.orm import DeclarativeBase, Session
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.types import TypeDecorator

from walissh.config import Settings, asset_dir
from walissh.errors import StoreError, StoreRefusedError

logger = logging.getLogger(__name__)

WRITES = "walissh_writes"
PATIENCE = "walissh_patience_ms"
BUSY_TIMEOUT_S = 30
PAGES_KIB = 8_000
"""So much of its file does a connection of SQLite keep at hand at most."""

MEMORY_PATIENCE_MS = 40
"""What a memory may wait for a lock in the middle of a turn: it is a side path."""

LOG_PATIENCE_MS = 1_000

FIRST = datetime(1, 1, 2, tzinfo=UTC)
LAST = datetime(9999, 12, 30, tzinfo=UTC)
"""Between these an instant can be written in every zone."""

_NEVER = (DataError, NotSupportedError, ProgrammingError)
DISK_FULL = "53100"
"""The SQLSTATE of a disk without room; SQLite has its own name for it."""
_NEVER_STATES = ("22", "23", "54")
"""SQLSTATE classes: bad data, a broken constraint, more than the program can take."""

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """The declarative base; our own, for Flask-SQLAlchemy's is untyped."""

    metadata = MetaData(naming_convention=NAMING)


class UtcDateTime(TypeDecorator[datetime]):
    """An aware instant, kept in UTC; SQLite forgets the zone, so it is put back.

    The first and the last day of the calendar, which other zones do not have, become the
    nearest instant that they do.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Store in UTC."""
        return None if value is None else min(max(value, FIRST), LAST).astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give back an aware value."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


db = SQLAlchemy(metadata=Base.metadata)
migrate = Migrate()


def init_app(app: Flask, settings: Settings) -> None:
    """Bind the database to *app*; connects to nothing yet."""
    app.config["SQLALCHEMY_DATABASE_URI"] = settings.sqlalchemy_url
    sqlite = settings.sqlalchemy_url.startswith("sqlite")
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = (
        {"connect_args": {"timeout": BUSY_TIMEOUT_S}, "pool_size": 20, "max_overflow": 300}
        if sqlite
        else {"pool_pre_ping": True, "pool_size": 10, "max_overflow": 30}
    )
    db.init_app(app)
    migrate.init_app(app, db, directory=str(asset_dir("migrations")), render_as_batch=sqlite)
    if sqlite:
        with app.app_context():
            _tame_sqlite(db.engine)


def _tame_sqlite(engine: Engine) -> None:
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)


def _on_connect(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # the driver's implicit BEGIN loses updates
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    # a claim that is lost with the power could run a command twice
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    # a question among many memories reads some hundred pages, and the next one most of them
    cursor.execute(f"PRAGMA cache_size=-{PAGES_KIB}")
    cursor.close()


def _on_begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    patience_ms = int(options.get(PATIENCE, BUSY_TIMEOUT_S * 1000))
    if connection.info.get(PATIENCE) != patience_ms:
        connection.exec_driver_sql(f"PRAGMA busy_timeout={patience_ms}")
        connection.info[PATIENCE] = patience_ms
    # a deferred transaction that turns into a write fails at once with "locked"
    if options.get(WRITES):
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        # takes no lock, so it needs nobody who translates its errors
        connection.connection.cursor().execute("BEGIN")


@contextmanager
def reading(*, patience_ms: int | None = None) -> Iterator[Session]:
    """Open a session for reading; raises StoreError if the database is away.

    With *patience_ms* also when a lock is not given in so many milliseconds.
    """
    engine = _engine(patience_ms)
    with _translated(), Session(engine, expire_on_commit=False) as session:
        _limit_waiting(session, patience_ms)
        yield session


@contextmanager
def looking(*, patience_ms: int | None = None) -> Iterator[Connection]:
    """Open a connection for a few statements that are written out, as ``reading`` does.

    A session takes longer to open than one of these takes to be answered.
    """
    engine = _engine(patience_ms)
    with _translated(), engine.connect() as connection:
        connection.begin()
        _limit_waiting(connection, patience_ms)
        yield connection


@contextmanager
def writing(*, patience_ms: int | None = None) -> Iterator[Session]:
    """Open a transaction that commits at the end; raises StoreError if that fails.

    With *patience_ms* also when a lock is not given in so many milliseconds.
    """
    engine = _engine(patience_ms, **{WRITES: True})
    with _translated(), Session(engine, expire_on_commit=False) as session, session.begin():
        _limit_waiting(session, patience_ms)
        yield session


def _engine(patience_ms: int | None, **options: object) -> Engine:
    if patience_ms is not None:
        options[PATIENCE] = patience_ms
    return db.engine.execution_options(**options) if options else db.engine


def _limit_waiting(session: Session | Connection, patience_ms: int | None) -> None:
    if patience_ms is not None and db.engine.dialect.name == "postgresql":
        session.execute(text(f"SET LOCAL lock_timeout = {int(patience_ms)}"))


def changed(session: Session, statement: Update | Delete) -> int:
    """Run a guarded statement and return how many rows it met: 0 means the guard said no."""
    result = session.execute(statement, execution_options={"synchronize_session": False})
    return cast("CursorResult[Any]", result).rowcount


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except IntegrityError:
        raise  # says who was first: the caller knows what that means
    except (DBAPIError, PoolTimeoutError) as error:
        if _is_for_good(error):
            # the class and not the text: that may quote what somebody wrote
            raise StoreRefusedError(
                f"The database refused this ({type(_cause(error)).__name__}). Nothing was"
                " stored, and trying again as it is will not help."
            ) from error
        if _is_full(error):
            raise StoreError(
                "The disk of the database is full. Nothing was stored. Make room on it, then"
                " try again."
            ) from error
        raise StoreError(f"The database did not answer: {_cause(error)}") from error


def _is_for_good(error: DBAPIError | PoolTimeoutError) -> bool:
    state = str(getattr(_cause(error), "sqlstate", None) or "")
    return isinstance(error, _NEVER) or state.startswith(_NEVER_STATES)


def _is_full(error: DBAPIError | PoolTimeoutError) -> bool:
    cause = _cause(error)
    name, state = (getattr(cause, each, None) for each in ("sqlite_errorname", "sqlstate"))
    return name == "SQLITE_FULL" or state == DISK_FULL


def _cause(error: DBAPIError | PoolTimeoutError) -> object:
    return error.orig if isinstance(error, DBAPIError) else error


def overwrite_deleted(session: Session) -> None:
    """Have SQLite put zeros where this transaction deletes, and not only free the pages."""
    if session.get_bind().dialect.name == "sqlite":
        session.execute(text("PRAGMA secure_delete=ON"))


def empty_log() -> bool:
    """Have SQLite empty its write-ahead log, in whose old pages a deleted text still stands.

    False while somebody reads an old page or writes: call it again later.
    """
    if db.engine.dialect.name != "sqlite":
        return True
    try:
        with _translated(), closing(db.engine.raw_connection()) as connection:
            cursor = connection.cursor()
            cursor.execute(f"PRAGMA busy_timeout={LOG_PATIENCE_MS}")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            busy = any(row[0] for row in cursor.fetchall())
            cursor.close()
    except (StoreError, sqlite3.Error) as error:
        logger.warning("the write-ahead log was not emptied: %s", error)
        return False
    return not busy


def new_id() -> str:
    """Return an id that cannot be guessed: 20 hexadecimal digits."""
    return secrets.token_hex(10)
