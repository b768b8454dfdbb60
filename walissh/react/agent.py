"""The turn: think, act, think ... until an answer. Each function is one short job.

Ancestors: RootNode (`open_turn`), AiCallNode (`think`), ToolCallNode (`act`). No step
waits for a person or for another step: whoever makes the last move of a step calls
`advance`, and exactly one of them queues the next.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

from walissh.errors import (
    ContextTooLongError,
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    ShellError,
    TurnCancelledError,
)
from walissh.react import (
    citations,
    compaction,
    course,
    decisions,
    diagnosed,
    repeats,
    secrecy,
    telling,
    texts,
    tools,
    tracker,
)
from walissh.react.followed import Asked, Tracked
from walissh.react.host import Host
from walissh.react.incoming import Incoming
from walissh.react.parts import Parts
from walissh.react.turn import (
    CommandRun,
    CommandStatus,
    DynamicContext,
    Reply,
    Request,
    Session,
    ToolCall,
    Turn,
    TurnStatus,
    compaction_asked,
)
from walissh.safety import purify, withhold

FIRST_RETRY_S = 2.0
LONGEST_RETRY_S = 120.0
NONSENSE_TRIES = 2
FRESH_STARTS = 3
LONGER_PAUSE_S = 10.0


def think(parts: Parts, turn_id: str, step: int) -> None:
    """Make one model call and store what comes of it.

    Does nothing if the step was claimed before, so a job that comes twice is harmless.
    """
    turn = parts.turns.claim(turn_id, step, parts.worker)
    if turn is None:
        return
    telling.tell_turn(parts, turn)
    try:
        context = open_turn(parts, turn)
        reply = _reply(parts, context)
    except TurnCancelledError:
        course.advance(parts, turn.id)
    except (ModelRefusedError, ContextTooLongError) as error:
        _give_up(parts, turn, error)
    except ModelError as error:
        _wait_or_give_up(parts, turn, error)
    else:
        _take(parts, context, reply)


def open_turn(parts: Parts, turn: Turn) -> DynamicContext:
    """Load what this step knows, and bring thread and memory up to the question.

    Cold start is the same as any start: the summary of what was folded, the messages after
    it, all of this turn, and what is remembered. Thread and memory are written once for
    each turn; where no rule is sure of the intent, a model may be asked first.
    """
    session = parts.sessions.get(turn.session_id, turn.user_id)
    if session is None:
        raise TurnCancelledError("The session was deleted.")
    summary = parts.summaries.load(turn.session_id, turn.user_id)
    before = compaction.unfolded(parts, turn, summary)
    context = DynamicContext(
        turn=turn,
        session=session,
        hosts=tuple(_hosts(parts, turn, session)),
        history=(*before, *parts.history.of_turn(turn.id)),
        commands=tuple(parts.commands.of_turn(turn.id)),
        summary=summary,
        circumstances=parts.circumstance.of_turn(turn, session),
    )
    return parts.mind.prepare(parts.tracker.follow(context))


def _hosts(parts: Parts, turn: Turn, session: Session) -> Sequence[Host]:
    """Return the chosen hosts; with none chosen, those named, the only one, or those spoken of."""
    if session.host_ids:
        return parts.hosts.of_session(session)  # chosen and removed since: none, not another
    mine = parts.hosts.within_reach(turn.user_id)
    named = [host for host in mine if texts.names(turn.question, host.name)]
    return named or (mine if len(mine) == 1 else _spoken_of(parts, turn, mine))


def _spoken_of(parts: Parts, turn: Turn, mine: Sequence[Host]) -> Sequence[Host]:
    """Return the hosts of the talk so far: "go on" goes on where it was."""
    kept = parts.tracker.threads.load(turn.session_id, turn.user_id)
    by_name = {host.name: host for host in mine}
    return [by_name[name] for name in (kept.hosts if kept else ()) if name in by_name]


def _reply(parts: Parts, context: DynamicContext) -> Reply:
    """Return what the model says, or what a command of the talk itself comes to.

    Where it is not clear which host is meant, the person is asked and no model. A message that
    only confirms the diagnosis before it is done with by keeping that.
    """
    if context.tracked.pending is not None:
        return Reply("")
    confirmed = parts.mind.confirmed(context.turn) if context.turn.step == 0 else None
    if confirmed is not None:
        telling.tell_learned(parts, context.turn, of=confirmed.turn_id)
        return Reply(confirmed.text)
    kept = compaction_asked(context.turn.question)
    if kept is not None:
        return Reply(compaction.by_hand(parts, context, kept))
    return _ask_model(parts, context)


def _ask_model(parts: Parts, context: DynamicContext) -> Reply:
    """Make one call; a request that is too long is made again smaller."""
    flow = telling.TextFlow(parts, context.turn, purify.clean)
    wrap_up = context.turn.step >= parts.limits.steps or repeats.stuck(
        context.commands, [each for each in context.history if each.turn_id == context.turn.id]
    )
    window = parts.gauge.window()
    while True:
        built = parts.prompt.build(context, window, wrap_up=wrap_up)
        try:
            reply = _complete(parts, context.turn, built.request, flow)
        except ContextTooLongError as error:
            smaller = parts.gauge.refused(window, built.tokens, error.window_tokens)
            if smaller is None:
                raise
            window = smaller
        else:
            flow.flush()
            if not tools.ran_playbook(context):
                parts.gauge.reported(built.tokens, reply.usage.prompt_tokens)
            compaction.keep(parts, context, built.fitted)
            return _final(context, reply) if wrap_up else reply


def _complete(parts: Parts, turn: Turn, request: Request, flow: telling.TextFlow) -> Reply:
    stopped = partial(parts.turns.is_cancelled, turn.id)
    return parts.model.complete(request, on_text=flow.add, cancelled=stopped)


def _final(context: DynamicContext, reply: Reply) -> Reply:
    """Make a reply the last one: with no tools offered, calls count for nothing."""
    text = reply.text.strip() or texts.stopped(context.turn.language, context.commands)
    return replace(reply, text=text, tool_calls=())


def _take(parts: Parts, context: DynamicContext, reply: Reply) -> None:
    asked = context.tracked.pending
    if asked is not None:
        _ask_person(parts, context, reply, asked, tools.Outcome())
    elif parts.mind.is_outdated(context.turn, context.recollection):
        _start_afresh(parts, context.turn)
    elif reply.tool_calls:
        _act_on(parts, context, reply)
    else:
        _answer(parts, context, reply)


def _start_afresh(parts: Parts, turn: Turn) -> None:
    """Make the step again: what it says was thought under a preference that has changed.

    One that keeps changing is waited for: each attempt costs a call of the model.
    """
    delay_s = 0.0 if turn.attempt < FRESH_STARTS else LONGER_PAUSE_S
    if parts.turns.postpone(turn, parts.clock() + timedelta(seconds=delay_s), ""):
        telling.tell_turn(parts, turn, note=texts.preference_changed(turn.language))
    else:
        course.advance(parts, turn.id)


def _act_on(parts: Parts, context: DynamicContext, reply: Reply) -> None:
    turn = context.turn
    names = parts.vault.names(turn.session_id)
    calls = _distinct(reply.tool_calls)
    room = tools.Room(
        context,
        parts.gate,
        parts.commands,
        parts.mind,
        parts.limits.command_s,
        parts.prompt.playbooks(),
    )
    outcome, calls = secrecy.carry_out(parts, calls, room)
    reply = replace(reply, text=purify.clean(reply.text, names), tool_calls=calls)
    if outcome.asked is not None:
        _ask_person(parts, context, reply, outcome.asked, outcome)
        return
    tracked = tracker.acted(context.tracked, outcome)
    runs = parts.turns.record_reply(turn, reply, outcome.proposals, outcome.answers, tracked)
    if runs is not None:
        _keep_thread(parts, context, tracked)
    for run in runs or []:
        telling.tell_command(parts, run.id)
        if run.status is CommandStatus.APPROVED:
            parts.enqueue.act(run)
    course.advance(parts, turn.id)


def _ask_person(
    parts: Parts, context: DynamicContext, reply: Reply, asked: Asked, outcome: tools.Outcome
) -> None:
    """End the turn by a question: no worker waits, the next message answers it."""
    turn = context.turn
    tracked = replace(tracker.acted(context.tracked, outcome), pending=asked)
    answers = {call.id: outcome.answers.get(call.id, "") for call in reply.tool_calls}
    if parts.turns.record_question(turn, reply, asked, answers, tracked):
        _keep_thread(parts, context, tracked)
        telling.tell_question(parts, turn, asked)
        course.end(parts, turn.id)
    else:
        course.advance(parts, turn.id)


def _keep_thread(parts: Parts, context: DynamicContext, tracked: Tracked) -> None:
    """Bring the working copy up to what was stored with the reply, and show a changed plan."""
    turn = context.turn
    parts.tracker.threads.cache(turn.session_id, turn.user_id, tracked)
    if tracked.plan != context.tracked.plan:
        telling.tell_plan(parts, turn, tracked.plan)


def _distinct(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Give calls that share an id (or have none) ids of their own."""
    seen: set[str] = set()
    distinct = []
    for number, call in enumerate(calls):
        taken = not call.id or call.id in seen
        call_id = f"{call.id or 'call'}-{number}" if taken else call.id
        seen.add(call_id)
        distinct.append(replace(call, id=call_id))
    return tuple(distinct)


