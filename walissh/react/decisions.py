"""What a person does to a turn: ask, approve, deny, stop."""

from datetime import timedelta

from walissh.errors import ConflictError, InvalidError, NotFoundError, SealError
from walissh.react import course, language, ruling, secrecy, telling, texts
from walissh.react.circumstances import GateRule, is_of
from walissh.react.host import Host
from walissh.react.misled import Sign
from walissh.react.parts import Parts
from walissh.react.turn import (
    SEVERITY,
    CommandRun,
    CommandStatus,
    Decision,
    Risk,
    Turn,
    Verdict,
)
from walissh.safety import redact, withhold


def ask(parts: Parts, session_id: str, user_id: str, content: str, key: str | None = None) -> Turn:
    """Store the question and queue its first step.

    Raises NotFoundError, InvalidError, or ConflictError while a turn is open.
    """
    spoken = language.detect(content, parts.language)
    turn = parts.turns.ask(session_id, user_id, content, spoken, key=key)
    if turn.step == 0 and turn.attempt == 0:
        parts.sessions.name_if_unnamed(session_id, texts.title(turn.question))
        telling.tell_turn(parts, turn)
        parts.enqueue.think(turn)
    return turn


def cancel(parts: Parts, turn_id: str, user_id: str) -> Turn:
    """Stop a turn: what waits is cancelled now, what runs is ended by its worker."""
    turn = parts.turns.request_cancel(turn_id, user_id)
    for run in parts.commands.of_turn(turn.id):
        if run.status is CommandStatus.CANCELLED:
            telling.tell_command(parts, run.id)
    course.advance(parts, turn.id)
    parts.tracker.understanding.misled(turn.id, Sign.CANCELLED)
    return parts.turns.get(turn.id) or turn


def approve(
    parts: Parts,
    command_id: str,
    user_id: str,
    *,
    command: str | None = None,
    confirm_host: str = "",
    shown: str | None = None,
    always: str = "",
) -> CommandRun:
    """Approve a waiting command, perhaps edited; once.

    *shown* is the text that the person had before them; *command* what they made of it. An
    edit is judged again, and if its risk rose it goes on waiting, changed. *always* is one of
    `ruling.scopes`: from now on exactly this command runs there unasked. Raises ConflictError
    if it does not wait, has waited for too long or is not what was shown, InvalidError if the
    gate refuses it by now, refuses the edit, or the host's name is missing for a destructive
    one.
    """
    run = parts.commands.of_person(command_id, user_id)
    if run.status is not CommandStatus.AWAITING_APPROVAL:
        raise ConflictError("This command does not wait for a decision (any more).")
    _check_age(parts, run)
    host = _check_host(parts, run, user_id)
    if shown is not None and _lines(shown) != _lines(run.command):
        raise ConflictError("This command was edited meanwhile. Read it again before you decide.")
    if command is not None and _lines(command) != _lines(run.command):
        if always:
            raise InvalidError("Approve the edited command once before you allow it for good.")
        return _approve_edited(parts, run, user_id, _lines(command), confirm_host)
    _check_verdict(_judge(parts, run, user_id, run.command))
    rule = ruling.always(run, host, always, user_id) if always else None
    return _approve(parts, run, user_id, confirm_host, rule)


def _check_age(parts: Parts, run: CommandRun) -> None:
    """Let expire what upkeep should have by now: it was proposed in other circumstances."""
    if parts.clock() - run.created_at > timedelta(seconds=parts.limits.approval_s):
        course.expire(parts, run, "")
        raise ConflictError("Nobody decided on this command in time. Ask again.")


def _approve_edited(
    parts: Parts, run: CommandRun, user_id: str, command: str, confirm_host: str
) -> CommandRun:
    if "\0" in command:
        raise InvalidError("A command cannot hold a NUL character.", field="command")
    verdict = _judge(parts, run, user_id, command)
    _check_verdict(verdict)
    rose = SEVERITY.index(verdict.risk) > SEVERITY.index(run.risk)
    if not rose:
        _confirm(run.host, verdict.risk, confirm_host)
    shown, kept = secrecy.hidden_command(parts, run.session_id, command)
    if not kept:
        raise InvalidError(withhold.not_kept("en"), field="command")
    edited = parts.commands.edit(run.id, user_id, shown, verdict)
    telling.tell_command(parts, run.id)
    return edited if rose else _approve(parts, edited, user_id, confirm_host)


