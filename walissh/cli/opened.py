"""The application for one command of the command line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from walissh.config import Settings
from walissh.errors import InvalidError
from walissh.react.circumstances import ADMIN

if TYPE_CHECKING:  # loaded when it is needed: `walissh --help` looks at every command
    from flask import Flask

    from walissh.store.people import Person


@contextmanager
def opened() -> "Iterator[Flask]":
    """Enter the application's context on the database of the settings.

    The embedded database is made if it is not there yet; another one is brought up to
    date by ``walissh release`` only.
    """
    from walissh.service import home, reach, release
    from walissh.web import create_app

    settings = Settings.from_env()
    home.prepare(settings.home)
    reach.database(settings)
    app = release.migrate(settings) if _is_missing(settings) else create_app(settings)
    with app.app_context():
        yield app


def owner(name: str | None) -> "Person":
    """Return the person of that name, the first administrator without one."""
    from walissh.store import people

    if name is None:
        return people.first_admin()
    found = people.find(name)
    if found is None and name == ADMIN:
        found = _first_of_that_name()
    if found is None:
        raise InvalidError(
            f"There is nobody named {name}. Make them with: walissh person add {name}"
        )
    return found


def _first_of_that_name() -> "Person | None":
    """Return the administrator that a new installation has; None if others rule it."""
    from walissh.store import people

    first = people.first_admin()
    return first if first.name == ADMIN else None


def _is_missing(settings: Settings) -> bool:
    place = settings.sqlalchemy_url.removeprefix("sqlite:///")
    return place != settings.sqlalchemy_url and not Path(place).exists()
