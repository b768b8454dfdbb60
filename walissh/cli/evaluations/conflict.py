"""Task ``conflict``: which of several writes of one memory answers a question."""

from collections.abc import Iterable, Iterator, Mapping

from walissh.cli.evaluations import fields
from walissh.memory import settle
from walissh.memory.entry import MemoryType, Op, Origin, Place
from walissh.memory.settle import Claim

_OPS = {"add": Op.ADD, "replace": Op.REPLACE, "delete": Op.REMOVE, "remove": Op.REMOVE}


def answer(lines: Iterable[Mapping[str, object]]) -> Iterator[dict[str, object] | None]:
    """Give ``id`` and ``value`` of each line; null: nothing is valid."""
    for line in lines:
        query = fields.object_(line, "query")
        claims = [_claim(write) for write in fields.objects(line, "writes")]
        winner = settle.valid(
            claims,
            _place(query),
            now=fields.instant(query, "at"),
            text=fields.text(query, "text", ""),
        )
        yield {"id": fields.text(line, "id"), "value": winner and (winner.value or winner.text)}


def _claim(write: Mapping[str, object]) -> Claim:
    return Claim(
        op=fields.one_of(write, "op", _OPS),
        at=fields.instant(write, "at"),
        type=fields.one_of(write, "type", {each.value: each for each in MemoryType}),
        origin=fields.one_of(write, "source", {each.value: each for each in Origin}),
        text=fields.text(write, "text", ""),
        subject=fields.text(write, "subject", ""),
        value=fields.text(write, "value", ""),
        host=fields.optional_text(write, "host"),
        scope=fields.text(write, "scope", "global"),
        expires_at=fields.optional_instant(write, "expires_at"),
    )


def _place(query: Mapping[str, object]) -> Place:
    host = fields.optional_text(query, "host")
    return Place(
        hosts=(host,) if host else (),
        groups=fields.texts(query, "host_groups"),
        task=fields.text(query, "task", ""),
    )
