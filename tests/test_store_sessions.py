"""The list of talks: newest first, by pages, searched, and each person's own."""

import pytest

from tests.fakes import call
from tests.world import World
from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.store import commands, history, people, sessions, turns


def titles(page: sessions.Page) -> list[str]:
    return [each.title for each in page.items]


def test_the_last_active_comes_first(world: World) -> None:
    sessions.create(world.person.id, "second")
    world.ask("first again")
    first, _ = sessions.page(world.person.id).items
    assert first.id == world.session.id


def test_pages_follow_each_other_without_gap_or_repeat(world: World) -> None:
    for number in range(5):
        sessions.create(world.person.id, f"s{number}")
    seen, after = [], None
    while True:
        page = sessions.page(world.person.id, limit=2, after=after)
        seen += titles(page)
        after = page.next
        if after is None:
            break
    assert seen == ["s4", "s3", "s2", "s1", "s0", ""]


@pytest.mark.parametrize(
    ("query", "found"),
    [("NGINX", 1), ("502", 1), ("内存", 1), ("100%", 1), ("100_", 0), ("no such", 0)],
)
def test_search_looks_in_titles_and_in_what_was_said(world: World, query: str, found: int) -> None:
    sessions.create(world.person.id, "nginx on web1")
    world.script("disk is 100% full")
    world.ask("为什么 502，内存够吗")
    world.play()
    assert len(sessions.page(world.person.id, query=query).items) == found


def test_another_persons_sessions_are_nowhere(world: World) -> None:
    stranger = people.named("bob").id
    world.ask("secret plans")
    assert sessions.page(stranger, query="secret").items == ()
    assert sessions.get(world.session.id, stranger) is None
    assert history.get_recent_messages(world.session.id, 50, user_id=stranger) == []
    with pytest.raises(NotFoundError):
        sessions.change(world.session.id, stranger, title="mine")


def test_archived_sessions_leave_the_list(world: World) -> None:
    sessions.change(world.session.id, world.person.id, archived=True)
    assert sessions.page(world.person.id).items == ()
    assert len(sessions.page(world.person.id, archived=None).items) == 1


def test_a_host_of_another_person_cannot_be_chosen(world: World) -> None:
    with pytest.raises(InvalidError):
        sessions.create(people.named("bob").id, host_ids=[world.host.id])


def test_a_deleted_session_takes_all_with_it(world: World) -> None:
    world.script((call("uptime"),), "Fine.")
    turn = world.ask()
    world.play()
    sessions.remove(world.session.id, world.person.id)
    assert turns.get(turn.id) is None
    assert commands.of_turn(turn.id) == []
    assert history.of_turn(turn.id) == []


def test_a_session_with_an_open_turn_is_not_deleted(world: World) -> None:
    world.ask()
    with pytest.raises(ConflictError):
        sessions.remove(world.session.id, world.person.id)


def test_what_waits_for_a_person_is_counted_by_session(world: World) -> None:
    world.script((call("touch a"), call("touch b", call_id="c2")))
    world.ask()
    world.play()
    assert sessions.waiting(world.person.id) == {world.session.id: 2}
    assert sessions.busy(world.person.id) == {world.session.id: "awaiting_approval"}
