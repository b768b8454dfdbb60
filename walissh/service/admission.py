"""Who could come in: asked before anything listens where others can reach it."""

import ipaddress
import shlex
import socket
from pathlib import Path

from sqlalchemy import Engine, create_engine, inspect, make_url, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from walissh.config import Settings
from walissh.errors import StartError
from walissh.service import reach

Address = tuple[str, int]


def check(settings: Settings, bound: Address | None = None) -> None:
    """Refuse to listen beyond loopback while no admin can prove who they are.

    *bound* is the address of the socket that listens: a name may stand for another one each
    time that it is looked up. Without it, that of *settings* is judged. Raises StartError
    with the line that says what to run. The database may be missing or older than this
    program: it is only read.
    """
    exposed = is_exposed(settings) if bound is None else not is_loopback(bound[0])
    if not exposed or settings.oidc is not None:
        return
    try:
        safe = _admin_has_password(settings)
    except (SQLAlchemyError, OSError) as error:
        raise StartError(reach.explain(settings, error)) from error
    if not safe:
        raise StartError(
            f"{_written(settings, bound)} can be reached from other machines, and no admin has a"
            f" password. Run: {_where(settings)}walissh passwd admin"
        )


def _written(settings: Settings, bound: Address | None) -> str:
    if bound is None:
        return settings.bind
    return f"[{bound[0]}]:{bound[1]}" if ":" in bound[0] else f"{bound[0]}:{bound[1]}"


def _where(settings: Settings) -> str:
    """Return what a command needs before it to mean the same home, "" for the usual one."""
    usual = Path("~/.walissh").expanduser().absolute()
    return "" if settings.home == usual else f"WALISSH_HOME={shlex.quote(str(settings.home))} "


def is_exposed(settings: Settings) -> bool:
    """Tell whether others than this machine may reach the address; in doubt, they may."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)
    except OSError:
        return True
    return not all(is_loopback(str(each[4][0])) for each in found)


def is_loopback(address: str) -> bool:
    """Tell whether only this machine reaches *address*; what is no address may be reached."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback


def _admin_has_password(settings: Settings) -> bool:
    url = make_url(settings.sqlalchemy_url)
    if url.get_backend_name() == "sqlite" and not reach.file_of(url).exists():
        return False  # opening it would make it
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        if not inspect(engine).has_table("person"):
            return False
        return connection.execute(text(_question(engine))).first() is not None


def _question(engine: Engine) -> str:
    columns = {each["name"] for each in inspect(engine).get_columns("person")}
    enabled = " AND disabled_at IS NULL" if "disabled_at" in columns else ""
    return (
        "SELECT 1 FROM person WHERE role = 'admin' AND password_hash IS NOT NULL"  # noqa: S608
        f"{enabled} LIMIT 1"
    )
