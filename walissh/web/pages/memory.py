"""Long-term memory for its person: see, search, add, edit, share, put right and delete."""

from typing import Final

from flask import Blueprint, render_template, request, url_for
from flask_babel import gettext, ngettext
from htmx_flask import make_response
from werkzeug.wrappers import Response

from walissh.errors import ConflictError, InvalidError, WalisshError
from walissh.memory.entry import Memory, MemoryState, MemoryType, Op
from walissh.memory.recall import Query
from walissh.store import groups, hosts, memories, memory_events, turns
from walissh.web import auth, errors, i18n, remembering
from walissh.web.pages import answers, fragments, memory_view, view

PAGE = 50
OF_A_KIND = 20
FOUND = 50
CHANGES = 20
STATES = ("superseded", "wrong", "withdrawn", "expired", "all")
CHANNEL: Final = "web"

blueprint = Blueprint("memory", __name__)
blueprint.before_request(auth.guard_page)


@blueprint.get("/memory")
def page() -> str:
    """List what is remembered by kind, or what a search finds."""
    return _page()


@blueprint.post("/memory")
def add() -> Response:
    """Remember what the person wrote."""
    me, typed = auth.person().id, _typed()
    kind = MemoryType(typed["kind"]) if typed["kind"] in list(MemoryType) else None
    try:
        changes = remembering.tell(me, typed["content"], typed["where"], CHANNEL, kind)
    except InvalidError as error:
        return Response(_page(typed, error), 400, content_type="text/html")
    if len(changes) > 1:
        said = ngettext("%(num)s is remembered.", "%(num)s are remembered.", len(changes))
        return answers.go(url_for("memory.page"), said=said)
    return _added(changes[0])


def _typed() -> dict[str, str]:
    given = {name: request.form.get(name, "") for name in ("content", "kind", "where")}
    return {name: text.replace("\0", "").strip() for name, text in given.items()}


def _added(change: memories.Change) -> Response:
    if change.memory is None:
        return answers.go(url_for("memory.page"), said=gettext("Nothing was known of this."))
    if change.memory.op is Op.REMOVE:
        return answers.go(url_for("memory.page"), said=gettext("It is not followed any more."))
    where = url_for("memory.one", memory_id=change.memory.id)
    return answers.go(where, said=gettext("It is remembered from now on."))


@blueprint.get("/memory/<id:memory_id>")
def one(memory_id: str) -> str:
    """Show one memory: where it came from, what it says, and what was said before."""
    return _one(_mine(memory_id))


@blueprint.post("/memory/<id:memory_id>")
def edit(memory_id: str) -> Response:
    """Say it otherwise; the entry that was is kept as superseded."""
    me, memory = auth.person().id, _mine(memory_id)
    names = ("content", "value", "scope")
    said = {name: request.form.get(name, "").replace("\0", "").strip() for name in names}
    changed = {name: text for name, text in said.items() if text and text != _now(memory, name)}
    try:
        remembering.refuse_secrets(*changed.values())
        remembering.refuse_task(changed.get("scope", ""))
        if changed:
            memory = memories.edit(memory_id, me, channel=CHANNEL, **changed)
    except (InvalidError, ConflictError) as error:
        page = _one(memory, typed=said, error=error)
        return Response(page, errors.status_of(error), content_type="text/html")
    return answers.go(url_for("memory.one", memory_id=memory.id), said=gettext("Saved."))


@blueprint.get("/memory/<id:memory_id>/delete")
def confirm_delete(memory_id: str) -> str:
    """Ask once more before a memory is deleted."""
    return render_template("memory/delete.html", entry=_entry(_mine(memory_id)))


@blueprint.post("/memory/<id:memory_id>/delete")
def delete(memory_id: str) -> Response:
    """Delete the memory: its text is gone from everywhere."""
    memories.delete(memory_id, auth.person().id, CHANNEL)
    return answers.go(url_for("memory.page"), said=gettext("The memory was deleted."))


@blueprint.post("/memory/<id:memory_id>/wrong")
def wrong(memory_id: str) -> Response:
    """Mark it as wrong: it is never recalled again."""
    memories.mark_wrong(memory_id, auth.person().id, CHANNEL)
    return _done(memory_id, gettext("It is not recalled any more."))


@blueprint.post("/memory/<id:memory_id>/restore")
def restore(memory_id: str) -> Response:
    """Let it count again."""
    restored = memories.restore(memory_id, auth.person().id, CHANNEL)
    return _done(restored.id, gettext("It counts again."), replaces=memory_id)


