"""Core memory for its person: the blocks, what the agent proposes, and the rules in them."""

from dataclasses import dataclass

from flask import Blueprint, Response, render_template, request, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from walissh.errors import ConflictError, InvalidError
from walissh.memory import core, rules
from walissh.memory.core import Version
from walissh.memory.entry import Block
from walissh.memory.rules import Parsed
from walissh.react.turn import Language
from walissh.store import core_memory
from walissh.web import auth, errors, i18n, remembering
from walissh.web.pages import answers

ZONE = "UTC"
"""That of hours in a rule which names none (``rules.parse``)."""

blueprint = Blueprint("memory_core", __name__)
blueprint.before_request(auth.guard_page)


@dataclass(frozen=True, slots=True)
class BlockView:
    """A block as the page shows it; *draft* is what was typed and refused because of *error*.

    *unbound* are the lines that could not be made into a rule, each with why.
    """

    block: Block
    title: str
    proposals: tuple[Version, ...]
    earlier: tuple[Version, ...]
    parsed: Parsed | None
    unbound: tuple[tuple[str, str], ...]
    draft: str | None = None
    error: str = ""

    @property
    def shown(self) -> str:
        """The text of the form."""
        return self.block.content if self.draft is None else self.draft


@blueprint.get("/memory/core")
def page() -> str:
    """Show the blocks."""
    return _page()


@blueprint.post("/memory/core/<id:block>")
def put(block: str) -> AnyResponse:
    """Write a block; what is refused comes back with its reason."""
    me, content = auth.person().id, request.form.get("content", "")
    try:
        core_memory.put(me, block, content, by=me, base_version=_number("base_version"))
    except (InvalidError, ConflictError) as error:
        page = _page(block, content, i18n.sentence(str(error)))
        return Response(page, errors.status_of(error))
    return answers.go(url_for("memory_core.page", _anchor=block), said=gettext("Saved."))


@blueprint.post("/memory/core/<id:block>/confirm")
def confirm(block: str) -> AnyResponse:
    """Put a proposal in force."""
    core_memory.confirm(auth.person().id, block, _number("version") or 0)
    said = gettext("It is part of every request from now on.")
    return answers.go(url_for("memory_core.page", _anchor=block), said=said)


@blueprint.post("/memory/core/<id:block>/reject")
def reject(block: str) -> AnyResponse:
    """Turn a proposal down."""
    core_memory.reject(auth.person().id, block, _number("version") or 0)
    said = gettext("The proposal was turned down.")
    return answers.go(url_for("memory_core.page", _anchor=block), said=said)


@blueprint.post("/memory/core/<id:block>/restore")
def restore(block: str) -> AnyResponse:
    """Write an earlier version again."""
    core_memory.restore(auth.person().id, block, _number("version") or 0)
    said = gettext("The earlier text is back.")
    return answers.go(url_for("memory_core.page", _anchor=block), said=said)


@blueprint.post("/memory/core/<id:block>/erase")
def erase(block: str) -> AnyResponse:
    """Erase an earlier version for good."""
    core_memory.erase_version(auth.person().id, block, _number("version") or 0)
    said = gettext("The earlier text is gone for good.")
    return answers.go(url_for("memory_core.page", _anchor=block), said=said)


def _page(refused: str = "", draft: str | None = None, error: str = "") -> str:
    me = auth.person().id
    waiting = core_memory.proposals(me)
    views = [
        _view(me, each, waiting, *((draft, error) if each.name == refused else (None, "")))
        for each in core_memory.current(me)
    ]
    return render_template("memory/core.html", blocks=views, max_chars=core.MAX_CHARS, zone=ZONE)


def _view(
    me: str, block: Block, waiting: list[Version], draft: str | None, error: str
) -> BlockView:
    confirmed = (each for each in core_memory.versions(me, block.name) if each.confirmed_at)
    language: Language = "zh" if i18n.page_lang() == "zh-CN" else "en"
    parsed = remembering.rules_of(block.content, me) if block.name == "rules" else None
    unbound = parsed.unbound if parsed else ()
    return BlockView(
        block=block,
        title=core.title(block.name, language),
        proposals=tuple(each for each in waiting if each.block == block.name),
        earlier=tuple(each for each in confirmed if each.version < block.version),
        parsed=parsed,
        unbound=tuple((each.text, rules.explain(each, language)) for each in unbound),
        draft=draft,
        error=error,
    )


def _number(name: str) -> int | None:
    text = request.form.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 10 else None
