"""Whole installations, with a scripted model behind the real client."""

from collections.abc import Iterator

import pytest

from tests.scripted_model import ScriptedModel
from tests.services import Installation, running_up


@pytest.fixture(scope="package")
def story_model() -> Iterator[ScriptedModel]:
    """The model behind `with_model`, at one address for all stories."""
    server = ScriptedModel().start()
    yield server
    server.stop()


@pytest.fixture
def scripted_model(story_model: ScriptedModel) -> Iterator[ScriptedModel]:
    """The same model, which has forgotten what came before this test."""
    story_model.forget()
    yield story_model
    for fault in story_model.faults:
        raise fault


@pytest.fixture(scope="package")
def with_model(
    tmp_path_factory: pytest.TempPathFactory, story_model: ScriptedModel
) -> Iterator[Installation]:
    """A whole ``walissh up`` with the demo host, for all stories that leave it alive.

    It runs one command at a time, so that a second one has to queue.
    """
    home = tmp_path_factory.mktemp("with-model") / "home"
    settings = {**model_settings(story_model), "WALISSH_COMMAND_THREADS": "1"}
    with running_up(home, "--demo-host", **settings) as running:
        yield running


def model_settings(model: ScriptedModel) -> dict[str, str]:
    """Return the environment that points to the scripted model."""
    return {"OPENAI_BASE_URL": model.url, "WALISSH_MODEL": "scripted", "OPENAI_API_KEY": "any"}
