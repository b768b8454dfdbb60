"""The plan of a session: beside its talk, live, and in the interface."""

import json
import re
from typing import Any

import pytest
from flask import Flask

from tests.web.conftest import Api, api_of
from tests.web.forms import Stage, browser_of, calls
from tests.web.test_api_events import events, names
from tests.web.test_page_events import first, listen
from walissh import wiring
from walissh.memory.working import StepStatus, SubTask, TaskState
from walissh.react.followed import Tracked
from walissh.react.turn import Reply, ToolCall
from walissh.store import people
from walissh.web.api.event_shapes import EVENT_SHAPES
from walissh.web.pages import plans

ITEMS: list[dict[str, Any]] = [
    {"id": "look", "title": "look at nginx", "status": "done", "result": "502 since 14:02"},
    {"id": "find", "title": "find the <upstream>", "status": "running", "after": ["look"]},
    {"id": "fix", "title": "mend it", "status": "pending", "after": ["find"]},
]


def planning(items: list[dict[str, Any]], goal: str = "the shop answers") -> Reply:
    arguments = json.dumps({"items": items, "goal": goal})
    return Reply("", (ToolCall("p1", "update_plan", arguments),))


def planned(app: Flask, items: list[dict[str, Any]], *more: Reply) -> tuple[Stage, str]:
    """Return a talk with a plan, and the id of its turn."""
    stage = Stage.of(app, planning(items), *more, Reply("So far."))
    turn_id = stage.ask("mend the shop")
    stage.play()
    return stage, turn_id


def beside(stage: Stage) -> str:
    found = re.search(
        r'<section class="plan".*?</section>', stage.browser.get(stage.path).text, re.S
    )
    assert found
    return found[0]


def lines(shown: str) -> list[str]:
    """Return the steps as a person reads them."""
    steps = re.findall(r'<li class="step.*?</li>', shown, re.S)
    return [" ".join(re.sub(r"<[^>]*>", " ", each).split()) for each in steps]


def steps(count: int, done: int = 0, **at: StepStatus) -> Tracked:
    """Return the thread with a plan of so many steps; *at* gives some (``s7``) other states."""
    made = tuple(
        SubTask(
            f"s{n}",
            f"step {n}",
            at.get(f"s{n}", StepStatus.DONE if n <= done else StepStatus.PENDING),
        )
        for n in range(1, count + 1)
    )
    return Tracked(plan=TaskState("much", made))


def test_each_step_says_its_state_in_a_word_and_a_sign(app: Flask) -> None:
    stage, _ = planned(app, ITEMS)
    assert lines(beside(stage)) == [
        "✓ 1. look at nginx done 502 since 14:02",
        "▸ 2. find the &lt;upstream&gt; under way · after 1",
        "○ 3. mend it to do · after 2",
    ]
    assert "1 of 3" in beside(stage) and "the shop answers" in beside(stage)
    assert re.search(r'step-running" aria-current="step"', beside(stage))


def test_a_session_without_a_plan_shows_none(app: Flask) -> None:
    stage = Stage.of(app, Reply("fine"))
    stage.ask()
    stage.play()
    assert "<details" not in beside(stage)


def test_a_plan_that_is_done_is_folded(app: Flask) -> None:
    done = [{**each, "status": "done"} for each in ITEMS]
    stage, _ = planned(app, ITEMS, planning(done))
    assert 'data-fold="plan-done"' in beside(stage)
    assert '<details class="plan-all" open' not in beside(stage)
    assert (
        "<a" not in stage.browser.get(stage.path).text.split('id="plan-line"')[1].split("</p>")[0]
    )


def test_the_open_plan_is_one_line_above_the_box(app: Flask) -> None:
    stage, _ = planned(app, ITEMS)
    line = stage.browser.get(stage.path).text.split('id="plan-line"')[1].split("</p>")[0]
    assert "1 of 3" in line and "find the &lt;upstream&gt;" in line and 'href="#context"' in line


