"""The index of words: what of one owner stands where, in plain tables.

One index serves memories, messages and knowledge, each on a shelf of its owner. Rows are
only added and, when a text is gone, taken away; what a question finds is always of now. The
caller's transaction holds both the text and its index. Nothing of another owner can come
back, for every statement names the shelf.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from operator import itemgetter
from typing import Any, Literal, cast

from flask import current_app, has_app_context
from sqlalchemy import (
    ColumnElement,
    Connection,
    Insert,
    Table,
    bindparam,
    delete,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from walissh.memory import forms, synonyms, words
from walissh.memory.recall import marks, memories, sought, talk
from walissh.memory.recall.values import Features, Query, Scored
from walissh.memory.synonyms import Synonyms, SynonymsFile
from walissh.store import lookup
from walissh.store.listed import one_of
from walissh.store.models import LineRow, PostingRow, ShelfRow

OWN_WORDS = "walissh_own_words"
"""Where the app keeps the installation's own synonyms, if it has any."""

Kind = Literal["memory", "message", "knowledge"]
LoadFeatures = Callable[[Collection[int]], Mapping[int, Features]]
"""Gives what else is known of some memories, and leaves out those that do not count."""

BATCH = 400
CANDIDATES = 60
"""Features are asked for so many memories at once."""


# statements are built once, and on the tables: the mapper would take twice as long, and
# nobody has these rows in hand
SHELF = cast(Table, ShelfRow.__table__)
LINE = cast(Table, LineRow.__table__)
POSTING = cast(Table, PostingRow.__table__)
_SHELF = select(SHELF.c.number).where(
    SHELF.c.owner_id == bindparam("owner"), SHELF.c.kind == bindparam("kind")
)
_ADD_LINE, _ADD_POSTING = insert(LINE), insert(POSTING)
# locked: of two that drop the same line one counts it
_KNOWN = (
    select(LINE.c.doc, LINE.c.length)
    .where(LINE.c.shelf == bindparam("on"), one_of(LINE.c.doc, "docs"))
    .with_for_update()
)
_DROP_LINES = delete(LINE).where(LINE.c.shelf == bindparam("on"), one_of(LINE.c.doc, "docs"))
_DROP_POSTINGS = delete(POSTING).where(
    POSTING.c.shelf == bindparam("on"), one_of(POSTING.c.doc, "docs")
)
_COUNT = (
    update(SHELF)
    .where(SHELF.c.number == bindparam("on"))
    .values(
        texts=SHELF.c.texts + bindparam("more_texts"),
        length=SHELF.c.length + bindparam("more_length"),
    )
)


@dataclass(frozen=True, slots=True)
class Line:
    """A text to be found: *doc* is its number in its own table.

    *cluster* is the session of a message, the document of a piece, the host of a memory;
    *position* the place in it, counted without gaps; *speaker* a name or a role.
    """

    doc: int
    text: str
    cluster: str = ""
    position: int = 0
    at: datetime | None = None
    speaker: str = ""


# --- writing --------------------------------------------------------------------------


def put(session: Session, owner_id: str, kind: Kind, line: Line) -> None:
    """Index *line*, or index it anew."""
    put_many(session, owner_id, kind, [line])


def put_many(
    session: Session, owner_id: str, kind: Kind, lines: Iterable[Line], *, fresh: bool = False
) -> None:
    """Index *lines*; the last one of a doc counts. *fresh*: none was indexed before."""
    shelf = _shelf_for_writing(session, owner_id, kind)
    remaining = iter({line.doc: line for line in lines}.values())
    while chunk := [*islice(remaining, BATCH)]:
        if not fresh:
            _erase(session, shelf, [line.doc for line in chunk])
        _insert(session, shelf, kind, chunk)


def drop(session: Session, owner_id: str, kind: Kind, doc: int) -> None:
    """Take *doc* out of the index, if it is there."""
    shelf = _shelf(session, owner_id, kind)
    if shelf is not None:
        _erase(session, shelf, [doc])


def drop_cluster(session: Session, owner_id: str, kind: Kind, cluster: str) -> None:
    """Take all lines of *cluster* out of the index."""
    shelf = _shelf(session, owner_id, kind)
    if shelf is None:
        return
    docs = select(LineRow.doc).where(LineRow.shelf == shelf, LineRow.cluster == cluster)
    _erase(session, shelf, session.scalars(docs).all())


def _shelf(session: Session, owner_id: str, kind: Kind) -> int | None:
    named = {"owner": owner_id, "kind": kind}
    row = session.connection().execute(_SHELF, named).first()
    return None if row is None else int(row[0])


