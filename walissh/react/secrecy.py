"""Secrets in what a model proposes: the exact text runs, and nobody reads it.

Stored, shown and told again is the text with placeholders; the values behind them are
sealed in the vault, and put in their places only for the gate and for the host.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from walissh.errors import StoreError
from walissh.react import tools
from walissh.react.offered import RUN_COMMAND
from walissh.react.parts import Parts
from walissh.react.tools import Outcome, Room
from walissh.react.turn import (
    CommandRun,
    CommandStatus,
    Decision,
    Language,
    Proposal,
    ToolCall,
    Turn,
)
from walissh.safety import placeholders, redact, withhold

MIN_LENT_CHARS = 4
"""A shorter value would be found in words that have nothing to do with it."""


def command_of(parts: Parts, run: CommandRun) -> str | None:
    """Return the exact text of a command, None if a secret in it is kept no more."""
    try:
        text = parts.vault.exact(run.session_id, run.command)
    except StoreError:
        return None
    return None if any(placeholders.numbers(text)) else text


Lent = tuple[tuple[str, str], ...]
"""Values that a command is given, each with the placeholder that it stands under."""


def given_to(parts: Parts, run: CommandRun) -> tuple[str, Lent] | None:
    """Return what ``command_of`` does and the values put into it; None as there."""
    command = command_of(parts, run)
    if command is None:
        return None
    marks = dict.fromkeys(
        found[0] for found in placeholders.MARK.finditer(run.command) if found["number"]
    )
    try:
        values = [(parts.vault.exact(run.session_id, each), each) for each in marks]
    except StoreError:
        return None
    return command, tuple(each for each in values if len(each[0]) >= MIN_LENT_CHARS)


def carry_out(
    parts: Parts, calls: Sequence[ToolCall], room: Room
) -> tuple[Outcome, tuple[ToolCall, ...]]:
    """Carry the calls out as they are meant; return outcome and calls as they may be read."""
    turn = room.context.turn
    shown = hidden_calls(parts, turn, calls)
    meant = tuple(
        _meant(*each) for each in zip(exact_calls(parts, turn, calls), shown, strict=True)
    )
    return hidden(parts, turn, tools.carry_out(meant, room), calls), shown


def _meant(exact: ToolCall, shown: ToolCall) -> ToolCall:
    """Return a call as its tool takes it: what is kept and shown holds no secret."""
    return shown if exact.name in _KEPT else exact


def exact_calls(parts: Parts, turn: Turn, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Put the secrets of the session into the commands that name their placeholders."""

    def put_in(text: str) -> str:
        return parts.vault.exact(turn.session_id, text)

    return tuple(
        replace(call, arguments=_over_texts(call.arguments, put_in, only="command"))
        if _names_one(call)
        else call
        for call in calls
    )


_KEPT = frozenset({"update_plan", "ask_user"})


def _names_one(call: ToolCall) -> bool:
    return call.name == RUN_COMMAND.name and placeholders.there(_told(call.arguments))


def _told(arguments: str) -> str:
    """Return the arguments with their characters as they are, not as JSON may escape them."""
    return arguments.replace("\\u2039", "‹").replace("\\u203a", "›")


def hidden_calls(parts: Parts, turn: Turn, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Return the calls without the secrets in their arguments."""
    names = parts.vault.names_verbatim(turn.session_id)

    def hide(text: str) -> str:
        return redact.redact(text, names)

    return tuple(replace(call, arguments=_over_texts(call.arguments, hide)) for call in calls)


def hidden(parts: Parts, turn: Turn, outcome: Outcome, asked_for: Sequence[ToolCall]) -> Outcome:
    """Return the outcome with placeholders in its commands.

    A command that names a placeholder itself (*asked_for* are the calls as the model wrote
    them) waits for a person: the model must not spend a secret by itself.
    """
    written = {call.id: _command_in(call) for call in asked_for if _names_one(call)}
    proposals = tuple(
        _hidden(parts, turn, _waiting(each, turn.language), written[each.call_id])
        if each.call_id in written
        else _hidden(parts, turn, each)
        for each in outcome.proposals
    )
    return replace(outcome, proposals=proposals)


def _command_in(call: ToolCall) -> str:
    """Return the command as the model wrote it, with the placeholders that it named."""
    try:
        return str(json.loads(call.arguments)["command"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


def _hidden(parts: Parts, turn: Turn, proposal: Proposal, written: str = "") -> Proposal:
    command, kept = hidden_command(parts, turn.session_id, proposal.command, written)
    reason = redact.redact(proposal.reason, parts.vault.names(turn.session_id))
    shown = replace(proposal, command=command, reason=reason)
    if kept:
        return shown
    verdict = replace(
        shown.verdict, decision=Decision.DENY, reasons=(withhold.not_kept(turn.language),)
    )
    return replace(shown, verdict=verdict, status=CommandStatus.REFUSED)


def hidden_command(
    parts: Parts, session_id: str, command: str, written: str = ""
) -> tuple[str, bool]:
    """Return *command* with placeholders, and whether they can be put back to the same text.

    They cannot when its secret was given no place: such a command must not run. *written*:
    the same with the placeholders that were named, which no sign in the text may give away.
    """
    shown = redact.redact(written or command, parts.vault.names_verbatim(session_id))
    return shown, shown == command or parts.vault.exact(session_id, shown) == command


def _waiting(proposal: Proposal, language: Language) -> Proposal:
    if proposal.status is not CommandStatus.APPROVED:
        return proposal
    reasons = (*proposal.verdict.reasons, withhold.borrowed(language))
    verdict = replace(proposal.verdict, decision=Decision.ASK, reasons=reasons, rule="secret")
    return replace(proposal, verdict=verdict, status=CommandStatus.AWAITING_APPROVAL)


def _over_texts(arguments: str, change: Callable[[str], str], *, only: str = "") -> str:
    """Change each text in JSON *arguments*, or of *only* one name; what is no JSON as it is."""
    try:
        parsed = json.loads(arguments or "{}")
    except (json.JSONDecodeError, RecursionError):
        return change(arguments)
    if only and isinstance(parsed, dict):
        changed: object = {**parsed, only: _changed(parsed.get(only), change)}
    else:
        changed = _changed(parsed, change)
    return arguments if changed == parsed else json.dumps(changed, ensure_ascii=False)


def _changed(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_changed(each, change) for each in value]
    if isinstance(value, dict):
        return {name: _changed(each, change) for name, each in value.items()}
    return value
