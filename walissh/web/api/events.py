"""The events of a turn as they come, replayed after the last one that a client has seen.

A client whose events Redis no longer holds gets the same story out of the database, and a
turn that has ended always ends in ``done``. Text of a step that comes out of the database
carries ``whole``: it stands for all deltas of that step.
"""

import json
from collections.abc import Iterator, Mapping

from flask import Blueprint, Response, request, stream_with_context
from pydantic import Field

from walissh import wiring
from walissh.react import telling
from walissh.react.turn import OPEN_TURN, CommandRun, CommandStatus, Turn, TurnStatus
from walissh.store import commands, history, outputs, turns
from walissh.stream import Event, Stream, is_event_id
from walissh.web.api import thread
from walissh.web.api import turns as turn_calls
from walissh.web.api.contract import EVENTS, declares
from walissh.web.api.event_shapes import EVENT_SHAPES
from walissh.web.api.reading import Query, Text
from walissh.web.watch import Watch

blueprint = Blueprint("events", __name__)

LAST_ID = "Last-Event-ID"
BEGINNING = "0-0"
OPENING = "retry: 2000\n: here are the events of the turn\n\n"
HEARTBEAT = ": still here\n\n"
LATEST_CHARS = 4000


class EventsQuery(Query):
    """Where to go on, for clients that cannot set the header."""

    last_event_id: Text = Field("", description=f"Stands for the header {LAST_ID}.")


@blueprint.get("/turns/<id:turn_id>/events")
@declares(
    {200: None},
    query=EventsQuery,
    headers={LAST_ID: "The id of the last event seen: the stream goes on after it."},
    media=EVENTS,
    events=EVENT_SHAPES,
)
def follow_turn(turn_id: str, query: EventsQuery) -> Response:
    """Follow a turn: status, text, command, output, plan, compacted, question; done is last."""
    turn = turn_calls.mine(turn_id)
    wanted = request.headers.get(LAST_ID, "") or query.last_event_id
    after = wanted if is_event_id(wanted) else ""
    return Response(
        stream_with_context(_told(wiring.stream(), turn, after, Watch())),
        content_type=f"{EVENTS}; charset=utf-8",
        headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"},
    )


def _told(stream: Stream, turn: Turn, after: str, watch: Watch) -> Iterator[str]:
    yield OPENING
    if _replays(stream, turn, after):
        yield from _followed(stream, turn, after or BEGINNING, watch)
        return
    # the place first, the state second: what happens in between is told twice, not never
    after = stream.last_id(turn.session_id)
    for name, data in _state(turn.id):
        yield _line(Event(after, name, data))
    yield from _followed(stream, turn, after, watch)


def _replays(stream: Stream, turn: Turn, after: str) -> bool:
    """Tell whether the stream holds all of the turn from *after* ("": its beginning)."""
    if after:
        return stream.holds(turn.session_id, after)
    of_turn = (e for e in stream.read(turn.session_id) if e.data.get("turn_id") == turn.id)
    first = next(of_turn, None)
    return first is not None and first.name == "status" and _is_first(first.data)


def _is_first(data: Mapping[str, object]) -> bool:
    return (data.get("status"), data.get("step"), data.get("attempt")) == ("queued", 0, 0)


def _followed(stream: Stream, turn: Turn, after: str, watch: Watch) -> Iterator[str]:
    """Yield what comes after *after*; at the end of the turn ``done``, published or not.

    It breaks off when the token is revoked: who connects anew is then refused.
    """
    coming = stream.follow if _is_open(turn.id) else stream.read
    for event in coming(turn.session_id, after):
        if watch.is_over():
            return
        if event is None:
            yield HEARTBEAT
            if not _is_open(turn.id):
                break
        elif event.data.get("turn_id") == turn.id:
            yield _line(event)
            after = event.id
            if event.name == "done":
                return
    yield _line(Event(after, "done", _end(turns.get(turn.id), turn.id)))


def _is_open(turn_id: str) -> bool:
    turn = turns.get(turn_id)
    return turn is not None and turn.status in OPEN_TURN


def _state(turn_id: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield what the events of the turn have come to, out of the database."""
    turn = turns.get(turn_id)
    if turn is None:
        return
    yield (
        "status",
        {
            "turn_id": turn.id,
            "status": turn.status.value,
            "step": turn.step,
            "attempt": turn.attempt,
        },
    )
    replies = [each for each in history.of_turn(turn_id) if each.role == "assistant"]
    for step, reply in enumerate(replies):
        told = {"turn_id": turn_id, "step": step, "attempt": 0, "whole": True}
        yield "text", {**told, "delta": reply.content}
    for run in commands.of_turn(turn_id):
        yield "command", telling.command(run)
        if run.status is CommandStatus.RUNNING:
            yield "output", _latest(run)
    plan = thread.plan_of(turn)
    if plan is not None:
        yield "plan", plan
    if turn.asked is not None:
        asked = turn.asked
        yield "question", {"turn_id": turn.id, "text": asked.text, "choices": [*asked.choices]}


def _latest(run: CommandRun) -> Mapping[str, object]:
    """Return the end of a running command's output, as its event would have it."""
    total = outputs.read(run.id, 0, 0).total
    part = outputs.read(run.id, max(0, total - LATEST_CHARS), LATEST_CHARS)
    return {
        "turn_id": run.turn_id,
        "command_id": run.id,
        "offset": part.offset,
        "text": part.text,
    }


def _end(turn: Turn | None, turn_id: str) -> Mapping[str, object]:
    return {
        "turn_id": turn_id,
        "status": TurnStatus.CANCELLED.value if turn is None else turn.status.value,
        "answer": "" if turn is None else turn.answer,
        "error": "The session was deleted." if turn is None else turn.error,
    }


def _line(event: Event) -> str:
    data = json.dumps(event.data, ensure_ascii=False)
    return f"id: {event.id}\nevent: {event.name}\ndata: {data}\n\n"
