"""What a person's deeds tell: edits of a command, denials with a reason, the host list."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from walissh.memory.entry import Found, MemoryType, Op
from walissh.memory.extract import preferences
from walissh.react.host import Host
from walissh.react.turn import CommandRun, CommandStatus, Message

EDIT_CONFIDENCE = 0.5
DENIAL_CONFIDENCE = 0.7
INVENTORY_DAYS = 365


def of_decisions(
    runs: Sequence[CommandRun], proposed: Mapping[str, str]
) -> Iterator[tuple[CommandRun, Found]]:
    """Yield what each decided command teaches, with the command that proves it.

    *proposed* gives the command that the model asked for, by the id of its call.

    One edit is a hint and no rule: its confidence is low, and what the person says wins.
    """
    for run in runs:
        if run.status is CommandStatus.DENIED and run.denial:
            for found in preferences.from_user(run.denial):
                yield run, replace(found, confidence=DENIAL_CONFIDENCE)
        edited = _edited(run.command, proposed.get(run.tool_call_id, run.command))
        if edited is not None and run.decided_by:
            yield run, edited


def asked_for(messages: Sequence[Message]) -> dict[str, str]:
    """Return the command text of each call of ``run_command``, by the id of the call."""
    asked = {}
    for call in (call for message in messages for call in message.tool_calls):
        try:
            arguments = json.loads(call.arguments)
        except (json.JSONDecodeError, RecursionError):
            continue  # a call that never came to a command
        if isinstance(arguments, dict) and isinstance(arguments.get("command"), str):
            asked[call.id] = arguments["command"]
    return asked


def _edited(command: str, proposed: str) -> Found | None:
    """Return the habit that an edit shows: putting sudo before a command, or taking it away."""
    now, before = command.split(), proposed.split()
    if now == ["sudo", *before]:
        return _sudo("sudo", Op.ADD, f"edited to: {command[:120]}")
    if before == ["sudo", *now]:
        return _sudo("no sudo", Op.REPLACE, f"edited to: {command[:120]}")
    return None


def _sudo(value: str, op: Op, content: str) -> Found:
    return Found(
        MemoryType.USER_PREFERENCE, "sudo", value, content, op=op, confidence=EDIT_CONFIDENCE
    )


def of_inventory(host: Host) -> Iterator[Found]:
    """Yield what the list of servers says of *host*: its stage and its groups."""
    said = {"stage": host.stage, "groups": ", ".join(host.groups)}
    for subject, value in said.items():
        if value:
            yield Found(
                MemoryType.ENVIRONMENT_FACT,
                subject,
                value,
                f"{host.name} {subject}: {value}",
                stale_days=INVENTORY_DAYS,
            )
