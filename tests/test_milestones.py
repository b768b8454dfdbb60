"""What an ended turn adds to its timeline, where that is kept, and what a second job adds."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from redis import Redis

from tests.fakes import NoCache
from tests.services import ValkeyServer
from tests.world import World
from walissh.memory.entry import Memory, MemoryState, MemoryType, Milestone, Op, Origin, Source
from walissh.memory.milestones import (
    KEPT,
    MAX_CHARS,
    Kind,
    Mark,
    MilestoneTracker,
    TurnView,
    detect,
)
from walissh.react.turn import CommandRun, CommandStatus, Language, Risk, Turn, TurnStatus, Usage
from walissh.store import milestones, people, sessions
from walissh.store.milestone_cache import MilestoneCache

NOW = datetime(2025, 3, 4, 5, 6, tzinfo=UTC)


def a_turn(
    question: str = "why is squid slow?",
    answer: str = "",
    *,
    language: Language = "en",
    status: TurnStatus = TurnStatus.DONE,
    error: str = "",
) -> Turn:
    return Turn(
        id="t1",
        session_id="s1",
        user_id="u1",
        status=status,
        step=2,
        attempt=0,
        language=language,
        question=question,
        answer=answer,
        error=error,
        citations=(),
        usage=Usage(),
        cancel_requested=False,
        created_at=NOW,
        finished_at=NOW,
        not_before=None,
    )


def a_run(
    command: str = "uptime",
    *,
    host: str = "gw4",
    risk: Risk = Risk.READ_ONLY,
    status: CommandStatus = CommandStatus.FINISHED,
    exit_code: int | None = 0,
    error: str = "",
) -> CommandRun:
    return CommandRun(
        id="c1",
        turn_id="t1",
        session_id="s1",
        user_id="u1",
        step=1,
        tool_call_id="k1",
        host_id="h1",
        host=host,
        host_revision=1,
        command=command,
        reason="",
        status=status,
        risk=risk,
        reasons=(),
        limit_s=60,
        exit_code=exit_code,
        error=error,
        phase="",
        ended_by="exited",
        output_head="",
        output_tail="",
        output_chars=0,
        output_lines=0,
        created_at=NOW,
        started_at=NOW,
        finished_at=NOW,
    )


def a_fix(command: str = "systemctl restart squid", **options: object) -> CommandRun:
    return replace(a_run(command, risk=Risk.MUTATING), **options)  # type: ignore[arg-type]


def a_preference(subject: str = "verbosity", op: Op = Op.ADD) -> Memory:
    return Memory(
        number=1,
        id="m1",
        owner_id="u1",
        type=MemoryType.USER_PREFERENCE,
        scope="global",
        host_id=None,
        host="",
        subject=subject,
        value="short",
        content="keep it short from now on",
        payload={},
        op=op,
        confidence=1.0,
        source=Source(Origin.USER),
        state=MemoryState.VALID,
        at=NOW,
        proved_at=NOW,
    )


def kinds(view: TurnView) -> list[Kind]:
    return [mark.kind for mark in detect(view)]


# --- what is seen -------------------------------------------------------------------------


def test_a_question_that_is_worked_on_sets_a_goal() -> None:
    marks = detect(TurnView(a_turn(), (a_run(),)))
    assert marks == [Mark(Kind.GOAL_SET, "Goal: why is squid slow?")]


@pytest.mark.parametrize("question", ["继续", "好的，执行吧", "go on", "yes, please", "thanks!"])
def test_going_on_sets_no_goal(question: str) -> None:
    assert Kind.GOAL_SET not in kinds(TurnView(a_turn(question), (a_run(),)))


@pytest.mark.parametrize(
    "answer",
    [
        "The root cause is a full cache directory on gw4. [1]",
        "squid crashed because its cache directory was full.",
        "根本原因是缓存目录写满。",
        "问题出在 gw4 的缓存目录，已经写满。",
        "日志显示，缓存目录写满导致 squid 无法启动。",
        "The outage was caused by an expired certificate.",
    ],
)
def test_a_cause_is_found_where_the_answer_commits_itself(answer: str) -> None:
    assert Kind.CAUSE_FOUND in kinds(TurnView(a_turn(answer=answer), (a_run(),)))


@pytest.mark.parametrize(
    "answer",
    [
        "The cause might be a full disk.",
        "可能是因为磁盘写满。",
        "The root cause is not known yet.",
        "原因还不清楚。",
        "It was not caused by the disk.",
        "Is it because of the disk?",
        "Everything is fine.",
        "```\nthe cause is in this log\n```",
    ],
)
def test_no_cause_is_found_in_a_guess_a_denial_or_a_quotation(answer: str) -> None:
    assert Kind.CAUSE_FOUND not in kinds(TurnView(a_turn(answer=answer), (a_run(),)))


def test_a_fix_is_a_changing_command_that_ended_with_0() -> None:
    mark = detect(TurnView(a_turn("继续", language="zh"), (a_fix(),)))[0]
    assert mark.kind is Kind.FIX_APPLIED
    assert mark.text == "已执行变更（gw4）：systemctl restart squid"


@pytest.mark.parametrize(
    "run",
    [
        a_fix(exit_code=1),
        a_fix(status=CommandStatus.DENIED, exit_code=None),
        a_fix(ended_by="limit", exit_code=None),
        a_run(),
    ],
)
def test_what_failed_or_only_read_is_no_fix(run: CommandRun) -> None:
    assert Kind.FIX_APPLIED not in kinds(TurnView(a_turn(), (run,)))


def test_a_fix_is_verified_by_a_look_after_it_and_the_word_of_the_answer() -> None:
    answer = "I restarted it. squid is running again."
    view = TurnView(a_turn(answer=answer), (a_fix(), a_run("systemctl is-active squid")))
    assert Kind.VERIFIED in kinds(view)


@pytest.mark.parametrize(
    ("answer", "runs"),
    [
        ("squid is running again.", (a_fix(),)),
        ("squid is running again.", (a_run(), a_fix())),
        ("squid is running again.", (a_fix(), a_run(host="gw5"))),
        ("squid is still not running.", (a_fix(), a_run())),
        ("squid 仍然没有恢复。", (a_fix(), a_run())),
    ],
)
def test_nothing_is_verified_without_a_look_or_against_the_answer(
    answer: str, runs: tuple[CommandRun, ...]
) -> None:
    assert Kind.VERIFIED not in kinds(TurnView(a_turn(answer=answer), runs))


def test_a_fix_of_an_earlier_turn_is_verified_later() -> None:
    fixed = Milestone("x", "fix_applied", "", {"hosts": ["gw4"]}, "t0", NOW)
    turn = a_turn("还好吗？", "squid 已恢复正常。", language="zh")
    assert Kind.VERIFIED in kinds(TurnView(turn, (a_run(),), earlier=(fixed,)))


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (CommandStatus.DENIED, "denied"),
        (CommandStatus.REFUSED, "refused"),
        (CommandStatus.EXPIRED, "nobody approved"),
        (CommandStatus.UNKNOWN, "outcome unknown"),
    ],
)
def test_what_held_the_turn_up_blocks_it(status: CommandStatus, said: str) -> None:
    marks = detect(TurnView(a_turn("go on"), (a_fix(status=status, exit_code=None),)))
    assert marks[0].kind is Kind.BLOCKED and said in marks[0].text


def test_a_host_that_was_reached_after_all_blocks_nothing() -> None:
    failed = a_run(status=CommandStatus.FAILED, exit_code=None, error="gw4: refused")
    assert Kind.BLOCKED in kinds(TurnView(a_turn(), (failed,)))
    assert Kind.BLOCKED not in kinds(TurnView(a_turn(), (failed, a_run())))


def test_a_turn_that_failed_is_blocked_by_its_error() -> None:
    turn = a_turn(status=TurnStatus.FAILED, error="The model did not answer.")
    assert detect(TurnView(turn))[-1].text == "Blocked: The model did not answer."


def test_a_question_to_the_person_hands_over() -> None:
    marks = detect(TurnView(a_turn(), (a_run(),), asked="Which squid do you mean?"))
    assert marks[-1] == Mark(Kind.HANDED_OVER, "Waiting for an answer: Which squid do you mean?")


def test_an_answer_that_needs_a_person_hands_over() -> None:
    turn = a_turn("检查磁盘", "sdb 已损坏，需要您联系机房更换。", language="zh")
    assert Kind.HANDED_OVER in kinds(TurnView(turn, (a_run(),)))


def test_a_preference_is_told_by_its_subject_only() -> None:
    mark = detect(TurnView(a_turn("keep it short"), learned=(a_preference(),)))[0]
    assert mark == Mark(
        Kind.PREFERENCE_LEARNED, "Preference learned: verbosity", {"memory_id": "m1"}
    )


def test_a_withdrawn_preference_is_told_as_withdrawn() -> None:
    view = TurnView(a_turn(language="zh"), learned=(a_preference(op=Op.REMOVE),))
    assert detect(view)[0].text == "取消偏好：verbosity"


def test_a_mark_is_one_short_line_without_secrets() -> None:
    question = "why does password=Tr0ub4dor-and-3 not work?\n" + "x " * 300
    text = detect(TurnView(a_turn(question), (a_run(),)))[0].text
    assert len(text) <= MAX_CHARS and "\n" not in text and "Tr0ub4dor" not in text


# --- where it is kept ---------------------------------------------------------------------


def ended(world: World) -> Turn:
    return replace(world.ask("why is squid slow?"), status=TurnStatus.DONE)


def test_a_job_that_comes_twice_adds_nothing(world: World) -> None:
    tracker, turn = MilestoneTracker(milestones, NoCache()), ended(world)
    first = tracker.detect_and_record(turn, [a_run(), a_fix()])
    assert [each.kind for each in first] == ["goal_set", "fix_applied"]
    assert tracker.detect_and_record(turn, [a_run(), a_fix()]) == []
    assert tracker.recent(turn.session_id, turn.user_id) == first


def test_marks_of_another_person_are_never_given(world: World) -> None:
    tracker, turn = MilestoneTracker(milestones, NoCache()), ended(world)
    tracker.detect_and_record(turn, [a_run()])
    stranger = people.named("eve").id
    assert tracker.recent(turn.session_id, stranger) == []
    assert milestones.record(turn.session_id, stranger, turn.id, [Mark(Kind.BLOCKED, "x")]) == []


def test_nothing_is_kept_for_a_session_that_is_gone(world: World) -> None:
    turn = replace(ended(world), session_id="0" * 20)
    assert MilestoneTracker(milestones, NoCache()).detect_and_record(turn, [a_run()]) == []


def test_the_last_marks_come_oldest_first(world: World) -> None:
    turn = ended(world)
    marks = [Mark(Kind.BLOCKED, str(number)) for number in range(5)]
    milestones.record(turn.session_id, turn.user_id, turn.id, marks)
    last = milestones.recent(turn.session_id, turn.user_id, 2)
    assert [each.text for each in last] == ["3", "4"]


def test_the_cache_gives_what_the_table_has_and_is_rebuilt(
    world: World, valkey_server: ValkeyServer
) -> None:
    client = valkey_server.client()
    tracker, turn = MilestoneTracker(milestones, MilestoneCache(client)), ended(world)
    tracker.detect_and_record(turn, [a_run(), a_fix()])
    stored = milestones.recent(turn.session_id, turn.user_id, KEPT)
    assert MilestoneCache(client).get(turn.session_id, turn.user_id) == stored
    client.flushall()
    assert tracker.recent(turn.session_id, turn.user_id) == stored
    assert MilestoneCache(client).get(turn.session_id, turn.user_id) == stored


def test_a_reader_never_replaces_what_a_writer_cached(valkey_server: ValkeyServer) -> None:
    cache = MilestoneCache(valkey_server.client())
    mark = Milestone("a", "blocked", "x", {}, None, NOW)
    cache.put("s", "u", [mark])
    cache.fill("s", "u", [])
    assert cache.get("s", "u") == [mark]
    assert cache.get("s", "somebody else") is None


def test_with_redis_away_the_table_answers(world: World) -> None:
    nowhere = Redis.from_url("redis://127.0.0.1:1", socket_connect_timeout=0.2)
    tracker, turn = MilestoneTracker(milestones, MilestoneCache(nowhere)), ended(world)
    new = tracker.detect_and_record(turn, [a_run()])
    assert tracker.recent(turn.session_id, turn.user_id) == new != []


def test_marks_go_with_their_session(world: World) -> None:
    tracker, turn = MilestoneTracker(milestones, NoCache()), world.ask("why?")
    tracker.detect_and_record(replace(turn, status=TurnStatus.DONE), [a_run()])
    world.script("because")
    world.play()
    sessions.remove(turn.session_id, turn.user_id)
    assert milestones.recent(turn.session_id, turn.user_id, 9) == []
