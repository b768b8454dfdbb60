"""Working memory on a real server: fields of their own, no lost update, a clean end."""

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from tests.services import until
from walissh.errors import ConflictError, InvalidError, NotFoundError, QueueError
from walissh.memory.working import StepStatus, SubTask, TaskState, moved, planned
from walissh.store.working import TaskKey, WorkingMemory

RUNNING, DONE, PENDING = StepStatus.RUNNING, StepStatus.DONE, StepStatus.PENDING
ANN = ("ann", "talk1", "turn1")


@pytest.fixture
def redis(redis_url: str) -> Redis:
    """A client of a real, empty server."""
    return Redis.from_url(redis_url)


@pytest.fixture
def memory(redis: Redis) -> WorkingMemory:
    """Working memory on it."""
    return WorkingMemory(redis)


def plan(count: int = 2) -> TaskState:
    return planned("free the disk", [SubTask(f"s{n}", f"step {n}") for n in range(count)])


def test_a_task_comes_back_as_it_was_written(memory: WorkingMemory) -> None:
    state = planned(
        "磁盘满了 🔥",
        [
            SubTask("find", "找出大文件", result={"files": ["/var/log/a.log"], "mb": 812}),
            SubTask("clean", "清理", after=("find",), history=({"status": "failed"},)),
        ],
        {"host": "log1", "preferences": 4},
    )
    memory.plan(*ANN, state)
    assert memory.get_task_state(*ANN) == state


def test_a_task_that_never_was_is_none(memory: WorkingMemory) -> None:
    assert memory.get_task_state(*ANN) is None


def test_fields_are_written_alone(memory: WorkingMemory, redis: Redis) -> None:
    memory.set_task_state(*ANN, {"goal": "find the leak", "host": "app3"})
    memory.set_task_state(*ANN, {"service": "billing"})
    memory.set_task_state(*ANN, {"host": None})
    assert memory.get_task_state(*ANN) == TaskState("find the leak", (), {"service": "billing"})
    assert set(redis.hkeys("wm:ann:talk1:turn1")) == {b"goal", b"note:service", b"version"}


def test_a_note_may_bear_any_name(memory: WorkingMemory) -> None:
    memory.set_task_state(*ANN, {"version": 3, "step:s1": "x"})
    state = memory.get_task_state(*ANN)
    assert state is not None
    assert state.notes == {"version": 3, "step:s1": "x"}


def test_a_new_plan_leaves_nothing_of_the_old_one(memory: WorkingMemory, redis: Redis) -> None:
    memory.plan(*ANN, plan(5))
    memory.plan(*ANN, plan(1))
    assert memory.get_task_state(*ANN) == plan(1)
    assert not redis.hexists("wm:ann:talk1:turn1", "step:s4")


def test_each_use_renews_the_time_to_live(redis: Redis) -> None:
    memory = WorkingMemory(redis, ttl_s=500)
    uses: list[Callable[[], object]] = [
        lambda: memory.plan(*ANN, plan()),
        lambda: memory.set_task_state(*ANN, {"host": "log1"}),
        lambda: memory.get_task_state(*ANN),
        lambda: memory.change(*ANN, lambda state: state),
    ]
    for use in uses:
        redis.expire("wm:ann:talk1:turn1", 10)
        use()
        assert 490 < int(str(redis.ttl("wm:ann:talk1:turn1"))) <= 500


def test_a_task_is_forgotten_when_its_time_is_over(redis: Redis) -> None:
    memory = WorkingMemory(redis, ttl_s=1)
    memory.plan(*ANN, plan())
    until(lambda: not redis.exists("wm:ann:talk1:turn1"), limit_s=10)
    assert memory.get_task_state(*ANN) is None


def test_a_step_moves_only_from_where_it_was_expected(memory: WorkingMemory) -> None:
    memory.plan(*ANN, plan())
    memory.update_subtask(*ANN, "s0", RUNNING, expected=PENDING)
    with pytest.raises(ConflictError, match="'s0' is running by now, not pending"):
        memory.update_subtask(*ANN, "s0", RUNNING, expected=PENDING)
    memory.update_subtask(*ANN, "s0", DONE, expected=RUNNING, result={"freed_mb": 300})
    state = memory.get_task_state(*ANN)
    assert state is not None
    assert state.step("s0").result == {"freed_mb": 300}


def test_an_illegal_move_is_not_written(memory: WorkingMemory) -> None:
    memory.plan(*ANN, plan())
    with pytest.raises(ConflictError, match="cannot become done"):
        memory.update_subtask(*ANN, "s0", DONE, expected=PENDING)
    assert memory.get_task_state(*ANN) == plan()


def test_of_two_who_claim_a_step_one_gets_it(redis_url: str, memory: WorkingMemory) -> None:
    memory.plan(*ANN, plan(1))

    def claim(_: int) -> bool:
        own = WorkingMemory(Redis.from_url(redis_url))
        try:
            own.update_subtask(*ANN, "s0", RUNNING, expected=PENDING)
        except ConflictError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(claim, range(4))) == 1


