"""The release step: bring the database to the newest schema, in one go."""

from pathlib import Path

from alembic import command
from alembic.util import CommandError
from flask import Flask, current_app
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError

from walissh.config import Settings
from walissh.errors import StartError
from walissh.service import listen
from walissh.store import people
from walissh.web import create_app

LINK_LIFE_S = 3600


def migrate(settings: Settings) -> Flask:
    """Upgrade the database and return the application that was used for it.

    Raises StartError with one line if the database cannot be reached or is newer than
    this program.
    """
    try:
        app = create_app(settings)
        with app.app_context():
            upgrade()
    except (SQLAlchemyError, CommandError, ImportError, OSError) as error:
        raise StartError(_explain(settings, error)) from error
    return app


def upgrade(revision: str = "head") -> None:
    """Upgrade the database of the current application to *revision*."""
    command.upgrade(current_app.extensions["migrate"].migrate.get_config(), revision)


def _explain(settings: Settings, error: Exception) -> str:
    if isinstance(error, CommandError):
        return (
            f"The database does not fit this version: {_line(error)}. If a newer WaLiSSH made "
            "it, start that one."
        )
    if isinstance(error, NoSuchModuleError | ImportError):
        return (
            f"No driver for this DATABASE_URL: {_line(error)}. Install it with: "
            "pip install 'walissh[postgresql]'"
        )
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    where = "DATABASE_URL" if settings.database_url else str(Path(settings.home, "walissh.db"))
    return f"The database cannot be used: {_line(cause)}. Check {where}."


def _line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def greeting(settings: Settings, app: Flask) -> str:
    """Return the line that tells the address, with a link that signs in once."""
    with app.app_context():
        token = people.issue_token(people.first_admin().id, "link", ttl_s=LINK_LIFE_S)
    return f"WaLiSSH is ready: http://{listen.visible_address(settings)}/sign-in/{token}"
