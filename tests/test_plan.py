"""The plan as models keep it: read widely, known again, and never lost."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walissh.errors import BadPlanError, ConflictError, InvalidError
from walissh.memory.working import StepStatus, TaskState
from walissh.react import paused, plan

GOAL = "move the shop to the new disk"
TITLES = ("stop the shop", "copy the files", "mount the new disk", "start the shop", "check it")


def made(*states: str, titles: Sequence[str] = TITLES, goal: str = GOAL) -> TaskState:
    """Return a plan whose steps 1, 2 ... stand as named."""
    items = [{"id": str(n), "title": title} for n, title in enumerate(titles, 1)]
    state = plan.updated(TaskState(), items, goal)
    changed = [{"id": str(n), "status": each} for n, each in enumerate(states, 1)]
    return plan.updated(state, changed, goal) if changed else state


def told(state: TaskState) -> list[str]:
    return [f"{each.id} {each.status.value}" for each in state.steps]


def titles(state: TaskState) -> list[str]:
    return [each.title for each in state.steps]


def following(state: TaskState) -> str:
    step = plan.next_step(state)
    return step.title if step else ""


# --- how it is written --------------------------------------------------------------------


@pytest.mark.parametrize(
    "items",
    [
        ["stop it", "start it"],
        [{"title": "stop it"}, {"step": "start it"}],
        [{"content": "stop it", "id": 1}, {"description": "start it", "id": 2.0}],
        '[{"title": "stop it"}, {"title": "start it"}]',
        "1. stop it\n2. start it\n",
        "- [ ] stop it\n- [ ] start it",
        {"steps": [{"task": "stop it"}, {"task": "start it"}]},
        {"1": {"title": "stop it"}, "2": {"title": "start it"}},
        [{"Title": "stop it", "Status": None}, {"Title": "start it", "Status": ""}],
    ],
)
def test_the_same_plan_is_read_from_many_ways_of_writing(items: object) -> None:
    state = plan.updated(TaskState(), items, GOAL)
    assert titles(state) == ["stop it", "start it"]
    assert told(state) == ["1 pending", "2 pending"]


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("In Progress", "running"),
        ("in-progress", "running"),
        ("completed.", "done"),
        ("已完成", "done"),
        ("✅", "done"),
        ("进行中", "running"),
        ("not started", "pending"),
        ("Error", "failed"),
        ("skip", "skipped"),
        ("on hold", "blocked"),
    ],
)
def test_states_are_read_in_the_words_of_models(word: str, status: str) -> None:
    state = plan.updated(TaskState(), [{"title": "look", "status": word}], GOAL)
    assert told(state) == [f"1 {status}"]


def test_ticked_boxes_tell_what_is_done() -> None:
    state = plan.updated(TaskState(), "1. [x] look\n2. [~] mend\n3. [ ] check", GOAL)
    assert told(state) == ["1 done", "2 running", "3 pending"]


@pytest.mark.parametrize(
    ("items", "words"),
    [
        (None, "a list"),
        ([], "a list"),
        (7, "a list"),
        ([7], "a text or an object"),
        ([{"status": "done"}], "needs a title"),
        ([{"title": "look", "status": "perhaps"}], "no status 'perhaps'"),
        ([{"title": f"step {n}"} for n in range(51)], "at most 50"),
        ([{"title": "look", "after": ["nine"]}], "'nine'"),
        (
            [{"id": "a", "title": "b", "after": "c"}, {"id": "c", "title": "d", "after": "a"}],
            "wait",
        ),
    ],
)
def test_what_cannot_be_a_plan_is_refused_in_words(items: object, words: str) -> None:
    with pytest.raises((BadPlanError, InvalidError), match=words):
        plan.updated(TaskState(), items, GOAL)


def test_fifty_steps_are_kept() -> None:
    state = plan.updated(TaskState(), [f"step number {n}" for n in range(50)], GOAL)
    assert len(state.steps) == 50


def test_results_are_kept_whatever_they_are() -> None:
    items = [{"title": "look", "status": "done", "result": {"free": "3 GB"}}]
    assert plan.updated(TaskState(), items, GOAL).steps[0].result == {"text": '{"free": "3 GB"}'}


def test_what_comes_after_may_be_named_by_its_title_or_in_one_text() -> None:
    items = [
        {"id": "a", "title": "stop it"},
        {"id": "b", "title": "copy it"},
        {"id": "c", "title": "start it", "after": "a, b"},
        {"id": "d", "title": "check it", "depends_on": ["start it"]},
    ]
    state = plan.updated(TaskState(), items, GOAL)
    assert [each.after for each in state.steps] == [(), (), ("a", "b"), ("c",)]


# --- known again --------------------------------------------------------------------------


def test_a_plan_that_is_sent_again_unchanged_changes_nothing() -> None:
    state = made("done", "running")
    items = [
        {"id": each.id, "title": each.title, "status": each.status.value} for each in state.steps
    ]
    assert plan.updated(state, items, GOAL) == state


def test_a_plan_that_is_sent_as_at_its_beginning_undoes_nothing() -> None:
    state = made("done", "done", "running")
    items = [{"id": str(n), "title": t, "status": "pending"} for n, t in enumerate(TITLES, 1)]
    again = plan.updated(state, items, GOAL)
    assert [each.status for each in again.steps[:2]] == [StepStatus.DONE, StepStatus.DONE]


def test_titles_alone_sent_again_undo_nothing() -> None:
    state = made("done", "done", "running")
    assert plan.updated(state, list(TITLES), GOAL) == state


def test_one_step_alone_changes_that_step_only() -> None:
    state = plan.updated(made("running"), [{"id": "1", "status": "done", "result": "ok"}], GOAL)
    assert told(state) == ["1 done", "2 pending", "3 pending", "4 pending", "5 pending"]
    assert state.steps[0].result == {"text": "ok"}


def test_ids_that_changed_between_calls_are_known_by_their_titles() -> None:
    items = [
        {"id": f"step-{n}", "title": title, "status": "done" if n == 0 else "pending"}
        for n, title in enumerate(TITLES)
    ]
    state = plan.updated(made("running"), items, GOAL)
    assert told(state) == ["1 done", "2 pending", "3 pending", "4 pending", "5 pending"]


def test_titles_in_other_words_are_known_by_their_ids() -> None:
    worded = ("Stop shop", "Copy all files over", "Mount new disk", "Bring shop up", "Verify")
    items = [{"id": str(n), "title": title} for n, title in enumerate(worded, 1)]
    state = plan.updated(made("done", "running"), items, GOAL)
    assert told(state)[1:] == ["2 running", "3 pending", "4 pending", "5 pending"]
    assert titles(state) == list(worded)


def test_a_step_put_in_between_takes_no_other_ones_place() -> None:
    wanted = [TITLES[0], TITLES[1], "compare the sums", *TITLES[2:]]
    items = [{"id": str(n), "title": title} for n, title in enumerate(wanted, 1)]
    state = plan.updated(made("done", "done"), items, GOAL)
    assert titles(state) == wanted
    assert [each.status.value for each in state.steps[:3]] == ["done", "done", "pending"]
    assert len({each.id for each in state.steps}) == 6


def test_a_new_step_under_the_id_of_a_done_one_is_not_done() -> None:
    items = [{"id": "1", "title": "warn the team"}, *({"title": each} for each in TITLES[1:])]
    state = plan.updated(made("done"), items, GOAL)
    assert state.step(next(e.id for e in state.steps if e.title == "warn the team")).status == (
        StepStatus.PENDING
    )


def test_a_list_with_new_steps_gives_up_the_others_but_keeps_what_was_done() -> None:
    state = plan.updated(made("done"), [TITLES[1], "restore the backup"], GOAL)
    by_title = {each.title: each.status.value for each in state.steps}
    assert by_title["stop the shop"] == "done"
    assert by_title["check it"] == "cancelled"
    assert by_title["restore the backup"] == "pending"


def test_a_step_given_up_comes_back_when_it_is_sent_again() -> None:
    state = plan.updated(made("done"), [TITLES[1], "restore the backup"], GOAL)
    state = plan.updated(state, [{"title": "check it", "status": "pending"}], GOAL)
    assert {e.title: e.status.value for e in state.steps}["check it"] == "pending"


def test_ids_used_twice_become_two_steps() -> None:
    state = plan.updated(TaskState(), [{"id": "1", "title": "a"}, {"id": "1", "title": "b"}], GOAL)
    assert [each.id for each in state.steps] == ["1", "2"]


# --- the moves ----------------------------------------------------------------------------


def test_a_step_may_be_told_done_without_its_beginning() -> None:
    assert told(made("done"))[0] == "1 done"


def test_a_failed_step_blocks_what_comes_after_it_alone() -> None:
    items = [
        {"id": "a", "title": "stop it", "status": "failed", "result": "no rights"},
        {"id": "b", "title": "copy it", "after": ["a"], "status": "pending"},
        {"id": "c", "title": "tell the team"},
    ]
    state = plan.updated(TaskState(), items, GOAL)
    assert told(state) == ["a failed", "b blocked", "c pending"]
    assert following(state) == "stop it"


def test_a_failed_step_that_is_tried_again_frees_the_others() -> None:
    items = [
        {"id": "a", "title": "stop it", "status": "failed"},
        {"id": "b", "title": "copy it", "after": ["a"]},
    ]
    state = plan.updated(TaskState(), items, GOAL)
    state = plan.updated(state, [{"id": "a", "status": "done"}], GOAL)
    assert told(state) == ["a done", "b pending"]
    assert state.steps[0].history


def test_a_step_before_its_turn_is_refused_in_words() -> None:
    items = [{"id": "a", "title": "stop it"}, {"id": "b", "title": "copy it", "after": ["a"]}]
    state = plan.updated(TaskState(), items, GOAL)
    with pytest.raises(ConflictError, match="comes after 'a'"):
        plan.updated(state, [{"id": "b", "status": "running"}], GOAL)


def test_steps_done_in_one_call_may_stand_in_any_order() -> None:
    items = [
        {"id": "b", "title": "copy it", "after": ["a"], "status": "done"},
        {"id": "a", "title": "stop it", "status": "done"},
    ]
    assert told(plan.updated(TaskState(), items, GOAL)) == ["b done", "a done"]


def test_a_done_step_is_rolled_back_only_on_purpose() -> None:
    state = made("done", "done")
    again = plan.updated(state, [{"id": "2", "status": "redo"}], GOAL)
    assert told(again)[:2] == ["1 done", "2 pending"]
    one = [{"id": "1", "status": "done"}, {"id": "2", "status": "pending"}]
    assert told(plan.updated(state, one, GOAL))[:2] == ["1 done", "2 pending"]


def test_a_done_step_does_not_run_again_by_the_way() -> None:
    with pytest.raises(ConflictError, match="is done and cannot become running"):
        plan.updated(made("done"), [{"id": "1", "status": "running"}], GOAL)


def test_a_refused_call_leaves_the_plan_as_it_was() -> None:
    state = made("done")
    with pytest.raises(ConflictError):
        plan.updated(state, [{"id": "2", "status": "done"}, {"id": "1", "status": "running"}], GOAL)
    assert told(state)[1] == "2 pending"


def test_nothing_waits_for_a_step_that_was_given_up() -> None:
    items = [{"id": "a", "title": "stop it"}, {"id": "b", "title": "copy it", "after": ["a"]}]
    state = plan.updated(TaskState(), items, GOAL)
    state = plan.updated(state, [{"id": "a", "status": "cancelled"}], GOAL)
    assert following(state) == "copy it"


def test_a_step_that_waits_for_a_person_comes_last() -> None:
    assert following(made("blocked")) == TITLES[1]
    assert following(made("blocked", "done", "done", "done", "done")) == TITLES[0]


# --- several plans ------------------------------------------------------------------------

OTHER = ("look at the certificate", "renew it", "reload nginx")


def test_a_new_plan_pauses_the_open_one() -> None:
    state = plan.updated(made("done", "running"), list(OTHER), "renew the certificate")
    assert titles(state) == list(OTHER)
    assert state.goal == "renew the certificate"
    (left,) = paused.of(state)
    assert (left.goal, told(left)[:2]) == (GOAL, ["1 done", "2 running"])


def test_a_finished_plan_is_not_kept_beside_a_new_one() -> None:
    state = plan.updated(made(*["done"] * 5), list(OTHER), "renew the certificate")
    assert paused.of(state) == ()


def test_items_of_a_paused_plan_take_it_up_again() -> None:
    state = plan.updated(made("done", "running"), list(OTHER), "renew the certificate")
    state = plan.updated(state, [{"title": TITLES[1], "status": "done"}], "")
    assert told(state)[:3] == ["1 done", "2 done", "3 pending"]
    assert [each.goal for each in paused.of(state)] == ["renew the certificate"]


def test_of_many_plans_left_the_newest_three_are_kept() -> None:
    state = TaskState()
    for name in ("alpha", "bravo", "charlie", "delta", "echo"):
        state = plan.updated(state, [f"{name} one", f"{name} two"], f"do {name}")
    assert state.goal == "do echo"
    assert [each.goal for each in paused.of(state)] == ["do delta", "do charlie", "do bravo"]


def test_ids_of_another_plan_do_not_mix_with_those_of_the_open_one() -> None:
    items = [{"id": str(n), "title": each, "status": "done"} for n, each in enumerate(OTHER, 1)]
    state = plan.updated(made("running"), items, "renew the certificate")
    assert told(paused.of(state)[0])[0] == "1 running"


# --- whatever comes -----------------------------------------------------------------------

WORDS = st.sampled_from(["stop it", "copy it", "start it", "check it", "看日志", ""])
ITEM = st.one_of(
    WORDS,
    st.none(),
    st.integers(),
    st.fixed_dictionaries(
        {},
        optional={
            "id": st.sampled_from(["1", "2", "a", "", 3]),
            "title": WORDS,
            "status": st.sampled_from([*StepStatus, "redo", "nonsense", ""]),
            "after": st.sampled_from([[], ["1"], "2", ["a", "1"], None, "stop it"]),
            "result": st.sampled_from(["ok", {"n": 1}, None]),
        },
    ),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(ITEM, max_size=6), max_size=6))
def test_whatever_a_model_sends_the_plan_stays_whole(
    calls: list[list[Mapping[str, object]]],
) -> None:
    state = TaskState()
    for items in calls:
        try:
            state = plan.updated(state, items, GOAL)
        except (BadPlanError, InvalidError, ConflictError):
            continue
        ids = [each.id for each in state.steps]
        assert len(set(ids)) == len(ids)
        assert all(set(each.after) <= set(ids) for each in state.steps)
        plan.next_step(state)
