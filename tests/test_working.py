"""A plan moves only as its order allows, and can be taken up again or rolled back."""

import pytest

from walissh.errors import ConflictError, InvalidError, NotFoundError
from walissh.memory.working import (
    StepStatus,
    SubTask,
    TaskState,
    ended,
    interrupted,
    moved,
    next_steps,
    planned,
    progress,
    resumed,
    rolled_back,
)

RUNNING, DONE, FAILED = StepStatus.RUNNING, StepStatus.DONE, StepStatus.FAILED
PENDING, BLOCKED, SKIPPED = StepStatus.PENDING, StepStatus.BLOCKED, StepStatus.SKIPPED


def upgrade() -> TaskState:
    return planned(
        "upgrade haproxy",
        [
            SubTask("backup", "copy the config"),
            SubTask("drain", "take it out of the pool"),
            SubTask("install", "install the package", after=("backup", "drain")),
            SubTask("verify", "ask it for a page", after=("install",)),
        ],
    )


def after(state: TaskState, *steps: str) -> TaskState:
    for each in steps:
        state = moved(moved(state, each, RUNNING), each, DONE, {"from": each})
    return state


def failed_at_install() -> TaskState:
    state = moved(after(upgrade(), "backup", "drain"), "install", RUNNING)
    return moved(state, "install", FAILED, {"exit_code": 100})


def statuses(state: TaskState) -> dict[str, StepStatus]:
    return {each.id: each.status for each in state.steps}


def ids(steps: tuple[SubTask, ...]) -> list[str]:
    return [each.id for each in steps]


def test_only_what_waits_for_nothing_can_start() -> None:
    assert ids(next_steps(upgrade())) == ["backup", "drain"]
    assert ids(next_steps(after(upgrade(), "backup"))) == ["drain"]
    assert ids(next_steps(after(upgrade(), "backup", "drain"))) == ["install"]


def test_a_step_does_not_start_before_what_it_comes_after() -> None:
    with pytest.raises(ConflictError, match=r"'install' .* running.*'drain' \(pending\)"):
        moved(after(upgrade(), "backup"), "install", RUNNING)


def test_a_skipped_step_is_not_waited_for() -> None:
    state = moved(after(upgrade(), "backup"), "drain", SKIPPED)
    assert ids(next_steps(state)) == ["install"]


@pytest.mark.parametrize("status", [DONE, FAILED, PENDING])
def test_a_pending_step_does_not_end_before_it_ran(status: StepStatus) -> None:
    with pytest.raises(ConflictError, match=f"'backup' is pending and cannot become {status}"):
        moved(upgrade(), "backup", status)


def test_a_done_step_moves_by_a_roll_back_only() -> None:
    state = after(upgrade(), "backup")
    for status in set(StepStatus) - {DONE}:
        with pytest.raises(ConflictError, match="Roll it back"):
            moved(state, "backup", status)


def test_a_cancelled_step_stays_so() -> None:
    state = moved(upgrade(), "backup", StepStatus.CANCELLED)
    for status in StepStatus:
        with pytest.raises(ConflictError, match="is cancelled"):
            moved(state, "backup", status)


def test_a_failure_blocks_all_that_depends_on_it() -> None:
    state = failed_at_install()
    assert statuses(state)["verify"] is BLOCKED
    assert next_steps(state) == ()


def test_a_failure_far_up_blocks_through_the_whole_chain() -> None:
    state = moved(moved(upgrade(), "backup", RUNNING), "backup", FAILED)
    assert statuses(state) == {
        "backup": FAILED,
        "drain": PENDING,
        "install": BLOCKED,
        "verify": BLOCKED,
    }


def test_a_task_goes_on_at_the_failed_step_with_its_results() -> None:
    state = resumed(failed_at_install())
    assert ids(next_steps(state)) == ["install"]
    assert statuses(state)["verify"] is PENDING
    assert state.step("backup").result == {"from": "backup"}
    assert state.step("install").history == ({"status": "failed", "result": {"exit_code": 100}},)


