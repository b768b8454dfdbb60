"""Look words up in the index: what stands in which text, read in a few statements.

The statements are written once, and rows come as they are: at a thousand memories the mapper
and the building would take longer than the database.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, FromClause, Select, bindparam, func, select

from walissh.memory.recall import score
from walissh.memory.recall.sought import Sought
from walissh.memory.recall.talk import Spot
from walissh.memory.recall.values import Matches, Place
from walissh.store.kept import Kept, Values
from walissh.store.listed import one_of, pairs, read_pairs
from walissh.store.models import LineRow, PostingRow, ShelfRow

EVERYWHERE = 0.5
"""A word in more than this share of the texts hardly tells them apart."""
PARAMETERS = 5_000
"""So many values go into one statement."""

T = TypeVar("T")
Statement = Select[*tuple[Any, ...]]

SHELF: FromClause = ShelfRow.__table__
LINE: FromClause = LineRow.__table__
POSTING: FromClause = PostingRow.__table__


_SIZES = Kept(
    select(SHELF.c.number, SHELF.c.texts, SHELF.c.length).where(
        one_of(SHELF.c.owner_id, "owners"), SHELF.c.kind == bindparam("kind")
    )
)
_ON_SHELF = (POSTING.c.shelf == bindparam("shelf"), one_of(POSTING.c.term, "terms"))
_TEXTS = Kept(select(POSTING.c.term, func.count()).where(*_ON_SHELF).group_by(POSTING.c.term))
_HELD_BY = (
    select(POSTING.c.term, func.count(), pairs(POSTING.c.doc, POSTING.c.tf))
    .where(*_ON_SHELF)
    .group_by(POSTING.c.term)
)
_HELD = Kept(_HELD_BY)
_HELD_OF = Kept(_HELD_BY.where(one_of(POSTING.c.doc, "docs")))
_PLACES = select(LINE.c.doc, LINE.c.length, LINE.c.cluster, LINE.c.position).where(
    LINE.c.shelf == bindparam("shelf")
)
_PLACES_OF = _PLACES.where(one_of(LINE.c.doc, "docs"))
_ALL_PLACES_OF = Kept(_PLACES_OF)
_LENGTHS_OF = Kept(
    select(pairs(LINE.c.doc, LINE.c.length)).where(
        LINE.c.shelf == bindparam("shelf"), one_of(LINE.c.doc, "docs")
    )
)
# these lists have places of their own, else SQLite would walk along the whole shelf
_PLACES_AT = _PLACES.where(
    LINE.c.cluster.in_(bindparam("clusters", expanding=True)),
    LINE.c.position.in_(bindparam("positions", expanding=True)),
)


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a search goes: rarer words are read first, to so many *postings*; the common
    ones only score the best *candidates* that these found. Where a text stands is read only
    if it is *placed* among others.
    """

    postings: int
    candidates: int
    placed: bool = True


MEMORIES = Reach(2_500, 100, placed=False)
TALKS = Reach(12_000, 1_500)

Held = dict[str, dict[int, int]]
"""How often each term stands in which text."""

