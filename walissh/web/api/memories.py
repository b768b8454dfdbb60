"""Long-term memory: what is remembered, what a question recalls, and what became of it."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal

from flask import Blueprint, Response, request, stream_with_context
from pydantic import Field

from walissh.errors import InvalidError
from walissh.memory.entry import Found, MemoryType
from walissh.memory.recall import Query as Asked
from walissh.react.host import Host
from walissh.store import memories, memory_events
from walissh.web import auth, remembering
from walissh.web.api import cursor, memory_shapes, shapes
from walissh.web.api.contract import NOTHING, declares
from walissh.web.api.reading import Body, PageQuery, Text

blueprint = Blueprint("memories", __name__)

CHANNEL: Literal["api"] = "api"
LINES = "application/x-ndjson"
MAX_HITS = 100

Filled = Annotated[Text, Field(min_length=1)]


class MemoriesQuery(PageQuery):
    """Which memories; *q* ranks what counts, and is not paged."""

    type: MemoryType | None = None
    host_id: Text = ""
    q: Text = ""
    state: Literal["", "superseded", "wrong", "withdrawn", "expired", "all"] = Field(
        "", description="Empty: all that count, stale ones too."
    )


class NewMemory(Body):
    """Something to remember; *host* is the id or the name of the host that it is about."""

    type: MemoryType | None = Field(
        None, description="Empty: what the content is by the rules of a talk, else a preference."
    )
    content: Filled
    subject: Text = Field("", description="What it is about; empty: taken from the content.")
    value: Text = Field("", description="What it says of that; empty: the content.")
    scope: Text = Field(
        "", description="global, group:NAME, host:NAME, all-except:NAME; empty: as it says."
    )
    host: Text = ""
    host_id: Text = ""
    symptom: Text = ""
    cause: Text = ""
    fix: Text = ""
    worked: bool | None = None
    expires_at: datetime | None = None


class MemoryChange(Body):
    """What to say instead; what is left out stays."""

    content: Filled | None = None
    value: Filled | None = None
    scope: Filled | None = None


class Sharing(Body):
    """The group of people to share a fact with; empty: nobody any more."""

    group: Text


class RecallQuestion(Body):
    """What to recall for."""

    query: Text
    k: int = Field(5, ge=1, le=MAX_HITS)
    host_id: Text | None = None
    type: MemoryType | None = None


class ChangesQuery(PageQuery):
    """Which changes; *memory_id* narrows them to one memory."""

    memory_id: Text = ""


@blueprint.get("/memories")
@declares({200: shapes.Page[memory_shapes.Memory]}, query=MemoriesQuery)
def list_memories(query: MemoriesQuery) -> shapes.Page[memory_shapes.Memory]:
    """List what is remembered, the newest first; with q what bears on it, the best first."""
    me = auth.person().id
    host = remembering.host_meant(query.host_id, me)
    if query.q.strip():
        return _searched(query, me, host)
    page = memories.page(
        me,
        type=query.type,
        host_id=host.id if host else None,
        state=query.state or None,
        limit=query.limit,
        before=cursor.number(query.cursor) or None,
    )
    items = [memory_shapes.memory(each, me) for each in page.items]
    return shapes.Page[memory_shapes.Memory](items=items, next=cursor.of_number(page.next))


@blueprint.post("/memories")
@declares({201: memory_shapes.Memory, 200: memory_shapes.Memory}, body=NewMemory)
def add_memory(body: NewMemory) -> tuple[memory_shapes.Memory, int]:
    """Remember something; 200 if that was known already, and is now known afresh."""
    me = auth.person().id
    remembering.refuse_secrets(body.subject, body.value, body.content)
    remembering.refuse_secrets(body.symptom, body.cause, body.fix)
    remembering.refuse_task(body.scope)
    found = _found(body)
    change = memories.add_or_update(
        me,
        found,
        remembering.by_person(CHANNEL),
        host=remembering.host_meant(body.host_id or body.host, me),
        expires_at=_instant(body.expires_at),
    )
    if change.memory is None:
        raise InvalidError("This says to forget something that is not known.", field="content")
    return memory_shapes.memory(change.memory, me), 200 if change.kind == "refreshed" else 201


@blueprint.get("/memories/<id:memory_id>")
@declares({200: memory_shapes.Memory})
def get_memory(memory_id: str) -> memory_shapes.Memory:
    """Return one memory, whatever its state."""
    return _told(memory_id)


@blueprint.patch("/memories/<id:memory_id>")
@declares({200: memory_shapes.Memory}, body=MemoryChange, errors=(404, 409))
def change_memory(memory_id: str, body: MemoryChange) -> memory_shapes.Memory:
    """Say it otherwise: a new entry, with an id of its own, supersedes this one."""
    me = auth.person().id
    given = body.model_dump(exclude_none=True)
    if not given:
        return _told(memory_id)
    remembering.refuse_secrets(*given.values())
    remembering.refuse_task(body.scope or "")
    return memory_shapes.memory(memories.edit(memory_id, me, channel=CHANNEL, **given), me)


@blueprint.delete("/memories/<id:memory_id>")
@declares({NOTHING: None})
def delete_memory(memory_id: str) -> tuple[None, int]:
    """Delete a memory: its text is gone from everywhere, and does not come back."""
    memories.delete(memory_id, auth.person().id, CHANNEL)
    return None, NOTHING


@blueprint.post("/memories/<id:memory_id>/restore")
@declares({200: memory_shapes.Memory}, errors=(404, 409))
def restore_memory(memory_id: str) -> memory_shapes.Memory:
    """Let a superseded, withdrawn or wrong one count again, instead of what does now."""
    me = auth.person().id
    return memory_shapes.memory(memories.restore(memory_id, me, CHANNEL), me)


@blueprint.post("/memories/<id:memory_id>/wrong")
@declares({200: memory_shapes.Memory}, errors=(404, 409))
def mark_memory_wrong(memory_id: str) -> memory_shapes.Memory:
    """Say that it is wrong: it is kept, and never recalled again."""
    memories.mark_wrong(memory_id, auth.person().id, CHANNEL)
    return _told(memory_id)


@blueprint.post("/memories/<id:memory_id>/share")
@declares({200: memory_shapes.Memory}, body=Sharing, errors=(404, 409))
def share_memory(memory_id: str, body: Sharing) -> memory_shapes.Memory:
    """Share a fact of a host with a group that you are in."""
    memories.share(memory_id, auth.person().id, body.group, CHANNEL)
    return _told(memory_id)


@blueprint.get("/memories/<id:memory_id>/versions")
@declares({200: shapes.Page[memory_shapes.Memory]})
def list_versions(memory_id: str) -> shapes.Page[memory_shapes.Memory]:
    """List all that was ever said of the same subject, the newest first."""
    me = auth.person().id
    remembering.mine(memory_id, me)
    items = [memory_shapes.memory(each, me) for each in memories.versions(memory_id, me)]
    return shapes.Page[memory_shapes.Memory](items=items, next=None)


@blueprint.post("/memories/recall")
@declares({200: memory_shapes.Hits}, body=RecallQuestion)
def recall_memories(body: RecallQuestion) -> memory_shapes.Hits:
    """Recall for a question, as a turn does: ranked, each with why it came."""
    me = auth.person().id
    host = remembering.host_meant(body.host_id or "", me)
    hits = memories.recall(
        me, Asked(body.query), k=body.k, host_id=host.id if host else None, type=body.type
    )
    return memory_shapes.Hits(items=[memory_shapes.hit(each, me) for each in hits])


@blueprint.get("/memories/events")
@declares({200: shapes.Page[memory_shapes.Change]}, query=ChangesQuery, errors=())
def list_changes(query: ChangesQuery) -> shapes.Page[memory_shapes.Change]:
    """List what was changed, the newest first."""
    page = memory_events.page(
        auth.person().id,
        limit=query.limit,
        before=cursor.number(query.cursor) or None,
        memory_id=query.memory_id or None,
    )
    items = [memory_shapes.Change.model_validate(each) for each in page.items]
    return shapes.Page[memory_shapes.Change](items=items, next=cursor.of_number(page.next))


@blueprint.get("/memories/export")
@declares({200: None}, errors=(), media=LINES)
def export_memories() -> Response:
    """Return all that you own, one JSON object a line, as import takes it."""
    return Response(stream_with_context(remembering.lines_of(auth.person().id)), content_type=LINES)


@blueprint.post("/memories/import")
@declares({200: memory_shapes.Imported}, errors=(413,), takes=LINES)
def import_memories() -> memory_shapes.Imported:
    """Take in the lines of an export, sent as the body; a broken line stops no other."""
    came = remembering.take_in(auth.person().id, request.get_data(), CHANNEL)
    return memory_shapes.Imported(taken=came.taken, known=came.known, refused=list(came.refused))


def _searched(
    query: MemoriesQuery, me: str, host: Host | None
) -> shapes.Page[memory_shapes.Memory]:
    if query.state:
        raise InvalidError("q searches what counts only; leave state out.", field="state")
    if query.cursor:
        raise InvalidError("q is not paged; leave cursor out.", field="cursor")
    hits = memories.recall(
        me,
        Asked(query.q),
        k=query.limit,
        host_id=host.id if host else None,
        type=query.type,
    )
    items = [memory_shapes.memory(each.memory, me) for each in hits]
    return shapes.Page[memory_shapes.Memory](items=items, next=None)


def _found(body: NewMemory) -> Found:
    """Return what is to be kept: by the rules of a talk where nothing but a text is given."""
    plain = not (body.subject or body.value or body.symptom or body.cause or body.fix)
    if plain and body.type in (None, MemoryType.USER_PREFERENCE):
        read = remembering.said if body.type is None else remembering.wished
        said = read(body.content)
        found = said[0] if len(said) == 1 else _as_it_stands(body)
        return replace(found, scope=body.scope or found.scope)
    return _as_it_stands(body)


def _as_it_stands(body: NewMemory) -> Found:
    return Found(
        body.type or MemoryType.USER_PREFERENCE,
        body.subject or remembering.subject_of(body.content),
        body.value or body.content,
        body.content,
        scope=body.scope or "global",
        symptom=body.symptom,
        cause=body.cause,
        fix=body.fix,
        worked=body.worked,
    )


def _told(memory_id: str) -> memory_shapes.Memory:
    me = auth.person().id
    return memory_shapes.memory(remembering.mine(memory_id, me), me)


def _instant(given: datetime | None) -> datetime | None:
    if given is not None and given.tzinfo is None:
        raise InvalidError("expires_at needs its offset, such as Z.", field="expires_at")
    if given is not None and not 1 < given.year < 9999:  # no zone overflows
        raise InvalidError("expires_at must lie in the years 2 to 9998.", field="expires_at")
    return given
