"""What the machine behind a host calls itself: kept at the first contact, compared ever after."""

from sqlalchemy import update
from sqlalchemy.orm import Session as Transaction

from walissh.errors import ConflictError
from walissh.react.circumstances import identity_of
from walissh.react.host import NO_MACHINE, Host
from walissh.react.turn import OPEN_COMMAND
from walissh.store import audit, rows
from walissh.store.database import writing
from walissh.store.models import CommandRow, HostRow


def meet_machine(host: Host, told: str) -> str | None:
    """Keep what the machine calls itself; return the id by which the host is known.

    *told* becomes that id if there was none; another one, or none any more, is kept as seen
    last, for a person to accept. None, and nothing is kept, if the host was changed meanwhile:
    *told* is then the name of what stood at another place.
    """
    with writing() as session:
        row = session.get(HostRow, host.id, with_for_update=True)
        if row is None or row.revision != host.revision:
            return None
        if not row.machine_id and told:
            row.machine_id = told
            _name_in_commands(session, row)
        if row.machine_id == told:
            row.seen_machine_id = ""
        elif row.seen_machine_id != (told or NO_MACHINE):
            row.seen_machine_id = told or NO_MACHINE
            row.seen_key = row.trusted_key  # it was met under this one
            audit.append(
                session,
                actor="ssh",
                kind="host_machine_changed",
                subject=host.id,
                host=host.id,
                name=row.name,
                old=row.machine_id,
                new=row.seen_machine_id,
            )
        return row.machine_id


def _name_in_commands(session: Transaction, row: HostRow) -> None:
    """Let what waits or runs show the machine too: it is the one that was proposed for."""
    session.execute(
        update(CommandRow)
        .where(
            CommandRow.host_id == row.id,
            CommandRow.host_revision == row.revision,
            CommandRow.status.in_(OPEN_COMMAND),
        )
        .values(host_identity=identity_of(rows.host(row)))
    )


def accept(row: HostRow, machine: str) -> dict[str, str]:
    """Let the host be the machine seen last; return what changed, for the audit.

    With *machine*, only if it is that one. Nothing changes if no other machine was met.
    """
    if not row.seen_machine_id:
        return {}
    if machine and machine != row.seen_machine_id:
        raise ConflictError(
            f"{row.name}: the machine seen last is {row.seen_machine_id}, not {machine}. Nothing"
            " was trusted. Compare again."
        )
    changes = {"old_machine": row.machine_id, "new_machine": row.seen_machine_id}
    row.machine_id = "" if row.seen_machine_id == NO_MACHINE else row.seen_machine_id
    row.seen_machine_id = ""
    return changes


def forget(row: HostRow) -> None:
    """Let the next machine under the trusted key be the one."""
    row.machine_id = row.seen_machine_id = ""


def renew(host_id: str) -> None:
    """Forget which machine it was: our own part stands behind it."""
    with writing() as session:
        row = session.get(HostRow, host_id, with_for_update=True)
        if row is not None:
            forget(row)