def test_resuming_leaves_alone_what_did_not_fail() -> None:
    state = moved(after(upgrade(), "backup"), "drain", RUNNING)
    assert resumed(state) == state


def test_what_ran_when_its_worker_died_has_failed() -> None:
    state = interrupted(moved(upgrade(), "backup", RUNNING), "the worker is gone")
    assert state.step("backup").status is FAILED
    assert state.step("backup").result == {"error": "the worker is gone"}
    assert ids(next_steps(resumed(state))) == ["backup", "drain"]


def test_a_roll_back_undoes_the_step_and_all_that_rests_on_it() -> None:
    state = rolled_back(after(upgrade(), "backup", "drain", "install", "verify"), "drain")
    assert statuses(state) == {
        "backup": DONE,
        "drain": PENDING,
        "install": PENDING,
        "verify": PENDING,
    }
    assert state.step("verify").result == {}


def test_a_roll_back_keeps_each_result_in_the_history() -> None:
    state = rolled_back(after(upgrade(), "backup"), "backup")
    state = rolled_back(after(state, "backup"), "backup")
    assert state.step("backup").history == ({"status": "done", "result": {"from": "backup"}},) * 2


def test_a_running_step_is_not_rolled_back_under_its_feet() -> None:
    state = moved(after(upgrade(), "backup", "drain"), "install", RUNNING)
    with pytest.raises(ConflictError, match="'install' is running"):
        rolled_back(state, "backup")


def test_what_gave_nothing_is_not_rolled_back() -> None:
    with pytest.raises(ConflictError, match="is pending and cannot become pending"):
        rolled_back(upgrade(), "verify")


def test_a_step_keeps_its_result_when_nothing_new_is_said() -> None:
    state = moved(upgrade(), "backup", BLOCKED, {"waits for": "approval"})
    assert moved(state, "backup", RUNNING).step("backup").result == {"waits for": "approval"}


def test_progress_tells_what_is_settled_and_what_is_stuck() -> None:
    seen = progress(failed_at_install())
    assert (seen.settled, seen.total) == (2, 4)
    assert (seen.failed, seen.blocked, seen.running) == (("install",), ("verify",), ())
    assert not seen.complete


def test_cancelled_steps_do_not_count() -> None:
    state = moved(upgrade(), "verify", StepStatus.CANCELLED)
    assert progress(after(state, "backup", "drain", "install")).complete


def test_a_task_has_ended_when_nothing_is_left_to_move() -> None:
    state = after(upgrade(), "backup", "drain", "install")
    assert not ended(state)
    assert ended(moved(state, "verify", SKIPPED))


def test_steps_that_wait_for_each_other_are_no_plan() -> None:
    steps = [SubTask("a", "", after=("b",)), SubTask("b", "", after=("a",)), SubTask("c", "")]
    with pytest.raises(InvalidError, match="steps a, b wait for each other"):
        planned("x", steps)


def test_a_step_that_waits_for_itself_is_no_plan() -> None:
    with pytest.raises(InvalidError, match="wait for each other"):
        planned("x", [SubTask("a", "", after=("a",))])


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([SubTask("a", "", after=("z",))], "'z', which is not in the plan"),
        ([SubTask("a", ""), SubTask("a", "")], "'a' is empty or used twice"),
        ([SubTask("", "")], "'' is empty"),
        ([SubTask(f"s{n}", "") for n in range(201)], "at most 200"),
    ],
)
def test_a_plan_names_what_is_wrong_with_it(steps: list[SubTask], said: str) -> None:
    with pytest.raises(InvalidError, match=said):
        planned("x", steps)


def test_an_unknown_step_is_told_with_the_known_ones() -> None:
    with pytest.raises(NotFoundError, match="backup, drain, install, verify"):
        moved(upgrade(), "reboot", RUNNING)


def test_a_state_is_never_changed_in_place() -> None:
    state = upgrade()
    moved(state, "backup", RUNNING)
    assert statuses(state)["backup"] is PENDING
