"""Turn rows into values, so that no row and no dict leaves the store."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from walissh.memory.entry import Place, Route, Routing
from walissh.react.circumstances import Flag, HostGate
from walissh.react.followed import Asked, Intended, Intent, Meant
from walissh.react.host import Auth, Host, HostCheck, HostKey
from walissh.react.turn import (
    Citation,
    CommandRun,
    CommandStatus,
    Language,
    Message,
    Recalled,
    Remembrance,
    Risk,
    Role,
    Session,
    ToolCall,
    Turn,
    TurnStatus,
    Usage,
)
from walissh.store import diagnoses
from walissh.store.models import CommandRow, HostRow, MessageRow, SessionRow, TurnRow


def session(row: SessionRow) -> Session:
    """Return the value of a session's row."""
    return Session(
        id=row.id,
        user_id=row.user_id,
        title=row.title,
        host_ids=tuple(row.host_ids),
        pinned=row.pinned,
        archived=row.archived,
        read_only=row.read_only,
        created_at=row.created_at,
        active_at=row.active_at,
    )


def message(row: MessageRow) -> Message:
    """Return the value of a message's row."""
    role: Role = row.role  # type: ignore[assignment]  # written from a Role only
    calls = (ToolCall(each["id"], each["name"], each["arguments"]) for each in row.tool_calls)
    return Message(
        role=role,
        content=row.content,
        tool_calls=tuple(calls),
        tool_call_id=row.tool_call_id,
        meta=row.meta,
        id=row.id,
        turn_id=row.turn_id or "",
        created_at=row.created_at,
    )


def turn(row: TurnRow) -> Turn:
    """Return the value of a turn's row."""
    language: Language = "zh" if row.language == "zh" else "en"
    return Turn(
        id=row.id,
        session_id=row.session_id,
        user_id=row.user_id,
        status=TurnStatus(row.status),
        step=row.step,
        attempt=row.attempt,
        language=language,
        question=row.question,
        answer=row.answer,
        error=row.error,
        citations=tuple(Citation(**each) for each in row.citations),
        usage=Usage(row.prompt_tokens, row.completion_tokens),
        cancel_requested=row.cancel_requested_at is not None,
        created_at=row.created_at,
        finished_at=row.finished_at,
        not_before=row.not_before,
        remembrance=remembrance(row.remembrance),
        intended=intended(row.intended) if row.intended else None,
        asked=asked(row.asked) if row.asked else None,
        diagnosed=tuple(diagnoses.read(each) for each in row.diagnosed),
    )


def intended(stored: Mapping[str, Any]) -> Intended:
    """Return what a message was taken for."""
    return Intended(**(dict(stored) | {"intent": Intent(stored["intent"])}))


def asked(stored: Mapping[str, Any]) -> Asked:
    """Return what a turn ended by asking."""
    return Asked(stored["text"], tuple(stored["choices"]))


def meant(stored: Mapping[str, Any]) -> Meant:
    """Return what a message refers to by other words."""
    return Meant(stored["words"], tuple(stored["hosts"]))


def remembrance(stored: Mapping[str, Any]) -> Remembrance | None:
    """Return what a turn was given out of memory; None if it has not been asked yet."""
    if not stored:
        return None
    routing, recalled = stored["routing"], stored["recalled"]
    return Remembrance(
        routing=Routing(Route(routing["route"]), routing["knowledge"], tuple(routing["path"])),
        recalled=tuple(
            Recalled(**(each | {"reasons": tuple(each["reasons"])})) for each in recalled
        ),
        cited=tuple(stored["cited"]),
        weight=stored["weight"],
        proposal=stored["proposal"],
        version=stored["version"],
        recorded=stored["recorded"],
        place=_place(stored.get("place", {})),  # a turn of an older version has none
        own=tuple(stored.get("own", ())),
    )


def _place(stored: Mapping[str, Any]) -> Place:
    hosts, groups = (tuple(stored.get(name, ())) for name in ("hosts", "groups"))
    return Place(hosts, groups, stored.get("task", ""))


def kept(given: Remembrance) -> dict[str, Any]:
    """Return *given* as it is stored."""
    return asdict(given)


_SAME = (
    "id",
    "turn_id",
    "session_id",
    "user_id",
    "step",
    "tool_call_id",
    "host_id",
    "host",
    "host_revision",
    "host_identity",
    "command",
    "reason",
    "limit_s",
    "exit_code",
    "error",
    "phase",
    "ended_by",
    "output_head",
    "output_tail",
    "output_chars",
    "output_lines",
    "created_at",
    "started_at",
    "finished_at",
    "decided_by",
    "denial",
    "rule",
    "unflagged_by",
    "withheld",
)


def command(row: CommandRow) -> CommandRun:
    """Return the value of a journal row."""
    same: dict[str, Any] = {name: getattr(row, name) for name in _SAME}
    return CommandRun(
        status=CommandStatus(row.status),
        risk=Risk(row.risk),
        reasons=tuple(row.reasons),
        flags=tuple(Flag(**each) for each in row.flags),
        **same,
    )


def host(row: HostRow) -> Host:
    """Return the value of a host's row, without secrets."""
    check = None
    if row.checked_at is not None:
        check = HostCheck(row.check_status, row.check_phase, row.check_error, row.checked_at)
    return Host(
        id=row.id,
        owner_id=row.owner_id,
        name=row.name,
        address=row.address,
        port=row.port,
        user=row.user,
        auth=Auth(row.auth),
        jump_id=row.jump_id,
        groups=tuple(row.groups),
        stage=row.stage,
        encoding=row.encoding,
        gate=HostGate(row.gate),
        machine_id=row.machine_id,
        seen_machine_id=row.seen_machine_id,
        revision=row.revision,
        trusted_key=_host_key(row.trusted_key),
        seen_key=_host_key(row.seen_key),
        check=check,
        created_at=row.created_at,
    )


def _host_key(stored: dict[str, str] | None) -> HostKey | None:
    return None if stored is None else HostKey(**stored)
