"""The brain is loaded when it is first asked, and once."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.fakes import ScriptedModel
from walissh.brain.late import LateModel

LOADS = (
    "import sys; from pathlib import Path; from walissh.config import Settings; from walissh.web"
    " import create_app; create_app(Settings(Path(sys.argv[1]), secret_key='x' * 16,"
    " brain=sys.argv[2])); print(*sorted({'openai', 'jc', 'simpleeval'} & set(sys.modules)))"
)


def test_threads_that_ask_at_once_load_it_once() -> None:
    loaded: list[ScriptedModel] = []

    def load() -> ScriptedModel:
        loaded.append(ScriptedModel([]))
        return loaded[-1]

    late = LateModel(load)
    assert not loaded
    with ThreadPoolExecutor(4) as pool:
        models = list(pool.map(lambda _: late.loaded(), range(20)))
    assert len(loaded) == 1
    assert all(model is loaded[0] for model in models)


def test_an_application_that_asks_nothing_loads_no_brain(tmp_path: Path) -> None:
    for brain in ("openai", "offline"):
        ran = subprocess.run(
            [sys.executable, "-c", LOADS, str(tmp_path), brain], capture_output=True, check=True
        )
        assert ran.stdout == b"\n"
