"""How Alembic runs our migrations: on the application's own engine."""

from alembic import context
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
        context.configure(
            connection=connection,
            target_metadata=migrate.db.metadata,
            transaction_per_migration=False,
            transactional_ddl=True,
            **migrate.configure_args,
        )
        with context.begin_transaction():
            context.run_migrations()


if context.is_offline_mode():
    run_offline()
else:
    run_online()