def _shelf_for_writing(session: Session, owner_id: str, kind: Kind) -> int:
    shelf = _shelf(session, owner_id, kind)
    if shelf is not None:
        return shelf
    try:
        with session.begin_nested():
            session.add(row := ShelfRow(owner_id=owner_id, kind=kind))
            session.flush()
            return row.number
    except IntegrityError:
        # another writer made it in this moment
        shelf = _shelf(session, owner_id, kind)
        if shelf is None:
            raise
        return shelf


def _erase(session: Session, shelf: int, docs: Sequence[int]) -> None:
    connection = session.connection()
    for chunk in lookup.chunks(docs):
        known = connection.execute(_KNOWN, {"on": shelf, "docs": chunk}).all()
        if known:
            named = {"on": shelf, "docs": [row[0] for row in known]}
            connection.execute(_DROP_POSTINGS, named)
            connection.execute(_DROP_LINES, named)
            _count(session, shelf, -len(known), -sum(row[1] for row in known))


def _insert(session: Session, shelf: int, kind: Kind, lines: Sequence[Line]) -> None:
    rows: list[dict[str, Any]] = []
    postings: list[dict[str, Any]] = []
    for line in lines:
        counts = _counts(kind, line)
        length = sum(times for term, times in counts.items() if not term.startswith("@"))
        rows.append(
            {
                "shelf": shelf,
                "doc": line.doc,
                "length": length,
                "cluster": line.cluster,
                "position": line.position,
                "at": line.at,
            }
        )
        postings += [
            {"shelf": shelf, "term": term, "doc": line.doc, "tf": times}
            for term, times in counts.items()
        ]
    postings.sort(key=itemgetter("term", "doc"))  # neighbours of the table come together
    _insert_rows(session, _ADD_LINE, rows)
    _insert_rows(session, _ADD_POSTING, postings)
    _count(session, shelf, len(rows), sum(row["length"] for row in rows))


def _insert_rows(session: Session, statement: Insert, rows: list[dict[str, Any]]) -> None:
    if rows:
        session.connection().execute(statement, rows)


def _count(session: Session, shelf: int, texts: int, length: int) -> None:
    """Add to what stands on the shelf: at the moment of writing, for others count too."""
    named = {"on": shelf, "more_texts": texts, "more_length": length}
    session.connection().execute(_COUNT, named)


def _counts(kind: Kind, line: Line) -> Counter[str]:
    counts = words.counted(line.text)
    if kind == "memory":
        # a fact of a host is found by the host's name, though it does not say it
        counts |= words.counted(line.cluster)
        counts |= Counter(forms.of_text(line.text))
    else:
        counts |= Counter(marks.of_line(line.text, line.speaker, line.at))
    return counts


# --- searching ------------------------------------------------------------------------


def search(
    connection: Connection,
    owner_id: str,
    kind: Kind,
    query: Query,
    *,
    k: int,
    where: ColumnElement[bool] | None = None,
    features: LoadFeatures | None = None,
    also_of: Sequence[str] = (),
    lexicon: Synonyms | None = None,
) -> list[Scored]:
    """Return at most *k* texts of *owner_id* that bear on *query*, best first.

    *where* is a condition over LineRow that each of them meets: which are valid
    (``LineRow.doc.in_(select(...))``), or elsewhere (``LineRow.cluster != ...``).
    *features*, which memories need, is asked for the best candidates and may leave out
    more. *also_of* names further owners whose texts are searched too: then *where* or
    *features* must say which of these may be seen.
    """
    aim = sought.seek(query, lexicon or _lexicon())
    wanted = {} if kind == "memory" else marks.of_question(query.text)
    reader = lookup.open_shelves(connection, [owner_id, *also_of], kind, where)
    if not reader.total:
        return []
    reach = lookup.MEMORIES if kind == "memory" else lookup.TALKS
    matches = reader.matches(aim, wanted, reach)
    if not matches.lengths:
        return []
    if kind == "memory":
        tallies = memories.weigh(aim, matches)
        known = _features(memories.best_first(tallies), features, k)
        return memories.rank(query, tallies, known, k=k)
    scores = talk.spots(aim, matches)
    found = reader.lines_at(scores)
    return talk.rank(found, scores, wanted, reader.held(wanted, found), k=k)


def _lexicon() -> Synonyms:
    """Return the words of this installation: the standard ones, and its own file's."""
    own: SynonymsFile | None = None
    if has_app_context():  # an evaluation runs without an installation
        own = current_app.extensions.get(OWN_WORDS)
    return own.current() if own is not None else synonyms.standard()


def _features(docs: Sequence[int], load: LoadFeatures | None, k: int) -> Mapping[int, Features]:
    if load is None:
        raise TypeError("a search of memories needs their features")
    known: dict[int, Features] = {}
    for chunk in lookup.chunks(docs, CANDIDATES):
        known |= load(chunk)
        if len(known) >= max(CANDIDATES // 2, 5 * k):
            break
    return known
