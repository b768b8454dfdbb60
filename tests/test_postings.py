"""The index of words: what is put in is found, what is taken out is gone, each has their own."""

import random
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime

import pytest
from flask import Flask
from sqlalchemy import column, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from walissh.errors import StoreError
from walissh.memory import synonyms
from walissh.memory.entry import MemoryType
from walissh.memory.recall import sought
from walissh.memory.recall.values import Features, Query
from walissh.memory.synonyms import Synonyms, read
from walissh.store import database, lookup, postings
from walissh.store.kept import Kept
from walissh.store.lookup import Reach
from walissh.store.models import LineRow, PersonRow, PostingRow, ShelfRow
from walissh.store.postings import Kind, Line


@pytest.fixture
def session(database_app: Flask) -> Iterator[Session]:
    """A transaction with two people, ada and bo."""
    with database.writing() as session:
        session.add_all(PersonRow(id=name, name=name, role="member") for name in ("ada", "bo"))
        session.flush()
        yield session


def put(session: Session, *lines: Line, owner: str = "ada", kind: Kind = "message") -> None:
    postings.put_many(session, owner, kind, lines)


def found(
    session: Session, text: str, *, owner: str = "ada", kind: Kind = "message", k: int = 5, **more
) -> list[int]:
    if kind == "memory":
        more.setdefault("features", every)
    hits = postings.search(session.connection(), owner, kind, Query(text), k=k, **more)
    return [hit.doc for hit in hits]


def every(docs: Collection[int]) -> Mapping[int, Features]:
    return {doc: Features(MemoryType.ENVIRONMENT_FACT) for doc in docs}


def rows(session: Session, table: type) -> int:
    return session.scalar(select(func.count()).select_from(table)) or 0


KINDS: tuple[Kind, ...] = ("memory", "message", "knowledge")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_put_in_is_found(session: Session, kind: Kind) -> None:
    put(session, Line(7, "exim was replaced by opensmtpd", "t", 0), kind=kind)
    assert found(session, "opensmtpd?", kind=kind) == [7]


@pytest.mark.parametrize("kind", KINDS)
def test_a_stranger_finds_nothing(session: Session, kind: Kind) -> None:
    put(session, Line(7, "exim was replaced by opensmtpd", "t", 0), kind=kind)
    put(session, Line(8, "a word", "t", 0), kind=kind, owner="bo")
    assert found(session, "opensmtpd", owner="bo", kind=kind) == []
    assert found(session, "opensmtpd", owner="nobody", kind=kind) == []
    assert found(session, "opensmtpd", owner="", kind=kind) == []


def test_each_kind_has_its_own_shelf(session: Session) -> None:
    put(session, Line(1, "opensmtpd", "t", 0), kind="message")
    assert found(session, "opensmtpd", kind="knowledge") == []
    assert rows(session, ShelfRow) == 1


def test_one_number_may_be_on_two_shelves(session: Session) -> None:
    put(session, Line(1, "opensmtpd", "t", 0))
    put(session, Line(1, "dovecot", "t", 0), owner="bo")
    assert found(session, "opensmtpd dovecot") == [1]
    assert found(session, "opensmtpd", owner="bo") == []


def test_putting_again_replaces_the_words(session: Session) -> None:
    put(session, Line(1, "opensmtpd", "t", 0))
    put(session, Line(1, "dovecot", "t", 0))
    assert found(session, "opensmtpd") == []
    assert found(session, "dovecot") == [1]
    assert rows(session, LineRow) == 1


def test_putting_twice_at_once_counts_the_last(session: Session) -> None:
    put(session, Line(1, "opensmtpd", "t", 0), Line(1, "dovecot", "t", 0))
    assert found(session, "opensmtpd") == []


def test_what_is_dropped_leaves_nothing(session: Session) -> None:
    put(session, Line(1, "opensmtpd 6.8", "t", 0, datetime(2030, 1, 2, tzinfo=UTC), "ada"))
    postings.drop(session, "ada", "message", 1)
    assert (rows(session, LineRow), rows(session, PostingRow)) == (0, 0)


def test_dropping_what_is_not_there_does_nothing(session: Session) -> None:
    postings.drop(session, "ada", "message", 1)
    put(session, Line(2, "opensmtpd", "t", 0))
    postings.drop(session, "ada", "message", 1)
    postings.drop(session, "bo", "message", 2)
    postings.drop_cluster(session, "bo", "message", "t")
    assert found(session, "opensmtpd") == [2]


