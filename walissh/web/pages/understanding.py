"""What was misunderstood, for its person: what it lowered, and taking it back."""

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, render_template, request, url_for
from flask_babel import ngettext
from werkzeug.wrappers import Response

from walissh.store import misleads, turns
from walissh.web import auth
from walissh.web.pages import answers, understanding_words

PAGE = 50

blueprint = Blueprint("understanding", __name__)
blueprint.before_request(auth.guard_page)


@dataclass(frozen=True, slots=True)
class Trusted:
    """A rule that misled: in words, and how much of its weight is left, in percent."""

    name: str
    words: str
    percent: int


@blueprint.get("/understanding")
def page() -> str:
    """List what was misunderstood, and how far each rule is trusted now."""
    me, before = auth.person().id, request.args.get("before", "")[:18]
    shown = misleads.page(me, limit=PAGE, before=int(before) if before.isdecimal() else None)
    return render_template(
        "understanding/page.html",
        page=shown,
        trusted=_trusted(misleads.trust(me)),
        where={each.turn_id: _place(each.turn_id, me) for each in shown.items},
    )


@blueprint.post("/understanding/<id:turn_id>/<id:sign>/forget")
def forget(turn_id: str, sign: str) -> Response:
    """Take one sign back: it lowers nothing any more."""
    misleads.forget(auth.person().id, turn_id, sign)
    return _gone(1)


@blueprint.post("/understanding/rules/<id:rule>/forget")
def forget_rule(rule: str) -> Response:
    """Trust one rule fully again."""
    return _gone(misleads.forget_rule(auth.person().id, rule))


@blueprint.post("/understanding/forget")
def forget_all() -> Response:
    """Trust every rule fully again."""
    return _gone(misleads.forget_all(auth.person().id))


def _gone(count: int) -> Response:
    said = ngettext("%(num)s entry was taken back.", "%(num)s entries were taken back.", count)
    return answers.go(url_for("understanding.page"), said=said)


def _trusted(trust: Mapping[str, float]) -> list[Trusted]:
    """Return the rules that misled, the least trusted first."""
    found = [
        Trusted(rule, understanding_words.rule_word(rule), round(100 * share))
        for rule, share in trust.items()
    ]
    return sorted((each for each in found if each.percent < 100), key=lambda each: each.percent)


def _place(turn_id: str, me: str) -> str:
    turn = turns.get(turn_id)
    if turn is None or turn.user_id != me:
        return ""
    return url_for("talk.page", session_id=turn.session_id, _anchor=f"turn-{turn.id}")
