"""Core memory: a few short blocks that stand in every prompt."""

from typing import Final

from flask import Blueprint
from pydantic import Field

from walissh.memory import core, rules
from walissh.memory.core import Version
from walissh.memory.entry import Block
from walissh.store import core_memory
from walissh.web import auth, remembering
from walissh.web.api import memory_shapes, shapes
from walissh.web.api.contract import NOTHING, declares
from walissh.web.api.reading import Body, Text

blueprint = Blueprint("core_memory", __name__)

CHANNEL: Final = "api"


class NewContent(Body):
    """A block's whole new text."""

    content: Text
    base_version: int | None = Field(
        None, ge=0, description="The version that was read: 409 if another is in force by now."
    )


class Decided(Body):
    """The proposal that is meant."""

    version: int = Field(ge=1)


@blueprint.get("/core-memory")
@declares({200: shapes.Page[memory_shapes.Block]}, errors=())
def list_blocks() -> shapes.Page[memory_shapes.Block]:
    """List the blocks, each with what the agent proposes for it."""
    me = auth.person().id
    waiting = core_memory.proposals(me)
    items = [_told(each, waiting) for each in core_memory.current(me)]
    return shapes.Page[memory_shapes.Block](items=items, next=None)


@blueprint.get("/core-memory/<id:block>")
@declares({200: memory_shapes.Block})
def get_block(block: str) -> memory_shapes.Block:
    """Return one block: me, fleet or rules."""
    return _one(block)


@blueprint.put("/core-memory/<id:block>")
@declares({200: memory_shapes.Block}, body=NewContent, errors=(404, 409))
def put_block(block: str, body: NewContent) -> memory_shapes.Block:
    """Write a block; it is in force at once, and the versions before are kept."""
    me = auth.person().id
    core_memory.put(me, block, body.content, by=me, base_version=body.base_version, channel=CHANNEL)
    return _one(block)


@blueprint.get("/core-memory/<id:block>/versions")
@declares({200: shapes.Page[memory_shapes.Version]})
def list_block_versions(block: str) -> shapes.Page[memory_shapes.Version]:
    """List every version of a block, the newest first."""
    items = [_version(each) for each in core_memory.versions(auth.person().id, block)]
    return shapes.Page[memory_shapes.Version](items=items, next=None)


@blueprint.post("/core-memory/<id:block>/confirm")
@declares({200: memory_shapes.Block}, body=Decided, errors=(404, 409))
def confirm_proposal(block: str, body: Decided) -> memory_shapes.Block:
    """Put a proposal of the agent in force."""
    core_memory.confirm(auth.person().id, block, body.version, channel=CHANNEL)
    return _one(block)


@blueprint.post("/core-memory/<id:block>/reject")
@declares({NOTHING: None}, body=Decided, errors=(404, 409))
def reject_proposal(block: str, body: Decided) -> tuple[None, int]:
    """Turn a proposal of the agent down."""
    core_memory.reject(auth.person().id, block, body.version, channel=CHANNEL)
    return None, NOTHING


@blueprint.post("/core-memory/<id:block>/restore")
@declares({200: memory_shapes.Block}, body=Decided, errors=(404, 409))
def restore_block(block: str, body: Decided) -> memory_shapes.Block:
    """Write an earlier version again, as a new one."""
    core_memory.restore(auth.person().id, block, body.version, channel=CHANNEL)
    return _one(block)


@blueprint.post("/core-memory/<id:block>/erase")
@declares({NOTHING: None}, body=Decided, errors=(404, 409))
def erase_version(block: str, body: Decided) -> tuple[None, int]:
    """Erase a version that is not in force: its text is gone for good."""
    core_memory.erase_version(auth.person().id, block, body.version, channel=CHANNEL)
    return None, NOTHING


def _one(name: str) -> memory_shapes.Block:
    me = auth.person().id
    found = core_memory.get(me, name)
    return _told(found, core_memory.proposals(me))


def _told(block: Block, waiting: list[Version]) -> memory_shapes.Block:
    return memory_shapes.Block(
        block=block.name,
        title=core.title(block.name, "en"),
        content=block.content,
        version=block.version,
        at=block.at,
        max_chars=core.MAX_CHARS,
        proposals=[_version(each) for each in waiting if each.block == block.name],
        unbound=_unbound(block) if block.name == "rules" else [],
    )


def _unbound(block: Block) -> list[memory_shapes.Unbound]:
    parsed = remembering.rules_of(block.content, auth.person().id)
    return [
        memory_shapes.Unbound(line=each.text, why=rules.explain(each, "en"))
        for each in parsed.unbound
    ]


def _version(value: Version) -> memory_shapes.Version:
    state = "proposed" if value.waits else "confirmed" if value.confirmed_at else "rejected"
    return memory_shapes.Version(
        block=value.block,
        version=value.version,
        content=value.content,
        by="agent" if value.by == core_memory.AGENT else "person",
        reason=value.reason,
        at=value.at,
        state=state,
    )