def test_a_cluster_is_dropped_as_a_whole_and_alone(session: Session) -> None:
    put(session, *(Line(doc, "opensmtpd", "t", doc) for doc in range(1000)))
    put(session, Line(2000, "opensmtpd", "other", 0))
    postings.drop_cluster(session, "ada", "message", "t")
    assert found(session, "opensmtpd") == [2000]
    assert rows(session, LineRow) == 1


def test_a_person_who_goes_takes_the_index_along(database_app: Flask) -> None:
    with database.writing() as session:
        session.add(PersonRow(id="ada", name="ada", role="member"))
        session.flush()
        put(session, Line(1, "opensmtpd", "t", 0))
    with database.writing() as session:
        session.delete(session.get_one(PersonRow, "ada"))
    with database.reading() as session:
        assert [rows(session, table) for table in (ShelfRow, LineRow, PostingRow)] == [0, 0, 0]


def test_what_is_rolled_back_is_not_found(database_app: Flask) -> None:
    with database.writing() as session:
        session.add(PersonRow(id="ada", name="ada", role="member"))
    with pytest.raises(ZeroDivisionError), database.writing() as session:
        put(session, Line(1, "opensmtpd", "t", 0))
        raise ZeroDivisionError
    with database.reading() as session:
        assert found(session, "opensmtpd") == []


@pytest.mark.parametrize("text", ["", "的", "\x00", "what is it"])
def test_a_text_without_words_can_be_put_and_dropped(session: Session, text: str) -> None:
    put(session, Line(1, text, "t", 0), kind="knowledge")
    assert found(session, "opensmtpd", kind="knowledge") == []
    postings.drop(session, "ada", "knowledge", 1)
    assert rows(session, LineRow) == 0


@pytest.mark.parametrize("text", ["", "的", "?!", "' OR 1=1 --", "%", "\x00"])
def test_a_question_without_words_finds_nothing(session: Session, text: str) -> None:
    put(session, Line(1, "opensmtpd", "t", 0))
    assert found(session, text) == []


def test_a_memory_is_found_by_its_host(session: Session) -> None:
    put(session, Line(1, "opensmtpd relays", "fox5"), Line(2, "plain"), kind="memory")
    assert found(session, "opensmtpd on fox5", kind="memory") == [1]


def test_a_condition_on_the_lines_holds(session: Session) -> None:
    put(session, Line(1, "opensmtpd", "here", 0), Line(2, "opensmtpd", "there", 0))
    assert found(session, "opensmtpd", where=LineRow.cluster != "here") == [2]


def test_a_condition_holds_for_neighbours_too(session: Session) -> None:
    put(session, Line(1, "opensmtpd?", "t", 0), Line(2, "yes", "t", 1))
    assert found(session, "opensmtpd", where=LineRow.doc != 2) == [1]


def test_a_memory_whose_features_are_kept_back_does_not_count(session: Session) -> None:
    put(session, Line(1, "opensmtpd one"), Line(2, "opensmtpd two"), kind="memory")

    def second(docs: Collection[int]) -> Mapping[int, Features]:
        return {doc: each for doc, each in every(docs).items() if doc == 2}

    assert found(session, "opensmtpd", kind="memory", features=second) == [2]


def test_one_valid_memory_is_found_behind_a_thousand_that_are_not(session: Session) -> None:
    put(session, *(Line(doc, "opensmtpd relay") for doc in range(1, 1201)), kind="memory")

    assert found(session, "opensmtpd relay", kind="memory", where=LineRow.doc == 1) == [1]


def test_memories_need_their_features(session: Session) -> None:
    put(session, Line(1, "opensmtpd"), kind="memory")
    with pytest.raises(TypeError):
        postings.search(session.connection(), "ada", "memory", Query("opensmtpd"), k=1)


def test_what_others_share_is_searched_when_asked_for(session: Session) -> None:
    put(session, Line(1, "opensmtpd mine"), kind="memory")
    put(session, Line(2, "opensmtpd theirs"), kind="memory", owner="bo")
    shared = found(session, "opensmtpd", kind="memory", also_of=["bo"])
    assert sorted(shared) == [1, 2]
    assert found(session, "opensmtpd", kind="memory") == [1]


def test_ones_own_synonyms_are_used(session: Session) -> None:
    put(session, Line(1, "opensmtpd relays the post"), kind="memory")
    lexicon = Synonyms(read("same:\n  - flurbel | opensmtpd\n"))
    assert found(session, "flurbel", kind="memory", lexicon=lexicon) == [1]
    assert found(session, "flurbel", kind="memory") == []


def test_the_oldest_of_many_is_found(session: Session) -> None:
    put(session, Line(0, "opensmtpd relays", "t", 0))
    put(session, *(Line(doc, f"word{doc} and so on", "t", doc) for doc in range(1, 1500)))
    assert found(session, "opensmtpd")[0] == 0


