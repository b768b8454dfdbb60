"""Look words up in the index: what stands in which text, read in a few statements.

The statements are built once, and rows come as they are: at a thousand memories the mapper
and the building would take longer than the database.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    FromClause,
    Row,
    Select,
    bindparam,
    func,
    select,
)
from sqlalchemy.orm import Session

from walissh.memory.recall import score
from walissh.memory.recall.sought import Sought
from walissh.memory.recall.talk import Spot
from walissh.memory.recall.values import Matches, Place
from walissh.store.models import LineRow, PostingRow, ShelfRow

SMALL_SHELF = 3_000
"""Up to so many texts all that is held of a question is read at once."""
MAX_POSTINGS = 12_000
"""Else rarer words are read first; past this the common ones only score what these found."""
MAX_CANDIDATES = 1_500
PARAMETERS = 5_000
"""So many values go into one statement."""

T = TypeVar("T")
Rows = Iterable[Row[*tuple[Any, ...]]]
Statement = Select[*tuple[Any, ...]]

SHELF: FromClause = ShelfRow.__table__
LINE: FromClause = LineRow.__table__
POSTING: FromClause = PostingRow.__table__


def _any_of(name: str) -> BindParameter[Any]:
    return bindparam(name, expanding=True)


_SIZES = (
    select(SHELF.c.number, func.count(LINE.c.doc), func.sum(LINE.c.length))
    .select_from(SHELF.outerjoin(LINE, LINE.c.shelf == SHELF.c.number))
    .where(SHELF.c.owner_id.in_(_any_of("owners")), SHELF.c.kind == bindparam("kind"))
    .group_by(SHELF.c.number)
)
_ON_SHELF = (POSTING.c.shelf.in_(_any_of("shelves")), POSTING.c.term.in_(_any_of("terms")))
_TEXTS = select(POSTING.c.term, func.count()).where(*_ON_SHELF).group_by(POSTING.c.term)
_HELD = select(POSTING.c.term, POSTING.c.doc, POSTING.c.tf).where(*_ON_SHELF)
_HELD_OF = _HELD.where(POSTING.c.doc.in_(_any_of("docs")))
_PLACES = select(LINE.c.doc, LINE.c.length, LINE.c.cluster, LINE.c.position).where(
    LINE.c.shelf.in_(_any_of("shelves"))
)
_PLACES_OF = _PLACES.where(LINE.c.doc.in_(_any_of("docs")))
_PLACES_WITH = _PLACES.where(LINE.c.doc.in_(select(POSTING.c.doc).where(*_ON_SHELF)))
_PLACES_AT = _PLACES.where(
    LINE.c.cluster.in_(_any_of("clusters")), LINE.c.position.in_(_any_of("positions"))
)

Held = dict[str, dict[int, int]]
"""How often each term stands in which text."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads some shelves, with *total* texts of *length* terms, under one condition."""

    session: Session
    shelves: Sequence[int]
    total: int
    length: int
    where: ColumnElement[bool] | None

    def matches(self, aim: Sought, marks: Collection[str]) -> Matches:
        """Return all that is held of what is sought, and in how many texts *marks* are."""
        terms = sorted(aim.terms())
        read = self._small if self.total <= SMALL_SHELF else self._large
        held, texts, places = read(terms)
        texts |= self._texts([mark for mark in marks if mark not in texts])
        mean = self.length / max(self.total, 1)
        return Matches(self.total, mean, _only(held, places), texts, places)

    def held(self, terms: Collection[str], docs: Collection[int]) -> Held:
        """Return how often each of *terms* stands in which of *docs*."""
        found: Held = defaultdict(dict)
        for chunk in chunks([*docs]):
            _gather(found, self._rows(_HELD_OF, terms=[*terms], docs=chunk))
        return found

    def lines_at(self, spots: Collection[Spot]) -> dict[int, Spot]:
        """Return the lines that stand at *spots*."""
        clusters, positions = ([*{*each}] for each in zip(*spots, strict=True))
        rows = self._rows(self._seen(_PLACES_AT), clusters=clusters, positions=positions)
        found = ((doc, (cluster, position)) for doc, _, cluster, position in rows)
        return {doc: spot for doc, spot in found if spot in spots}

    def _small(self, terms: Sequence[str]) -> tuple[Held, dict[str, int], dict[int, Place]]:
        held: Held = defaultdict(dict)
        _gather(held, self._rows(_HELD, terms=terms))
        places = _placed(self._rows(self._seen(_PLACES_WITH), terms=terms))
        # counted without those that are not seen: a word of a hundred old versions of one
        # fact is rare, and finds the one that holds
        held = _only(held, places)
        return held, {term: len(docs) for term, docs in held.items() if docs}, places

    def _large(self, terms: Sequence[str]) -> tuple[Held, dict[str, int], dict[int, Place]]:
        texts = self._texts(terms)
        rare, common = _rarest_first(texts)
        held: Held = defaultdict(dict)
        _gather(held, self._rows(_HELD, terms=rare))
        places: dict[int, Place] = {}
        for chunk in chunks(_best(held, texts, self.total)):
            places |= _placed(self._rows(self._seen(_PLACES_OF), docs=chunk))
        return held | self.held(common, places), texts, places

    def _texts(self, terms: Sequence[str]) -> dict[str, int]:
        return {row[0]: row[1] for row in self._rows(_TEXTS, terms=terms)} if terms else {}

    def _rows(self, statement: Statement, **values: object) -> Rows:
        values["shelves"] = self.shelves
        return self.session.connection().execute(statement, values).all()

    def _seen(self, statement: Statement) -> Statement:
        return statement if self.where is None else statement.where(self.where)


def open_shelves(
    session: Session, owners: Sequence[str], kind: str, where: ColumnElement[bool] | None
) -> Reader:
    """Return a reader of the *kind* shelves of *owners*."""
    values = {"owners": [*owners], "kind": kind}
    rows = session.connection().execute(_SIZES, values).all()
    total, length = sum(row[1] for row in rows), sum(row[2] or 0 for row in rows)
    return Reader(session, [row[0] for row in rows], total, length, where)


def chunks(items: Sequence[T], size: int = PARAMETERS) -> Iterable[Sequence[T]]:
    """Cut *items* into pieces of at most *size*."""
    return (items[begin : begin + size] for begin in range(0, len(items), size))


def _gather(held: Held, rows: Rows) -> None:
    for term, doc, times in rows:
        held[term][doc] = times


def _placed(rows: Rows) -> dict[int, Place]:
    return {doc: Place(length, cluster, position) for doc, length, cluster, position in rows}


def _only(held: Held, docs: Collection[int]) -> Held:
    return {
        term: {doc: times for doc, times in each.items() if doc in docs}
        for term, each in held.items()
    }


def _rarest_first(texts: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """Part the terms into those to read whole and the common ones left for later."""
    order = sorted(texts, key=lambda term: (texts[term], term))
    spent = 0
    for place, term in enumerate(order):
        spent += texts[term]
        if spent > MAX_POSTINGS and place:
            return order[:place], order[place:]
    return order, []


def _best(held: Held, texts: Mapping[str, int], total: int) -> list[int]:
    """Return the texts that hold the most of the rare words; of equal ones the newer."""
    totals: dict[int, float] = defaultdict(float)
    for term, docs in held.items():
        rarity = score.rarity(texts[term], total)
        for doc in docs:
            totals[doc] += rarity
    return sorted(totals, key=lambda doc: (-totals[doc], -doc))[:MAX_CANDIDATES]
