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


def command_of(parts: Parts, run: CommandRun) -> str | None:
    """Return the exact text of a command, None if a secret in it is kept no more."""
    try:
        text = parts.vault.exact(run.session_id, run.command)
    except StoreError:
        return None
    return None if any(placeholders.numbers(text)) else text


def carry_out(
    parts: Parts, calls: Sequence[ToolCall], room: Room
) -> tuple[Outcome, tuple[ToolCall, ...]]:
    """Carry the calls out as they are meant; return outcome and calls as they may be read."""
    turn = room.context.turn
    outcome = tools.carry_out(exact_calls(parts, turn, calls), room)
    return hidden(parts, turn, outcome, calls), hidden_calls(parts, turn, calls)


def exact_calls(parts: Parts, turn: Turn, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Put the secrets of the session into the commands that name their placeholders."""

    def put_in(text: str) -> str:
        return parts.vault.exact(turn.session_id, text)

    return tuple(
        replace(call, arguments=_over_texts(call.arguments, put_in)) if _names_one(call) else call
        for call in calls
    )


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
    borrowing = frozenset(call.id for call in asked_for if _names_one(call))
    proposals = tuple(
        _hidden(parts, turn, _waiting(each, turn.language) if each.call_id in borrowing else each)
        for each in outcome.proposals
    )
    return replace(outcome, proposals=proposals)


def _hidden(parts: Parts, turn: Turn, proposal: Proposal) -> Proposal:
    command, kept = hidden_command(parts, turn.session_id, proposal.command)
    reason = redact.redact(proposal.reason, parts.vault.names(turn.session_id))
    shown = replace(proposal, command=command, reason=reason)
    if kept:
        return shown
    verdict = replace(
        shown.verdict, decision=Decision.DENY, reasons=(withhold.not_kept(turn.language),)
    )
    return replace(shown, verdict=verdict, status=CommandStatus.REFUSED)


def hidden_command(parts: Parts, session_id: str, command: str) -> tuple[str, bool]:
    """Return *command* with placeholders, and whether they can be put back to the same text.

    They cannot when its secret was given no place: such a command must not run.
    """
    shown = redact.redact(command, parts.vault.names_verbatim(session_id))
    return shown, shown == command or parts.vault.exact(session_id, shown) == command


def _waiting(proposal: Proposal, language: Language) -> Proposal:
    if proposal.status is not CommandStatus.APPROVED:
        return proposal
    reasons = (*proposal.verdict.reasons, withhold.borrowed(language))
    verdict = replace(proposal.verdict, decision=Decision.ASK, reasons=reasons, rule="secret")
    return replace(proposal, verdict=verdict, status=CommandStatus.AWAITING_APPROVAL)


def _over_texts(arguments: str, change: Callable[[str], str]) -> str:
    """Change each text in JSON *arguments*; what is no JSON is changed as it stands."""
    try:
        parsed = json.loads(arguments or "{}")
    except (json.JSONDecodeError, RecursionError):
        return change(arguments)
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