def _answer(parts: Parts, context: DynamicContext, reply: Reply) -> None:
    clean = partial(purify.clean, names=parts.vault.names(context.turn.session_id))
    text, cited = citations.resolve(clean(reply.text), context.commands)
    found = diagnosed.settled(
        reply.diagnosed, clean, lambda places: citations.proofs(places, context.commands)
    )
    reply = replace(reply, text=parts.mind.with_sources(context, text), diagnosed=found)
    if parts.turns.record_answer(context.turn, reply, cited):
        course.end(parts, context.turn.id)
    else:
        course.advance(parts, context.turn.id)


def _wait_or_give_up(parts: Parts, turn: Turn, error: ModelError) -> None:
    """Have the model asked again later: a busy server often, a nonsense reply once."""
    busy = isinstance(error, ModelBusyError)
    delay_s = error.retry_after_s if isinstance(error, ModelBusyError) else 0.0
    if delay_s is None:
        delay_s = FIRST_RETRY_S * 2 ** (turn.attempt - 1)
    tries = parts.limits.attempts if busy else NONSENSE_TRIES
    if turn.attempt >= tries or delay_s > LONGEST_RETRY_S:
        _give_up(parts, turn, error)
        return
    # not a job that sleeps: upkeep queues the turn when its time has come
    until = parts.clock() + timedelta(seconds=delay_s)
    if parts.turns.postpone(turn, until, purify.clean(str(error))):
        waiting = replace(turn, status=TurnStatus.QUEUED)
        telling.tell_turn(parts, waiting, note=texts.retrying(turn.language, error, delay_s))
    else:
        course.advance(parts, turn.id)


