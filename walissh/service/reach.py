"""What the settings name must answer before anything is started; imports little."""

import warnings
from pathlib import Path

import redis as client
from redis.backoff import NoBackoff
from redis.retry import Retry
from sqlalchemy import URL, create_engine, make_url
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SAWarning, SQLAlchemyError
from sqlalchemy.pool import NullPool

from walissh.config import Settings
from walissh.errors import StartError

LIMIT_S = 5


def redis(settings: Settings) -> None:
    """Check that the server of REDIS_URL answers; raises StartError."""
    try:
        with client.Redis.from_url(
            settings.redis_address,
            socket_timeout=LIMIT_S,
            socket_connect_timeout=LIMIT_S,
            retry=Retry(NoBackoff(), 0),
        ) as server:
            server.ping()
    except (client.RedisError, OSError, ValueError, TypeError) as error:  # the last two: options
        raise StartError(
            f"The Redis of REDIS_URL cannot be used: {line(error)}. Start it, correct REDIS_URL, "
            "or leave it out for the embedded one."
        ) from error


def database(settings: Settings) -> None:
    """Check that the database can be opened, whatever its schema; raises StartError."""
    try:
        url = make_url(settings.sqlalchemy_url)
        if url.get_backend_name() == "sqlite":
            _read_file(url, file_of(url))
        else:
            _connect(url)
    except (SQLAlchemyError, SAWarning, ImportError, OSError, ValueError, TypeError) as error:
        raise StartError(explain(settings, error)) from error


def file_of(url: URL) -> Path:
    """Return the file of an SQLite *url*; raises StartError if it names none."""
    path = url.database or ""
    if not path or ":memory:" in path or url.query.get("mode") == "memory":
        raise StartError(
            "DATABASE_URL names no file, and the parts are processes that share one. Write "
            "sqlite:////the/whole/path/walissh.db, or leave it out."
        )
    return Path(path)


def _read_file(url: URL, path: Path) -> None:
    """Read the file if it is there; the release step makes it, a look does not."""
    if not path.is_absolute():
        return  # it is looked for where the application is
    if not path.parent.is_dir():
        raise FileNotFoundError(f"the folder {path.parent} does not exist")
    with warnings.catch_warnings():
        warnings.simplefilter("error", SAWarning)  # an unknown option, which would be ignored
        engine = create_engine(url, poolclass=NullPool)
    if path.exists():
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA schema_version")


def _connect(url: URL) -> None:
    limit = {} if "connect_timeout" in url.query else {"connect_timeout": LIMIT_S}
    with create_engine(url, poolclass=NullPool, connect_args=limit).connect():
        pass


def explain(settings: Settings, error: Exception) -> str:
    """Return the sentence for an *error* of the database; never a password."""
    if isinstance(error, NoSuchModuleError | ImportError):
        return (
            f"No driver for this DATABASE_URL: {line(error)}. Install it with: "
            "pip install 'walissh[postgresql]'"
        )
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    where = "DATABASE_URL" if settings.database_url else str(Path(settings.home, "walissh.db"))
    return f"The database cannot be used: {line(cause)}. Check {where}."


def line(error: BaseException) -> str:
    """Return the first line of what *error* says, without a full stop."""
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
