"""Passwords for sudo: of a host, or lent for one command until that has ended. All sealed."""

from collections.abc import Iterable

from sqlalchemy import delete, or_, select
from sqlalchemy.orm import Session as Transaction

from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.react.turn import CommandStatus
from walissh.store import audit
from walissh.store.database import reading, writing
from walissh.store.models import CommandRow, CredentialRow, HostRow
from walissh.store.seal import seal, unseal

KIND = "sudo"
MAX_CHARS = 512
_KNOWN_BY = (KIND, "password")
_WANTED = (": sudo wants a password", ": sudo refused the password")
"""What ``ssh.sudo`` says of a run whose sudo got no password, or a wrong one."""
_LATELY = 200
"""So many commands of a host are looked at, the newest."""


def check(password: str) -> str:
    """Return *password* if sudo can be told it; raises InvalidError."""
    if not password or len(password) > MAX_CHARS or not password.isprintable():
        raise InvalidError(
            f"A password for sudo has 1 to {MAX_CHARS} visible characters.", field="sudo_password"
        )
    return password


def sudo_password(host_id: str, run_id: str) -> str | None:
    """Return what sudo is told: lent for this command, else the host's, else its log-in's."""
    with reading() as session:
        found = session.scalars(
            select(CredentialRow).where(
                CredentialRow.host_id == host_id,
                CredentialRow.kind.in_((_lent(run_id), *_KNOWN_BY)),
            )
        )
        sealed = {each.kind: each.sealed for each in found}
    first = next((sealed[kind] for kind in (_lent(run_id), *_KNOWN_BY) if kind in sealed), None)
    return None if first is None else unseal(first)


def is_known(host_id: str) -> bool:
    """Tell whether there is a password of this host that sudo can be told."""
    kinds = select(CredentialRow.kind).where(
        CredentialRow.host_id == host_id, CredentialRow.kind.in_(_KNOWN_BY)
    )
    with reading() as session:
        return session.scalar(kinds.limit(1)) is not None


def unmet(host_ids: Iterable[str]) -> frozenset[str]:
    """Return those of these hosts on which sudo lately wanted a password, and none is known."""
    return frozenset(each for each in host_ids if _was_wanted(each) and not is_known(each))


def _was_wanted(host_id: str) -> bool:
    lately = (
        select(CommandRow.error)
        .where(CommandRow.host_id == host_id)
        .order_by(CommandRow.number.desc())
        .limit(_LATELY)
        .subquery()
    )
    said = or_(*(lately.c.error.contains(each) for each in _WANTED))
    with reading() as session:
        return session.scalar(select(lately.c.error).where(said).limit(1)) is not None


def lend(command_id: str, user_id: str, password: str) -> None:
    """Seal *password* for one waiting command.

    Raises NotFoundError, InvalidError, or ConflictError if the command does not wait.
    """
    check(password)
    with writing() as session:
        row = _waiting(session, command_id, user_id)
        put(session, row.host_id, _lent(command_id), password)


def keep_approved(command_id: str, user_id: str, password: str) -> None:
    """Seal for its host what was lent to a command, if that waits no more: it was approved."""
    with reading() as session:
        row = session.scalar(select(CommandRow).where(CommandRow.id == command_id))
        approved = row is not None and row.status != CommandStatus.AWAITING_APPROVAL
        host_id = row.host_id if row is not None else ""
    if approved:
        keep(host_id, user_id, password)


def keep(host_id: str, owner_id: str, password: str) -> None:
    """Seal what sudo is told on a host; "" removes it. Raises NotFoundError, InvalidError."""
    with writing() as session:
        host = session.get(HostRow, host_id)
        if host is None or host.owner_id != owner_id:
            raise NotFoundError("There is no such host.")
        put(session, host_id, KIND, check(password) if password else "")
        audit.append(session, actor=owner_id, kind="host_sudo_kept", subject=host_id, host=host_id)


def take_back(command_id: str) -> None:
    """Forget what was lent to a command that still waits: it was not approved."""
    with writing() as session:
        row = session.scalar(select(CommandRow).where(CommandRow.id == command_id))
        if row is not None and row.status == CommandStatus.AWAITING_APPROVAL:
            forget(session, command_id)


def forget(session: Transaction, *command_ids: str) -> None:
    """Forget what was lent to these commands, inside the caller's transaction."""
    kinds = [_lent(each) for each in command_ids]
    session.execute(delete(CredentialRow).where(CredentialRow.kind.in_(kinds)))


def put(session: Transaction, host_id: str, kind: str, plain: str) -> None:
    """Seal *plain* in the place of what was there; "" only removes that."""
    where = (CredentialRow.host_id == host_id, CredentialRow.kind == kind)
    session.execute(delete(CredentialRow).where(*where))
    if plain:
        session.add(CredentialRow(host_id=host_id, kind=kind, sealed=seal(plain)))


def _lent(command_id: str) -> str:
    return f"{KIND}:{command_id}"


def _waiting(session: Transaction, command_id: str, user_id: str) -> CommandRow:
    # locked: a click that comes second must not change what the first one lent
    found = select(CommandRow).where(CommandRow.id == command_id).with_for_update()
    row = session.scalar(found)
    if row is None or row.user_id != user_id:
        raise NotFoundError("There is no such command.")
    if row.status != CommandStatus.AWAITING_APPROVAL:
        raise ConflictError("This command does not wait for a decision (any more).")
    return row