def test_writers_of_different_steps_lose_nothing(redis_url: str, memory: WorkingMemory) -> None:
    memory.plan(*ANN, plan(8))

    def work(number: int) -> None:
        own = WorkingMemory(Redis.from_url(redis_url))
        own.set_task_state(*ANN, {f"host{number}": number})
        own.update_subtask(*ANN, f"s{number}", RUNNING, expected=PENDING)
        own.update_subtask(*ANN, f"s{number}", DONE, expected=RUNNING, result={"n": number})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(8)))
    state = memory.get_task_state(*ANN)
    assert state is not None
    assert [each.result for each in state.steps] == [{"n": number} for number in range(8)]
    assert state.notes == {f"host{number}": number for number in range(8)}


def test_a_write_in_between_is_seen_by_the_change(memory: WorkingMemory) -> None:
    memory.plan(*ANN, plan())
    seen: list[str] = []

    def step(state: TaskState) -> TaskState:
        seen.append(str(state.notes.get("host")))
        if len(seen) == 1:
            memory.set_task_state(*ANN, {"host": "log2"})
        return moved(state, "s0", RUNNING)

    memory.change(*ANN, step)
    assert seen == ["None", "log2"]


def test_a_late_step_does_not_bring_a_cleared_task_back(memory: WorkingMemory) -> None:
    memory.plan(*ANN, plan())

    def step(state: TaskState) -> TaskState:
        memory.clear_task(*ANN)
        return moved(state, "s0", RUNNING)

    with pytest.raises(NotFoundError, match="over or was forgotten"):
        memory.change(*ANN, step)
    assert memory.get_task_state(*ANN) is None


def test_clearing_takes_one_task_of_one_person(memory: WorkingMemory) -> None:
    others = [("ann", "talk1", "turn2"), ("ann", "talk2", "turn1"), ("bob", "talk1", "turn1")]
    for each in (ANN, *others):
        memory.plan(*each, plan())
    assert memory.clear_task(*ANN)
    assert not memory.clear_task(*ANN)
    assert {(each.user, each.session, each.task) for each in memory.tasks()} == set(others)


def test_clearing_a_talk_takes_its_tasks_alone(memory: WorkingMemory) -> None:
    kept = [("ann", "talk10", "turn1"), ("bob", "talk1", "turn1")]
    for each in (ANN, ("ann", "talk1", "turn2"), *kept):
        memory.plan(*each, plan())
    assert memory.clear_session("ann", "talk1") == 2
    assert {(each.user, each.session, each.task) for each in memory.tasks()} == set(kept)


def test_one_persons_tasks_are_hers_alone(memory: WorkingMemory) -> None:
    memory.plan(*ANN, plan())
    memory.plan("anna", "talk1", "turn1", plan())
    assert list(memory.tasks("ann")) == [TaskKey(*ANN)]


@pytest.mark.parametrize("name", ["*", "a:b", "", "ann\n", "a/b", "ä", "[a]", "a" * 101])
def test_an_id_that_could_reach_further_is_refused(memory: WorkingMemory, name: str) -> None:
    with pytest.raises(InvalidError, match="is no id"):
        memory.get_task_state(name, "talk1", "turn1")
    with pytest.raises(InvalidError, match="is no id"):
        memory.clear_session("ann", name)


def test_foreign_keys_are_no_tasks(memory: WorkingMemory, redis: Redis) -> None:
    for key in ("wm:ann:talk1", "wm:ann:talk1:turn1:more", "wm:a b:c:d", "rq:job:1"):
        redis.set(key, "x")
    assert list(memory.tasks()) == []


def test_what_json_cannot_say_is_refused_before_it_is_written(memory: WorkingMemory) -> None:
    with pytest.raises(InvalidError, match="JSON"):
        memory.set_task_state(*ANN, {"goal": "x", "when": object()})
    assert memory.get_task_state(*ANN) is None


def test_with_redis_away_it_says_so() -> None:
    memory = WorkingMemory(Redis(port=1, socket_connect_timeout=1))
    with pytest.raises(QueueError, match="Redis did not answer"):
        memory.get_task_state(*ANN)
    with pytest.raises(QueueError, match="Redis did not answer"):
        list(memory.tasks())


@pytest.mark.parametrize("end", ["success", "error", "timeout", "cancel"])
def test_what_an_ended_turn_left_is_cleared(memory: WorkingMemory, end: str) -> None:
    turns = {"turn1": end, "turn2": "thinking"}
    memory.plan(*ANN, plan())
    memory.plan("ann", "talk1", "turn2", plan())
    assert memory.clear_orphans(lambda key: turns[key.task] == "thinking") == 1
    assert [each.task for each in memory.tasks()] == ["turn2"]


WORKER = """
import sys
from redis import Redis
from walissh.memory.working import StepStatus, SubTask, planned
from walissh.store.working import WorkingMemory
memory = WorkingMemory(Redis.from_url(sys.argv[1]))
memory.plan("ann", "talk1", "turn1", planned("free the disk", [SubTask("s0", "find")]))
memory.update_subtask(
    "ann", "talk1", "turn1", "s0", StepStatus.RUNNING, expected=StepStatus.PENDING)
print("working", flush=True)
sys.stdin.read()
"""


def test_what_a_killed_worker_left_is_cleared(redis_url: str, memory: WorkingMemory) -> None:
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, redis_url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert worker.stdout is not None
    assert worker.stdout.readline() == "working\n"
    worker.kill()
    worker.communicate()
    assert memory.orphans(lambda _: True) == []
    assert memory.orphans(lambda _: False) == [TaskKey(*ANN)]
    assert memory.clear_orphans(lambda _: False) == 1
    assert memory.get_task_state(*ANN) is None