def _give_up(parts: Parts, turn: Turn, error: ModelError) -> None:
    failed = parts.turns.record_failure(
        turn,
        purify.clean(str(error)),
        purify.clean(error.partial, parts.vault.names(turn.session_id)),
    )
    (course.end if failed else course.advance)(parts, turn.id)


def act(parts: Parts, command_id: str) -> None:
    """Run one approved command on its host and store how it ended."""
    if _void(parts, command_id) or not decisions.still_allowed(parts, command_id):
        return
    run = parts.commands.claim(command_id, parts.worker)
    if run is None:
        return
    telling.tell_command(parts, run.id)
    host = parts.hosts.get(run.host_id, run.user_id)
    if host is None or decisions.is_another(host, run):
        why = texts.host_changed(course.language_of(parts, run), run.host)
        parts.commands.fail(run.id, parts.worker, why, "host_key")
    elif _run(parts, run) and (host.check is None or host.check.status != "ok"):
        parts.hosts.record_check(host.id, None)
    telling.tell_command(parts, run.id)
    course.advance(parts, run.turn_id)


def _void(parts: Parts, command_id: str) -> bool:
    """Let an approved command expire whose turn was given preferences that have changed."""
    run = parts.commands.get(command_id)
    turn = parts.turns.get(run.turn_id) if run else None
    if run is None or turn is None or not parts.mind.is_outdated(turn):
        return False
    return course.expire(parts, run, texts.preference_changed(turn.language))


def _run(parts: Parts, run: CommandRun) -> bool:
    """Run it and store its end; tell whether the host answered as it should.

    When its output can no longer be stored the command is stopped, and its outcome unknown.
    """
    given = secrecy.given_to(parts, run)
    if given is None:
        why = withhold.gone(course.language_of(parts, run))
        parts.commands.fail(run.id, parts.worker, why, "run")
        return False
    command, lent = given
    incoming = Incoming(parts, run, command, lent)
    try:
        ended = parts.shell.run(
            run.id,
            run.host_id,
            command,
            limit_s=run.limit_s,
            on_output=incoming.take,
            cancelled=lambda: bool(incoming.broken) or parts.turns.is_cancelled(run.turn_id),
            revision=run.host_revision,
        )
    except ShellError as error:
        incoming.finish()
        parts.hosts.record_check(run.host_id, error)
        if error.started:
            parts.commands.lose(run.id, purify.clean(str(error)))
        else:
            parts.commands.fail(run.id, parts.worker, purify.clean(str(error)), error.phase)
        return False
    incoming.finish()
    if incoming.broken is not None:
        told = texts.not_stored(course.language_of(parts, run), incoming.broken)
        parts.commands.lose(run.id, told)
        return True
    parts.commands.finish(run.id, parts.worker, ended)
    return True