@blueprint.post("/memory/<id:memory_id>/share")
def share(memory_id: str) -> Response:
    """Share the fact of a host with a group, or with nobody any more."""
    group = request.form.get("group", "").replace("\0", "").strip()
    memories.share(memory_id, auth.person().id, group, CHANNEL)
    with_whom = gettext("It is shared with %(name)s.", name=group)
    return _done(memory_id, with_whom if group else gettext("It is yours alone again."))


def _page(typed: dict[str, str] | None = None, error: InvalidError | None = None) -> str:
    me, wanted = auth.person().id, _wanted()
    return render_template(
        "memory/page.html",
        wanted=wanted,
        found=_found(me, wanted) if wanted["q"] else None,
        kinds=[] if wanted["q"] else _kinds(me, wanted),
        all_hosts=hosts.within_reach(me),
        states=STATES,
        places=memory_view.places(me),
        typed=typed or {},
        error=i18n.sentence(str(error)) if error else "",
    )


def _wanted() -> dict[str, str]:
    """Return what the address asks for; what it cannot ask for is left out."""
    given = {
        name: request.args.get(name, "").replace("\0", "").strip()[:200]
        for name in ("q", "type", "host", "state", "before")
    }
    given["type"] = given["type"] if given["type"] in list(MemoryType) else ""
    given["state"] = given["state"] if given["state"] in STATES else ""
    given["before"] = given["before"] if given["before"].isdecimal() else ""
    return given


def _found(me: str, wanted: dict[str, str]) -> list[memory_view.Entry]:
    found = memories.recall(
        me, Query(wanted["q"]), k=FOUND, host_id=wanted["host"] or None, type=_type(wanted)
    )
    return memory_view.hits(found, me)


def _kinds(
    me: str, wanted: dict[str, str]
) -> list[tuple[MemoryType, list[memory_view.Entry], int | None]]:
    """Return each kind with its entries and where its next page begins."""
    shown = [_type(wanted)] if wanted["type"] else list(MemoryType)
    limit = PAGE if wanted["type"] else OF_A_KIND
    before = int(wanted["before"][:18]) if wanted["before"] else None
    kinds = []
    for kind in shown:
        page = memories.page(
            me,
            type=kind,
            host_id=wanted["host"] or None,
            state=wanted["state"] or None,
            limit=limit,
            before=before,
        )
        if page.items and kind is not None:
            kinds.append((kind, [_entry(each) for each in page.items], page.next))
    return kinds


def _type(wanted: dict[str, str]) -> MemoryType | None:
    return MemoryType(wanted["type"]) if wanted["type"] else None


def _one(
    memory: Memory, typed: dict[str, str] | None = None, error: WalisshError | None = None
) -> str:
    me = auth.person().id
    return render_template(
        "memory/one.html",
        entry=_entry(memory),
        proof=memory_view.proof(memory, me),
        versions=memory_view.versions(memory, me),
        changes=memory_events.page(me, limit=CHANGES, before=None, memory_id=memory.id).items,
        groups=groups.of_person(me),
        unseeing=memory_view.unseeing(memory, me),
        places=memory_view.places(me, memory.scope),
        typed=typed or {name: _now(memory, name) for name in ("content", "value", "scope")},
        error=i18n.sentence(str(error)) if error else "",
    )


def _now(memory: Memory, name: str) -> str:
    return {"content": memory.content, "value": memory.value, "scope": memory.scope}[name]


def _done(memory_id: str, said: str, *, replaces: str = "") -> Response:
    """Show the row, or the part of the turn where the deed was done, to htmx."""
    turn_id = request.form.get("turn", "")
    if turn_id:
        return _in_talk(turn_id, _mine(memory_id), said)
    if answers.is_fragment():
        row = render_template("memory/_row.html", entry=_entry(_mine(memory_id)))
        response: Response = make_response(row)
        return response
    return answers.go(url_for("memory.one", memory_id=memory_id or replaces), said=said)


def _in_talk(turn_id: str, memory: Memory, said: str) -> Response:
    turn = turns.get(turn_id)
    if turn is None or turn.user_id != auth.person().id:
        return answers.go(url_for("memory.page"), said=said)
    where = url_for("talk.page", session_id=turn.session_id, _anchor=f"turn-{turn.id}")
    return answers.fragment_or_go(_part(view.of_turn(turn), memory), where)


def _part(shown: view.TurnView, memory: Memory) -> str:
    at = request.form.get("at", "")
    if at == "answer":
        return fragments.answer_html(shown)
    if at == "learned":
        undone = memory if memory.state is MemoryState.WRONG else None
        return fragments.learned_html(shown, undone)
    return fragments.recalled_html(shown, opened=True)


def _entry(memory: Memory) -> memory_view.Entry:
    return memory_view.entry(memory, auth.person().id)


def _mine(memory_id: str) -> Memory:
    return remembering.mine(memory_id, auth.person().id)