_Written = dict[str, list[str]]
"""The same as it is written in the rows, of each shelf."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads some shelves, with *total* texts of *length* terms, under one condition."""

    connection: Connection
    shelves: Sequence[int]
    total: int
    length: int
    where: ColumnElement[bool] | None

    def matches(self, aim: Sought, marks: Collection[str], reach: Reach) -> Matches:
        """Return what is held of what is sought, and in how many texts *marks* are."""
        terms = aim.terms()
        # to count how often a word is there costs as much as to read where: of a shelf that
        # is not long all is read at once
        texts, written = self._whole(terms) if self.total <= reach.postings else ({}, None)
        texts |= self._texts([*terms, *marks] if written is None else marks)
        rare, common = _rarest_first(texts, terms, reach.postings, self.total)
        held = _gathered(self._written(rare) if written is None else _of(written, rare))
        totals = _totals(held, texts, self.total)
        places, lengths = self._best(totals, reach)
        held = held if len(lengths) == len(totals) else _only(held, lengths, reach)
        if self.where is not None and len(places) < reach.candidates:
            # all were looked at. Old versions of one fact that are not seen do not make its
            # words common: the one that holds is found
            texts |= {term: len(docs) for term, docs in held.items() if docs}
        if written is None:
            held |= self.held(common, lengths)
        else:
            held |= _only(_gathered(_of(written, common)), lengths, reach)
        mean = self.length / max(self.total, 1)
        return Matches(self.total, mean, held, texts, lengths, places)

    def held(self, terms: Collection[str], docs: Collection[int]) -> Held:
        """Return how often each of *terms* stands in which of *docs*."""
        found: Held = defaultdict(dict)
        for chunk in chunks([*docs] if terms else []):
            for term, _, written in self._rows(_HELD_OF, terms=[*terms], docs=chunk):
                found[term].update(read_pairs(written))
        return found

    def lines_at(self, spots: Collection[Spot]) -> dict[int, Spot]:
        """Return the lines that stand at *spots*."""
        clusters, positions = ([*{*each}] for each in zip(*spots, strict=True))
        rows = self._met(_PLACES_AT, clusters=clusters, positions=positions)
        found = ((doc, (cluster, position)) for doc, _, cluster, position in rows)
        return {doc: spot for doc, spot in found if spot in spots}

    def _best(
        self, totals: Mapping[int, float], reach: Reach
    ) -> tuple[dict[int, Place], dict[int, int]]:
        """Return the best candidates: where they stand, if that is read, and how long they are."""
        if self.where is None:
            order = score.highest(totals, reach.candidates)
            if not reach.placed:
                return {}, self._lengths(order)
        else:
            order = score.highest(totals)
        places = self._places(order, reach.candidates)
        return places, {doc: place.length for doc, place in places.items()}

    def _lengths(self, docs: Sequence[int]) -> dict[int, int]:
        lengths: dict[int, int] = {}
        for (written,) in self._rows(_LENGTHS_OF, docs=docs):
            lengths |= read_pairs(written or "")
        return lengths

    def _places(self, order: Sequence[int], most: int) -> dict[int, Place]:
        """Return the first *most* of *order* that meet the condition."""
        places: dict[int, Place] = {}
        for chunk in chunks(order, most):
            if self.where is None:
                rows = self._rows(_ALL_PLACES_OF, docs=chunk)
            else:
                rows = self._met(_PLACES_OF, docs=chunk)
            found = {doc: Place(length, cluster, at) for doc, length, cluster, at in rows}
            places |= {doc: found[doc] for doc in chunk if doc in found}
            if len(places) >= most:
                break
        return dict(islice(places.items(), most))

    def _whole(self, terms: Collection[str]) -> tuple[dict[str, int], _Written]:
        texts: dict[str, int] = {}
        written: _Written = {}
        for term, count, docs in self._rows(_HELD, terms=[*terms]):
            texts[term] = texts.get(term, 0) + count
            written.setdefault(term, []).append(docs)
        return texts, written

    def _written(self, terms: Collection[str]) -> _Written:
        return self._whole(terms)[1] if terms else {}

    def _texts(self, terms: Collection[str]) -> dict[str, int]:
        texts: dict[str, int] = {}
        for term, count in self._rows(_TEXTS, terms=[*terms]) if terms else ():
            texts[term] = texts.get(term, 0) + count
        return texts

    def _met(self, statement: Statement, **values: object) -> list[Values]:
        """Return the rows of lines that meet the condition."""
        met = statement if self.where is None else statement.where(self.where)
        rows: list[Values] = []
        for shelf in self.shelves:
            rows += self.connection.execute(met, values | {"shelf": shelf})
        return rows

    def _rows(self, statement: Kept, **values: object) -> list[Values]:
        """Return the rows of each shelf: of one at a time they come in the order of the table."""
        rows: list[Values] = []
        for shelf in self.shelves:
            rows += statement.rows(self.connection, values | {"shelf": shelf})
        return rows


def open_shelves(
    connection: Connection, owners: Sequence[str], kind: str, where: ColumnElement[bool] | None
) -> Reader:
    """Return a reader of the *kind* shelves of *owners*."""
    values = {"owners": [*owners], "kind": kind}
    rows = _SIZES.rows(connection, values)
    total, length = sum(row[1] for row in rows), sum(row[2] for row in rows)
    return Reader(connection, [row[0] for row in rows], total, length, where)


def chunks(items: Sequence[T], size: int = PARAMETERS) -> Iterable[Sequence[T]]:
    """Cut *items* into pieces of at most *size*."""
    return (items[begin : begin + size] for begin in range(0, len(items), size))


def _gathered(written: _Written) -> Held:
    held: Held = {}
    for term, texts in written.items():
        held[term] = read_pairs(texts[0])
        for more in texts[1:]:
            held[term].update(read_pairs(more))
    return held


def _of(written: _Written, terms: Collection[str]) -> _Written:
    """Return what is written of *terms*, in the order it was read in."""
    wanted = {*terms}
    return {term: texts for term, texts in written.items() if term in wanted}


def _only(held: Held, docs: Mapping[int, object], reach: Reach) -> Held:
    """Leave out other texts; those of a talk stay in order, as their sums depend on it."""
    if not reach.placed:
        wanted = docs.keys()
        return {
            term: {doc: each[doc] for doc in each.keys() & wanted} for term, each in held.items()
        }
    return {
        term: {doc: times for doc, times in each.items() if doc in docs}
        for term, each in held.items()
    }


def _rarest_first(
    texts: Mapping[str, int], terms: Collection[str], most: int, total: int
) -> tuple[list[str], list[str]]:
    """Part the terms into those to read whole and the common ones left for later."""
    order = sorted((term for term in terms if term in texts), key=lambda term: (texts[term], term))
    spent, everywhere = 0, max(EVERYWHERE * total, score.LEAST_TEXTS)
    for place, term in enumerate(order):
        spent += texts[term]
        if place and (spent > most or texts[term] > everywhere):
            return order[:place], order[place:]
    return order, []


def _totals(held: Held, texts: Mapping[str, int], total: int) -> dict[int, float]:
    """Return for each text how many of the rare words it holds, each by its rarity."""
    totals: dict[int, float] = {}
    for term, docs in held.items():
        rarity = score.rarity(texts[term], total)
        again = docs.keys() & totals.keys()
        for doc in again:
            totals[doc] += rarity
        totals |= dict.fromkeys(docs.keys() - again, rarity)
    return totals
