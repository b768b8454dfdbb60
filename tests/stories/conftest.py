"""Whole installations, with a scripted model behind the real client."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scripted_model import ScriptedModel
from tests.services import Installation, running_up


@pytest.fixture
def with_model(tmp_path: Path, scripted_model: ScriptedModel) -> Iterator[Installation]:
    """A whole ``walissh up`` with the demo host, whose model is the scripted one."""
    with running_up(tmp_path / "home", "--demo-host", **model_settings(scripted_model)) as running:
        yield running


def model_settings(model: ScriptedModel) -> dict[str, str]:
    """Return the environment that points to the scripted model."""
    return {"OPENAI_BASE_URL": model.url, "WALISSH_MODEL": "scripted", "OPENAI_API_KEY": "any"}
