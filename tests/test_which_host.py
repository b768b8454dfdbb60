"""Which host is meant: what could be any of several is asked, with no call of the model."""

import json

import pytest

from tests.fakes import call
from tests.world import World
from walissh.react.turn import ToolCall, TurnStatus
from walissh.store import hosts, sessions, tracked
from walissh.store.hosts import HostDraft


@pytest.fixture
def talk(world: World) -> World:
    """A session of three hosts in which web1 was asked about."""
    more = [
        hosts.add(world.person.id, HostDraft(name, "127.0.0.1", "ops")) for name in ("web2", "db1")
    ]
    chosen = [world.host.id, *(each.id for each in more)]
    world.session = sessions.create(world.person.id, host_ids=chosen)
    world.script((call("nginx -v"),), "1.22 [1].")
    world.ask("which nginx version runs on web1?")
    world.play()
    return world


def test_an_unclear_host_is_asked_for_without_the_model(talk: World) -> None:
    requests = len(talk.model.requests)
    turn = talk.ask("and the other one?")
    talk.play()
    ended = talk.turn(turn)
    assert ended.status is TurnStatus.DONE
    assert ended.asked is not None
    assert ended.asked.choices == ("web2", "db1")
    assert len(talk.model.requests) == requests
    (told,) = talk.events.named("question")
    assert told["choices"] == ["web2", "db1"]


@pytest.mark.parametrize("answer", ["db1", "the second", "第二个"])
def test_the_answer_names_the_host_and_the_request_before_goes_on(talk: World, answer: str) -> None:
    talk.ask("and the other one?")
    talk.play()
    talk.script((call("nginx -v", host="db1"),), "None there.")
    talk.ask(answer)
    talk.play()
    system = talk.model.requests[-2].messages[0].content
    title = "[任务状态]" if answer.startswith("第") else "[Task state]"
    state = system[system.index(title) :]
    assert "which nginx version runs on web1?" in state
    assert "the other one" in state
    assert "db1" in state.splitlines()[2]
    kept = tracked.snapshot(talk.session.id, talk.person.id)
    assert kept is not None
    assert (kept.hosts[0], kept.pending) == ("db1", None)


def test_of_two_the_other_one_is_not_asked_for(talk: World) -> None:
    talk.script((call("nginx -v", host="db1"),), "None there.")
    talk.ask("and on db1?")
    talk.play()
    talk.script("As above.")
    turn = talk.ask("what about the other one?")
    talk.play()
    assert talk.turn(turn).answer == "As above."
    assert '"the other one" means: web1' in talk.model.requests[-1].messages[0].content


def test_a_question_that_stands_by_itself_goes_to_the_model(talk: World) -> None:
    talk.script("It is fine.")
    turn = talk.ask("how much memory has db1?")
    talk.play()
    assert talk.turn(turn).answer == "It is fine."


def test_a_step_that_comes_twice_asks_once(talk: World) -> None:
    turn = talk.ask("and the other one?")
    job = talk.queue.jobs[0]
    talk.play()
    talk.queue.jobs.insert(0, job)
    talk.play()
    assert len(talk.events.named("question")) == 1
    assert talk.turn(turn).status is TurnStatus.DONE


def test_a_talk_without_chosen_hosts_goes_on_where_it_was(world: World) -> None:
    hosts.add(world.person.id, HostDraft("web2", "127.0.0.1", "ops"))
    world.session = sessions.create(world.person.id)
    world.script((call("uptime"),), "Idle.", (call("free"),), "Enough.")
    world.ask("is web1 busy?")
    world.play()
    turn = world.ask("go on")
    world.play()
    assert [run.host for run in world.runs(turn)] == ["web1"]


def test_a_plan_under_another_name_is_taken(world: World) -> None:
    arguments = json.dumps({"steps": ["stop it", "copy it"]})
    world.script((ToolCall("p", "update_plan", arguments),), "Planned.")
    world.ask("move the shop to the new disk")
    world.play()
    kept = tracked.snapshot(world.session.id, world.person.id)
    assert kept is not None
    assert [each.title for each in kept.plan.steps] == ["stop it", "copy it"]