def test_a_short_reach_keeps_the_best(session: Session) -> None:
    chance = random.Random(7)
    vocabulary = [f"word{number}" for number in range(60)]
    texts = [" ".join(chance.choices(vocabulary, k=8)) for _ in range(300)]
    put(session, *(Line(doc, text) for doc, text in enumerate(texts)))
    reader = lookup.open_shelves(session.connection(), ["ada"], "message", None)
    aim = sought.seek(Query("word1 word2 word3"), synonyms.standard())
    best = Counter[int]()
    for term in ("word1", "word2", "word3"):
        best.update(doc for doc, text in enumerate(texts) if term in text.split())
    places = reader.matches(aim, [], Reach(9000, 20)).places
    assert {best[doc] for doc in places} >= {max(best.values())}
    assert len(places) == 20


def test_common_words_score_what_the_rare_ones_found(session: Session) -> None:
    put(session, *(Line(doc, "relay", "t", doc) for doc in range(50)))
    put(session, Line(99, "relay opensmtpd", "u", 0))
    reader = lookup.open_shelves(session.connection(), ["ada"], "message", None)
    aim = sought.seek(Query("opensmtpd relay"), synonyms.standard())
    matches = reader.matches(aim, [], Reach(20, 10))
    assert matches.held == {"opensmtpd": {99: 1}, "relai": {99: 1}}
    assert matches.texts["relai"] == 51


# --- lists in a row -------------------------------------------------------------------


@pytest.mark.parametrize("doc", [0, 7])
def test_how_often_a_word_stands_in_a_text_is_read_as_it_was_written(
    session: Session, doc: int
) -> None:
    put(session, Line(doc, "relay relay relay", "t", 0), Line(8, "relay once", "t", 1))
    reader = lookup.open_shelves(session.connection(), ["ada"], "message", None)
    assert reader.held(["relai"], [doc, 8]) == {"relai": {doc: 3, 8: 1}}


def test_a_long_shelf_gives_what_a_short_one_gives(session: Session) -> None:
    put(session, *(Line(doc, f"relay word{doc % 7} word{doc}", "t", doc) for doc in range(60)))
    reader = lookup.open_shelves(session.connection(), ["ada"], "message", None)
    aim = sought.seek(Query("word3 word17 relay"), synonyms.standard())
    at_once, in_turn = (reader.matches(aim, [], Reach(most, 20)) for most in (60, 59))
    assert at_once == in_turn


def test_the_candidates_of_memories_are_the_best_with_their_lengths(session: Session) -> None:
    texts = ["relay", "relay opensmtpd", "relay opensmtpd queue", "queue", "relay queue"]
    put(session, *(Line(doc, text) for doc, text in enumerate(texts)), kind="memory")
    reader = lookup.open_shelves(session.connection(), ["ada"], "memory", None)
    aim = sought.seek(Query("opensmtpd queue"), synonyms.standard())
    matches = reader.matches(aim, [], Reach(9000, 2, placed=False))
    assert (matches.lengths, matches.places) == ({2: 3, 1: 2}, {})
    assert matches.held["opensmtpd"] == {1: 1, 2: 1}
    assert matches.held["queue"] == {2: 1}


def test_nothing_sought_on_a_shelf_has_no_lengths(session: Session) -> None:
    put(session, Line(1, "relay"), kind="memory")
    reader = lookup.open_shelves(session.connection(), ["ada"], "memory", None)
    aim = sought.seek(Query("dovecot"), synonyms.standard())
    assert reader.matches(aim, [], lookup.MEMORIES).lengths == {}


def test_a_statement_that_fails_says_so_as_any_other(session: Session) -> None:
    kept = Kept(select(column("no_such_column")).select_from(LineRow.__table__))
    with pytest.raises(DBAPIError):
        kept.rows(session.connection(), {})


def test_a_statement_that_fails_on_a_plain_connection_is_told_as_such(database_app: Flask) -> None:
    kept = Kept(select(column("no_such_column")).select_from(LineRow.__table__))
    with pytest.raises(StoreError), database.looking() as connection:
        kept.rows(connection, {})


def test_a_plain_connection_sees_one_state_of_the_database(database_app: Flask) -> None:
    with database.looking() as connection:
        shelves = select(func.count()).select_from(ShelfRow)
        if connection.dialect.name == "postgresql":
            pytest.skip("each statement there sees what was committed before it")
        before = connection.scalar(shelves)
        with database.writing() as session:
            session.add(PersonRow(id="ada", name="ada", role="member"))
            session.flush()
            put(session, Line(1, "opensmtpd"), kind="memory")
        assert connection.scalar(shelves) == before
