"""The prompt is built by providers in order, in the language of the question."""

import pytest

from tests.fakes import call
from tests.world import World
from walissh.errors import SettingsError
from walissh.react.prompt import HostsProvider, Prompt, SystemProvider


def test_two_providers_of_one_order_stop_the_start() -> None:
    with pytest.raises(SettingsError, match="order 10"):
        Prompt.of([HostsProvider(), HostsProvider()])


def test_providers_are_asked_in_their_order() -> None:
    prompt = Prompt.of([HostsProvider(), SystemProvider()])
    assert [each.order for each in prompt.providers] == [0, 10]


@pytest.mark.parametrize(("question", "title"), [("why?", "[Hosts]"), ("为什么慢", "[主机]")])
def test_titles_follow_the_language_of_the_question(
    world: World, question: str, title: str
) -> None:
    world.script("Fine.")
    world.ask(question)
    world.play()
    system = world.model.requests[0].messages[0].content
    assert title in system and "web1" in system


def test_only_tools_that_exist_are_offered(world: World) -> None:
    world.script((call("uptime"),), "Fine.")
    world.ask()
    world.play()
    offered = [tool.name for tool in world.model.requests[0].tools]
    assert offered == [
        "run_command",
        "read_output",
        "search_history",
        "remember",
        "update_plan",
        "ask_user",
    ]
