"""Sessions, their messages and their milestones."""

import re
from typing import Annotated, Literal

from flask import Blueprint, request
from pydantic import Field

from walissh import wiring
from walissh.errors import InvalidError, NotFoundError
from walissh.react import decisions
from walissh.react import turn as values
from walissh.store import history, milestones, sessions
from walissh.web import auth, removal
from walissh.web.api import cursor, shapes, thread
from walissh.web.api.contract import NOTHING, declares
from walissh.web.api.reading import Body, PageQuery, Text

blueprint = Blueprint("sessions", __name__)

KEY = "Idempotency-Key"

_KEY = re.compile(r"[!-~]{1,200}")
_ARCHIVED = {"true": True, "false": False, "all": None}

HostIds = Annotated[list[Text], Field(max_length=500)]


class NewSession(Body):
    """A talk to begin."""

    title: Text | None = None
    host_ids: HostIds | None = None
    read_only: bool = Field(False, description="Refuse all that does not only read.")


class SessionChange(Body):
    """What to change; what is left out stays."""

    title: Text = ""
    pinned: bool = False
    archived: bool = False
    host_ids: HostIds = Field(default_factory=list)
    read_only: bool = False


class Question(Body):
    """A message that opens a turn."""

    content: Text


class SessionsQuery(PageQuery):
    """Which sessions: *q* stands in the title or in a message."""

    q: Text = ""
    archived: Literal["true", "false", "all"] = "false"


@blueprint.post("/sessions")
@declares({201: shapes.Session}, body=NewSession, errors=())
def create_session(body: NewSession) -> shapes.Session:
    """Begin a session."""
    talk = sessions.create(
        auth.person().id, body.title or "", body.host_ids or [], read_only=body.read_only
    )
    return _told(talk)


@blueprint.get("/sessions")
@declares({200: shapes.Page[shapes.Session]}, query=SessionsQuery, errors=())
def list_sessions(query: SessionsQuery) -> shapes.Page[shapes.Session]:
    """List the sessions, the last active first."""
    person_id = auth.person().id
    page = sessions.page(
        person_id,
        query=query.q,
        limit=query.limit,
        after=cursor.moment(query.cursor),
        archived=_ARCHIVED[query.archived],
    )
    busy, waiting = sessions.busy(person_id), sessions.waiting(person_id)
    items = [shapes.session(each, busy, waiting) for each in page.items]
    return shapes.Page[shapes.Session](items=items, next=cursor.of_moment(page.next))


@blueprint.get("/sessions/<id:session_id>")
@declares({200: shapes.SessionInFull})
def get_session(session_id: str) -> shapes.SessionInFull:
    """Return one session, with its plan and what was folded of it."""
    talk = _mine(session_id)
    return thread.told(talk, _told(talk))


@blueprint.patch("/sessions/<id:session_id>")
@declares({200: shapes.Session}, body=SessionChange)
def change_session(session_id: str, body: SessionChange) -> shapes.Session:
    """Rename, pin or archive a session, choose its hosts, or let it only read."""
    changes = body.model_dump(exclude_unset=True)
    return _told(sessions.change(session_id, auth.person().id, **changes))


@blueprint.delete("/sessions/<id:session_id>")
@declares({NOTHING: None}, errors=(404, 409))
def delete_session(session_id: str) -> tuple[None, int]:
    """Delete a session with all that hangs on it; its open turn is stopped first."""
    removal.remove_session(session_id, auth.person().id)
    return None, NOTHING


@blueprint.get("/sessions/<id:session_id>/messages")
@declares({200: shapes.Page[shapes.Message]}, query=PageQuery)
def list_messages(session_id: str, query: PageQuery) -> shapes.Page[shapes.Message]:
    """List the messages of a session, oldest first."""
    talk = _mine(session_id)
    page = history.page(talk.id, talk.user_id, limit=query.limit, after=cursor.number(query.cursor))
    items = [shapes.message(each) for each in page.items]
    return shapes.Page[shapes.Message](items=items, next=cursor.of_number(page.next))


@blueprint.post("/sessions/<id:session_id>/messages")
@declares(
    {202: shapes.Accepted},
    body=Question,
    headers={KEY: "A repeat with the same key gives the same turn and asks nothing anew."},
    errors=(404, 409),
)
def post_message(session_id: str, body: Question) -> shapes.Accepted:
    """Ask; the answer comes in the turn."""
    turn = decisions.ask(
        wiring.parts(), session_id, auth.person().id, body.content, _idempotency_key()
    )
    return shapes.Accepted(turn_id=turn.id)


@blueprint.get("/sessions/<id:session_id>/milestones")
@declares({200: shapes.Page[shapes.Milestone]}, query=PageQuery)
def list_milestones(session_id: str, query: PageQuery) -> shapes.Page[shapes.Milestone]:
    """List the marks on the timeline of a session, oldest first."""
    talk = _mine(session_id)
    page = milestones.page(
        talk.id, talk.user_id, limit=query.limit, after=cursor.number(query.cursor)
    )
    items = [shapes.milestone(each) for each in page.items]
    return shapes.Page[shapes.Milestone](items=items, next=cursor.of_number(page.next))


def _mine(session_id: str) -> values.Session:
    found = sessions.get(session_id, auth.person().id)
    if found is None:
        raise NotFoundError("There is no such session.")
    return found


def _told(talk: values.Session) -> shapes.Session:
    return shapes.session(talk, sessions.busy(talk.user_id), sessions.waiting(talk.user_id))


def _idempotency_key() -> str | None:
    key = request.headers.get(KEY)
    if key is not None and not _KEY.fullmatch(key):
        raise InvalidError(
            f"{KEY} takes 1 to 200 visible ASCII characters, without spaces.", field=KEY
        )
    return key
