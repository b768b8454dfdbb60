"""Look words up in the index: what stands in which text, read in a few statements."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Row, Select, func, select
from sqlalchemy.orm import Session

from walissh.memory.recall import score
from walissh.memory.recall.sought import Sought
from walissh.memory.recall.talk import Spot
from walissh.memory.recall.values import Matches, Place
from walissh.store.models import LineRow, PostingRow

MAX_POSTINGS = 12_000
"""Rarer words are looked up first; past this the common ones only score what these found."""
MAX_CANDIDATES = 1_500
PARAMETERS = 5_000
"""So many values go into one statement."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the postings of some shelves, under one condition on their lines."""

    session: Session
    shelves: Sequence[int]
    where: ColumnElement[bool] | None = field(default=None)

    def matches(self, aim: Sought, wanted: Mapping[str, float]) -> Matches:
        """Return all that is held of what is sought; common words only of the candidates."""
        total, mean = self._size()
        texts = self._texts({*aim.terms(), *wanted}) if total else {}
        first, later = _rarest_first({term: texts[term] for term in aim.terms() if term in texts})
        held = self.held(first)
        docs = best(_rough(held, texts, total), MAX_CANDIDATES)
        places = self._places(docs)
        held = _only(held, places) | _only(self.held(later, [*places]), places)
        return Matches(total, mean, held, texts, places)

    def held(
        self, terms: Iterable[str], docs: Collection[int] | None = None
    ) -> dict[str, dict[int, int]]:
        """Return how often each of *terms* stands in which text (of *docs*, if given)."""
        found: dict[str, dict[int, int]] = defaultdict(dict)
        base = select(PostingRow.term, PostingRow.doc, PostingRow.tf)
        names = [*terms]
        if not names or not self.shelves or (docs is not None and not docs):
            return found
        base = base.where(PostingRow.shelf.in_(self.shelves), PostingRow.term.in_(names))
        for query in _restricted(base, docs):
            for term, doc, times in self._rows(query):
                found[term][doc] = times
        return found

    def lines_at(self, spots: Collection[Spot]) -> dict[int, Spot]:
        """Return the lines that stand at *spots*."""
        clusters, positions = ({*each} for each in zip(*spots, strict=True))
        query = select(LineRow.doc, LineRow.cluster, LineRow.position).where(
            LineRow.cluster.in_(clusters), LineRow.position.in_(positions)
        )
        rows = self._rows(self._lines(query))
        return {doc: (cluster, place) for doc, cluster, place in rows if (cluster, place) in spots}

    def _size(self) -> tuple[int, float]:
        query = select(func.count(), func.avg(LineRow.length)).where(
            LineRow.shelf.in_(self.shelves)
        )
        total, mean = self.session.execute(query).one()
        return total, float(mean or 0)

    def _texts(self, terms: Collection[str]) -> dict[str, int]:
        query = (
            select(PostingRow.term, func.count())
            .where(PostingRow.shelf.in_(self.shelves), PostingRow.term.in_([*terms]))
            .group_by(PostingRow.term)
        )
        return dict(tuple(row) for row in self._rows(query))

    def _places(self, docs: Collection[int]) -> dict[int, Place]:
        columns = (LineRow.doc, LineRow.length, LineRow.cluster, LineRow.position)
        places: dict[int, Place] = {}
        for chunk in chunks([*docs]):
            query = self._lines(select(*columns)).where(LineRow.doc.in_(chunk))
            for doc, length, cluster, position in self._rows(query):
                places[doc] = Place(length, cluster, position)
        return places

    def _rows(self, query: Select[*tuple[Any, ...]]) -> Iterable[Row[*tuple[Any, ...]]]:
        return self.session.execute(query)

    def _lines(self, query: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
        query = query.where(LineRow.shelf.in_(self.shelves))
        return query if self.where is None else query.where(self.where)


def _rarest_first(texts: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """Part the terms into those to look up whole and the common ones left for later."""
    order = sorted(texts, key=lambda term: texts[term])
    spent, cut = 0, 0
    for cut, term in enumerate(order, 1):
        spent += texts[term]
        if spent > MAX_POSTINGS and cut > 1:
            return order[: cut - 1], order[cut - 1 :]
    return order, []


def _rough(
    held: Mapping[str, Mapping[int, int]], texts: Mapping[str, int], total: int
) -> dict[int, float]:
    totals: dict[int, float] = defaultdict(float)
    for term, docs in held.items():
        rarity = score.rarity(texts[term], total)
        for doc in docs:
            totals[doc] += rarity
    return totals


def best(totals: Mapping[int, float], most: int) -> list[int]:
    """Return the docs with the highest totals, the best first; of equal ones the newer."""
    return sorted(totals, key=lambda doc: (-totals[doc], -doc))[:most]


def _only(
    held: Mapping[str, Mapping[int, int]], docs: Collection[int]
) -> dict[str, dict[int, int]]:
    return {
        term: {doc: times for doc, times in each.items() if doc in docs}
        for term, each in held.items()
    }


def _restricted(
    query: Select[*tuple[Any, ...]], docs: Collection[int] | None
) -> Iterator[Select[*tuple[Any, ...]]]:
    if docs is None:
        yield query
        return
    for chunk in chunks([*docs]):
        yield query.where(PostingRow.doc.in_(chunk))


def chunks(items: Sequence[T], size: int = PARAMETERS) -> Iterator[Sequence[T]]:
    for begin in range(0, len(items), size):
        yield items[begin : begin + size]
