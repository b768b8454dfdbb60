"""The course of a turn between its steps: the move that is due, and the ways to end.

Every move is guarded in the store, so two movers never both win.
"""

from collections.abc import Sequence

from walissh.react import compaction, observation, telling, texts
from walissh.react.parts import Parts
from walissh.react.turn import (
    OPEN_COMMAND,
    OPEN_TURN,
    CommandRun,
    Language,
    Turn,
    TurnStatus,
)


def advance(parts: Parts, turn_id: str) -> None:
    """Make the move that is due after a command's or a model call's end, if any is."""
    turn = parts.turns.refresh(turn_id)
    if turn is None or turn.status not in OPEN_TURN:
        return
    runs = parts.commands.of_turn(turn.id, turn.step)
    if any(run.status in OPEN_COMMAND for run in runs):
        telling.tell_turn(parts, turn)
        return
    results = _results(parts, turn, runs)
    if turn.cancel_requested:
        close(parts, turn, TurnStatus.CANCELLED, "", results)
    else:
        _resume(parts, turn, results)


def _resume(parts: Parts, turn: Turn, results: dict[str, str]) -> None:
    queued = parts.turns.resume(turn.id, turn.step, results)
    if queued is not None:
        telling.tell_turn(parts, queued)
        parts.enqueue.think(queued)


def expire(parts: Parts, run: CommandRun, why: str) -> bool:
    """Let a command expire that has not begun; False if it has."""
    if not parts.commands.expire(run.id, why):
        return False
    telling.tell_command(parts, run.id)
    advance(parts, run.turn_id)
    return True


def language_of(parts: Parts, run: CommandRun) -> Language:
    """Return the language of the question that a command belongs to."""
    turn = parts.turns.get(run.turn_id)
    return turn.language if turn else parts.language


def interrupt(parts: Parts, turn_id: str) -> None:
    """End a turn whose worker died in mid-command: a person decides how to go on.

    While other commands of it are open, it goes on with them, and the model is told.
    """
    turn = parts.turns.get(turn_id)
    if turn is None:
        return
    runs = parts.commands.of_turn(turn.id, turn.step)
    if turn.cancel_requested or any(run.status in OPEN_COMMAND for run in runs):
        advance(parts, turn.id)
        return
    why = texts.interrupted(turn.language, runs)
    close(parts, turn, TurnStatus.INTERRUPTED, why, _results(parts, turn, runs))


def abandon_step(parts: Parts, turn_id: str, step: int) -> None:
    """Close a turn whose model call ended in an error that nobody expected."""
    turn = parts.turns.get(turn_id)
    if turn is not None:
        why = texts.broke(turn.language)
        if parts.turns.break_off(turn.id, step, parts.worker, why):
            end(parts, turn.id)


def abandon_command(parts: Parts, command_id: str) -> None:
    """Mark a command unknown whose job ended in an error that nobody expected."""
    run = parts.commands.get(command_id)
    if run is not None and parts.commands.lose(command_id, texts.broke(language_of(parts, run))):
        telling.tell_command(parts, run.id)
        interrupt(parts, run.turn_id)


def close(
    parts: Parts, turn: Turn, status: TurnStatus, error: str, results: dict[str, str]
) -> None:
    """End the turn in another way than by an answer."""
    if parts.turns.close(turn.id, status, error, results):
        end(parts, turn.id)


def end(parts: Parts, turn_id: str) -> None:
    """Tell the end of a turn that the store has closed, and queue its after-work."""
    telling.tell_end(parts, turn_id)
    turn = parts.turns.get(turn_id)
    if turn is not None:
        parts.mind.release(turn)
    parts.enqueue.finish(turn_id)


def _results(parts: Parts, turn: Turn, runs: Sequence[CommandRun]) -> dict[str, str]:
    """Return the tool message of each call that came to commands, in the order of calls."""
    by_call: dict[str, list[CommandRun]] = {}
    for run in runs:
        by_call.setdefault(run.tool_call_id, []).append(run)
    read, language = parts.commands.read_text, turn.language
    return {
        call_id: observation.render_call(each, read, language=language)
        for call_id, each in by_call.items()
    }


def finish(parts: Parts, turn_id: str) -> None:
    """Do the after-work of an ended turn, once: never in an answer's way.

    What memory can learn from it is learned, then its end goes into the audit trail. While
    memory cannot be written, upkeep has it done again.
    """
    if parts.mind.learn(turn_id) and parts.turns.settle(turn_id):
        turn = parts.turns.get(turn_id)
        if turn is not None:
            parts.mind.credit(turn)  # once: only one job settles a turn
            telling.tell_learned(parts, turn)
            if compaction.is_due(parts, turn):
                parts.enqueue.compact(turn.id)
