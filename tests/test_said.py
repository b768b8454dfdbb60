"""What was said is found by its words, but for its secrets; what is older is indexed later."""

from sqlalchemy import delete, update

from tests.world import World
from walissh.clock import utc_now
from walissh.memory.recall import Query
from walissh.store import said, turns
from walissh.store.database import writing
from walissh.store.models import LineRow, PostingRow, ShelfRow, TurnRow


def spoken(world: World, text: str, *, settled: bool = True) -> str:
    turn = turns.ask(world.session.id, world.person.id, text, "en")
    with writing() as session:
        now = utc_now()
        session.execute(
            update(TurnRow)
            .where(TurnRow.id == turn.id)
            .values(status="done", finished_at=now, settled_at=now if settled else None)
        )
    return turn.id


def found(world: World, words: str) -> list[str]:
    return [each.content for each in said.search(world.person.id, Query(words), k=5)]


def empty_index() -> None:
    with writing() as session:
        for table in (PostingRow, LineRow, ShelfRow):
            session.execute(delete(table))


def test_what_was_said_is_found_by_its_words(world: World) -> None:
    said.index_turn(spoken(world, "the tulip exporter fills the disk"))
    assert found(world, "tulip exporter") == ["the tulip exporter fills the disk"]


def test_what_was_said_is_never_found_by_a_secret_in_it(world: World) -> None:
    text = "why does mariadb refuse me? the root password is winterapples"
    said.index_turn(spoken(world, text))
    assert found(world, "winterapples") == []
    hidden = text.replace("winterapples", "‹secret:1 password›")
    assert found(world, "mariadb refuse") == [hidden]


def test_a_key_in_a_paste_is_not_indexed(world: World) -> None:
    said.index_turn(spoken(world, "cache.conf: requirepass tulip9fields, cannot bind"))
    assert found(world, "tulip9fields") == []


def test_turns_of_before_the_index_are_told_oldest_first(world: World) -> None:
    first, second = spoken(world, "the first"), spoken(world, "the second")
    assert said.unindexed_turns(1) == [first]
    said.index_turn(first)
    assert said.unindexed_turns(9) == [second]


def test_a_turn_that_is_not_settled_is_left_to_its_own_after_work(world: World) -> None:
    spoken(world, "still at it", settled=False)
    assert said.unindexed_turns(9) == []


def test_a_turn_whose_words_all_were_secret_is_indexed_once(world: World) -> None:
    turn_id = spoken(world, "。。。")
    said.index_turn(turn_id)
    assert said.unindexed_turns(9) == []
    empty_index()
    assert said.unindexed_turns(9) == [turn_id]
