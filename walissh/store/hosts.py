"""Servers, and their secrets sealed; every query names the owner, so reach is one filter."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as Transaction

from walissh.clock import utc_now
from walissh.errors import ConflictError, InvalidError, NotFoundError, ShellError
from walissh.identity import login_name
from walissh.react import turn as values
from walissh.react.circumstances import identity_of
from walissh.react.host import Auth, Endpoint, Host, HostKey
from walissh.store import audit, commands, host_drafts, machines, rows, rule_checks, sudo
from walissh.store.database import changed, empty_log, overwrite_deleted, reading, writing
from walissh.store.models import CredentialRow, HostRow
from walissh.store.seal import seal, unseal

HostDraft = host_drafts.HostDraft
DEMO_NAME = "this-machine"
MAX_JUMPS = 8
SECRETS = ("key", "passphrase", "password", sudo.KIND)
LOGS_IN_BY = frozenset(SECRETS) - {sudo.KIND}
REACHED_BY = ("address", "port", "user", "auth", "jump_id")
"""Fields whose change makes it another way to, perhaps, another machine."""


def add(owner_id: str, draft: HostDraft) -> Host:
    """Store a new server; raises InvalidError, or ConflictError if the name is taken."""
    host_drafts.check(draft)
    try:
        with writing() as session:
            _check_jump(session, owner_id, None, draft.jump_id)
            row = HostRow(owner_id=owner_id, **_columns(draft))
            session.add(row)
            session.flush()
            _put_secrets(session, row.id, draft.secrets)
            audit.append(
                session,
                actor=owner_id,
                kind="host_added",
                subject=row.id,
                host=row.id,
                secrets=sorted(draft.secrets),
                **_told(row),
            )
            return rows.host(row)
    except IntegrityError as error:
        raise ConflictError(f"There is a host named {draft.name} already.") from error


def change(host_id: str, owner_id: str, draft: HostDraft) -> Host:
    """Replace what is said of a server; a new way to reach it needs a new look at its key."""
    host_drafts.check(draft)
    try:
        with writing() as session:
            row = _row(session, host_id, owner_id)
            _check_jump(session, owner_id, host_id, draft.jump_id)
            was, before = rows.host(row), _told(row)
            _rewrite(row, draft)
            rule_checks.check_stays(session, was, rows.host(row))
            _put_secrets(session, host_id, draft.secrets)
            after = _told(row)
            audit.append(
                session,
                actor=owner_id,
                kind="host_changed",
                subject=host_id,
                host=host_id,
                secrets=sorted(draft.secrets),
                before={name: told for name, told in before.items() if told != after[name]},
                **after,
            )
            return rows.host(row)
    except IntegrityError as error:
        raise ConflictError(f"There is a host named {draft.name} already.") from error


def _rewrite(row: HostRow, draft: HostDraft) -> None:
    columns = _columns(draft)
    if any(getattr(row, name) != columns[name] for name in REACHED_BY) or (
        LOGS_IN_BY & draft.secrets.keys()
    ):
        row.revision += 1
    if (row.address, row.port) != (draft.address, draft.port):
        # another endpoint: the old key proves nothing about it
        row.trusted_key = row.trusted_at = row.seen_key = None
        machines.forget(row)
    for name, value in columns.items():
        setattr(row, name, value)


def remove(host_id: str, owner_id: str) -> None:
    """Delete a server; ConflictError while another host jumps through it."""
    with writing() as session:
        row = _row(session, host_id, owner_id)
        user = session.scalar(select(HostRow.name).where(HostRow.jump_id == host_id).limit(1))
        if user is not None:
            raise ConflictError(f"{row.name} is the jump host of {user}. Change {user} first.")
        overwrite_deleted(session)
        session.delete(row)
        audit.append(
            session,
            actor=owner_id,
            kind="host_removed",
            subject=host_id,
            host=host_id,
            name=row.name,
        )
    empty_log()


def within_reach(owner_id: str) -> list[Host]:
    """Return this person's servers by name."""
    with reading() as session:
        found = session.scalars(
            select(HostRow).where(HostRow.owner_id == owner_id).order_by(HostRow.name)
        )
        return [rows.host(row) for row in found]


