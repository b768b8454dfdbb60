"""What was misunderstood, and how far each rule is trusted since; all of it can be taken back."""

from datetime import datetime

from flask import Blueprint
from pydantic import Field

from walissh.react import misled
from walissh.react.followed import Intent
from walissh.react.misled import Misled, Sign
from walissh.store import misleads
from walissh.web import auth
from walissh.web.api import cursor, shapes
from walissh.web.api.contract import NOTHING, declares
from walissh.web.api.reading import PageQuery
from walissh.web.api.shape import Shape

blueprint = Blueprint("understanding", __name__)


class Misreading(Shape):
    """One sign that a message was taken wrongly: *taken* by *rule* (model: by the model)."""

    turn_id: str
    sign: Sign
    rule: str
    taken: Intent
    meant: Intent | None
    text: str
    at: datetime


class Trust(Shape):
    """How far a rule that misled is trusted now."""

    rule: str
    trust: float = Field(ge=misled.LEAST, le=1)


@blueprint.get("/understanding")
@declares({200: shapes.Page[Misreading]}, query=PageQuery, errors=())
def list_misreadings(query: PageQuery) -> shapes.Page[Misreading]:
    """List what was misunderstood, the newest first."""
    before = cursor.number(query.cursor) or None
    page = misleads.page(auth.person().id, limit=query.limit, before=before)
    items = [_told(each) for each in page.items]
    return shapes.Page[Misreading](items=items, next=cursor.of_number(page.next))


@blueprint.get("/understanding/rules")
@declares({200: shapes.Page[Trust]}, errors=())
def list_lowered_rules() -> shapes.Page[Trust]:
    """List the rules that count less for this person; all others are trusted fully."""
    trust = misleads.trust(auth.person().id)
    items = [Trust(rule=rule, trust=round(share, 4)) for rule, share in trust.items()]
    return shapes.Page[Trust](items=items, next=None)


@blueprint.delete("/understanding")
@declares({NOTHING: None}, errors=())
def forget_misreadings() -> tuple[None, int]:
    """Take all of it back: every rule is trusted fully again."""
    misleads.forget_all(auth.person().id)
    return None, NOTHING


@blueprint.delete("/understanding/rules/<id:rule>")
@declares({NOTHING: None})
def forget_misreadings_of_rule(rule: str) -> tuple[None, int]:
    """Trust one rule fully again."""
    misleads.forget_rule(auth.person().id, rule)
    return None, NOTHING


@blueprint.delete("/understanding/<id:turn_id>/<id:sign>")
@declares({NOTHING: None})
def forget_misreading(turn_id: str, sign: str) -> tuple[None, int]:
    """Take one sign back."""
    misleads.forget(auth.person().id, turn_id, sign)
    return None, NOTHING


def _told(each: Misled) -> Misreading:
    return Misreading(
        turn_id=each.turn_id,
        sign=each.sign,
        rule=each.rule or misleads.MODEL,
        taken=each.taken,
        meant=each.meant,
        text=each.text,
        at=each.at,
    )
