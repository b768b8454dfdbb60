"""How Alembic runs our migrations: on the application's own engine."""

from alembic import context
from alembic.util import CommandError
from flask import current_app

from walissh.store.database import WRITES

migrate = current_app.extensions["migrate"]


def run_offline() -> None:
    """Write the statements to standard output."""
    url = migrate.db.engine.url.render_as_string(hide_password=False)
    context.configure(url=url, target_metadata=migrate.db.metadata, literal_binds=True)
    with context.begin_transaction():
        context.run_migrations()


def run_online() -> None:
    """Run all steps in one transaction: a step that fails leaves nothing behind."""
    with migrate.db.engine.connect().execution_options(**{WRITES: True}) as connection:
        sqlite = connection.dialect.name == "sqlite"
        if sqlite:
            # a batch step drops the old table: with foreign keys on, that deletes all that
            # hangs on its rows; the switch has no effect inside a transaction
            connection.connection.execute("PRAGMA foreign_keys=OFF")
        context.configure(
            connection=connection,
            target_metadata=migrate.db.metadata,
            transaction_per_migration=False,
            transactional_ddl=True,
            **migrate.configure_args,
        )
        with context.begin_transaction():
            context.run_migrations()
            if sqlite and connection.exec_driver_sql("PRAGMA foreign_key_check").first():
                raise CommandError("a migration left rows that point at nothing")
        if sqlite:
            connection.connection.execute("PRAGMA foreign_keys=ON")


if context.is_offline_mode():
    run_offline()
else:
    run_online()