def get(host_id: str, owner_id: str) -> Host | None:
    """Return the server if it is within this person's reach."""
    with reading() as session:
        row = session.get(HostRow, host_id)
        return rows.host(row) if row is not None and row.owner_id == owner_id else None


def find(name: str, owner_id: str) -> Host | None:
    """Return this person's server of that name."""
    with reading() as session:
        row = session.scalar(
            select(HostRow).where(HostRow.owner_id == owner_id, HostRow.name == name)
        )
        return None if row is None else rows.host(row)


def of_session(session: values.Session) -> list[Host]:
    """Return the session's servers that are within its owner's reach, in its order."""
    mine = {host.id: host for host in within_reach(session.user_id)}
    return [mine[each] for each in session.host_ids if each in mine]


def secrets_of(host_id: str) -> frozenset[str]:
    """Tell which secrets are stored (of `SECRETS`), not what they are."""
    with reading() as session:
        kinds = session.scalars(select(CredentialRow.kind).where(CredentialRow.host_id == host_id))
        return frozenset(kinds) & frozenset(SECRETS)


# --- what the SSH driver needs --------------------------------------------------------

meet_machine = machines.meet_machine
sudo_password = sudo.sudo_password


def endpoint(host_id: str) -> Endpoint:
    """Return how to log in, hops and plain secrets included; raises NotFoundError."""
    with reading() as session:
        return _endpoint(session, host_id, MAX_JUMPS)


def _endpoint(session: Transaction, host_id: str, hops_left: int) -> Endpoint:
    row = session.get(HostRow, host_id)
    if row is None:
        raise NotFoundError("The host is no longer there. Nothing was run.")
    if hops_left == 0:
        raise ShellError(
            f"{row.name}: more than {MAX_JUMPS} jump hosts. Nothing was run.",
            host=row.name,
            phase="connect",
        )
    sealed = session.scalars(
        select(CredentialRow).where(
            CredentialRow.host_id == host_id, CredentialRow.kind.in_(LOGS_IN_BY)
        )
    )
    secrets = {each.kind: unseal(each.sealed) for each in sealed}
    return Endpoint(
        host=rows.host(row),
        private_key=secrets.get("key"),
        passphrase=secrets.get("passphrase"),
        password=secrets.get("password"),
        jump=_endpoint(session, row.jump_id, hops_left - 1) if row.jump_id else None,
    )


def remember_seen_key(host_id: str, key: HostKey) -> None:
    """Keep the key that the server showed last, for a person to compare and trust."""
    with writing() as session:
        changed(session, update(HostRow).where(HostRow.id == host_id).values(seen_key=asdict(key)))


def record_check(host_id: str, error: ShellError | None) -> None:
    """Keep how the last contact went; it fills `Host.check`."""
    status = "ok" if error is None else _CHECK_STATUS.get(type(error).__name__, "failed")
    with writing() as session:
        changed(
            session,
            update(HostRow)
            .where(HostRow.id == host_id)
            .values(
                check_status=status,
                check_phase="" if error is None else error.phase,
                check_error="" if error is None else str(error),
                checked_at=utc_now(),
            ),
        )


_CHECK_STATUS = {
    "HostKeyUnknownError": "unknown_key",
    "HostKeyChangedError": "key_changed",
    "MachineChangedError": "machine_changed",
}


