"""The release step: bring the database to the newest schema, in one go."""

from alembic import command
from alembic.util import CommandError
from flask import Flask, current_app
from sqlalchemy.exc import SQLAlchemyError

from walissh.config import Settings
from walissh.errors import StartError
from walissh.service import listen, reach
from walissh.store import people
from walissh.web import create_app

LINK_LIFE_S = 3600


def migrate(settings: Settings) -> Flask:
    """Upgrade the database and return the application that was used for it.

    Raises StartError with one line if the database cannot be reached or is newer than
    this program.
    """
    reach.database(settings)
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
            f"The database does not fit this version: {reach.line(error)}. If a newer WaLiSSH "
            "made it, start that one."
        )
    return reach.explain(settings, error)


def greeting(settings: Settings, app: Flask) -> str:
    """Return the line that tells the address, with a link that signs in once."""
    with app.app_context():
        token = people.issue_token(people.first_admin().id, "link", ttl_s=LINK_LIFE_S)
    return f"WaLiSSH is ready: http://{listen.visible_address(settings)}/sign-in/{token}"