def test_the_stream_brings_each_change_of_the_plan(app: Flask) -> None:
    later = [{**ITEMS[0]}, {**ITEMS[1], "status": "done"}, {**ITEMS[2], "status": "running"}]
    stage = Stage.of(app, planning(ITEMS), planning(later), Reply("So far."))
    stage.ask()
    stream = listen(stage)
    while next(stream)[0] != "beat":
        pass
    stage.step()
    brought = next(data for _, data in stream if data.get("id") == "plan")
    assert "1 of 3" in brought["html"]
    stage.play()
    changed = next(data for _, data in stream if data.get("id") == "plan")
    assert "2 of 3" in changed["html"]


def test_a_page_that_was_away_gets_the_plan(app: Flask) -> None:
    stage, _ = planned(app, ITEMS)
    assert "find the" in first(stage, "1-1")["plan"]["html"]


def test_a_long_plan_shows_what_is_near_and_folds_the_rest() -> None:
    plan = plans.of_thread(steps(50, done=20))
    assert (len(plan.before), len(plan.near), len(plan.later)) == (20, plans.NEAR_STEPS, 22)
    assert plan.near[0].number == 21
    assert plan.following == plan.near[0]
    assert (plan.settled, plan.total) == (20, 50)


def test_a_failed_step_is_shown_however_far_it_is() -> None:
    plan = plans.of_thread(steps(50, done=20, s40=StepStatus.FAILED))
    assert plan.near[-1].number == 40


def test_a_short_plan_is_shown_whole() -> None:
    plan = plans.of_thread(steps(plans.SHORT_STEPS, done=5))
    assert (plan.before, plan.later) == ((), ())


def test_no_thread_is_no_plan() -> None:
    assert plans.of_thread(None) == plans.of_thread(Tracked()) == plans.Plan()


def test_a_long_plan_on_the_page_has_its_folds(app: Flask) -> None:
    stage = Stage.of(app)
    with app.app_context():
        threads = wiring.parts().tracker.threads
        threads.save(stage.session.id, stage.session.user_id, steps(50, done=20))
    shown = beside(stage)
    assert "20 settled steps" in shown and "22 more steps" in shown
    assert len(lines(shown)) == 50


def test_the_plan_speaks_chinese_on_a_chinese_page(app: Flask) -> None:
    stage, _ = planned(app, ITEMS)
    with app.app_context():
        people.set_language(stage.browser.person.id, "zh")  # type: ignore[union-attr]
    assert "进行中 · 在 1 之后" in lines(beside(stage))[1]


# --- the interface ------------------------------------------------------------------------


@pytest.fixture
def api(app: Flask) -> Api:
    return api_of(app, "ann")


def test_a_session_tells_its_plan(app: Flask, api: Api) -> None:
    stage, _ = planned(app, ITEMS)
    told = api.get(f"/sessions/{stage.session.id}").json
    assert told["plan"]["goal"] == "the shop answers"
    assert [each["status"] for each in told["plan"]["steps"]] == ["done", "running", "pending"]
    assert told["plan"]["steps"][0] == {
        "id": "look",
        "title": "look at nginx",
        "status": "done",
        "after": [],
        "result": "502 since 14:02",
    }


def test_a_session_without_a_plan_says_so(app: Flask, api: Api) -> None:
    session = api.made("/sessions")
    told = api.get(f"/sessions/{session['id']}").json
    assert (told["plan"], told["summary"]) == (None, None)


def test_the_plan_of_another_person_is_not_told(app: Flask) -> None:
    stage, _ = planned(app, ITEMS)
    assert api_of(app, "bob").get(f"/sessions/{stage.session.id}").status_code == 404
    assert browser_of(app, "bob").get(stage.path).status_code == 404


def test_the_events_of_a_turn_hold_its_plan(app: Flask, api: Api) -> None:
    _, turn_id = planned(app, ITEMS)
    (told,) = [data for _, name, data in events(api, turn_id) if name == "plan"]
    assert [each["after"] for each in told["steps"]] == [[], ["look"], ["find"]]
    assert not EVENT_SHAPES["plan"].model_validate(told).model_extra


def test_with_all_events_lost_the_plan_comes_from_the_database(app: Flask, api: Api) -> None:
    stage, turn_id = planned(app, ITEMS, calls("uptime"))
    with app.app_context():
        wiring.stream()._redis.flushall()
    told = events(api, turn_id)
    assert names(told).count("plan") == 1
    assert "find the" in beside(stage)