def trust(host_id: str, owner_id: str, fingerprint: str = "", machine: str = "") -> Host:
    """Trust the key seen last, and the machine met under it; only if they are those meant."""
    with writing() as session:
        row = _row(session, host_id, owner_id)
        if row.seen_key is None:
            raise ConflictError(f"{row.name}: no key has been seen yet. Test the host first.")
        if fingerprint and row.seen_key["fingerprint"] != fingerprint:
            raise ConflictError(
                f"{row.name}: the key seen last is {row.seen_key['fingerprint']}, not"
                f" {fingerprint}. Nothing was trusted. Compare again."
            )
        if row.trusted_key == row.seen_key:
            changes = machines.accept(row, machine)
        else:
            old = (row.trusted_key or {}).get("fingerprint", "")
            changes = {"old": old, "new": row.seen_key["fingerprint"]}
            row.trusted_key, row.trusted_at = row.seen_key, utc_now()
            machines.forget(row)  # the first one under the new key is it
        if changes:
            row.revision += 1
            row.check_status = row.check_phase = row.check_error = ""
            audit.append(
                session,
                actor=owner_id,
                kind="host_key_trusted",
                subject=host_id,
                host=host_id,
                name=row.name,
                **changes,
            )
        return rows.host(row)


def register_demo(owner_id: str, port: int, private_key: str, host_key: HostKey) -> Host:
    """Point `this-machine` at the demo server of this start; its key is known, so trusted."""
    draft = HostDraft(
        name=DEMO_NAME,
        address="127.0.0.1",
        port=port,
        user=login_name(),
        auth=Auth.KEY,
        secrets={"key": private_key},
    )
    present = find(DEMO_NAME, owner_id)
    if present is None:
        host = add(owner_id, draft)
    else:
        kept = {name: getattr(present, name) for name in ("gate", "groups", "stage", "encoding")}
        host = change(present.id, owner_id, replace(draft, **kept))
    machines.renew(host.id)
    remember_seen_key(host.id, host_key)
    host = trust(host.id, owner_id, host_key.fingerprint)
    commands.rebind(host)
    return host


# --- inside ---------------------------------------------------------------------------


def _row(session: Transaction, host_id: str, owner_id: str) -> HostRow:
    # locked: two edits at once must not give the same revision
    row = session.get(HostRow, host_id, with_for_update=True)
    if row is None or row.owner_id != owner_id:
        raise NotFoundError("There is no such host.")
    return row


def _told(row: HostRow) -> dict[str, Any]:
    """Return what the audit trail tells of a host: nothing secret, its jump host by id."""
    return {
        "name": row.name,
        "identity": identity_of(rows.host(row)),
        "address": row.address,
        "port": row.port,
        "user": row.user,
        "auth": row.auth,
        "jump": row.jump_id or "",
        "groups": list(row.groups),
        "stage": row.stage,
        "encoding": row.encoding,
        "gate": row.gate,
    }


def _columns(draft: HostDraft) -> dict[str, Any]:
    return {
        "name": draft.name,
        "address": draft.address,
        "port": draft.port,
        "user": draft.user,
        "auth": draft.auth.value,
        "jump_id": draft.jump_id,
        "groups": list(draft.groups),
        "stage": draft.stage,
        "encoding": draft.encoding,
        "gate": draft.gate.value,
    }


def _check_jump(
    session: Transaction, owner_id: str, host_id: str | None, jump_id: str | None
) -> None:
    hop = jump_id
    for _ in range(MAX_JUMPS):
        if hop is None:
            return
        row = session.get(HostRow, hop)
        if row is None or row.owner_id != owner_id:
            raise InvalidError("There is no such jump host.", field="jump")
        if hop == host_id:
            raise InvalidError("A host cannot jump through itself.", field="jump")
        hop = row.jump_id
    raise InvalidError(f"More than {MAX_JUMPS} jump hosts in a row.", field="jump")


def _put_secrets(session: Transaction, host_id: str, secrets: Mapping[str, str | None]) -> None:
    for kind in SECRETS:
        if kind not in secrets:
            continue
        session.execute(
            delete(CredentialRow).where(
                CredentialRow.host_id == host_id, CredentialRow.kind == kind
            )
        )
        plain = secrets[kind]
        if plain and kind == sudo.KIND:
            sudo.check(plain)
        if plain:
            session.add(CredentialRow(host_id=host_id, kind=kind, sealed=seal(plain)))
