"""One event stream per page: fragments of the talk as they change, and live output.

On every connect the page first gets the present state of the open turn, so a reload, a
lost connection, a 503 or a Redis that forgot everything leave no gap; an element whose
``sig`` the page has already is left alone, and output is placed by its offset.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from flask import Blueprint, Response, request, stream_with_context
from flask_wtf.csrf import generate_csrf

from walissh import wiring
from walissh.errors import NotFoundError
from walissh.react.turn import OPEN_TURN, Session, Turn
from walissh.store import sessions, turns
from walissh.stream import Event, is_event_id
from walissh.web import auth
from walissh.web.pages import fragments, view
from walissh.web.pages.fragments import Fragment, Known, Live
from walissh.web.watch import Watch

REDRAW_S = 0.12
"""Text that grows is drawn at most some eight times a second."""

SLACK_S = 60
"""How far the clocks of Redis and of the database may be apart."""

RETRY_MS = 1_000

TELLING = frozenset({"learned", "done", "plan", "compacted"})
"""The events after which more may be known of a session than before."""

blueprint = Blueprint("events", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.get("/sessions/<session_id>/events")
def follow(session_id: str) -> Response:
    """Stream what changes on the page of a session."""
    talk = _session(session_id)
    watch = Watch(lambda: sessions.get(talk.id, talk.user_id) is not None)
    generate_csrf()  # the forms in fragments need it, and headers leave before them
    body = stream_with_context(_Follower(talk, _seen()).run(watch))
    response = Response(body, content_type="text/event-stream; charset=utf-8")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


@blueprint.get("/sessions/<session_id>/state")
def state(session_id: str) -> Response:
    """Return the same as a JSON list, for pages whose stream does not come through."""
    follower = _Follower(_session(session_id), _seen())
    told = [{"name": name, "data": data} for name, data in follower.catch_up()]
    return Response(json.dumps({"after": follower.after, "items": told}), mimetype="text/json")


def _seen() -> str:
    """Return the id of the last event that the page has seen, "" if it names none."""
    after = request.headers.get("Last-Event-ID") or request.args.get("after", "")
    return after if is_event_id(after) else ""


def _session(session_id: str) -> Session:
    talk = sessions.get(session_id, auth.person().id)
    if talk is None:
        raise NotFoundError("There is no such session.")
    return talk


Told = tuple[str, Mapping[str, object]]


class _Follower:
    """Follows the events of one session for one page."""

    def __init__(self, talk: Session, after: str) -> None:
        self._talk = talk
        self._stream = wiring.stream()
        self._from = after
        self._live = Live()
        self._sent: dict[str, str] = {}
        self._drawn_at = 0.0
        self._known: Known | None = None
        self.after = after or "0-0"

    def run(self, watch: Watch) -> Iterator[str]:
        """Yield the stream's text: first what the page may have missed, then what comes.

        It ends when *watch* says so: the page then connects anew and is told why not.
        """
        yield f"retry: {RETRY_MS}\n\n"
        yield from self._write(self.catch_up())
        yield "event: beat\ndata: 1\n\n"
        for woke in self._stream.follow(self._talk.id, self.after):
            if watch.is_over():
                return
            if woke is None:
                yield ": still here\n\nevent: beat\ndata: 1\n\n"
            elif _order(woke.id) > _order(self.after):
                yield from self._write(self._take(self._batch(woke)))

    def catch_up(self) -> Iterator[Told]:
        """Yield the state of the turns that may have changed since the page was made."""
        shown = self._recent()
        events = self._stream.read(self._talk.id, self._beginning(shown))
        for each in events:
            self._fold(each)
        if events:
            self.after = events[-1].id
        for turn in shown:
            yield from self._turn(turn.id)
        yield from self._around(self._newest(shown))

    def _batch(self, first: Event) -> list[Event]:
        """Return *first* and what came with it; waits a little when only text grows."""
        if first.name == "text":
            time.sleep(max(0.0, self._drawn_at + REDRAW_S - time.monotonic()))
        return [first, *self._stream.read(self._talk.id, first.id)]

    def _take(self, events: Sequence[Event]) -> Iterator[Told]:
        for each in events:
            self._fold(each)
        self.after = events[-1].id
        for turn_id in dict.fromkeys(str(each.data["turn_id"]) for each in events):
            mine = [each for each in events if each.data["turn_id"] == turn_id]
            yield from _outputs(mine)
            names = {each.name for each in mine}
            if names - {"text", "output"}:
                self._known = None if names & TELLING else self._known
                yield from self._turn(turn_id)
                yield from self._around(self._shown(turn_id))
            elif "text" in names:
                yield from self._growing(turn_id)

    def _around(self, shown: view.TurnView | None) -> Iterator[Told]:
        """Yield what stands beside the talk; what is remembered is asked for when it changed."""
        self._known = self._known or fragments.known_of(self._talk)
        yield from self._new(fragments.around(self._talk, shown, self._known))

    def _fold(self, event: Event) -> None:
        if event.name != "text":
            return
        data = event.data
        at = (str(data["turn_id"]), int(data["step"]), int(data["attempt"]))
        live = self._live
        before = live.text if (live.turn_id, live.step, live.attempt) == at else ""
        self._live = Live(*at, before + str(data["delta"]))

    def _growing(self, turn_id: str) -> Iterator[Told]:
        turn = turns.get(turn_id)
        if turn is not None:
            self._drawn_at = time.monotonic()
            yield from self._new([fragments.answer(view.TurnView(turn, ()), self._live)])

    def _turn(self, turn_id: str) -> Iterator[Told]:
        shown = self._shown(turn_id)
        if shown is None:
            return
        if f"turn-{turn_id}" not in self._sent:  # new here: it may answer the one before
            before = fragments.question_before(shown.turn)
            yield from self._new([before] if before else [])
        yield from self._new(fragments.of_turn(shown, self._live))
        yield from _running(shown)

    def _shown(self, turn_id: str) -> view.TurnView | None:
        turn = turns.get(turn_id)
        return None if turn is None else view.of_turn(turn)

    def _new(self, pieces: Iterator[Fragment] | list[Fragment]) -> Iterator[Told]:
        """Yield what this connection has not sent in this form."""
        for piece in pieces:
            if self._sent.get(piece.id) != piece.sig:
                self._sent[piece.id] = piece.sig
                yield "swap", piece.data()

    def _recent(self) -> list[Turn]:
        """Return the turns that are open, or ended after the page was made."""
        mine = turns.of_session(self._talk.id)
        since = _ms(self._from) - SLACK_S * 1000
        return [
            each
            for each in mine[-20:]
            if each.status in OPEN_TURN
            or (self._from and each.finished_at and each.finished_at.timestamp() * 1000 > since)
        ] or mine[-1:]

    def _newest(self, shown: list[Turn]) -> view.TurnView | None:
        return view.of_turn(shown[-1]) if shown else None

    def _beginning(self, shown: list[Turn]) -> str:
        """Return the id before the first event that matters for *shown*."""
        if not shown:
            return self.after
        began = shown[0].created_at - timedelta(seconds=SLACK_S)
        return f"{int(began.timestamp() * 1000)}-0"

    def _write(self, told: Iterator[Told]) -> Iterator[str]:
        for name, data in told:
            text = json.dumps(data, ensure_ascii=False)
            yield f"event: {name}\ndata: {text}\n\n"
        # the id comes last: a connection lost on the way is answered with all of it again
        yield f"id: {self.after}\nevent: at\ndata: {self.after}\n\n"


def _outputs(events: Sequence[Event]) -> Iterator[Told]:
    """Yield the new output by command, neighbours joined.

    An event holds the end of what came at once only, so the next one may begin further on:
    each keeps its own place then, and the page shows that something is left out.
    """
    joined: dict[str, list[tuple[int, str]]] = {}
    for each in events:
        if each.name == "output":
            pieces = joined.setdefault(str(each.data["command_id"]), [])
            _join(pieces, int(each.data["offset"]), str(each.data["text"]))
    for command_id, pieces in joined.items():
        for offset, text in pieces:
            cut = max(0, len(text) - 2 * view.LIVE_CHARS)
            yield "output", _piece(command_id, offset + cut, text[cut:])


def _join(pieces: list[tuple[int, str]], offset: int, text: str) -> None:
    """Put a piece behind the last one if it begins where that ends, else beside it."""
    before = pieces[-1] if pieces else (offset, "")
    if before[0] + len(before[1]) == offset:
        pieces[-1:] = [(before[0], before[1] + text)]
    else:
        pieces.append((offset, text))


def _running(shown: view.TurnView) -> Iterator[Told]:
    """Yield the end of each running output, for a page that missed a part of it."""
    for each in shown.log:
        if isinstance(each, view.Card) and each.run.status == "running":
            text = "".join(f"{line.text}\n" for line in each.output.tail)
            yield "output", _piece(each.run.id, each.output.end - len(text), text)


def _piece(command_id: str, offset: int, text: str) -> Mapping[str, object]:
    # both ends are told, for a browser counts characters in another way
    return {"id": command_id, "offset": offset, "end": offset + len(text), "text": text}


def _ms(event_id: str) -> int:
    return _order(event_id)[0] if is_event_id(event_id) else 0


def _order(event_id: str) -> tuple[int, int]:
    first, _, second = event_id.partition("-")
    return int(first), int(second or 0)
