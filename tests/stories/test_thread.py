"""A task of five steps outlives kill -9 of everything: it goes on at the first undone step."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.api_client import ApiClient
from tests.scripted_model import Asked, Call, Say, ScriptedModel
from tests.services import Installation, running_up, until
from tests.stories.conftest import model_settings
from tests.stories.test_memory import kill_all, sign_in

TITLES = ("停下商店", "拷贝文件", "挂上新盘", "启动商店", "检查结果")
DONE_ALL = "五步都完成了。"


class Steps:
    """The calls of a model that does a step at a time, each of which leaves a line."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def run(self, number: int, more: str = "") -> tuple[str, dict[str, str]]:
        command = f"echo step{number} >> {self.file}{more}"
        return "run_command", {"host": "this-machine", "command": command, "reason": "the step"}

    def look(self) -> tuple[str, dict[str, str]]:
        command = f"cat {self.file}"
        return "run_command", {"host": "this-machine", "command": command, "reason": "to see"}

    @property
    def lines(self) -> list[str]:
        return self.file.read_text().split() if self.file.exists() else []


def whole_plan() -> tuple[str, dict[str, object]]:
    items = [{"id": str(n), "title": title} for n, title in enumerate(TITLES, 1)]
    return "update_plan", {"items": [{**items[0], "status": "running"}, *items[1:]]}


def moved(done: int) -> tuple[str, dict[str, object]]:
    """Return the call that tells a step done and the next one begun."""
    following = [{"id": str(done + 1), "status": "running"}] if done < len(TITLES) else []
    return "update_plan", {"items": [{"id": str(done), "status": "done"}, *following]}


def state(asked: Asked) -> str:
    """Return the section of the task's state that the model was given."""
    _, found, after = asked.system.partition("[任务状态]")
    return re.split(r"\n\n\[", after, maxsplit=1)[0] if found else ""


def approve(api: ApiClient, turn: str) -> None:
    """Approve what waits."""
    for each in api.commands(turn):
        if each["status"] == "awaiting_approval":
            api.call("POST", f"/commands/{each['id']}/approve", {})


def approve_until(api: ApiClient, turn: str, condition: Callable[[], bool], what: str) -> None:
    """Approve what waits until something is so."""

    def seen() -> bool:
        approve(api, turn)
        return condition()

    until(seen, what=what)


def plan_of(api: ApiClient, session: str) -> Sequence[str]:
    plan = api.get(f"/sessions/{session}")["plan"]
    return [f"{each['title']} {each['status']}" for each in plan["steps"]]


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    server = ScriptedModel().start()
    yield server
    server.stop()


@pytest.mark.slow
def test_a_task_of_five_steps_goes_on_at_the_first_undone_one_and_repeats_none(
    tmp_path: Path, model: ScriptedModel, page: Page
) -> None:
    steps = Steps(tmp_path / "steps")
    home = tmp_path / "home"
    with running_up(home, "--demo-host", **model_settings(model)) as first:
        model.script(
            Call(whole_plan(), steps.run(1)),
            Call(moved(1), steps.run(2)),
            Call(moved(2), steps.run(3, "; sleep 300")),
        )
        api = ApiClient.of(first)
        session = api.session(api.host_id())
        turn = api.ask(session, "把商店迁到新盘：停、拷、挂、启、查，五步")
        approve_until(api, turn, lambda: len(steps.lines) == 3, "the third step")
        kill_all(first)

    model.forget()
    with running_up(home, "--demo-host", **model_settings(model)) as second:
        api = ApiClient.of(second)
        assert api.wait(turn)["status"] == "interrupted"
        model.script(
            Call(steps.look()),
            Call(moved(3), steps.run(4)),
            Call(moved(4), steps.run(5)),
            Call(moved(5)),
            Say(DONE_ALL),
        )
        goes_on = api.ask(session, "继续")
        approve_until(api, goes_on, lambda: api.turn(goes_on)["status"] == "done", "the end")
        assert api.turn(goes_on)["answer"] == DONE_ALL
        told = state(model.requests[0])
        assert "从步骤 3（挂上新盘）接着做" in told
        assert "[done] 1 停下商店" in told and "[done] 2 拷贝文件" in told
        assert "interrupted, outcome unknown" in told
        assert steps.lines == [f"step{number}" for number in range(1, 6)]
        assert plan_of(api, session) == [f"{title} done" for title in TITLES]
        shows_the_plan(page, second, session)
    assert model.refusals == []


def shows_the_plan(page: Page, installation: Installation, session: str) -> None:
    sign_in(page, installation)
    page.goto(f"{installation.url}/sessions/{session}")
    for title in TITLES:
        expect(page.get_by_text(title, exact=False).last).to_be_attached()
    page.goto("about:blank")