def _check_verdict(verdict: Verdict) -> None:
    if verdict.decision is Decision.DENY:
        raise InvalidError(" ".join(verdict.reasons), field="command")


def _approve(
    parts: Parts,
    run: CommandRun,
    user_id: str,
    confirm_host: str,
    rule: GateRule | None = None,
) -> CommandRun:
    _confirm(run.host, run.risk, confirm_host)
    if rule is None:
        approved = parts.commands.approve(run.id, user_id, run.command)
    else:
        approved = parts.rules.approve_always(run.id, user_id, run.command, rule)
    parts.enqueue.act(approved)
    telling.tell_command(parts, run.id)
    parts.turns.refresh(run.turn_id)
    return approved


def _confirm(host: str, risk: Risk, confirm_host: str) -> None:
    if risk is Risk.DESTRUCTIVE and confirm_host != host:
        raise InvalidError(
            f"This can destroy data on {host}. Type the host's name to approve it.",
            field="confirm_host",
        )


def _lines(text: str) -> str:
    """Return *text* with the line ends of a server: forms send others."""
    return text.replace("\r\n", "\n")


def _check_host(parts: Parts, run: CommandRun, user_id: str) -> Host:
    host = parts.hosts.get(run.host_id, user_id)
    if host is None or is_another(host, run):
        raise ConflictError(
            f"{run.host}: the host was changed or removed after the command was proposed."
            " Nothing was run. Deny the command and ask again."
        )
    return host


def _judge(parts: Parts, run: CommandRun, user_id: str, command: str) -> Verdict:
    return _judge_now(parts, run, _check_host(parts, run, user_id), command)


def _judge_now(parts: Parts, run: CommandRun, host: Host, command: str) -> Verdict:
    """Judge *command* for the turn of *run* under the present circumstances."""
    turn = parts.turns.get(run.turn_id)
    session = parts.sessions.get(run.session_id, run.user_id)
    if turn is None or session is None:
        raise NotFoundError("There is no such turn.")
    given = parts.circumstance.of_turn(turn, session)
    exact = parts.vault.exact(run.session_id, command)
    return parts.gate.judge(exact, host, turn.language, given)


def is_another(host: Host, run: CommandRun) -> bool:
    """Tell whether *host* is not what a command was proposed for, as it was shown."""
    return host.revision != run.host_revision or (
        bool(run.host_identity) and not is_of(run.host_identity, host)
    )


def still_allowed(parts: Parts, command_id: str) -> bool:
    """Judge an approved command once more before it runs; False if it must not run now.

    One that is refused by now expires with the gate's words; one that nobody decided on and
    that must be asked for by now goes back to waiting. What is gone, or has another state or
    host, is left to the claim that follows.
    """
    run = parts.commands.get(command_id)
    if run is None or run.status is not CommandStatus.APPROVED:
        return True
    host = parts.hosts.get(run.host_id, run.user_id)
    if host is None or is_another(host, run):
        return True
    try:
        verdict = _judge_now(parts, run, host, run.command)
    except (NotFoundError, SealError):
        return True  # what cannot be put together is failed, in words, once it is claimed
    if verdict.decision is Decision.DENY:
        course.expire(parts, run, " ".join(verdict.reasons))
        return False
    if verdict.decision is Decision.ASK and not run.decided_by:
        return not _wait(parts, run, verdict)
    return True


def _wait(parts: Parts, run: CommandRun, verdict: Verdict) -> bool:
    """Put a command back to waiting; False if it was decided or claimed meanwhile."""
    if not parts.rules.wait(run.id, verdict):
        return False
    telling.tell_command(parts, run.id)
    course.advance(parts, run.turn_id)
    return True


def deny(parts: Parts, command_id: str, user_id: str, reason: str) -> CommandRun:
    """Deny a waiting command; the agent goes on and is told the reason."""
    run = parts.commands.of_person(command_id, user_id)
    told = redact.redact(reason, parts.vault.names(run.session_id))
    denied = parts.commands.deny(run.id, user_id, told.replace("\0", "").strip()[:1000])
    telling.tell_command(parts, run.id)
    course.advance(parts, run.turn_id)
    parts.tracker.understanding.misled(run.turn_id, Sign.DENIED)
    return denied
